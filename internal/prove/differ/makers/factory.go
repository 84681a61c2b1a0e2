package makers

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Limits of the ways to make a value of one type.
const (
	maxConstructors = 6
	maxHolders      = 2
	maxSteps        = 8
)

// A factory is a way to make a value of a type: a constructor, a field of another struct, or a step, a
// method that returns another value of its receiver's type.
type factory struct {
	expr     string           // in the test file: New, pkg.New[int], or what follows the receiver r
	recorded string           // the same in a test that reproduces a run
	recv     string           // maker of the receiver, or of the struct; "" for a function
	sig      *types.Signature // nil for a field
	got      types.Type       // the result's
	makers   []string         // of the arguments
}

// constructed makes a struct of this module with unexported fields with its package's own
// constructors: functions New… that return it, or a pointer to it, and possibly an error, and if there
// are any, other exported functions that do. In its package, it also uses fields that hold such values,
// and methods that return another value.
func (g *Generator) constructed(n *types.Named, pointer bool, depth int) (text string, ok bool) {
	u, isStruct := n.Underlying().(*types.Struct)
	if !isStruct || !g.isOpen(n.Obj().Pkg()) || !hasUnexported(u) {
		return "", false
	}
	ways := g.constructors(n, depth)
	if len(ways) == 0 {
		return "", false
	}
	if depth < maxDepth && n.TypeParams().Len() == 0 && n.Obj().Pkg() == g.pkg.Types {
		ways = append(ways, g.holders(n, depth)...)
		ways = append(ways, g.steps(n, depth)...)
	}
	if len(ways) == 1 {
		return g.making(ways[0], n, pointer), true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tif !s.Deep() {\n\tswitch s.Choose(%d) {\n", len(ways))
	for i, f := range ways[1:] {
		fmt.Fprintf(&b, "\tcase %d:\n%s", i+1, g.guarded(f, n, pointer))
	}
	b.WriteString("\t}\n\t}\n" + g.making(ways[0], n, pointer))
	return b.String(), true
}

// guarded returns the code of making. A method may take very long with what it gets, such as a root of a large
// number: it is avoided then.
func (g *Generator) guarded(f factory, n *types.Named, pointer bool) string {
	if f.recv == "" || f.sig == nil {
		return g.making(f, n, pointer)
	}
	return fmt.Sprintf("\t\tif whetStep := s.Begin(%q); whetStep != nil {\n\t\t\tdefer whetStep()\n%s\t\t}\n",
		n.Obj().Name()+"_"+f.expr, g.making(f, n, pointer))
}

// maxProducers is the number of methods that make values of a type without constructors.
const maxProducers = 3

// produced returns code that makes, in half of the cases, a struct of this module without a constructor as methods
// of another type that has one return it: a context of a server, a transaction of a database; "" if there are none.
func (g *Generator) produced(n *types.Named, pointer bool, depth int) string {
	u, isStruct := n.Underlying().(*types.Struct)
	if !isStruct || !g.isOpen(n.Obj().Pkg()) || !hasUnexported(u) || depth >= maxDepth ||
		n.TypeParams().Len() > 0 {
		return ""
	}
	ways := g.producers(n, depth)
	if len(ways) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\tif !s.Deep() {\n\tswitch s.Choose(%d) {\n", 2*len(ways))
	for i, f := range ways {
		fmt.Fprintf(&b, "\tcase %d:\n%s", i+1, g.guarded(f, n, pointer))
	}
	return b.String() + "\t}\n\t}\n"
}

// orProduced returns the code of produced, and then that of a literal. If there is no literal, there is no other
// value.
func orProduced(produced, text, why string) (string, string) {
	if why == "" || produced == "" {
		return produced + text, why
	}
	return produced + "\ts.Need(false)\n\treturn v\n", ""
}

// producers returns methods of other exported types that return a type, those of types with constructors.
func (g *Generator) producers(n *types.Named, depth int) (ways []factory) {
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		tn, isType := scope.Lookup(name).(*types.TypeName)
		if !isType || tn.IsAlias() || !tn.Exported() || types.Identical(tn.Type(), n) {
			continue
		}
		holder, isNamed := tn.Type().(*types.Named)
		if !isNamed || holder.TypeParams().Len() > 0 || g.otherType(holder) != "" {
			continue
		}
		var all []*types.Func
		for fn := range holder.Methods() {
			r := fn.Signature().Results()
			if fn.Exported() && r.Len() > 0 && isOrPointsTo(r.At(0).Type(), n) && g.Differs(fn) == "" {
				all = append(all, fn)
			}
		}
		if len(all) == 0 || len(g.constructors(holder, depth+1)) == 0 {
			continue
		}
		m, why := g.maker(types.NewPointer(holder), depth+1)
		if why != "" {
			continue
		}
		slices.SortFunc(all, func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
		for _, fn := range all {
			f := factory{expr: fn.Name(), recorded: fn.Name(), recv: m, sig: fn.Signature()}
			if len(ways) < maxProducers && g.complete(&f, n, depth) {
				ways = append(ways, f)
			}
		}
	}
	return ways
}

// constructors returns the functions New… that return a type, and then other exported ones. It returns
// none if there is no New…
func (g *Generator) constructors(n *types.Named, depth int) []factory {
	isNew := func(fn *types.Func) bool {
		return strings.HasPrefix(strings.ToLower(fn.Name()), "new") && (n.Obj().Pkg() == g.pkg.Types || fn.Exported())
	}
	ways := g.functions(n, depth, maxConstructors, isNew)
	if len(ways) == 0 {
		return nil
	}
	return append(ways, g.functions(n, depth, maxConstructors-len(ways), func(fn *types.Func) bool {
		return fn.Exported() && !isNew(fn) && !lends(fn.Name())
	})...)
}

// lends reports whether a function of a name mostly returns a value that others have, too, or had: from a pool, or that
// of a variable.
func lends(name string) bool {
	return slices.ContainsFunc([]string{"Get", "Acquire", "Borrow", "Default"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// functions returns at most most of the functions that return a type.
func (g *Generator) functions(n *types.Named, depth, most int, wanted func(*types.Func) bool) (ways []factory) {
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if len(ways) >= most {
			break
		}
		fn, isFunc := scope.Lookup(name).(*types.Func)
		if !isFunc || !wanted(fn) || g.Differs(fn) != "" {
			continue
		}
		sig, inst, err := g.ofInstance(fn, n)
		if err != nil {
			continue
		}
		f := factory{
			expr: name + inst, recorded: name + Bracketed(slices.Collect(n.TypeArgs().Types()), g.Recorded), sig: sig,
		}
		if !g.complete(&f, n, depth) {
			continue
		}
		if q := g.Qualify(n.Obj().Pkg()); q != "" {
			f.expr, f.recorded = q+"."+f.expr, g.Recorded(n.Obj().Pkg())+"."+f.recorded
		}
		ways = append(ways, f)
	}
	return ways
}

// holders returns the fields of other structs of the package that have values of a type.
func (g *Generator) holders(n *types.Named, depth int) (ways []factory) {
	scope := g.pkg.Types.Scope()
	for _, name := range scope.Names() {
		tn, isType := scope.Lookup(name).(*types.TypeName)
		if !isType || tn.IsAlias() || !tn.Exported() || types.Identical(tn.Type(), n) {
			continue
		}
		holder, isNamed := tn.Type().(*types.Named)
		if !isNamed || holder.TypeParams().Len() > 0 || g.otherType(holder) != "" {
			continue
		}
		u, isStruct := holder.Underlying().(*types.Struct)
		if !isStruct || !hasUnexported(u) || len(g.constructors(holder, depth+1)) == 0 {
			continue
		}
		for field := range u.Fields() {
			if !field.Exported() || !isOrPointsTo(field.Type(), n) {
				continue
			}
			if m, why := g.maker(types.NewPointer(holder), depth+1); why == "" {
				ways = append(ways, factory{expr: field.Name(), recorded: field.Name(), recv: m, got: field.Type()})
			}
			break
		}
		if len(ways) == maxHolders {
			break
		}
	}
	return ways
}

// steps returns the exported methods of a type that return a value of it. Of many, they are spread over
// the names.
func (g *Generator) steps(n *types.Named, depth int) (ways []factory) {
	var all []*types.Func
	for fn := range n.Methods() {
		r := fn.Signature().Results()
		if fn.Exported() && r.Len() > 0 && isOrPointsTo(r.At(0).Type(), n) && g.Differs(fn) == "" {
			all = append(all, fn)
		}
	}
	slices.SortFunc(all, func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
	for i := range min(len(all), maxSteps) {
		fn := all[i*len(all)/min(len(all), maxSteps)]
		m, why := g.maker(types.NewPointer(n), depth+1)
		if why != "" {
			return ways
		}
		f := factory{expr: fn.Name(), recorded: fn.Name(), recv: m, sig: fn.Signature()}
		if g.complete(&f, n, depth) {
			ways = append(ways, f)
		}
	}
	return ways
}

// isOrPointsTo reports whether a type is a named one, or a pointer to it.
func isOrPointsTo(t types.Type, n *types.Named) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.Identical(t, n)
}

// complete adds the makers of the arguments, without options, and the result of a function. It
// reports whether the function returns a value of the type, and possibly an error, and can be called.
func (g *Generator) complete(f *factory, n *types.Named, depth int) bool {
	results := f.sig.Results()
	if results.Len() == 0 || results.Len() > 2 || results.Len() == 2 && results.At(1).Type().String() != "error" {
		return false
	}
	if f.got = results.At(0).Type(); !isOrPointsTo(f.got, n) {
		return false
	}
	for i := range f.sig.Params().Len() {
		if f.sig.Variadic() && i == f.sig.Params().Len()-1 {
			break
		}
		m, why := g.maker(f.sig.Params().At(i).Type(), depth+1)
		if why != "" {
			return false
		}
		f.makers = append(f.makers, m)
	}
	return true
}

// making returns the code that makes a value of a type, or a pointer to one, and returns it.
func (g *Generator) making(f factory, n *types.Named, pointer bool) string {
	_, isPtr := types.Unalias(f.got).(*types.Pointer)
	result, of := "made", types.TypeString(n, g.Recorded)
	switch {
	case pointer && !isPtr:
		result = "&made"
	case !pointer && isPtr:
		result = "*made"
	}
	if pointer {
		of = "*" + of
	}
	var b strings.Builder
	var parts []string
	expr, recorded := f.expr, f.recorded
	if f.recv != "" {
		fmt.Fprintf(&b, "\tr := %s(s)\n\ts.Need(r != nil)\n", f.recv)
		parts = append(parts, "r")
		expr, recorded = "r."+expr, "(%s)."+recorded
	}
	names := make([]string, len(f.makers))
	for i, m := range f.makers {
		names[i] = "c" + strconv.Itoa(i)
		fmt.Fprintf(&b, "\t%s := %s(s)\n", names[i], m)
	}
	args := strings.Join(names, ", ")
	parts = append(parts, names...)
	fmt.Fprintf(&b, "\twhetCodes := s.Codes(%s)\n", strings.Join(parts, ", "))
	if f.sig != nil {
		expr += "(" + args + ")"
		recorded += "(" + strings.TrimSuffix(strings.Repeat("%s, ", len(f.makers)), ", ") + ")"
	}
	if f.sig != nil && f.sig.Results().Len() == 2 {
		fmt.Fprintf(&b, "\tmade, err := %s\n\tif err != nil {\n\t\ts.Failed()\n\t\treturn %s(s)\n\t}\n", expr,
			g.open[len(g.open)-1])
		recorded = fmt.Sprintf("func() %s {\nmade, _ := %s\nreturn %s\n}()", of, recorded, result)
	} else {
		fmt.Fprintf(&b, "\tmade := %s\n", expr)
		if result != "made" {
			recorded = fmt.Sprintf("func() %s {\nmade := %s\nreturn %s\n}()", of, recorded, result)
		}
	}
	if isPtr {
		b.WriteString("\ts.Need(made != nil)\n")
	}
	fmt.Fprintf(&b, "\ts.Made(%s, %q, whetCodes...)\n\treturn %s\n", result, recorded, result)
	return b.String()
}

// ofInstance returns a generic function of the package with the type arguments of a generic type,
// if their numbers match; the function itself if neither is generic.
func (g *Generator) ofInstance(fn *types.Func, n *types.Named) (sig *types.Signature, args string, err error) {
	if fn.Signature().TypeParams().Len() != n.TypeArgs().Len() {
		return nil, "", fmt.Errorf("%s has other type parameters than %s", fn.Name(), n)
	}
	if n.TypeArgs().Len() == 0 {
		return fn.Signature(), "", nil
	}
	list := slices.Collect(n.TypeArgs().Types())
	t, err := types.Instantiate(nil, fn.Type(), list, true)
	if err != nil {
		return nil, "", err
	}
	sig, _ = t.(*types.Signature)
	return sig, Bracketed(list, g.Qualify), nil
}
