package repeated

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// rowGenerator reads an element that is a slice, map or pointer once before a loop.
func rowGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "row", Title: "row of a matrix read again in each iteration of a loop",
		Why:     "a local variable can stay in a register, and the compiler knows its length",
		Assumes: "nothing that the loop calls sets the row, and it can be read even if the loop does not run",
		Kinds:   []diagnosis.Kind{diagnosis.Own, diagnosis.MapAccess, diagnosis.Copying},
		Propose: visit(func(s *site) (list []proposal) {
			done := map[string]bool{}
			for _, c := range s.Nodes((*ast.IndexExpr)(nil)) {
				x, ok := c.Node().(*ast.IndexExpr)
				if !ok || done[s.Text(x)] {
					continue
				}
				done[s.Text(x)] = true
				if p, ok := s.rowBefore(c, x); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// rowBefore reads an element of a slice before the innermost loop, if that indexes it, or selects of it.
func (s *site) rowBefore(c inspector.Cursor, x *ast.IndexExpr) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	loop, ok := flow.Loop(c)
	if !ok || s.SideEffects(x.X) || s.SideEffects(x.Index) || info.Types[x.X].Value != nil {
		return p, false
	}
	if _, isSlice := info.TypeOf(x.X).Underlying().(*types.Slice); !isSlice {
		return p, false
	}
	switch info.TypeOf(x).Underlying().(type) {
	case *types.Slice, *types.Map, *types.Pointer:
	default:
		return p, false
	}
	if c.ParentEdgeKind() != edge.IndexExpr_X && c.ParentEdgeKind() != edge.SelectorExpr_X || !s.steadyIn(loop, x) {
		return p, false
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok || !rewrite.Means(s.Pass, x, stmt.Node().Pos()) {
		return p, false
	}
	name := s.Locals.Fresh(x.Pos(), "row")
	p.Message = "Read " + s.Text(x) + " once, before the loop"
	p.Edits = append(p.Edits, rewrite.Before(s.Pass, stmt.Node(), fmt.Sprintf("%s := %s", name, s.Text(x))))
	for other := range loop.Preorder((*ast.IndexExpr)(nil)) {
		e, isIndex := other.Node().(*ast.IndexExpr)
		if !isIndex || s.Text(e.X) != s.Text(x.X) {
			continue
		}
		if flow.IsSet(other) || sites.FunctionOf(other) != sites.FunctionOf(c) {
			return p, false // it may be this one
		}
		if s.Text(e) == s.Text(x) {
			p.Edits = append(p.Edits, rewrite.Replace(e, name))
		}
	}
	return p, len(p.Edits) > 1
}
