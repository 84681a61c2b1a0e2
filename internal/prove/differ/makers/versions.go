package makers

import (
	"go/types"
	"strings"

	"github.com/whet-go/whet/internal/prove/differ/twin"
)

// Relative returns the name of a package in the text of types, which is the same for both versions of a
// package: a types.Qualifier.
func Relative(p *types.Package) string { return strings.TrimSuffix(p.Path(), "/"+twin.Dir) }

// TypeText returns a type's name, which is the same for both versions of a type.
func TypeText(t types.Type) string { return types.TypeString(t, Relative) }

// lookupOther returns the declaration in the other version for a function or method of the package.
func (g *Generator) lookupOther(fn *types.Func) types.Object {
	recv := fn.Signature().Recv()
	if recv == nil {
		return g.other.Scope().Lookup(fn.Name())
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok {
		return nil
	}
	of := g.other.Scope().Lookup(named.Obj().Name())
	if of == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(of.Type()), false, g.other, fn.Name())
	return obj
}

// Differs returns why a function of the package is not the same in the other version, as far as its
// callers see; "" if it is.
func (g *Generator) Differs(fn *types.Func) string {
	if g.other == nil || fn.Pkg() != g.pkg.Types {
		return ""
	}
	other, ok := g.lookupOther(fn).(*types.Func)
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

// otherType returns why values of a named type of the package cannot be made alike in both versions;
// "" if they can. A struct may have further fields in the new version if their zero values are ready
// for use, or the package has a constructor.
func (g *Generator) otherType(n *types.Named) string {
	if g.other == nil || n.Obj().Pkg() != g.pkg.Types || n.Obj().Parent() != g.pkg.Types.Scope() {
		return ""
	}
	other, ok := g.other.Scope().Lookup(n.Obj().Name()).(*types.TypeName)
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
	for f := range v.Fields() {
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
