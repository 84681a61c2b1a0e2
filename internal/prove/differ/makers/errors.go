package makers

import (
	"fmt"
	"go/types"
	"strings"
)

// Limits of the package's own errors that are made.
const (
	maxErrorTypes = 6
	maxErrorVars  = 8
)

// errors returns the body of a maker of errors: a third of them have the types that the package declares, or are
// the values of its variables, because its branches depend on them.
func (g *Generator) errors(depth int) string {
	// A value that lacks something is one of many here.
	open := g.open
	g.open = nil
	defer func() { g.open = open }()
	var cases strings.Builder
	n, kinds := 0, 0
	add := func(code string) {
		fmt.Fprintf(&cases, "\tcase %d:\n%s", n, code)
		n++
	}
	scope := g.pkg.Types.Scope()
	failure := types.Universe.Lookup("error").Type()
	for _, name := range scope.Names() {
		if kinds == maxErrorTypes {
			break
		}
		if m, _ := g.implements(scope.Lookup(name), failure, depth); m != "" {
			add("\t\treturn " + m + "(s)\n")
			kinds++
		}
	}
	vars := 0
	for _, name := range scope.Names() {
		v, ok := scope.Lookup(name).(*types.Var)
		if !ok || vars == maxErrorVars || !types.Identical(v.Type(), failure) {
			continue
		}
		if g.other != nil {
			if o, ok := g.other.Scope().Lookup(name).(*types.Var); !ok || TypeText(o.Type()) != "error" {
				continue
			}
		}
		add(fmt.Sprintf("\t\ts.Made(%[1]s, %[1]q)\n\t\treturn %[1]s\n", name))
		vars++
	}
	if n == 0 {
		return "\treturn s.Error()\n"
	}
	return fmt.Sprintf("\tif s.Size > 0 || s.Deep() || s.Choose(3) != 0 {\n\t\treturn s.Error()\n\t}\n"+
		"\tswitch s.Choose(%d) {\n%s\t}\n\treturn s.Error()\n", n, cases.String())
}
