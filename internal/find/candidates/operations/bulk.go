package operations

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// bulkGenerator copies or appends the elements of a slice by one call instead of a loop.
func bulkGenerator() *sites.Generator {
	return &sites.Generator{
		Name: "bulk", Title: "elements copied one by one",
		Why: "copy and append move all elements at once, and check and allocate once",
		Assumes: "the two slices do not share memory, both are long enough, and what the slices are read from is " +
			"not nil even if there is no element",
		Kinds: []diagnosis.Kind{
			diagnosis.Own, diagnosis.SliceGrowth, diagnosis.Copying, diagnosis.Allocation, diagnosis.Escape,
		},
		Propose: visit(func(s *site) (list []proposal) {
			loops := s.Nodes((*ast.RangeStmt)(nil), (*ast.ForStmt)(nil))
			for _, c := range s.Nodes((*ast.AssignStmt)(nil)) {
				if loop, ok := flow.Loop(c); ok {
					loops = append(loops, loop)
				}
			}
			for _, loop := range loops {
				if p, ok := s.atOnce(loop); ok {
					list = append(list, p)
				}
			}
			return list
		}),
	}
}

// An elements is a loop over the elements of a slice: x[i], or a variable with its value, for i from 0 to n.
type elements struct {
	*site
	loop  inspector.Cursor
	index *types.Var
	value *types.Var
	of    ast.Expr // the slice that is ranged over; nil for a loop that counts
	size  string   // source of the number of iterations
}

// atOnce replaces a loop whose only statement copies an element.
func (s *site) atOnce(loop inspector.Cursor) (p proposal, ok bool) {
	l, body, ok := s.elements(loop)
	if !ok || !flow.InBlock(loop) || len(body.List) != 1 ||
		rewrite.HasComment(s.Pass, loop.Node().Pos(), body.Lbrace) ||
		rewrite.HasComment(s.Pass, body.List[0].Pos(), loop.Node().End()) {
		return p, false
	}
	set, ok := body.List[0].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 ||
		!rewrite.Predeclared(s.Pass, set.Pos(), "append", "copy", "len", "max") {
		return p, false
	}
	text := ""
	if x, isIndex := ast.Unparen(set.Lhs[0]).(*ast.IndexExpr); isIndex {
		to, ok1 := l.part(x)
		from, ok2 := l.source(set.Rhs[0], x.X)
		if !ok1 || !ok2 {
			return p, false
		}
		text, p.Message = fmt.Sprintf("copy(%s, %s)", to, from), "Copy all elements at once"
	} else {
		call, isCall := set.Rhs[0].(*ast.CallExpr)
		if !isCall || flow.Builtin(s.Pass.TypesInfo, call) != "append" || len(call.Args) != 2 ||
			call.Ellipsis.IsValid() || !flow.Same(s.Pass.TypesInfo, set.Lhs[0], call.Args[0]) || !l.steady(set.Lhs[0]) {
			return p, false
		}
		from, ok := l.source(call.Args[1], call.Args[0])
		if !ok {
			return p, false
		}
		to := s.Text(set.Lhs[0])
		text, p.Message = fmt.Sprintf("%s = append(%s, %s...)", to, to, from), "Append all elements at once"
	}
	p.Edits = []analysis.TextEdit{ // a comment on the first line stays
		{Pos: loop.Node().Pos(), End: body.Lbrace + 1, NewText: []byte(text)},
		{Pos: set.Pos(), End: loop.Node().End()},
	}
	return p, !strings.Contains(text, "max(") || flow.Since(s.Pass, set.Pos(), "go1.21")
}

// elements returns what a loop is over.
func (s *site) elements(loop inspector.Cursor) (l *elements, body *ast.BlockStmt, ok bool) {
	info := s.Pass.TypesInfo
	l = &elements{site: s, loop: loop}
	switch n := loop.Node().(type) {
	case *ast.RangeStmt:
		if n.Tok != token.DEFINE || n.Key == nil || !l.steady(n.X) {
			return nil, nil, false
		}
		l.index = flow.Variable(info, n.Key)
		if n.Value != nil {
			l.value = flow.Variable(info, n.Value)
		}
		switch t := info.TypeOf(n.X).Underlying().(type) {
		case *types.Slice:
			l.of, l.size = n.X, "len("+s.Text(n.X)+")"
		case *types.Basic:
			if !types.Identical(t, types.Typ[types.Int]) {
				return nil, nil, false
			}
			l.size = "max(" + s.Text(n.X) + ", 0)"
		default:
			return nil, nil, false
		}
		return l, n.Body, true
	case *ast.ForStmt:
		cond, isBinary := n.Cond.(*ast.BinaryExpr)
		if !isBinary || cond.Op != token.LSS || !s.Counts(n, cond.X) ||
			!types.Identical(info.TypeOf(cond.Y), types.Typ[types.Int]) {
			return nil, nil, false
		}
		l.index = flow.Variable(info, cond.X)
		switch y := ast.Unparen(cond.Y).(type) {
		case *ast.CallExpr:
			if flow.Builtin(info, y) != "len" || !l.steady(y.Args[0]) {
				return nil, nil, false
			}
			l.size = s.Text(y)
		default:
			if !l.steady(cond.Y) {
				return nil, nil, false
			}
			l.size = "max(" + s.Text(cond.Y) + ", 0)"
		}
		return l, n.Body, true
	}
	return nil, nil, false
}

// steady reports whether an expression is of variables and fields that the loop's statements do not index by
// its own variables, and has no side effects.
func (l *elements) steady(e ast.Expr) bool {
	if l.SideEffects(e) {
		return false
	}
	own := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := flow.Variable(l.Pass.TypesInfo, id)
			own = own || v != nil && (v == l.index || v == l.value)
		}
		return !own
	})
	return !own
}

// part returns the source of the part of a slice that an element in the loop runs through.
func (l *elements) part(x *ast.IndexExpr) (string, bool) {
	if _, ok := l.Pass.TypesInfo.TypeOf(x.X).Underlying().(*types.Slice); !ok || !l.steady(x.X) || l.index == nil {
		return "", false
	}
	slice := l.Text(x.X)
	if l.of != nil && flow.Same(l.Pass.TypesInfo, l.of, x.X) && flow.Variable(l.Pass.TypesInfo, x.Index) == l.index {
		return slice, true
	}
	if l.size == "len("+slice+")" && flow.Variable(l.Pass.TypesInfo, x.Index) == l.index {
		return slice, true
	}
	if flow.Variable(l.Pass.TypesInfo, x.Index) == l.index {
		return slice + "[:" + l.size + "]", true
	}
	// x[from+i]
	sum, ok := ast.Unparen(x.Index).(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD {
		return "", false
	}
	from := sum.X
	if flow.Variable(l.Pass.TypesInfo, sum.X) == l.index {
		from = sum.Y
	} else if flow.Variable(l.Pass.TypesInfo, sum.Y) != l.index {
		return "", false
	}
	if !l.steady(from) {
		return "", false
	}
	return slice + "[" + l.Text(from) + ":][:" + l.size + "]", true
}

// source returns the source of all elements of which an expression is one. Their type must be that of the
// elements of another slice, which is not the same one.
func (l *elements) source(e, to ast.Expr) (text string, ok bool) {
	info := l.Pass.TypesInfo
	var slice ast.Expr
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		slice = e.X
		text, ok = l.part(e)
	case *ast.Ident:
		if l.value != nil && flow.Variable(info, e) == l.value && l.of != nil {
			slice, text, ok = l.of, l.Text(l.of), true
		}
	}
	if !ok || flow.Same(info, slice, to) {
		return "", false
	}
	from, ok1 := info.TypeOf(slice).Underlying().(*types.Slice)
	target, ok2 := info.TypeOf(to).Underlying().(*types.Slice)
	return text, ok1 && ok2 && types.Identical(from.Elem(), target.Elem())
}
