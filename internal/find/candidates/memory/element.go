package memory

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

// minElement is the size in bytes from which on copying an element is worth avoiding.
const minElement = 40

// elementGenerator reads large elements in place instead of copying each in a loop.
func elementGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "element", Title: "each element of a slice copied by a loop",
		Why:     "a pointer to the element is as good where the loop only reads it",
		Assumes: "nothing that the loop calls changes the elements of the slice meanwhile",
		Kinds:   []diagnosis.Kind{diagnosis.Copying, diagnosis.Own},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.Nodes((*ast.RangeStmt)(nil)) {
				if p, ok := s.inPlace(c); ok {
					list = append(list, p)
				}
			}
			for _, c := range s.Nodes((*ast.AssignStmt)(nil)) {
				if p, ok := s.referred(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// inPlace makes the variable of a loop a pointer to the element.
func (s *site) inPlace(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	r, ok := c.Node().(*ast.RangeStmt)
	if !ok || r.Value == nil || sites.IsBlank(r.Value) || r.Tok != token.DEFINE ||
		rewrite.HasComment(s.Pass, r.Key.Pos(), r.Body.Lbrace) {
		return p, false
	}
	slice, ok := info.TypeOf(r.X).Underlying().(*types.Slice)
	v := flow.Variable(info, r.Value)
	of := rootOf(info, r.X)
	if !ok || v == nil || of == nil || flow.SizeVaries(slice.Elem()) ||
		s.Pass.TypesSizes.Sizeof(slice.Elem()) < minElement || !s.Unset(c, of) {
		return p, false
	}
	if sel, ok := ast.Unparen(r.X).(*ast.SelectorExpr); ok && s.SetsField(c, sel) {
		return p, false
	}
	key := s.Text(r.Key)
	head := key
	if sites.IsBlank(r.Key) {
		key = s.Locals.Fresh(r.Pos(), "i")
		head = key
	}
	edits := []analysis.TextEdit{
		{Pos: r.Key.Pos(), End: r.X.Pos(), NewText: []byte(head + " := range ")},
		rewrite.Insert(r.Body.Lbrace+1, fmt.Sprintf("\n%s := &%s[%s]\n", v.Name(), s.Text(r.X), key)),
	}
	uses, ok := s.dereferenced(v, r)
	return proposal{Message: "Refer to the elements in place", Edits: append(edits, uses...)}, ok
}

// minAssigned is minElement for an element that a statement of a loop copies.
const minAssigned = 24

// referred makes x := list[i] a pointer to the element, in a loop.
func (s *site) referred(c inspector.Cursor) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	assign, ok := c.Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return p, false
	}
	x, ok := ast.Unparen(assign.Rhs[0]).(*ast.IndexExpr)
	v := flow.Variable(info, assign.Lhs[0])
	loop, loops := flow.Loop(c)
	if !ok || v == nil || !loops || rewrite.HasComment(s.Pass, assign.Pos(), assign.End()) {
		return p, false
	}
	slice, ok := info.TypeOf(x.X).Underlying().(*types.Slice)
	of := rootOf(info, x.X)
	if !ok || of == nil || !s.Unset(loop, of) || !s.largeElement(slice.Elem()) {
		return p, false
	}
	for other := range loop.Preorder((*ast.IndexExpr)(nil)) {
		if e, isIndex := other.Node().(*ast.IndexExpr); isIndex && s.Text(e.X) == s.Text(x.X) && flow.IsSet(other) {
			return p, false // it may be this one
		}
	}
	uses, ok := s.dereferenced(v, assign)
	p.Message = "Refer to the element in place"
	p.Edits = append(uses, rewrite.Insert(x.Pos(), "&"))
	return p, ok
}

// largeElement reports whether copying an element is worth avoiding. A type parameter is as large as the smallest of
// its types.
func (s *site) largeElement(t types.Type) bool {
	if param, isParam := types.Unalias(t).(*types.TypeParam); isParam {
		i, ok := param.Constraint().Underlying().(*types.Interface)
		if !ok || i.NumEmbeddeds() != 1 {
			return false
		}
		union, ok := i.EmbeddedType(0).(*types.Union)
		if !ok {
			return false
		}
		for term := range union.Terms() {
			if term.Tilde() || !s.largeElement(term.Type()) {
				return false
			}
		}
		return union.Len() > 0
	}
	return !flow.SizeVaries(t) && s.Pass.TypesSizes.Sizeof(t) >= minAssigned
}

// dereferenced returns the edits of the uses of a variable that a statement declares, and that becomes a pointer. ok is
// false if the copy is changed or kept.
func (s *site) dereferenced(v *types.Var, declared ast.Stmt) (edits []analysis.TextEdit, ok bool) {
	info := s.Pass.TypesInfo
	for _, use := range s.Places[v] {
		if use.Node().Pos() == v.Pos() {
			continue
		}
		if flow.IsSet(use) || flow.Addresses(info, use) || setPart(use) {
			return nil, false
		}
		if f, ok := flow.Func(use); !ok || f.Node().Pos() >= declared.Pos() {
			return nil, false // a closure may run later
		}
		switch use.ParentEdgeKind() {
		case edge.SelectorExpr_X:
		case edge.AssignStmt_Rhs, edge.CallExpr_Args, edge.ReturnStmt_Results, edge.CompositeLit_Elts,
			edge.KeyValueExpr_Value:
			edits = append(edits, rewrite.Replace(use.Node(), "*"+v.Name()))
		default:
			edits = append(edits, rewrite.Replace(use.Node(), "(*"+v.Name()+")"))
		}
	}
	return edits, true
}

// setPart reports whether a field of a value is set.
func setPart(use inspector.Cursor) bool {
	for c := use; ; c = c.Parent() {
		if flow.IsSet(c) {
			return true
		}
		switch c.ParentEdgeKind() {
		case edge.SelectorExpr_X, edge.ParenExpr_X:
		case edge.IndexExpr_X:
			// An element of an array is part of the value; that of a slice is not, but may be shared.
		default:
			return false
		}
	}
}

// rootOf returns the variable that an expression of variables and fields begins with, or nil.
func rootOf(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if sel := info.Selections[x]; sel == nil || sel.Kind() != types.FieldVal {
				return nil
			}
			e = x.X
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		default:
			return nil
		}
	}
}
