package capacity

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/flow"
	"github.com/whet-go/whet/find/rules/rewrite"
)

// A plan is where to allocate for some of a slice's growths.
type plan struct {
	grown []*growth
	bound bound
	edits []analysis.TextEdit // none: report only
	loose bool                // the elements that the bound counts may not all be added
}

// maxConstant is the maximum number of elements to allocate for that may not all be added.
const maxConstant = 256

// growingSlice reports the appends to a slice whose number is known in advance.
func (f *growthFinder) growingSlice(v *variable) {
	h := f.history(v)
	if h == nil || flow.Jumps(v.fn) {
		return
	}
	p, ok := f.atDeclaration(v, h)
	if !ok {
		p, ok = f.beforeLoop(v, h)
	}
	if !ok {
		return
	}
	category, least := "append", ""
	if p.loose {
		category, least = "filter", " at most"
	}
	for _, g := range p.grown {
		if len(g.loops) > 0 && (!h.appendsEachTime(g.loops[0]) || h.returnsWithin(g)) {
			category, least = "filter", " at most"
		}
	}
	if p.bound.numbers() {
		category = "filter"
	}
	for _, g := range p.grown {
		message := fmt.Sprintf(
			"%s is copied whenever it is full, although it is known how many elements will be added%s",
			v.obj.Name(), least,
		)
		if f.isExpressible(p.bound) {
			message = fmt.Sprintf(
				"%s is copied whenever it is full, although it is known that %s elements will be added%s",
				v.obj.Name(), f.text(p.bound), least,
			)
		}
		fix := analysis.SuggestedFix{Message: "Allocate space for all elements at once", TextEdits: p.edits}
		if len(p.edits) == 0 {
			fix = f.unplaced(v, p)
		}
		rules.Report(f.pass, g.at, category, message, fix)
	}
}

// unplaced returns the reason why a plan has no edits.
func (f *growthFinder) unplaced(v *variable, p plan) analysis.SuggestedFix {
	name := v.obj.Name()
	switch {
	case v.given > 0:
		return rules.None(name + " already has elements where the loop begins: make it with a capacity for those " +
			"and for what the loop appends")
	case !f.isExpressible(p.bound):
		return rules.None("the number of elements has no name before the loop: with a variable for it, " + name +
			" is made with that capacity")
	case len(p.bound.terms) == 0 && p.bound.some > maxConstant:
		return rules.None(fmt.Sprintf("up to %d elements may be added, and %s may stay shorter: make it with a "+
			"capacity by hand if it usually has many", p.bound.some, name))
	case v.isNil():
		return rules.None(name + " may stay nil, which a capacity would change: make it empty where it is declared " +
			"if nil and empty are the same to its users")
	}
	return rules.None("there is no place before the loop where " + name + " can be allocated: move its declaration " +
		"there")
}

// isExpressible reports whether a bound can be written as Go code.
func (f *growthFinder) isExpressible(b bound) bool {
	for _, t := range b.terms {
		if t.of == nil {
			return false
		}
	}
	return true
}

// returnsWithin reports whether the slice is returned from within the loop of a growth, possibly
// long before the last iteration.
func (h *history) returnsWithin(g *growth) bool {
	for _, u := range h.observing {
		for _, l := range g.loops {
			if u.returns && l.Node().Pos() <= u.at && u.at < l.Node().End() {
				return true
			}
		}
	}
	return false
}

// atDeclaration allocates for all growths where the variable is declared. Nothing else refers to
// the slice before the last of them, so its address is unobservable; the bound has no side effects
// and does not change after the declaration.
func (f *growthFinder) atDeclaration(v *variable, h *history) (plan, bool) {
	p := plan{grown: h.order}
	growing := 0
	for _, g := range h.order {
		growing += 1 + len(g.loops)
	}
	units := map[ast.Node]bool{}
	for _, g := range h.order {
		u, ok := v.unit(g.stmt).Node().(ast.Stmt)
		if !ok {
			return plan{}, false
		}
		if units[u] {
			continue
		}
		units[u] = true
		switch u.(type) {
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			p.loose = p.loose || len(g.loops) > 0 || g.spread != nil
		}
		b, ok := f.bound(u, h.grown)
		if !ok {
			return plan{}, false
		}
		p.bound.add(b)
	}
	p.bound.some += v.given
	begin := v.decl.Node().Pos()
	for _, t := range p.bound.terms {
		x := flow.Variable(f.pass.TypesInfo, t.of)
		if x == nil || !f.places.Steady(f.pass.TypesInfo, x, begin, t.until) || !rewrite.Means(f.pass, t.of, begin) {
			return plan{}, false
		}
	}
	for _, u := range h.observing {
		if u.at < h.end && !u.returns {
			return plan{}, false // it escapes before it has grown
		}
	}
	if growing < 2 || p.bound.some > maxConstant || !f.builtins(begin, p.bound) || v.isNil() && !h.keepsNil() {
		return plan{}, false
	}
	edit, ok := f.withCapacity(v, p.bound)
	p.edits = []analysis.TextEdit{edit}
	return p, ok
}

// keepsNil reports whether it is unobservable that the slice is no longer nil: something is always
// appended before it is used.
func (h *history) keepsNil() bool {
	first := token.Pos(0)
	for _, g := range h.order {
		if len(g.loops) == 0 && g.spread == nil && g.count > 0 && g.always {
			first = g.stmt.Node().Pos()
			break
		}
	}
	for _, u := range h.observing {
		if !first.IsValid() || u.at < first {
			return false
		}
	}
	return true
}

// builtins reports whether the builtins that the allocation uses have their usual meaning at a
// position.
func (f *growthFinder) builtins(at token.Pos, b bound) bool {
	if b.numbers() && (!flow.Since(f.pass, at, "go1.21") || !rewrite.Predeclared(f.pass, at, "max")) {
		return false
	}
	return rewrite.Predeclared(f.pass, at, "make", "len", "append", "nil")
}

// withCapacity returns the edit of a declaration that gives a slice its capacity.
func (f *growthFinder) withCapacity(v *variable, b bound) (analysis.TextEdit, bool) {
	made := f.made(v, f.text(b))
	lit, isLit := v.value.(*ast.CompositeLit)
	switch {
	case v.isNil():
		d := v.decl.Node()
		return rewrite.Replace(d, v.obj.Name()+" := "+made), !rewrite.HasComment(f.pass, d.Pos(), d.End())
	case isLit && v.given > 0:
		elements := rewrite.Between(f.pass, lit.Lbrace+1, lit.Rbrace)
		return rewrite.Replace(lit, "append("+made+", "+elements+")"), true
	default:
		return rewrite.Replace(v.value, made), !rewrite.HasComment(f.pass, v.value.Pos(), v.value.End())
	}
}

// beforeLoop allocates before the first loop that appends: until then the slice is empty and has no
// capacity, and the bound evaluates what the loop evaluates next.
func (f *growthFinder) beforeLoop(v *variable, h *history) (plan, bool) {
	first := h.order[0]
	if len(first.loops) != 1 {
		return plan{}, false
	}
	loop := first.loops[0]
	var p plan
	for _, g := range h.order {
		if len(g.loops) == 1 && g.loops[0] == loop {
			p.grown = append(p.grown, g)
		}
	}
	s, ok := loop.Node().(ast.Stmt)
	if !ok {
		return plan{}, false
	}
	if p.bound, ok = f.bound(s, h.grown); !ok {
		return plan{}, false
	}
	if v.given == 0 && (len(p.bound.terms) > 0 || p.bound.some <= maxConstant) && f.isExpressible(p.bound) {
		p.edits = f.allocateBefore(v, h, p, loop)
	}
	return p, true
}

// allocateBefore returns the edits that allocate for what a loop appends; none if there is no safe
// place.
func (f *growthFinder) allocateBefore(v *variable, h *history, p plan, loop inspector.Cursor) []analysis.TextEdit {
	stmt := loop
	if _, ok := stmt.Parent().Node().(*ast.LabeledStmt); ok {
		stmt = stmt.Parent()
	}
	s, ok := stmt.Node().(ast.Stmt)
	begin := stmt.Node().Pos()
	if !ok || !inList(stmt) || !f.builtins(begin, p.bound) ||
		!rewrite.Means(f.pass, v.typ, begin) || rewrite.Lookup(f.pass, begin, v.obj.Name()) != v.obj {
		return nil
	}
	room := f.text(p.bound)
	assign := fmt.Sprintf("%s = %s", v.obj.Name(), f.made(v, room))
	var condition string
	if len(p.bound.terms) == 1 {
		t := p.bound.terms[0]
		text := rewrite.Text(f.pass, t.of)
		condition = text + " > 0"
		if t.isLen {
			condition = "len(" + text + ") > 0"
		} else {
			assign = fmt.Sprintf("%s = %s", v.obj.Name(), f.made(v, plain(t.times, text)))
		}
	}
	switch {
	case !v.isNil():
		assign = fmt.Sprintf("%s = %s", v.obj.Name(), f.made(v, room))
		return []analysis.TextEdit{rewrite.Before(f.pass, s, assign)}
	case h.appendsEachTime(loop):
		// Entering the loop means appending, so a slice that stays nil stays nil.
		if condition != "" {
			assign = "if " + condition + " {\n" + assign + "\n}"
		} else if p.bound.some == 0 {
			return nil
		}
		return []analysis.TextEdit{rewrite.Before(f.pass, s, assign)}
	}
	return f.allocateWithin(v, p, loop)
}

func plain(times int, text string) string {
	if times > 1 {
		return fmt.Sprintf("%d*%s", times, text)
	}
	return text
}

// allocateWithin allocates before the first append that happens, within the loop.
func (f *growthFinder) allocateWithin(v *variable, p plan, loop inspector.Cursor) []analysis.TextEdit {
	if len(p.grown) != 1 || p.bound.some > 0 || len(p.bound.terms) != 1 || !p.bound.terms[0].isLen {
		return nil
	}
	s, ok := p.grown[0].stmt.Node().(ast.Stmt)
	if !ok {
		return nil
	}
	of, at := p.bound.terms[0].of, s.Pos()
	x := flow.Variable(f.pass.TypesInfo, of)
	if x == nil || !f.places.Steady(f.pass.TypesInfo, x, loop.Node().Pos(), loop.Node().End()) ||
		!rewrite.Means(f.pass, of, at) || !rewrite.Means(f.pass, v.typ, at) || !f.builtins(at, p.bound) {
		return nil
	}
	text := fmt.Sprintf("if %s == nil {\n%s = %s\n}", v.obj.Name(), v.obj.Name(), f.made(v, f.text(p.bound)))
	return []analysis.TextEdit{rewrite.Before(f.pass, s, text)}
}
