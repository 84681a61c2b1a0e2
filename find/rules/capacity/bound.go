package capacity

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A bound is an upper limit of the number of elements: a constant plus a multiple of each term.
type bound struct {
	some  int
	terms []term
}

// A term is an expression whose length, or value, is part of a bound.
type term struct {
	of    ast.Expr // what has the length, or the number; nil if it cannot be evaluated in advance
	isLen bool
	times int
	until token.Pos // it must not change before this position
}

func (b *bound) add(o bound) {
	b.some += o.some
	b.terms = append(b.terms, o.terms...)
}

// text returns a bound as Go code.
func (f *growthFinder) text(b bound) string {
	var parts []string
	if b.some > 0 {
		parts = append(parts, strconv.Itoa(b.some))
	}
	for _, t := range b.terms {
		text := rewrite.Text(f.pass, t.of)
		switch {
		case t.isLen:
			text = "len(" + text + ")"
		default:
			text = "max(" + text + ", 0)"
		}
		if t.times > 1 {
			text = fmt.Sprintf("%d*%s", t.times, text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "+")
}

// numbers reports whether a bound contains a number that is not backed by data.
func (b bound) numbers() bool {
	for _, t := range b.terms {
		if !t.isLen {
			return true
		}
	}
	return false
}

// iterations returns the maximum number of iterations of a loop; false if it is not known in
// advance.
func (f *growthFinder) iterations(loop ast.Node) (bound, bool) {
	info := f.pass.TypesInfo
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if n, ok := flow.IntConst(info, l.X); ok {
			return bound{some: int(max(n, 0))}, n < 1<<16
		}
		t := info.TypeOf(l.X)
		if t == nil {
			return bound{}, false
		}
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		switch t := t.Underlying().(type) {
		case *types.Array:
			return bound{some: int(t.Len())}, t.Len() < 1<<16
		case *types.Slice, *types.Map:
			return bound{terms: []term{{of: f.pure(l.X), isLen: true, times: 1, until: l.Pos()}}}, true
		case *types.Basic:
			if t.Info()&types.IsString != 0 {
				return bound{terms: []term{{of: f.pure(l.X), isLen: true, times: 1, until: l.Pos()}}}, true
			}
			if t.Info()&types.IsInteger != 0 {
				return f.number(l.X, l.Pos()), true
			}
		}
	case *ast.ForStmt:
		return f.counted(l)
	}
	return bound{}, false
}

// counted returns the number of iterations of for i := 0; i < n; i++.
func (f *growthFinder) counted(l *ast.ForStmt) (bound, bool) {
	info := f.pass.TypesInfo
	init, ok1 := l.Init.(*ast.AssignStmt)
	cond, ok2 := l.Cond.(*ast.BinaryExpr)
	post, ok3 := l.Post.(*ast.IncDecStmt)
	if !ok1 || !ok2 || !ok3 || init.Tok != token.DEFINE || len(init.Lhs) != 1 ||
		cond.Op != token.LSS || post.Tok != token.INC {
		return bound{}, false
	}
	i := flow.Variable(info, init.Lhs[0])
	start, ok := flow.IntConst(info, init.Rhs[0])
	if i == nil || !ok || start != 0 || flow.Variable(info, cond.X) != i || flow.Variable(info, post.X) != i {
		return bound{}, false
	}
	for _, use := range f.places[i] {
		if at := use.Node().Pos(); l.Body.Pos() <= at && at < l.Body.End() && (flow.IsSet(use) || flow.Addresses(info, use)) {
			return bound{}, false
		}
	}
	if n, ok := flow.IntConst(info, cond.Y); ok {
		return bound{some: int(max(n, 0))}, n < 1<<16
	}
	b := f.number(cond.Y, l.End())
	// The condition is evaluated in every iteration: its operands must not change.
	for _, t := range b.terms {
		v := flow.Variable(info, t.of)
		if v == nil || !f.places.Steady(info, v, l.Pos(), l.End()) {
			return bound{}, false
		}
	}
	return b, true
}

// number returns the bound for an integer: len(x), or n.
func (f *growthFinder) number(e ast.Expr, until token.Pos) bound {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && flow.Builtin(f.pass.TypesInfo, call) == "len" &&
		measured(f.pass.TypesInfo.TypeOf(call.Args[0])) {
		return bound{terms: []term{{of: f.pure(call.Args[0]), isLen: true, times: 1, until: until}}}
	}
	t := term{times: 1, until: until}
	if b, ok := f.pass.TypesInfo.TypeOf(e).(*types.Basic); ok && b.Kind() == types.Int {
		t.of = f.pure(e)
	}
	return bound{terms: []term{t}}
}

// measured reports whether a type's len is its number of elements. That of a channel is not,
// because other goroutines change it.
func measured(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}

// pure returns an expression if it can be evaluated twice: a variable, or a field of one; else nil.
func (f *growthFinder) pure(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.Ident:
		if _, ok := f.pass.TypesInfo.ObjectOf(e).(*types.Var); ok {
			return e
		}
	case *ast.SelectorExpr:
		if v, ok := f.pass.TypesInfo.Uses[e.Sel].(*types.Var); ok && (!v.IsField() || f.pure(e.X) != nil) {
			return e
		}
	case *ast.StarExpr:
		if f.pure(e.X) != nil {
			return e
		}
	}
	return nil
}

// bound returns the maximum number of elements that a statement appends; false if it is unknown.
func (f *growthFinder) bound(s ast.Stmt, grown growths) (bound, bool) {
	if !grown.within(s) {
		return bound{}, true
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		g := grown[s]
		if g == nil {
			return bound{}, false
		}
		if text, ok := g.text(f.pass.TypesInfo); ok {
			return bound{some: len(text)}, true
		}
		if g.spread != nil {
			return bound{terms: []term{{of: f.pure(g.spread), isLen: true, times: 1, until: s.Pos()}}}, true
		}
		return bound{some: g.count}, true
	case *ast.BlockStmt:
		return f.sum(s.List, grown)
	case *ast.LabeledStmt:
		return f.bound(s.Stmt, grown)
	case *ast.IfStmt:
		branches := []ast.Stmt{s.Body}
		if s.Else != nil {
			branches = append(branches, s.Else)
		}
		return f.most(branches, grown)
	case *ast.CaseClause:
		return f.sum(s.Body, grown)
	case *ast.CommClause:
		return f.sum(s.Body, grown)
	case *ast.SwitchStmt:
		return f.most(s.Body.List, grown)
	case *ast.TypeSwitchStmt:
		return f.most(s.Body.List, grown)
	case *ast.SelectStmt:
		return f.most(s.Body.List, grown)
	case *ast.ForStmt:
		return f.repeated(s, s.Body, grown)
	case *ast.RangeStmt:
		return f.repeated(s, s.Body, grown)
	}
	return bound{}, false
}

// sum adds the bounds of statements that all run.
func (f *growthFinder) sum(list []ast.Stmt, grown growths) (bound, bool) {
	var sum bound
	for _, s := range list {
		b, ok := f.bound(s, grown)
		if !ok {
			return bound{}, false
		}
		sum.add(b)
	}
	return sum, true
}

// most returns the bound of statements of which one runs.
func (f *growthFinder) most(list []ast.Stmt, grown growths) (bound, bool) {
	var most bound
	for _, s := range list {
		b, ok := f.bound(s, grown)
		if !ok {
			return bound{}, false
		}
		most.some = max(most.some, b.some)
		most.terms = append(most.terms, b.terms...)
	}
	return most, true
}

// repeated returns the bound of a loop.
func (f *growthFinder) repeated(loop ast.Stmt, body *ast.BlockStmt, grown growths) (bound, bool) {
	n, ok := f.iterations(loop)
	b, ok2 := f.bound(body, grown)
	if !ok || !ok2 || len(b.terms) > 0 || b.some > 64 {
		return bound{}, false
	}
	n.some *= b.some
	for i := range n.terms {
		n.terms[i].times = b.some
	}
	return n, true
}
