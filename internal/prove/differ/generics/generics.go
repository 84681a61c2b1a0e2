package generics

import (
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// maxInstances is the number of choices of type arguments that a generic function is called with, and maxUsed how
// many of these are those in the package's own code.
const (
	maxInstances = 5
	maxUsed      = 3
)

// maxChoices limits the number of choices of type arguments that are tried.
const maxChoices = 300

// An Instance is a function with its type arguments.
type Instance struct {
	Args []types.Type // of a function; nil for methods, whose receiver has them, and if not generic
	Sig  *types.Signature
	Fn   *types.Func // the generic function
}

// Name returns the name of the function with its type arguments, in the form of Go source: (*T[int]).Name. Within the
// function's package, it is unique.
func (i *Instance) Name() string {
	q := types.RelativeTo(i.Fn.Pkg())
	name := i.Fn.Name() + makers.Bracketed(i.Args, q)
	if r := i.Sig.Recv(); r != nil {
		t := types.TypeString(r.Type(), q)
		if strings.HasPrefix(t, "*") {
			t = "(" + t + ")"
		}
		name = t + "." + name
	}
	return name
}

// A finder finds type arguments for the functions of a package.
type finder struct {
	*makers.Generator // which can name types
	pkg               *packages.Package
}

// Instances returns a function of a package with the type arguments that the package's own code uses for it or
// its receiver; or else with some that its constraints allow.
func Instances(pkg *packages.Package, g *makers.Generator, fn *types.Func) (all []Instance, why string) {
	f := &finder{g, pkg}
	sig := fn.Signature()
	if params := sig.TypeParams(); params != nil {
		for _, args := range f.typeArgs(fn, fn.Type(), params) {
			t, err := types.Instantiate(nil, fn.Type(), args, true)
			if err != nil {
				continue
			}
			if s, ok := t.(*types.Signature); ok {
				all = append(all, Instance{args, s, fn})
			}
		}
	} else if sig.RecvTypeParams() != nil {
		all = f.methods(fn)
	} else {
		return []Instance{{Sig: sig, Fn: fn}}, ""
	}
	if len(all) == 0 {
		return nil, "it is generic, and no type arguments are known for it"
	}
	return all, ""
}

// methods returns a method of a generic type for some type arguments of the type.
func (f *finder) methods(fn *types.Func) (all []Instance) {
	recv := fn.Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return nil
	}
	named = named.Origin()
	for _, args := range f.typeArgs(named.Obj(), named, named.TypeParams()) {
		t, err := types.Instantiate(nil, named, args, true)
		if err != nil {
			continue
		}
		of, ok := t.(*types.Named)
		if !ok {
			continue
		}
		for m := range of.Methods() {
			if m.Name() == fn.Name() {
				all = append(all, Instance{Sig: m.Signature(), Fn: fn})
			}
		}
	}
	return all
}

// typeArgs returns type arguments for a generic function or type: those in the package's code first, and for an
// exported one or without any others, too.
func (f *finder) typeArgs(of types.Object, generic types.Type, params *types.TypeParamList) (all [][]types.Type) {
	text := func(args []types.Type) string { return makers.Bracketed(args, f.Qualify) }
	seen := map[string]bool{}
	add := func(args []types.Type) {
		if key := text(args); !seen[key] {
			seen[key] = true
			all = append(all, args)
		}
	}
	for id, inst := range f.pkg.TypesInfo.Instances {
		used := f.pkg.TypesInfo.Uses[id]
		if f, ok := used.(*types.Func); ok {
			used = f.Origin()
		}
		args := slices.Collect(inst.TypeArgs.Types())
		if used == of && !slices.ContainsFunc(args, func(t types.Type) bool { return !f.Nameable(t) }) {
			add(args)
		}
	}
	slices.SortFunc(all, func(a, b []types.Type) int { return strings.Compare(text(a), text(b)) })
	all = all[:min(len(all), maxUsed)]
	if len(all) > 0 && !of.Exported() {
		return all
	}
	left := maxChoices
	for k := 0; k < maxInstances && len(all) < maxInstances; k++ {
		if args := f.choose(generic, params, nil, k, &left); args != nil {
			add(args)
		}
	}
	return all
}

// choose completes type arguments. Free ones start with the k-th of their candidates, so that each
// k is a different choice. It returns nil if there is none.
func (f *finder) choose(generic types.Type, params *types.TypeParamList, args map[*types.TypeParam]types.Type, k int,
	left *int,
) []types.Type {
	if args == nil {
		args = map[*types.TypeParam]types.Type{}
	}
	var next *types.TypeParam
	var candidates []types.Type
	for p := range params.TypeParams() {
		if args[p] != nil {
			continue
		}
		if c := f.candidates(p, args); next == nil || candidates == nil {
			next, candidates = p, c
		}
	}
	if next == nil {
		list := make([]types.Type, 0, params.Len())
		for p := range params.TypeParams() {
			list = append(list, args[p])
		}
		if _, err := types.Instantiate(nil, generic, list, true); err != nil {
			return nil
		}
		return list
	}
	for i := range candidates {
		if *left--; *left < 0 {
			return nil
		}
		args[next] = candidates[(i+k)%len(candidates)]
		if list := f.choose(generic, params, args, k, left); list != nil {
			return list
		}
	}
	delete(args, next)
	return nil
}

// candidates returns types that satisfy a type parameter; nil if its constraint mentions other
// parameters that are not set yet.
func (f *finder) candidates(p *types.TypeParam, args map[*types.TypeParam]types.Type) []types.Type {
	constraint, _ := p.Constraint().Underlying().(*types.Interface)
	if constraint == nil {
		return nil
	}
	terms := termsOf(constraint)
	var all []types.Type
	for _, t := range terms {
		with, ok := substitute(t, args)
		if !ok {
			return nil
		}
		all = append(all, with)
	}
	if len(all) > 0 {
		return all
	}
	for _, kind := range []types.BasicKind{types.Int, types.String, types.Float64} {
		all = append(all, types.Typ[kind])
	}
	if v := f.pkg.Types.GoVersion(); v == "" || version.Compare(v, "go1.20") >= 0 {
		all = append(all, types.Universe.Lookup("any").Type()) // its values may not be hashed, though it is comparable
	}
	// These cannot be compared, or have no size.
	all = append(all, types.NewSlice(types.Typ[types.Int]), types.NewStruct(nil, nil))
	scope := f.pkg.Types.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() == 0 {
			all = append(all, n, types.NewPointer(n))
		}
	}
	return all
}

// termsOf returns the types in a constraint's type set, common ones first; none if it only requires
// methods.
func termsOf(constraint *types.Interface) (terms []types.Type) {
	add := func(t types.Type) {
		if i, ok := t.Underlying().(*types.Interface); ok {
			if _, isParam := t.(*types.TypeParam); !isParam {
				terms = append(terms, termsOf(i)...)
				return
			}
		}
		terms = append(terms, t)
	}
	for e := range constraint.EmbeddedTypes() {
		if u, ok := e.(*types.Union); ok {
			for term := range u.Terms() {
				add(term.Type())
			}
			continue
		}
		add(e)
	}
	usual := func(t types.Type) int {
		if i := slices.Index([]types.Type{types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Float64]},
			t); i >= 0 {
			return i
		}
		return maxInstances
	}
	slices.SortStableFunc(terms, func(a, b types.Type) int { return usual(a) - usual(b) })
	return terms
}

// substitute replaces type parameters by type arguments; it fails if one is missing.
func substitute(t types.Type, args map[*types.TypeParam]types.Type) (types.Type, bool) {
	switch t := t.(type) {
	case *types.TypeParam:
		return args[t], args[t] != nil
	case *types.Slice:
		e, ok := substitute(t.Elem(), args)
		return types.NewSlice(e), ok
	case *types.Pointer:
		e, ok := substitute(t.Elem(), args)
		return types.NewPointer(e), ok
	case *types.Map:
		k, ok := substitute(t.Key(), args)
		e, ok2 := substitute(t.Elem(), args)
		return types.NewMap(k, e), ok && ok2
	}
	return t, true
}
