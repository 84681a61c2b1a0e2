package differ

import (
	"errors"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/declarations"
	"github.com/whet-go/whet/internal/prove/differ/effects"
	"github.com/whet-go/whet/internal/prove/differ/importers"
	"github.com/whet-go/whet/internal/prove/differ/twin"
)

// An effectFinder finds the effects of changes, and the functions of packages to call for them.
type effectFinder struct{ *effects.Set }

// plan returns what to call in a package for what differs between its versions, why nothing is called for
// the rest, and what to look for in other packages. importable is set if other modules can import it: they see
// its types, whatever is called.
func (g *testFile) plan(old, now *packages.Package, importable bool) ([]entry, []error, *effectFinder) {
	e := &effectFinder{&effects.Set{Equal: map[string]bool{}}}
	exported := e.exported(old, now)
	if importable {
		exported = slices.DeleteFunc(exported, func(obj types.Object) bool {
			_, isType := obj.(*types.TypeName)
			if isType {
				visible := &effects.Effect{Name: importers.DeclaredAs(obj), Declared: true, Open: effects.Visible}
				e.Effects = append(e.Effects, visible)
			}
			return isType
		})
	}
	for _, obj := range exported {
		g.unlike(obj)
	}
	entries, errs := g.entriesBy(func(add addCall) (errs []error) {
		for _, obj := range slices.Concat(declarations.Changed(old, now), g.assembled) {
			if e.Equal[importers.DeclaredAs(obj)] && obj.Parent() == old.Types.Scope() ||
				slices.ContainsFunc(exported, func(o types.Object) bool { return o == obj || importers.HasField(o, obj) }) {
				continue
			}
			before := 0
			err := g.climb(obj, func(call *callCode, route string, inner *types.Func) {
				before++
				add(call, route, inner)
			})
			if err != nil && (before > 0 || !e.above(g, obj, err)) {
				errs = append(errs, err)
			}
			e.derived(g, now, obj, exported, add)
		}
		for _, obj := range exported {
			ef := &effects.Effect{Name: importers.DeclaredAs(obj), Most: maxUsers, All: true, Declared: true}
			e.Effects = append(e.Effects, ef)
			u := effects.Use{Effect: ef, Obj: obj}
			e.Uses = append(e.Uses, u)
			e.follow(g, u, add)
		}
		return errs
	})
	g.useAssembled(entries)
	return entries, errs, e
}

// useAssembled has the calls of functions whose assembly has changed run: in the functions that are called, or if
// none of these calls one, in all that do.
func (g *testFile) useAssembled(entries []entry) {
	for _, obj := range g.assembled {
		users := g.graph().Users[obj]
		called := slices.DeleteFunc(slices.Clone(users), func(user types.Object) bool {
			return !slices.ContainsFunc(entries, func(e entry) bool { return e.call.fn == user })
		})
		if len(called) == 0 {
			called = users
		}
		for _, user := range called {
			if g.graph().Decls[user] != nil {
				g.used = append(g.used, usedBy{user, obj})
			}
		}
	}
}

// exported returns the exported constants, variables and types of the old version that have changed, except
// structs of which other packages see the same, and what has the same value.
func (e *effectFinder) exported(old, now *packages.Package) (changed []types.Object) {
	texts := map[string]string{}
	declarations.Each(now, func(key, text string, _ types.Object) { texts[key] = text })
	declarations.Each(old, func(key, text string, obj types.Object) {
		other := now.Types.Scope().Lookup(obj.Name())
		if _, isFunc := obj.(*types.Func); isFunc || !obj.Exported() || obj.Parent() != old.Types.Scope() {
			return
		}
		switch {
		case text == texts[key] && text != "", importers.SameValue(old, now, obj, other):
			e.Equal[importers.DeclaredAs(obj)] = true
		case importers.SameOutside(obj, other):
		default:
			changed = append(changed, obj)
		}
	})
	slices.SortStableFunc(changed, func(a, b types.Object) int { return strings.Compare(a.Name(), b.Name()) })
	return changed
}

// unlike records a type that has changed: its values do not look the same in both versions, unless they are
// structs, whose changed fields are left out.
func (g *testFile) unlike(obj types.Object) {
	tn, ok := obj.(*types.TypeName)
	if !ok {
		return
	}
	if _, isStruct := tn.Type().Underlying().(*types.Struct); !isStruct {
		g.types = append(g.types, tn)
	}
}

// unlikeResult returns why the results of a function cannot be compared; "" if they can.
func (g *testFile) unlikeResult(fn *types.Func) string {
	for r := range fn.Signature().Results().Variables() {
		for _, tn := range g.types {
			if importers.Contains(r.Type(), tn) {
				return "a result: the change gives the type " + tn.Name() + " another declaration"
			}
		}
	}
	return ""
}

// above adds the exported functions that use a declaration for which no function of the package can be called:
// their callers may be in other packages. It reports whether there are any.
func (e *effectFinder) above(g *testFile, obj types.Object, err error) bool {
	_, isFunc := obj.(*types.Func)
	ef := &effects.Effect{Name: obj.Name(), Most: maxCallers}
	var end *effects.LooseEnd
	for _, s := range g.above(obj, true) {
		if !s.obj.Exported() || !isFunc && g.graph().Decls[s.obj] == nil {
			continue
		}
		if end == nil || !isFunc { // any caller of a function will do
			end = &effects.LooseEnd{Err: err}
			e.Ends = append(e.Ends, end)
		}
		e.Uses = append(e.Uses, effects.Use{Effect: ef, Obj: s.obj, Route: s.route, End: end})
	}
	if end != nil {
		e.Effects = append(e.Effects, ef)
	}
	return end != nil
}

// derived adds the exported constants, variables and types that use a constant or variable that has changed,
// unless they are in exported, or equal in both versions: other packages see the change in them.
func (e *effectFinder) derived(
	g *testFile, now *packages.Package, obj types.Object, exported []types.Object, add addCall,
) {
	switch obj := obj.(type) {
	case *types.Const:
	case *types.Var:
		if obj.IsField() {
			return
		}
	default:
		return
	}
	for _, s := range g.above(obj, false) {
		if s.obj == obj || g.graph().Decls[s.obj] != nil || !s.obj.Exported() || slices.Contains(exported, s.obj) ||
			importers.Equal(g.pkg, now, s.obj) {
			continue
		}
		ef := &effects.Effect{Name: importers.DeclaredAs(s.obj), Most: maxUsers, All: true}
		u := effects.Use{Effect: ef, Obj: s.obj, Route: s.route}
		e.Effects, e.Uses = append(e.Effects, ef), append(e.Uses, u)
		e.follow(g, u, add)
	}
}

// A step is a declaration that uses others, from what has changed to it.
type step struct {
	obj   types.Object
	route []types.Object // before it
}

// above returns a declaration and all of the package that use it, directly or indirectly, if functions is set
// also through functions.
func (g *testFile) above(obj types.Object, functions bool) []step {
	all := []step{{obj: obj}}
	seen := map[types.Object]bool{obj: true}
	for i := 0; i < len(all); i++ {
		at := all[i]
		if !functions && g.graph().Decls[at.obj] != nil {
			continue
		}
		for _, user := range g.graph().Users[at.obj] {
			if !seen[user] {
				seen[user] = true
				all = append(all, step{user, append(slices.Clone(at.route), at.obj)})
			}
		}
	}
	return all
}

// usersOf returns the declarations that use another one, which may be of another package: for a type, all
// functions with a value that has one of its values.
func (g *testFile) usersOf(obj types.Object) []types.Object {
	users := slices.Clone(g.graph().Users[obj])
	tn, ok := obj.(*types.TypeName)
	if !ok {
		return users
	}
	for _, d := range importers.Holders(g.pkg, tn) {
		for _, user := range declarations.Of(g.pkg, d) {
			if user != obj && !slices.Contains(users, user) {
				users = append(users, user)
			}
		}
	}
	return users
}

// follow passes the functions of a package to call for a use to add, and adds what its importers must look
// for. Each function that uses it is called, or if it cannot be, the nearest ones that call it.
func (e *effectFinder) follow(g *testFile, u effects.Use, add addCall) {
	if u.End != nil {
		e.call(g, u, step{obj: u.Obj, route: u.Route}, add)
		return
	}
	seen := map[types.Object]bool{u.Obj: true}
	for queue := []step{{obj: u.Obj, route: u.Route}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if tn, ok := at.obj.(*types.TypeName); ok && u.Open == "" && importers.Hides(g.pkg, tn) {
			u.Open = "package " + g.pkg.PkgPath + " returns or keeps its values as an interface: what is done with them there " +
				"is unknown"
		}
		for _, user := range g.usersOf(at.obj) {
			if seen[user] {
				continue
			}
			seen[user] = true
			next := step{obj: user, route: append(slices.Clone(at.route), at.obj)}
			if g.graph().Decls[user] != nil {
				g.used = append(g.used, usedBy{user, at.obj})
				e.call(g, u, next, add)
				continue
			}
			queue = append(queue, next)
			if !user.Exported() && len(g.usersOf(user)) == 0 && importers.InitializedByCall(g.pkg, user) {
				e.NotComparedf("%svar %s is initialized by a call with %s, which was not compared",
					g.within, user.Name(), at.obj.Name())
			}
			if user.Exported() {
				passed := u
				passed.Obj, passed.Route = user, next.route
				e.Uses = append(e.Uses, passed)
			}
		}
	}
}

// call passes the function to call for one that uses what has changed: itself, or the nearest functions that
// call it.
func (e *effectFinder) call(g *testFile, u effects.Use, from step, add addCall) {
	found := 0
	var why error
	var above []step
	seen := map[types.Object]bool{from.obj: true}
	for queue := []step{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if d := g.graph().Decls[at.obj]; d != nil {
			call, err := g.callOf(d)
			switch {
			case err == nil && (found == maxCallers || u.Called == u.Most):
				if found == 0 {
					u.Left++
				}
				found = maxCallers
				continue
			case err == nil:
				add(call, g.routeText(at.route), nil)
				if found == 0 || u.End != nil {
					u.Called++
				}
				found++
				continue
			case why == nil:
				why = err
			}
		}
		if at.obj.Exported() && at.obj.Pkg() == g.pkg.Types {
			above = append(above, at)
		}
		for _, user := range g.usersOf(at.obj) {
			if !seen[user] {
				seen[user] = true
				queue = append(queue, step{obj: user, route: append(slices.Clone(at.route), at.obj)})
			}
		}
	}
	if u.End != nil {
		u.End.Called = u.End.Called || found > 0
	}
	if found > 0 || why == nil && u.End == nil {
		return
	}
	end := u.End
	if end == nil {
		end = &effects.LooseEnd{Err: within(g, why)}
		e.Ends = append(e.Ends, end)
	}
	for _, s := range above {
		e.Uses = append(e.Uses, effects.Use{Effect: u.Effect, Obj: s.obj, Route: s.route, End: end})
	}
}

// within adds the directory of the package to an error.
func within(g *testFile, err error) error {
	var un *UnsupportedError
	if g.within == "" || !errors.As(err, &un) {
		return err
	}
	return &UnsupportedError{Function: g.within + un.Function, What: un.What}
}

// A usedBy is a function and what it uses.
type usedBy struct{ user, used types.Object }

// usedLines returns the lines of the new version of a package in which functions use what has changed.
func (g *testFile) usedLines(now *packages.Package) *twin.Uses {
	var uses []twin.UsedBy
	for _, u := range g.used {
		uses = append(uses, twin.UsedBy{Function: FuncName(g.graph().Decls[u.user]), Used: u.used})
	}
	return twin.UsedLines(now, FuncName, g.within, uses)
}
