package operations

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

// mapKeysGenerator iterates over a map with reflection, instead of over a list of its keys.
func mapKeysGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "mapkeys", Title: "keys of a map listed with reflection",
		Why:     "an iterator needs no list of the keys, and has the value of a key without a search",
		Assumes: "nothing that the loop calls changes the map",
		Kinds: []diagnosis.Kind{
			diagnosis.Reflection, diagnosis.MapAccess, diagnosis.Allocation, diagnosis.Escape, diagnosis.SliceGrowth,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for c := range s.Decl.Preorder((*ast.RangeStmt)(nil)) {
				if p, ok := s.iterated(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// iterated replaces for _, k := range v.MapKeys() by a loop with an iterator, if the line is its head or gets the
// value of the key.
func (s *site) iterated(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	loop, ok := c.Node().(*ast.RangeStmt)
	if !ok || loop.Tok != token.DEFINE || loop.Value == nil || !sites.IsBlank(loop.Key) ||
		!flow.Since(s.Pass, loop.Pos(), "go1.12") {
		return p, false
	}
	call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
	if !ok || flow.Callee(info, call) != "(reflect.Value).MapKeys" ||
		rewrite.HasComment(s.Pass, loop.Pos(), loop.Body.Lbrace) {
		return p, false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || s.SideEffects(sel.X) {
		return p, false
	}
	id, isIdent := loop.Value.(*ast.Ident)
	if !isIdent || id.Name == "_" {
		return p, false
	}
	key, isVar := info.Defs[id].(*types.Var)
	if !isVar {
		return p, false
	}
	iter, onLine := s.Locals.Fresh(loop.Pos(), "iter"), s.LineOf(loop.Pos()) == s.Line
	var edits []analysis.TextEdit
	uses := 0
	for _, use := range s.Places[key] {
		if use.Node() == id {
			continue
		}
		if flow.IsSet(use) {
			return p, false
		}
		if use.ParentEdgeKind() == edge.CallExpr_Args {
			get, isCall := use.Parent().Node().(*ast.CallExpr)
			if isCall && flow.Callee(info, get) == "(reflect.Value).MapIndex" {
				of, isSelector := ast.Unparen(get.Fun).(*ast.SelectorExpr)
				if isSelector && flow.Same(info, of.X, sel.X) && sites.FunctionOf(use) == sites.FunctionOf(c) {
					edits = append(edits, rewrite.Replace(get, iter+".Value()"))
					onLine = onLine || s.On(get)
					continue
				}
			}
		}
		uses++
	}
	for set := range c.Preorder((*ast.CallExpr)(nil)) {
		one, isCall := set.Node().(*ast.CallExpr)
		if !isCall || flow.Callee(info, one) != "(reflect.Value).SetMapIndex" {
			continue
		}
		if to, isSelector := ast.Unparen(one.Fun).(*ast.SelectorExpr); !isSelector || flow.Same(info, to.X, sel.X) {
			return p, false
		}
	}
	if v := flow.Variable(info, sel.X); v != nil && !s.Unset(c, v) || !onLine {
		return p, false
	}
	head := fmt.Sprintf("for %[1]s := %[2]s.MapRange(); %[1]s.Next(); {", iter, s.Text(sel.X))
	if uses > 0 {
		head += fmt.Sprintf("\n%s := %s.Key()", id.Name, iter)
	}
	edits = append(edits, analysis.TextEdit{Pos: loop.Pos(), End: loop.Body.Lbrace + 1, NewText: []byte(head)})
	return proposal{Message: "Iterate over the map of " + s.Text(sel.X), Edits: edits}, true
}
