package makers

import (
	"go/token"
	"go/types"
	"maps"
	"strings"

	"github.com/whet-go/whet/internal/prove/differ/twin"
)

// Relative returns the name of a package in the text of types, which is the same for both versions of a
// package: a types.Qualifier.
func Relative(p *types.Package) string { return strings.TrimSuffix(p.Path(), "/"+twin.Dir) }

// TypeText returns a type's name, which is the same for both versions of a type.
func TypeText(t types.Type) string { return types.TypeString(t, Relative) }

// otherPackage returns the other version of a package: of the one that the file is for, or of one that it
// depends on; nil if there is none.
func (g *Generator) otherPackage(p *types.Package) *types.Package {
	switch {
	case g.other == nil || p == nil:
		return nil
	case p == g.pkg.Types:
		return g.other
	case !g.isModules(p):
		return nil
	}
	if _, ok := g.others[p]; !ok {
		g.others[p] = Dependency(g.other, p.Path()+"/"+twin.Dir)
	}
	return g.others[p]
}

// Dependency returns a package with an import path that another one depends on, as far as that one's
// declarations show; nil if there is none.
func Dependency(of *types.Package, path string) *types.Package {
	seen := map[*types.Package]bool{}
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		if p.Path() == path {
			return p
		}
		seen[p] = true
		for _, i := range p.Imports() {
			if seen[i] {
				continue
			}
			if found := find(i); found != nil {
				return found
			}
		}
		return nil
	}
	return find(of)
}

// lookupOther returns the declaration in the other version of a package for a function or method.
func lookupOther(pkg *types.Package, fn *types.Func) types.Object {
	recv := fn.Signature().Recv()
	if recv == nil {
		return pkg.Scope().Lookup(fn.Name())
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok {
		return nil
	}
	of := pkg.Scope().Lookup(named.Obj().Name())
	if of == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(of.Type()), false, pkg, fn.Name())
	return obj
}

// Differs returns why a function is not the same in the other version of its package, as far as its callers
// see; "" if it is.
func (g *Generator) Differs(fn *types.Func) string {
	pkg := g.otherPackage(fn.Pkg())
	if pkg == nil {
		return ""
	}
	other, ok := lookupOther(pkg, fn).(*types.Func)
	if !ok {
		return "the change removes it"
	}
	if signatureText(fn.Signature()) != signatureText(other.Signature()) {
		return "the change gives it another signature"
	}
	return ""
}

// signatureText returns a signature without the names of parameters.
func signatureText(sig *types.Signature) string {
	var b strings.Builder
	if r := sig.Recv(); r != nil {
		b.WriteString(TypeText(r.Type()))
	}
	for p := range sig.TypeParams().TypeParams() {
		b.WriteString("[" + p.Obj().Name() + " " + TypeText(p.Constraint()) + "]")
	}
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		b.WriteString("(")
		for v := range tuple.Variables() {
			b.WriteString(TypeText(v.Type()) + ",")
		}
		b.WriteString(")")
	}
	if sig.Variadic() {
		b.WriteString("...")
	}
	return b.String()
}

// otherType returns why values of a named type cannot be made alike in both versions of its package;
// "" if they can. A struct may have further fields in the new version if their zero values are ready
// for use, or the package has a constructor.
func (g *Generator) otherType(n *types.Named) string {
	pkg := g.otherPackage(n.Obj().Pkg())
	if pkg == nil || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return ""
	}
	other, ok := pkg.Scope().Lookup(n.Obj().Name()).(*types.TypeName)
	if !ok {
		return "the change removes the type " + n.Obj().Name()
	}
	was, is := n.Origin().Underlying(), other.Type().Underlying()
	if TypeText(was) == TypeText(is) {
		return ""
	}
	why := "the change gives the type " + n.Obj().Name() + " another declaration"
	u, ok := was.(*types.Struct)
	v, ok2 := is.(*types.Struct)
	if !ok || !ok2 {
		return why
	}
	if g.constructor(n) {
		return ""
	}
	fields := Fields(u)
	foreign := func(name string, _ *types.Var) bool { return pkg != g.other && !token.IsExported(name) }
	maps.DeleteFunc(fields, foreign) // cannot be set here
	for f := range v.Fields() {
		if foreign(f.Name(), f) {
			continue
		}
		old := fields[f.Name()]
		delete(fields, f.Name())
		if old == nil && !readyZero(f.Type()) || old != nil && TypeText(old.Type()) != TypeText(f.Type()) {
			return why
		}
	}
	if len(fields) > 0 {
		return why
	}
	return ""
}

// Alike reports whether a type, as far as it names one itself, is declared alike in the other version of its package.
// It is if there is no other version.
func (g *Generator) Alike(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return true
	}
	pkg := g.otherPackage(n.Obj().Pkg())
	if pkg == nil || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return true
	}
	other, ok := pkg.Scope().Lookup(n.Obj().Name()).(*types.TypeName)
	return ok && TypeText(n.Origin().Underlying()) == TypeText(other.Type().Underlying())
}

// Fields returns the fields of a struct by name.
func Fields(u *types.Struct) map[string]*types.Var {
	fields := map[string]*types.Var{}
	for f := range u.Fields() {
		fields[f.Name()] = f
	}
	return fields
}

// constructor reports whether a function New… of both versions returns a type.
func (g *Generator) constructor(n *types.Named) bool {
	for _, pointer := range []bool{false, true} {
		if _, ok := g.constructed(n, pointer, maxDepth); ok {
			return true
		}
	}
	return false
}

// readyZero reports whether the zero value of a type can be used without making it.
func readyZero(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		switch p := n.Obj().Pkg().Path(); {
		case p == "sync", p == "sync/atomic", p == "bytes" && n.Obj().Name() == "Buffer",
			p == "strings" && n.Obj().Name() == "Builder":
			return n.Obj().Name() != "Pool"
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Slice:
		return true
	case *types.Array:
		return readyZero(u.Elem())
	}
	return false
}
