package memory

import (
	"fmt"
	"go/ast"
	"go/types"
	"math/bits"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
	"github.com/whet-go/whet/internal/find/functions"
)

// observedGenerator gives what a function returns the size that it had in recorded calls.
func observedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "observed", Title: "result grown step by step to a size that was recorded",
		Why:     "memory for the size of most recorded results is allocated once",
		Assumes: "results have the sizes of the recorded ones: a larger capacity than needed costs memory",
		Kinds: []diagnosis.Kind{
			diagnosis.SliceGrowth, diagnosis.MapGrowth, diagnosis.Allocation, diagnosis.Text, diagnosis.Copying,
			diagnosis.MapAccess, diagnosis.Escape, diagnosis.Collection,
		},
		Propose: visit(func(s *site) (list []proposal) {
			decl, ok := s.Decl.Node().(*ast.FuncDecl)
			if !ok || s.Observed == nil {
				return nil
			}
			lengths := s.Observed(functions.Name(decl))
			done := map[*types.Var]bool{}
			for _, c := range s.Nodes((*ast.AssignStmt)(nil), (*ast.CallExpr)(nil), (*ast.IndexExpr)(nil)) {
				v := s.grows(c)
				if v == nil || done[v] {
					continue
				}
				done[v] = true
				n, ok := s.lengthOf(v, lengths)
				if !ok {
					continue
				}
				if p, ok := s.sized(c, v, n); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// grows returns the local variable that a statement makes larger: x = append(x, …), x[k] = … of a map, or
// x.WriteString(…) of a builder; nil for all else.
func (s *site) grows(c inspector.Cursor) *types.Var {
	info := s.Pass.TypesInfo
	switch n := c.Node().(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
			return nil
		}
		call, ok := n.Rhs[0].(*ast.CallExpr)
		if ok && flow.Builtin(info, call) == "append" && flow.Same(info, n.Lhs[0], call.Args[0]) {
			return flow.Variable(info, n.Lhs[0])
		}
	case *ast.IndexExpr:
		if flow.IsSet(c) && sites.IsMap(info.TypeOf(n.X)) {
			return flow.Variable(info, n.X)
		}
	case *ast.CallExpr:
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
			if v := flow.Variable(info, sel.X); v != nil && isBuilder(v.Type()) && !s.grown(v) {
				return v
			}
		}
	}
	return nil
}

// isBuilder reports whether a type is strings.Builder or bytes.Buffer.
func isBuilder(t types.Type) bool {
	return t.String() == "strings.Builder" || t.String() == "bytes.Buffer"
}

// Limits of recorded sizes. Smaller ones are not worth it, and larger ones may be of one kind of call only.
const (
	minObserved = 5
	maxObserved = 1 << 20
)

// lengthOf returns the recorded length of the result that a variable becomes: it is returned, as a string, or as
// the text of a builder.
func (s *site) lengthOf(v *types.Var, lengths []int) (int, bool) {
	for _, use := range s.Places[v] {
		if sites.FunctionOf(use) != s.Decl {
			continue
		}
		c := use
		if method, call, ok := flow.Receives(use); ok && (method == "String" || method == "Bytes") {
			c = call
		} else if call, ok := use.Parent().Node().(*ast.CallExpr); ok {
			if to, ok := flow.Conversion(s.Pass.TypesInfo, call); ok && flow.IsString(to) {
				c = use.Parent()
			}
		}
		at := -1
		switch c.ParentEdgeKind() {
		case edge.ReturnStmt_Results:
			at = c.ParentEdgeIndex()
		case edge.Field_Names: // a named result
			if use.Parent().Parent().ParentEdgeKind() == edge.FuncType_Results {
				at = s.resultOf(v)
			}
		}
		if at >= 0 && at < len(lengths) && minObserved <= lengths[at] && lengths[at] <= maxObserved {
			return lengths[at], true
		}
	}
	return 0, false
}

// resultOf returns the index of a named result; -1 if the variable is none.
func (s *site) resultOf(v *types.Var) int {
	decl, ok := s.Decl.Node().(*ast.FuncDecl)
	if !ok {
		return -1
	}
	fn, ok := s.Pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return -1
	}
	for i := range fn.Signature().Results().Len() {
		if fn.Signature().Results().At(i) == v {
			return i
		}
	}
	return -1
}

// rounded returns a capacity for a length: the next multiple of an eighth of the power of two below it, so that
// it does not depend on the last call that was recorded.
func rounded(n int) int {
	step := max(1, 1<<bits.Len(uint(n))>>4)
	return (n + step - 1) / step * step
}

// sized gives a variable a capacity where it is declared, or, for a nil slice, where it first grows.
func (s *site) sized(c inspector.Cursor, v *types.Var, n int) (p proposal, ok bool) {
	size := fmt.Sprint(rounded(n))
	p.Message = fmt.Sprintf("Allocate %s for %s elements, as most recorded results need", v.Name(), size)
	if isBuilder(v.Type()) {
		p.Message = fmt.Sprintf("Let %s grow once to %s bytes, as most recorded results need", v.Name(), size)
		for _, use := range s.Places[v] {
			spec, isSpec := use.Parent().Node().(*ast.ValueSpec)
			stmt, ok := rewrite.Statement(use)
			if !isSpec || !ok || len(spec.Values) > 0 || !flow.InBlock(stmt) ||
				s.Pass.TypesInfo.Defs[sites.IdentOf(use)] != types.Object(v) {
				continue
			}
			at := rewrite.Insert(stmt.Node().End(), fmt.Sprintf("\n%s.Grow(%s)", v.Name(), size))
			p.Edits = []analysis.TextEdit{at}
			return p, true
		}
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, c.Node().Pos(), v.Type())
	if !ok || !rewrite.Predeclared(s.Pass, c.Node().Pos(), "make", "len", "nil") {
		return p, false
	}
	if sites.IsMap(v.Type()) {
		for _, use := range s.Places[v] {
			if value := s.ValueOf(use, v); value != nil && s.emptyMap(value) {
				p.Edits = []analysis.TextEdit{rewrite.Replace(value, fmt.Sprintf("make(%s, %s)", typ, size))}
				return p, true
			}
		}
		return p, false
	}
	begin, isEmpty := s.empty(v)
	stmt, isAssign := c.Node().(*ast.AssignStmt)
	if !isEmpty || !isAssign {
		return p, false
	}
	if begin != nil {
		p.Edits = []analysis.TextEdit{rewrite.Replace(begin, fmt.Sprintf("make(%s, 0, %s)", typ, size))}
		return p, true
	}
	call, isCall := stmt.Rhs[0].(*ast.CallExpr)
	if !isCall || !flow.InBlock(c) {
		return p, false
	}
	p.Edits = s.allocatedFirst(stmt, call, v.Name(), typ, size)
	return p, len(p.Edits) > 0
}
