package allocation

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// perLoopGenerator makes a slice or map before a loop that makes one in each iteration.
func perLoopGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "perloop", Title: "slice or map made in each iteration of a loop",
		Why:     "one that is made before the loop, and emptied in each iteration, is allocated and grows once",
		Assumes: "nothing that an iteration calls keeps it",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.SliceGrowth, diagnosis.MapGrowth, diagnosis.Collection,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, v := range s.madeOnLine() {
				if p, ok := s.madeBefore(v); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// madeOnLine returns the local slices and maps that are declared on the line, or appended to.
func (s *site) madeOnLine() (list []*types.Var) {
	done := map[*types.Var]bool{}
	for _, c := range s.Nodes((*ast.Ident)(nil)) {
		id := sites.IdentOf(c)
		v, ok := s.Pass.TypesInfo.ObjectOf(id).(*types.Var)
		if !ok || done[v] || v.IsField() || !flow.IsSet(c) && c.ParentEdgeKind() != edge.IndexExpr_X {
			continue
		}
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			done[v] = true
			list = append(list, v)
		}
	}
	return list
}

// madeBefore moves the declaration of a variable before the innermost loop around it. Nothing in the iteration stores,
// returns or sends it.
func (s *site) madeBefore(v *types.Var) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	var stmt, loop inspector.Cursor
	var value ast.Expr
	for _, use := range s.Places[v] {
		if info.Defs[sites.IdentOf(use)] != types.Object(v) {
			if s.mayKeep(use, v) {
				return p, false
			}
			continue
		}
		if loop, ok = flow.Loop(use); !ok {
			return p, false
		}
		if stmt, ok = rewrite.Statement(use); !ok || !flow.InBlock(stmt) {
			return p, false
		}
		switch d := use.Parent().Node().(type) {
		case *ast.AssignStmt:
			if len(d.Lhs) != 1 || d.Tok != token.DEFINE {
				return p, false
			}
			value = d.Rhs[0]
		case *ast.ValueSpec:
			if len(d.Names) != 1 || len(d.Values) > 1 {
				return p, false
			}
			if len(d.Values) == 1 {
				value = d.Values[0]
			}
		default:
			return p, false
		}
	}
	outer, ok := rewrite.Statement(loop)
	if !stmt.Valid() || !ok || rewrite.HasComment(s.Pass, stmt.Node().Pos(), stmt.Node().End()) {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, outer.Node().Pos(), v.Type())
	if !ok || !rewrite.Predeclared(s.Pass, stmt.Node().Pos(), "make", "clear", "cap", "len") {
		return p, false
	}
	name := s.Locals.Fresh(v.Pos(), v.Name())
	before, inside, ok := s.emptied(v, value, typ, name, loop)
	if !ok {
		return p, false
	}
	p.Message = "Make " + v.Name() + " once, before the loop"
	p.Edits = []analysis.TextEdit{rewrite.Before(s.Pass, outer.Node(), before), rewrite.Replace(stmt.Node(), inside)}
	return p, true
}

// emptied returns what declares a variable before a loop, and what empties it in each iteration.
func (s *site) emptied(v *types.Var, value ast.Expr, typ, name string, loop inspector.Cursor) (
	before, inside string, ok bool,
) {
	info := s.Pass.TypesInfo
	if _, isMap := v.Type().Underlying().(*types.Map); isMap {
		if value == nil || !s.emptyMap(value) || !flow.Since(s.Pass, v.Pos(), "go1.21") {
			return "", "", false
		}
		return fmt.Sprintf("%s := make(%s)", name, typ), fmt.Sprintf("clear(%[1]s)\n%[2]s := %[1]s", name, v.Name()), true
	}
	call, isCall := value.(*ast.CallExpr)
	switch literal, isLiteral := value.(*ast.CompositeLit); {
	case value == nil:
		return "", "", false // it may be told from an empty one
	case isLiteral && len(literal.Elts) > 0 || !isLiteral && (!isCall || flow.Builtin(info, call) != "make"):
		return "", "", false
	}
	if isCall && len(call.Args) == 2 {
		if n, isConst := flow.IntConst(info, call.Args[1]); !isConst || n > 0 {
			// The size may differ in each iteration.
			size := call.Args[1]
			if flow.Calls(info, size) || s.SideEffects(size) || !flow.Since(s.Pass, v.Pos(), "go1.21") ||
				!types.Identical(types.Default(info.TypeOf(size)), types.Typ[types.Int]) {
				return "", "", false
			}
			return fmt.Sprintf("var %s %s", name, typ), fmt.Sprintf(
				"if cap(%[1]s) < %[2]s {\n%[1]s = make(%[3]s, %[2]s)\n}\n%[1]s = %[1]s[:%[2]s]\nclear(%[1]s)\n%[4]s := %[1]s",
				name, s.Text(size), typ, v.Name()), true
		}
	}
	// The memory is that of the last iteration, which may have grown it: each append keeps it.
	text := fmt.Sprintf("%s := %s[:0]", v.Name(), name)
	for _, use := range s.Places[v] {
		if flow.IsSet(use) && info.Defs[sites.IdentOf(use)] == nil {
			return fmt.Sprintf("var %s %s", v.Name(), typ), fmt.Sprintf("if %[1]s == nil {\n%[1]s = %[2]s\n}\n%[1]s = %[1]s[:0]",
				v.Name(), s.Text(value)), s.free(v, loop)
		}
	}
	return fmt.Sprintf("%s := %s", name, s.Text(value)), text, s.Unset(loop, v)
}

// free reports whether a variable's name means nothing else around a loop: it is not declared outside.
func (s *site) free(v *types.Var, loop inspector.Cursor) bool {
	return rewrite.Lookup(s.Pass, loop.Node().Pos(), v.Name()) == nil && !s.usedAround(v, loop)
}

// usedAround reports whether the function names another variable like v outside of a loop.
func (s *site) usedAround(v *types.Var, loop inspector.Cursor) bool {
	for c := range s.Decl.Preorder((*ast.Ident)(nil)) {
		id := sites.IdentOf(c)
		if id.Name != v.Name() || s.Pass.TypesInfo.ObjectOf(id) == types.Object(v) {
			continue
		}
		if at := id.Pos(); at < loop.Node().Pos() || at >= loop.Node().End() || s.Pass.TypesInfo.Defs[id] != nil {
			return true
		}
	}
	return false
}

// mayKeep reports whether a use of a slice or map may keep it: it is returned, stored, sent, captured, or converted.
func (s *site) mayKeep(use inspector.Cursor, v *types.Var) bool {
	if sites.FunctionOf(use) != sites.FunctionOf(s.Places[v][0]) {
		return true
	}
	c := use
	for c.ParentEdgeKind() == edge.ParenExpr_X || c.ParentEdgeKind() == edge.SliceExpr_X {
		c = c.Parent()
	}
	switch c.ParentEdgeKind() {
	case edge.IndexExpr_X:
		return flow.Addresses(s.Pass.TypesInfo, c.Parent())
	case edge.RangeStmt_X, edge.AssignStmt_Lhs, edge.BinaryExpr_X, edge.BinaryExpr_Y:
		return false
	case edge.CallExpr_Args:
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok {
			return true
		}
		if to, converts := flow.Conversion(s.Pass.TypesInfo, call); converts {
			return !flow.IsString(to)
		}
		switch flow.Builtin(s.Pass.TypesInfo, call) {
		case "len", "cap", "copy", "clear", "delete", "min", "max":
			return false
		case "append":
			if c.ParentEdgeIndex() == 0 {
				assign, isAssign := c.Parent().Parent().Node().(*ast.AssignStmt)
				return !isAssign || len(assign.Lhs) != 1 || flow.Variable(s.Pass.TypesInfo, assign.Lhs[0]) != v
			}
			return !call.Ellipsis.IsValid()
		}
		return c.Parent().ParentEdgeKind() == edge.GoStmt_Call || c.Parent().ParentEdgeKind() == edge.DeferStmt_Call
	}
	return true
}
