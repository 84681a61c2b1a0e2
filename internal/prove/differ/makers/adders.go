package makers

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// maxAdders is the number of methods that add values of a type to another one of it.
const maxAdders = 3

// adders returns the code that, in some runs, adds values of the type of to, a struct of another package with fields
// that only that package can set, as its methods do: commands below a command, elements below an element. It is "" if
// there are no such methods.
func (g *Generator) adders(p *types.Pointer, depth int) string {
	n, isNamed := types.Unalias(p.Elem()).(*types.Named)
	if !isNamed || n.Obj().Pkg() == nil || n.Obj().Pkg() == g.pkg.Types || !g.isOpen(n.Obj().Pkg()) || depth > maxDepth {
		return ""
	}
	u, isStruct := n.Underlying().(*types.Struct)
	if !isStruct || !hasUnexported(u) {
		return ""
	}
	var names []string
	for m := range n.Methods() {
		in, out := m.Signature().Params(), m.Signature().Results()
		if !m.Exported() || in.Len() != 1 || out.Len() > 0 || !isAdder(m.Name()) || g.Differs(m) != "" {
			continue
		}
		t := in.At(0).Type()
		if s, isSlice := t.(*types.Slice); isSlice && m.Signature().Variadic() {
			t = s.Elem()
		}
		if types.Identical(t, p) {
			names = append(names, m.Name())
		}
	}
	slices.Sort(names)
	names = names[:min(len(names), maxAdders)]
	if len(names) == 0 {
		return ""
	}
	m, why := g.maker(p, depth+1)
	if why != "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tfor range s.Added() {\n\t\tadded := %s(s)\n\t\tif added == nil {\n\t\t\tcontinue\n\t\t}\n"+
		"\t\tswitch s.Choose(%d) {\n", m, len(names))
	for i, name := range names {
		fmt.Fprintf(&b, "\t\tcase %d:\n\t\t\ts.Try(func() { to.%s(added) })\n", i, name)
	}
	return b.String() + "\t\t}\n\t}\n"
}

// isAdder reports whether a method of a name adds what it is given.
func isAdder(name string) bool {
	for _, prefix := range []string{"Add", "Append", "Push", "Insert", "Attach", "Register"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
