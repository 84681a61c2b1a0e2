package repeated

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// closureGenerator makes a function value before a loop that makes one in each iteration.
func closureGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "closure", Title: "function value made in each iteration of a loop",
		Why:     "a function literal that captures variables, and a method value, are allocated where they escape",
		Assumes: "what gets the function does not compare or change it",
		Kinds: []diagnosis.Kind{
			diagnosis.Allocation, diagnosis.Escape, diagnosis.Collection, diagnosis.Own,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.FuncLit)(nil), (*ast.SelectorExpr)(nil)) {
				if p, ok := s.functionBefore(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// functionBefore moves a function literal, or a method value, before the innermost loop. It captures variables, and
// none that the loop declares.
func (s *site) functionBefore(c inspector.Cursor) (p proposal, ok bool) {
	loop, ok := flow.Loop(c.Parent())
	if !ok || c.ParentEdgeKind() == edge.CallExpr_Fun {
		return p, false
	}
	stmt, ok := rewrite.Statement(loop)
	if !ok {
		return p, false
	}
	switch e := c.Node().(type) {
	case *ast.FuncLit:
		ok = s.captures(c, loop)
	case *ast.SelectorExpr:
		sel := s.Pass.TypesInfo.Selections[e]
		v := flow.Variable(s.Pass.TypesInfo, e.X)
		ok = sel != nil && sel.Kind() == types.MethodVal && v != nil && s.Unset(loop, v)
	}
	if !ok {
		return p, false
	}
	name := s.Locals.Fresh(c.Node().Pos(), "fn")
	return proposal{
		Message: "Make the function once, before the loop",
		Edits: []analysis.TextEdit{
			rewrite.Before(s.Pass, stmt.Node(), name+" := "+s.Text(c.Node())), rewrite.Replace(c.Node(), name),
		},
	}, true
}

// captures reports whether a function literal uses variables of the function around it, of which the loop declares
// none.
func (s *site) captures(literal, loop inspector.Cursor) bool {
	within, captured := literal.Node(), false
	for c := range literal.Preorder((*ast.Ident)(nil)) {
		v := flow.Variable(s.Pass.TypesInfo, sites.IdentOf(c))
		if v == nil || within.Pos() <= v.Pos() && v.Pos() < within.End() {
			continue
		}
		if at := v.Pos(); loop.Node().Pos() <= at && at < loop.Node().End() {
			return false
		}
		captured = true
	}
	return captured
}
