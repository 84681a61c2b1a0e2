package makers

import (
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Qualify returns the name of a package in the file, and imports it: a types.Qualifier.
func (g *Generator) Qualify(p *types.Package) string {
	if p == g.pkg.Types {
		return ""
	}
	return g.Import(p.Path(), p.Name())
}

// Import imports a package under a name that is unused in the package: the given one, if possible. It
// returns the name.
func (g *Generator) Import(importPath, name string) string {
	if n, ok := g.Imports[importPath]; ok {
		return n
	}
	n := name
	if g.Declares(n) || slices.Contains(slices.Collect(maps.Values(g.Imports)), n) {
		n = "whet" + strconv.Itoa(len(g.Imports)) + name
	}
	g.Imports[importPath] = n
	return n
}

// Declares reports whether a name is declared anywhere in the package, including within functions.
func (g *Generator) Declares(name string) bool {
	if g.declared == nil {
		g.declared = map[string]bool{}
		for id, obj := range g.pkg.TypesInfo.Defs {
			if _, isImport := obj.(*types.PkgName); !isImport {
				g.declared[id.Name] = true
			}
		}
	}
	return g.declared[name] || g.pkg.Types.Scope().Lookup(name) != nil
}

func (g *Generator) typeString(t types.Type) string { return types.TypeString(t, g.Qualify) }

// Bracketed returns type arguments in brackets; "" if there are none.
func Bracketed(args []types.Type, q types.Qualifier) string {
	if len(args) == 0 {
		return ""
	}
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = types.TypeString(a, q)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// Recorded returns the name of a package in the code of records (package reproducer): a types.Qualifier.
func (g *Generator) Recorded(p *types.Package) string {
	if p == g.pkg.Types {
		return ""
	}
	return "«" + p.Path() + "»"
}

// Nameable reports whether the file can name a type and all types it consists of.
func (g *Generator) Nameable(t types.Type) bool {
	tuple := func(vars *types.Tuple) bool {
		for v := range vars.Variables() {
			if !g.Nameable(v.Type()) {
				return false
			}
		}
		return true
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !g.Nameable(arg) {
				return false
			}
		}
		return g.accessible(t.Obj())
	case *types.Pointer:
		return g.Nameable(t.Elem())
	case *types.Slice:
		return g.Nameable(t.Elem())
	case *types.Array:
		return g.Nameable(t.Elem())
	case *types.Chan:
		return g.Nameable(t.Elem())
	case *types.Map:
		return g.Nameable(t.Key()) && g.Nameable(t.Elem())
	case *types.Signature:
		return tuple(t.Params()) && tuple(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if !g.Nameable(f.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() && m.Pkg() != g.pkg.Types || !g.Nameable(m.Type()) {
				return false
			}
		}
		return t.IsMethodSet()
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0
	}
	return false // a type parameter of the calling function
}

// accessible reports whether the generated file can name a type.
func (g *Generator) accessible(n *types.TypeName) bool {
	return n.Pkg() == nil || n.Pkg() == g.pkg.Types && n.Parent() == n.Pkg().Scope() ||
		token.IsExported(n.Name()) && n.Parent() == n.Pkg().Scope() && !isInternal(n.Pkg().Path(), g.pkg.PkgPath)
}

// isInternal reports whether the package may not be imported from another one.
func isInternal(p, from string) bool {
	i := strings.LastIndex("/"+p+"/", "/internal/")
	if i < 0 {
		return false
	}
	parent := strings.TrimSuffix(p[:max(0, i-1)], "/")
	return parent == "" || from != parent && !strings.HasPrefix(from, parent+"/") || path.Base(parent) == ""
}
