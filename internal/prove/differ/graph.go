package differ

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// Limits of the search for functions to call instead of those that cannot be called.
const (
	maxCallers = 3  // callers that replace a function
	maxUsers   = 12 // users of a changed constant, variable, type or field
)

// An entry is a way to run what has changed: by calling a function, or one that uses it.
type entry struct {
	call *callCode
	self bool     // the function has changed itself
	of   []string // how it reaches what has changed: "which calls parse", "which uses limit"
	// inner is set for an unexported function that relies on what its callers pass, and inside are
	// those for which the function is called as their caller. If it is not certain, it is called only if
	// the comparison of one of them leaves something open.
	inner   bool
	certain bool
	inside  []*types.Func
}

// name describes what is called, and why.
func (e entry) name() string {
	if e.self || len(e.of) == 0 {
		return e.call.Function
	}
	return e.call.Function + " (" + strings.Join(e.of, ", ") + ")"
}

// entries returns the ways to run declarations that have changed: the functions themselves, or if
// one cannot be called, or is not the same function on both sides, the nearest functions up the
// static call graph that can. The errors are for declarations without one.
func (g *testFile) entries(changed []types.Object) (entries []entry, errs []error) {
	return g.entriesBy(func(add addCall) (errs []error) {
		for _, obj := range changed {
			if err := g.climb(obj, add); err != nil {
				errs = append(errs, err)
			}
		}
		return errs
	})
}

// An addCall adds a function to call, why it is called, and the unexported function that it is called for
// instead of alone; nil if there is none.
type addCall func(call *callCode, route string, inner *types.Func)

// entriesBy returns the entries that find adds, and its errors.
func (g *testFile) entriesBy(find func(add addCall) []error) (entries []entry, errs []error) {
	add := func(call *callCode, route string, inner *types.Func) {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.call.fn == call.fn })
		if i < 0 {
			i, entries = len(entries), append(entries, entry{call: call})
		}
		e := &entries[i]
		e.self = e.self || route == ""
		if route != "" && !slices.Contains(e.of, route) {
			e.of = append(e.of, route)
		}
		if inner == nil {
			e.certain = true
		} else {
			e.inside = append(e.inside, inner)
		}
	}
	errs = find(add)
	for i := range entries {
		e := &entries[i]
		e.inner = e.self && !e.call.partial && slices.ContainsFunc(entries, func(o entry) bool {
			return slices.Contains(o.inside, e.call.fn)
		})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return order(a) - order(b) })
	return entries, errs
}

// order returns 1 for an entry that is called only if another one leaves something open, and else 0.
func order(e entry) int {
	if e.certain {
		return 0
	}
	return 1
}

// certain returns the entries that are called in any case.
func certain(entries []entry) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !e.certain })
}

// climb passes the functions to call for a changed declaration to add. For an unexported function,
// these include the nearest exported ones that call it.
func (g *testFile) climb(changed types.Object, add addCall) error {
	fn, isFunc := changed.(*types.Func)
	most := maxUsers
	if isFunc {
		most = maxCallers
	}
	seen := map[types.Object]bool{changed: true}
	self, found, left := false, 0, 0
	var inner *types.Func // changed, if only exported callers remain to be found
	var why error
	for queue := []step{{obj: changed}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if d := g.graph().Decls[at.obj]; d != nil {
			call, err := g.callOf(d)
			switch {
			case err == nil && at.obj == changed:
				add(call, "", nil)
				if !call.partial && fn.Exported() {
					return nil
				}
				self = true // and its callers, which may make what it lacks
				if !call.partial {
					inner = fn
				}
			case inner != nil && !at.obj.Exported():
			case err == nil && found == most:
				left++
				continue
			case err == nil:
				add(call, g.routeText(at.route), inner)
				found++
				continue
			case why == nil:
				why = err
			}
		}
		for _, user := range g.graph().Users[at.obj] {
			if !seen[user] {
				seen[user] = true
				queue = append(queue, step{user, append(slices.Clone(at.route), at.obj)})
			}
		}
	}
	switch {
	case left > 0 && !isFunc:
		return &UnsupportedError{
			Function: changed.Name(), What: fmt.Sprintf("%d functions use it, and %d of them were called", found+left, found),
		}
	case self || found > 0:
		return nil
	case why != nil:
		return why
	case !isFunc && changed.Exported():
		return &UnsupportedError{Function: changed.Name(), What: "no function of the package uses it"}
	}
	return nil
}

// routeText describes a route from a changed declaration to the function that is called.
func (g *testFile) routeText(route []types.Object) string {
	var b strings.Builder
	for i, obj := range slices.Backward(route) {
		if i < len(route)-1 {
			b.WriteString(" ")
		}
		name := obj.Name()
		if obj.Pkg() != g.pkg.Types {
			name = obj.Pkg().Name() + "." + name
		}
		if _, isFunc := obj.(*types.Func); isFunc {
			b.WriteString("which calls " + name)
		} else {
			b.WriteString("which uses " + name)
		}
	}
	return b.String()
}
