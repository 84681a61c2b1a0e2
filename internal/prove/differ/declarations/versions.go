package declarations

import (
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/makers"
)

// Changed returns the package-level declarations of the old version that differ in the new
// one, or are gone: functions, constants, variables, types, and fields of structs.
func Changed(old, now *packages.Package) (changed []types.Object) {
	is := map[string]string{}
	Each(now, func(key, text string, _ types.Object) { is[key] = text })
	Each(old, func(key, text string, obj types.Object) {
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
	fields := makers.Fields(v)
	for i := range u.NumFields() {
		f := u.Field(i)
		other := fields[f.Name()]
		if other == nil || makers.TypeText(other.Type()) != makers.TypeText(f.Type()) || u.Tag(i) != tagOf(v, f.Name()) {
			changed = append(changed, f)
		}
	}
	return changed, true
}

// Hidden returns the fields that are not in both versions of a struct with the same type: " a b ", by
// the struct's name after the import path.
func Hidden(was, is *types.Package, importPath string) map[string]string {
	all := map[string]string{}
	for _, name := range was.Scope().Names() {
		a, ok := was.Scope().Lookup(name).(*types.TypeName)
		b, ok2 := is.Scope().Lookup(name).(*types.TypeName)
		if !ok || !ok2 {
			continue
		}
		u, ok := a.Type().Underlying().(*types.Struct)
		v, ok2 := b.Type().Underlying().(*types.Struct)
		if !ok || !ok2 || makers.TypeText(u) == makers.TypeText(v) {
			continue
		}
		fields, others, names := makers.Fields(u), makers.Fields(v), " "
		for f := range u.Fields() {
			if o := others[f.Name()]; o == nil || makers.TypeText(o.Type()) != makers.TypeText(f.Type()) {
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

// TextEnd separates the source in a declaration's text from the packages it names.
const TextEnd = "\x00"

// Each passes each package-level declaration with a key, which is the same in both versions,
// and a text, which is equal if the declarations are: the source and the packages it names.
func Each(pkg *packages.Package, do func(key, text string, obj types.Object)) {
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
						named = append(named, id.Name+" "+makers.Relative(p.Imported()))
					}
				}
				return true
			})
			slices.Sort(named)
			return string(source[from:to]) + TextEnd + strings.Join(slices.Compact(named), "\n")
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
					for _, obj := range ofSpec(pkg, spec) {
						if obj.Name() == "_" {
							continue
						}
						shown := text(spec)
						if c, ok := obj.(*types.Const); ok { // whose value may be implicit
							shown = c.Val().ExactString() + " " + makers.TypeText(c.Type())
						}
						do(obj.Name(), shown, obj)
					}
				}
			}
		}
	}
}
