package allocation

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// boxedGenerator takes small numbers in interfaces from a table.
func boxedGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "boxed", Title: "number allocated to be put into an interface",
		Why: "the runtime has a table of integers below 256 only; one of small numbers that are floating-point, or larger, " +
			"saves the allocation",
		Assumes: "most of the numbers are small and whole",
		Kinds:   []diagnosis.Kind{diagnosis.Interface, diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes(
				(*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.BinaryExpr)(nil), (*ast.CallExpr)(nil),
			) {
				if p, ok := s.fromTable(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// boxedSource is declared for a type of numbers: the table, the function, the type, and a condition.
const boxedSource = `// %[1]s has the numbers from 0 to 1023 as interfaces.
var %[1]s = func() (all [1024]any) {
	for i := range all {
		all[i] = %[3]s(i)
	}
	return all
}()

// %[2]s returns x as an interface.
func %[2]s(x %[3]s) any {
	if i := int(x); 0 <= i && i < len(%[1]s) && %[3]s(i) == x%[4]s {
		return %[1]s[i]
	}
	return x
}`

// fromTable calls a function with a table for a number that becomes an empty interface. A negative zero is not in the
// table.
func (s *site) fromTable(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	e := sites.ExprOf(c)
	tv := info.Types[e]
	if tv.Value != nil || !tv.IsValue() || !rewrite.Universe(s.Pass, "any", "len", "int") ||
		!flow.Since(s.Pass, e.Pos(), "go1.18") || !s.becomesAny(c) {
		return p, false
	}
	basic, ok := tv.Type.(*types.Basic)
	if !ok {
		return p, false
	}
	positive := ""
	switch basic.Kind() {
	case types.Float64:
		positive = " && (i > 0 || 1/x > 0)" // 0 is also -0
	case types.Int, types.Int64:
	default:
		return p, false
	}
	if !rewrite.Universe(s.Pass, basic.Name()) {
		return p, false
	}
	upper := strings.ToUpper(basic.Name()[:1]) + basic.Name()[1:]
	table, function := s.Names.Fresh("boxed"+upper+"s"), s.Names.Fresh("boxed"+upper)
	declared, ok := rewrite.Declare(s.Pass, e.Pos(), fmt.Sprintf(boxedSource, table, function, basic.Name(), positive))
	if !ok {
		return p, false
	}
	return proposal{
		Message: "Take small numbers in interfaces from a table",
		Edits:   []analysis.TextEdit{declared, rewrite.Replace(e, function+"("+s.Text(e)+")")},
	}, true
}

// becomesAny reports whether a value is converted to an empty interface: it is returned, assigned, passed, or an
// element.
func (s *site) becomesAny(c inspector.Cursor) bool {
	info := s.Pass.TypesInfo
	var to types.Type
	switch c.ParentEdgeKind() {
	case edge.ReturnStmt_Results:
		ret, ok := c.Parent().Node().(*ast.ReturnStmt)
		results := s.results(c)
		if !ok || results == nil || len(ret.Results) != results.Len() {
			return false
		}
		to = results.At(c.ParentEdgeIndex()).Type()
	case edge.AssignStmt_Rhs:
		assign, ok := c.Parent().Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != len(assign.Rhs) {
			return false
		}
		to = info.TypeOf(assign.Lhs[c.ParentEdgeIndex()])
	case edge.CallExpr_Args:
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok {
			return false
		}
		sig, ok := info.TypeOf(call.Fun).Underlying().(*types.Signature)
		if !ok {
			return false
		}
		at, n := c.ParentEdgeIndex(), sig.Params().Len()
		switch {
		case sig.Variadic() && at >= n-1 && !call.Ellipsis.IsValid():
			slice, isSlice := sig.Params().At(n - 1).Type().(*types.Slice)
			if !isSlice || strings.HasPrefix(s.Callee(c.Parent()), "fmt.") {
				return false // format is about these
			}
			to = slice.Elem()
		case at < n:
			to = sig.Params().At(at).Type()
		}
	case edge.CompositeLit_Elts, edge.KeyValueExpr_Value:
		literal := c.Parent()
		if c.ParentEdgeKind() == edge.KeyValueExpr_Value {
			literal = literal.Parent()
		}
		e := sites.ExprOf(literal)
		if e == nil {
			return false
		}
		switch t := info.TypeOf(e).Underlying().(type) {
		case *types.Slice:
			to = t.Elem()
		case *types.Map:
			to = t.Elem()
		default:
			return false
		}
	default:
		return false
	}
	if to == nil {
		return false
	}
	i, ok := to.Underlying().(*types.Interface)
	_, isParam := types.Unalias(to).(*types.TypeParam)
	return ok && !isParam && i.Empty()
}

// results returns the results of the function around a node; nil if it is not known.
func (s *site) results(c inspector.Cursor) *types.Tuple {
	switch f := sites.FunctionOf(c).Node().(type) {
	case *ast.FuncDecl:
		if fn, ok := s.Pass.TypesInfo.Defs[f.Name].(*types.Func); ok {
			return fn.Signature().Results()
		}
	case *ast.FuncLit:
		if sig, ok := s.Pass.TypesInfo.TypeOf(f).(*types.Signature); ok {
			return sig.Results()
		}
	}
	return nil
}
