package differ

import (
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/twin"
)

// relative names packages in types such that both versions have the same names.
func relative(p *types.Package) string { return strings.TrimSuffix(p.Path(), "/"+twin.Dir) }

// typeText returns a type's name, which is the same for both versions of a type.
func typeText(t types.Type) string { return types.TypeString(t, relative) }

// lookupTwin returns the declaration in the other version for a function or method of the package.
func (g *testFile) lookupTwin(fn *types.Func) types.Object {
	recv := fn.Signature().Recv()
	if recv == nil {
		return g.twin.Scope().Lookup(fn.Name())
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok {
		return nil
	}
	of := g.twin.Scope().Lookup(named.Obj().Name())
	if of == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(of.Type()), false, g.twin, fn.Name())
	return obj
}

// differs returns why a function of the package is not the same in the other version, as far as its
// callers see; "" if it is.
func (g *testFile) differs(fn *types.Func) string {
	if g.twin == nil || fn.Pkg() != g.pkg.Types {
		return ""
	}
	other, ok := g.lookupTwin(fn).(*types.Func)
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
		b.WriteString(typeText(r.Type()))
	}
	for p := range sig.TypeParams().TypeParams() {
		b.WriteString("[" + p.Obj().Name() + " " + typeText(p.Constraint()) + "]")
	}
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		b.WriteString("(")
		for v := range tuple.Variables() {
			b.WriteString(typeText(v.Type()) + ",")
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
func (g *testFile) otherType(n *types.Named) string {
	if g.twin == nil || n.Obj().Pkg() != g.pkg.Types || n.Obj().Parent() != g.pkg.Types.Scope() {
		return ""
	}
	other, ok := g.twin.Scope().Lookup(n.Obj().Name()).(*types.TypeName)
	if !ok {
		return "the change removes the type " + n.Obj().Name()
	}
	was, is := n.Origin().Underlying(), other.Type().Underlying()
	if typeText(was) == typeText(is) {
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
	fields := fieldsOf(u)
	for f := range v.Fields() {
		old := fields[f.Name()]
		delete(fields, f.Name())
		if old == nil && !readyZero(f.Type()) || old != nil && typeText(old.Type()) != typeText(f.Type()) {
			return why
		}
	}
	if len(fields) > 0 {
		return why
	}
	return ""
}

func fieldsOf(u *types.Struct) map[string]*types.Var {
	fields := map[string]*types.Var{}
	for f := range u.Fields() {
		fields[f.Name()] = f
	}
	return fields
}

// constructor reports whether a function New… of both versions returns a type.
func (g *testFile) constructor(n *types.Named) bool {
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

// changedObjects returns the package-level declarations of the old version that differ in the new
// one, or are gone: functions, constants, variables, types, and fields of structs.
func changedObjects(old, now *packages.Package) (changed []types.Object) {
	is := map[string]string{}
	eachDecl(now, func(key, text string, _ types.Object) { is[key] = text })
	eachDecl(old, func(key, text string, obj types.Object) {
		if text == is[key] && is[key] != "" {
			return
		}
		if tn, ok := obj.(*types.TypeName); ok {
			if other, ok := now.Types.Scope().Lookup(tn.Name()).(*types.TypeName); ok {
				if fields, ok := changedFields(tn.Type(), other.Type()); ok {
					changed = append(changed, fields...)
					return
				}
			}
		}
		changed = append(changed, obj)
	})
	slices.SortStableFunc(changed, func(a, b types.Object) int {
		return strings.Compare(a.Name(), b.Name())
	})
	return changed
}

// changedFields returns the fields of a struct that are gone or have another type; ok is false if
// not both are structs.
func changedFields(was, is types.Type) (changed []types.Object, ok bool) {
	u, ok := was.Underlying().(*types.Struct)
	v, ok2 := is.Underlying().(*types.Struct)
	if !ok || !ok2 {
		return nil, false
	}
	fields := fieldsOf(v)
	for i := range u.NumFields() {
		f := u.Field(i)
		other := fields[f.Name()]
		if other == nil || typeText(other.Type()) != typeText(f.Type()) || u.Tag(i) != tagOf(v, f.Name()) {
			changed = append(changed, f)
		}
	}
	return changed, true
}

// hidden returns the fields that are not in both versions of a struct with the same type: " a b ", by
// the struct's name after the import path.
func hidden(was, is *types.Package, importPath string) map[string]string {
	all := map[string]string{}
	for _, name := range was.Scope().Names() {
		a, ok := was.Scope().Lookup(name).(*types.TypeName)
		b, ok2 := is.Scope().Lookup(name).(*types.TypeName)
		if !ok || !ok2 {
			continue
		}
		u, ok := a.Type().Underlying().(*types.Struct)
		v, ok2 := b.Type().Underlying().(*types.Struct)
		if !ok || !ok2 || typeText(u) == typeText(v) {
			continue
		}
		fields, others, names := fieldsOf(u), fieldsOf(v), " "
		for f := range u.Fields() {
			if o := others[f.Name()]; o == nil || typeText(o.Type()) != typeText(f.Type()) {
				names += f.Name() + " "
			}
		}
		for f := range v.Fields() {
			if fields[f.Name()] == nil {
				names += f.Name() + " "
			}
		}
		all[importPath+"."+name] = names
	}
	return all
}

func tagOf(u *types.Struct, field string) string {
	for i := range u.NumFields() {
		if u.Field(i).Name() == field {
			return u.Tag(i)
		}
	}
	return ""
}

// textEnd separates the source in a declaration's text from the packages it names.
const textEnd = "\x00"

// eachDecl passes each package-level declaration with a key, which is the same in both versions,
// and a text, which is equal if the declarations are: the source and the packages it names.
func eachDecl(pkg *packages.Package, do func(key, text string, obj types.Object)) {
	inits := 0
	for _, file := range pkg.Syntax {
		name := pkg.Fset.File(file.Pos()).Name()
		source, err := os.ReadFile(name)
		if err != nil {
			continue // its declarations are missing, and so have changed
		}
		text := func(n ast.Node) string {
			from, to := pkg.Fset.File(n.Pos()).Offset(n.Pos()), pkg.Fset.File(n.Pos()).Offset(n.End())
			var named []string
			ast.Inspect(n, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if p, ok := pkg.TypesInfo.Uses[id].(*types.PkgName); ok {
						named = append(named, id.Name+" "+relative(p.Imported()))
					}
				}
				return true
			})
			slices.Sort(named)
			return string(source[from:to]) + textEnd + strings.Join(slices.Compact(named), "\n")
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				key := FuncName(d)
				if key == "init" || key == "_" {
					inits++
					key += strconv.Itoa(inits)
				}
				if obj := pkg.TypesInfo.Defs[d.Name]; obj != nil {
					do(key, text(d), obj)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					for _, obj := range declared(pkg, spec) {
						if obj.Name() == "_" {
							continue
						}
						said := text(spec)
						if c, ok := obj.(*types.Const); ok { // whose value may be implicit
							said = c.Val().ExactString() + " " + typeText(c.Type())
						}
						do(obj.Name(), said, obj)
					}
				}
			}
		}
	}
}
