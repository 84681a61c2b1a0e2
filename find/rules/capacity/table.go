package capacity

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// growingMap reports assignments to a new map in one loop with a known number of iterations. The
// size of a map's allocation is unobservable, so only memory is at stake.
func (f *growthFinder) growingMap(v *variable) {
	grown := growths{}
	for _, c := range f.places[v.obj] {
		inside, _ := flow.Func(c)
		g := f.assigns(c)
		if g == nil || inside != v.fn {
			continue
		}
		g.loops = v.loops(g.stmt)
		if s, ok := g.stmt.Node().(ast.Stmt); ok && len(g.loops) == 1 {
			grown[s] = g
		}
	}
	if len(grown) != 1 {
		return
	}
	for _, g := range grown {
		f.reportMap(v, g)
	}
}

// assigns returns the growth that a use of a map is part of, in m[key] = value.
func (f *growthFinder) assigns(use inspector.Cursor) *growth {
	if use.ParentEdgeKind() != edge.IndexExpr_X {
		return nil
	}
	c := use.Parent()
	if c.ParentEdgeKind() != edge.AssignStmt_Lhs {
		return nil
	}
	s, ok1 := c.Parent().Node().(*ast.AssignStmt)
	index, ok2 := c.Node().(*ast.IndexExpr)
	if !ok1 || !ok2 || s.Tok != token.ASSIGN || len(s.Lhs) != 1 {
		return nil
	}
	// m[key] = append(m[key], …) and the like collect many values under one key.
	m := flow.Variable(f.pass.TypesInfo, index.X)
	gathers := false
	ast.Inspect(s.Rhs[0], func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.pass.TypesInfo.Uses[id] == types.Object(m) {
			gathers = true
		}
		return !gathers
	})
	if gathers {
		return nil
	}
	return &growth{stmt: c.Parent(), at: index, count: 1, key: index.Index}
}

func (f *growthFinder) reportMap(v *variable, g *growth) {
	loop := g.loops[0].Node()
	b, ok := f.iterations(loop)
	if !ok || len(b.terms) != 1 || !b.terms[0].isLen {
		return
	}
	t := b.terms[0]
	begin := v.decl.Node().Pos()
	x := flow.Variable(f.pass.TypesInfo, t.of)
	fix := rules.None("the number of keys may change between the declaration of " + v.obj.Name() +
		" and the loop: make the map right before the loop")
	if x != nil && f.places.Steady(f.pass.TypesInfo, x, begin, t.until) &&
		rewrite.Means(f.pass, t.of, begin) && f.builtins(begin, b) &&
		!rewrite.HasComment(f.pass, v.value.Pos(), v.value.End()) {
		fix = analysis.SuggestedFix{
			Message: "Allocate space for all keys at once",
			TextEdits: []analysis.TextEdit{rewrite.Replace(v.value, "make("+rewrite.Text(f.pass, v.typ)+", "+
				""+f.text(b)+")")},
		}
	}
	category, known := "keys", "it is known how many keys will be added at most"
	if f.isExpressible(b) {
		known = fmt.Sprintf("%s keys will be added at most", f.text(b))
	}
	if f.distinct(loop, g) {
		category = "map"
	}
	rules.Report(
		f.pass, g.at, category,
		fmt.Sprintf("%s rehashes its keys whenever it is full, although %s", v.obj.Name(), known),
		fix,
	)
}

// distinct reports whether each iteration of a loop sets another key: the one that it ranges over.
func (f *growthFinder) distinct(loop ast.Node, g *growth) bool {
	r, ok := loop.(*ast.RangeStmt)
	if !ok || r.Key == nil || g.stmt.Parent().Node() != ast.Node(r.Body) || !alwaysReaches(r.Body, g.stmt.Node().End()) {
		return false
	}
	k := flow.Variable(f.pass.TypesInfo, r.Key)
	if k == nil || flow.Variable(f.pass.TypesInfo, g.key) != k {
		return false
	}
	for _, use := range f.places[k] {
		if at := use.Node().Pos(); flow.IsSet(use) && at != r.Key.Pos() {
			return false
		}
	}
	return true
}
