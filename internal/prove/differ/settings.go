package differ

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// Limits of the variables that are set for a function.
const (
	maxSettings = 6
	maxThrough  = 6 // functions and variables between the function and the variable
)

// Code that sets a variable for one run, and that adds to whetSet what sets it for each call.
const (
	setForRun = "if s.Sets(%[1]q) {\nwas := %[1]s\ndefer func() { %[1]s = was }()\n%[1]s = %[2]s\n}\n"
	setToo    = "if s.SetsToo(%[1]q) {\nto := %[2]s\nwhetSet = append(whetSet, func() func() {\n" +
		"was := %[1]s\n%[1]s = to\nreturn func() { %[1]s = was }\n})\n}\n"
	setAll = "for _, set := range whetSet {\ndefer set()()\n}\n"
)

// settings returns the code that sets exported variables that a function may read, of a form: booleans, which
// are often switches, and writers, since what is written to the one that a variable has by default is not
// compared.
func (g *testFile) settings(fn *types.Func, now *types.Package, form string) string {
	var b strings.Builder
	scope := g.pkg.Types.Scope()
	n := 0
	for _, name := range scope.Names() {
		v, ok := scope.Lookup(name).(*types.Var)
		other, ok2 := now.Scope().Lookup(name).(*types.Var)
		if !ok || !ok2 || !v.Exported() || n == maxSettings {
			continue
		}
		value, kind := "s.Bool()", types.TypeString(v.Type(), nil)
		if kind != types.TypeString(other.Type(), nil) {
			continue
		}
		switch kind {
		case "bool":
		case "io.Writer":
			value = "s.Writer()"
		default:
			continue
		}
		if !g.leadsTo(v, fn) {
			continue
		}
		n++
		fmt.Fprintf(&b, form, name, value)
	}
	return b.String()
}

// leadsTo reports whether a function uses a variable, directly or through others of the package.
func (g *testFile) leadsTo(v *types.Var, fn *types.Func) bool {
	users := g.graph().Users
	seen := map[types.Object]bool{v: true}
	for list, depth := []types.Object{v}, 0; len(list) > 0 && depth <= maxThrough; depth++ {
		var next []types.Object
		for _, obj := range list {
			for _, user := range users[obj] {
				if !seen[user] {
					seen[user], next = true, append(next, user)
				}
			}
		}
		if slices.Contains(next, types.Object(fn.Origin())) {
			return true
		}
		list = next
	}
	return false
}
