package memory

import (
	"fmt"
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

// sortGenerator sorts with package slices by the comparison that package sort is given, whatever it compares.
func sortGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "sort", Title: "slice sorted through reflection or an interface",
		Why:     "slices.SortFunc is compiled for the type of the elements, and moves them directly",
		Assumes: "the order of elements of which none is less does not matter",
		Kinds: []diagnosis.Kind{
			diagnosis.Sorting, diagnosis.Reflection, diagnosis.Interface, diagnosis.Escape, diagnosis.Allocation,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("sort.Slice", "sort.SliceStable") {
				if p, ok := s.sortedFunc(c); ok {
					list = append(list, p)
				}
			}
			for _, c := range s.CallsOf("sort.Sort", "sort.Stable") {
				if p, ok := s.sortedType(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// fewGenerator does not sort what has less than two elements.
func fewGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "few", Title: "slice sorted that may have one element",
		Why:     "package sort takes the slice as an interface, which is allocated, even if there is nothing to sort",
		Assumes: "the slice often has less than two elements",
		Kinds: []diagnosis.Kind{
			diagnosis.Sorting, diagnosis.Reflection, diagnosis.Interface, diagnosis.Escape, diagnosis.Allocation,
		},
		Propose: visit(func(s *site) (list []proposal) {
			for _, c := range s.CallsOf("sort.Sort", "sort.Stable", "sort.Slice", "sort.SliceStable") {
				if p, ok := s.unlessFew(c); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// sortedFunc replaces sort.Slice with a function that compares two elements of the slice.
func (s *site) sortedFunc(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return p, false
	}
	less, ok := call.Args[1].(*ast.FuncLit)
	if !ok {
		return p, false
	}
	body, ok := c.FindNode(less.Body)
	if !ok {
		return p, false
	}
	return s.sorted(call, call.Args[0], less.Type, body, s.Callee(c) == "sort.SliceStable")
}

// sortedType replaces sort.Sort of a slice type whose Less method is in the package.
func (s *site) sortedType(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return p, false
	}
	named, ok := types.Unalias(s.Pass.TypesInfo.TypeOf(call.Args[0])).(*types.Named)
	if !ok || named.Obj().Pkg() != s.Pass.Pkg {
		return p, false
	}
	for d := range s.Root.Preorder((*ast.FuncDecl)(nil)) {
		decl, ok := d.Node().(*ast.FuncDecl)
		if !ok || decl.Recv == nil || decl.Name.Name != "Less" || decl.Body == nil || len(decl.Recv.List[0].Names) != 1 {
			continue
		}
		recv := s.Pass.TypesInfo.Defs[decl.Recv.List[0].Names[0]]
		if recv == nil || !types.Identical(recv.Type(), named) {
			continue
		}
		body, ok := d.FindNode(decl.Body)
		if !ok {
			return p, false
		}
		return s.sorted(call, call.Args[0], decl.Type, body, s.Callee(c) == "sort.Stable", decl.Recv.List[0].Names[0])
	}
	return p, false
}

// unlessFew sorts a slice only if it has two elements, so that it is not put into an interface for nothing.
func (s *site) unlessFew(c inspector.Cursor) (p proposal, ok bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || c.ParentEdgeKind() != edge.ExprStmt_X || !flow.InBlock(c.Parent()) ||
		!rewrite.Predeclared(s.Pass, call.Pos(), "len") {
		return p, false
	}
	slice := call.Args[0]
	if of, isCall := ast.Unparen(slice).(*ast.CallExpr); isCall {
		if _, converts := flow.Conversion(s.Pass.TypesInfo, of); !converts {
			return p, false
		}
		slice = of.Args[0]
	}
	of := slice
	if star, isStar := ast.Unparen(slice).(*ast.StarExpr); isStar {
		of = star.X
	}
	if s.SideEffects(of) {
		return p, false
	}
	if _, isSlice := s.Pass.TypesInfo.TypeOf(slice).Underlying().(*types.Slice); !isSlice {
		return p, false
	}
	return proposal{
		Message: "Sort only if there are two elements",
		Edits: []analysis.TextEdit{
			rewrite.Insert(call.Pos(), fmt.Sprintf("if len(%s) > 1 {\n", s.Text(slice))), rewrite.Insert(call.End(), "\n}"),
		},
	}, true
}

// sorted returns the call of package slices with a comparison that calls the old one, once for each order.
// of are the names of the slice in the body, if that is not the argument.
func (s *site) sorted(
	call *ast.CallExpr, slice ast.Expr, less *ast.FuncType, body inspector.Cursor, stable bool, of ...*ast.Ident,
) (p proposal, ok bool) {
	info := s.Pass.TypesInfo
	t, ok := info.TypeOf(slice).Underlying().(*types.Slice)
	end := call.End()
	if at := body.Node().Pos(); call.Pos() <= at && at < end {
		end = at // the body keeps its comments
	}
	if !ok || !flow.Since(s.Pass, call.Pos(), "go1.21") || rewrite.HasComment(s.Pass, call.Pos(), end) {
		return p, false
	}
	typ, ok := rewrite.TypeText(s.Pass, call.Pos(), t.Elem())
	var params []*ast.Ident
	for _, f := range less.Params.List {
		params = append(params, f.Names...)
	}
	if !ok || len(params) != 2 || params[0].Name == "_" || params[1].Name == "_" {
		return p, false
	}
	pkg, edits, ok := rewrite.Import(s.Pass, call.Pos(), "slices")
	if !ok {
		return p, false
	}
	names := [2]string{s.Locals.Fresh(call.Pos(), "a"), s.Locals.Fresh(call.Pos(), "b")}
	text, ok := s.compared(body, slice, params, names, of)
	if !ok {
		return p, false
	}
	function := "SortFunc"
	if stable {
		function = "SortStableFunc"
	}
	isLess := s.Locals.Fresh(call.Pos(), "less")
	text = fmt.Sprintf("%[1]s.%[2]s(%[3]s, func(%[4]s, %[5]s %[6]s) int {\n"+
		"%[8]s := func(%[4]s, %[5]s %[6]s) bool %[7]s\n"+
		"switch {\ncase %[8]s(%[4]s, %[5]s):\nreturn -1\ncase %[8]s(%[5]s, %[4]s):\nreturn 1\n}\nreturn 0\n})",
		pkg, function, s.Text(slice), names[0], names[1], typ, text, isLess)
	return proposal{Message: "Sort with slices." + function, Edits: append(edits, rewrite.Replace(call, text))}, true
}

// compared returns the body of a comparison with the elements of the slice replaced by two names. It fails if
// the indexes or the slice are used in another way.
func (s *site) compared(
	body inspector.Cursor, slice ast.Expr, params []*ast.Ident, names [2]string, of []*ast.Ident,
) (text string, ok bool) {
	info := s.Pass.TypesInfo
	source := s.Text(body.Node())
	begin := body.Node().Pos()
	type piece struct {
		from, to int
		name     string
	}
	var pieces []piece
	for c := range body.Preorder((*ast.Ident)(nil)) {
		obj := info.ObjectOf(sites.IdentOf(c))
		i := -1
		for n, param := range params {
			if obj == info.Defs[param] {
				i = n
			}
		}
		if i < 0 {
			if len(of) > 0 && obj == info.Defs[of[0]] && c.ParentEdgeKind() != edge.IndexExpr_X {
				return "", false
			}
			if len(of) > 0 && !rewrite.Means(s.Pass, sites.IdentOf(c), s.Decl.Node().End()-1) && obj != nil &&
				obj.Parent() != nil && obj.Parent() != types.Universe && obj.Parent() != s.Pass.Pkg.Scope() &&
				(obj.Pos() < begin || obj.Pos() > body.Node().End()) && obj != info.Defs[of[0]] {
				return "", false // another file's import
			}
			continue
		}
		x, isIndex := c.Parent().Node().(*ast.IndexExpr)
		if !isIndex || c.ParentEdgeKind() != edge.IndexExpr_Index {
			return "", false
		}
		if len(of) > 0 {
			id, ok := ast.Unparen(x.X).(*ast.Ident)
			if !ok || info.ObjectOf(id) != info.Defs[of[0]] {
				return "", false
			}
		} else if !flow.Same(info, x.X, slice) {
			return "", false
		}
		if flow.Addresses(info, c.Parent()) || flow.IsSet(c.Parent()) {
			return "", false
		}
		pieces = append(pieces, piece{int(x.Pos() - begin), int(x.End() - begin), names[i]})
	}
	at := 0
	for _, p := range pieces {
		text += source[at:p.from] + p.name
		at = p.to
	}
	return text + source[at:], len(pieces) > 0
}
