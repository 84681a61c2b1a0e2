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
	for _, use := range s.Places[v] {
		if use.Node() == r.Value {
			continue
		}
		if flow.IsSet(use) || flow.Addresses(info, use) || setPart(use) {
			return p, false // the copy is changed or kept
		}
		if f, ok := flow.Func(use); !ok || f.Node().Pos() >= r.Pos() {
			return p, false // a closure may run later
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
	return proposal{Message: "Refer to the elements in place", Edits: edits}, true
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
