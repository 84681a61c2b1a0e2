package makers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Generator writes the makers that one file of a package needs.
type Generator struct {
	// Imports has the names of the packages that the file may import, by path. File writes those that
	// are used, and all that are named _.
	Imports map[string]string

	pkg      *packages.Package
	other    *types.Package                    // the other version of the package; may be nil
	others   map[*types.Package]*types.Package // other versions of packages that it depends on; nil: no copies
	makers   map[string]string                 // type -> name of its maker
	made     []string                          // makers' source
	begun    []string                          // types of the makers, in the order in which they were started
	dead     map[string]string                 // type -> why its values cannot be made
	open     []string                          // makers in progress, outermost first
	named    int                               // number of named makers
	stubs    int
	declared map[string]bool     // names; nil: unknown
	partial  map[string]bool     // makers of incomplete values
	compared map[*types.Var]bool // with nil, in the package; nil: unknown
	pointers map[string]bool     // types of pointers that the package compares; nil: unknown
}

// New returns a generator for a file of a package that was loaded with syntax and types. other, if not
// nil, is another version of the package: makers must make the same values in both.
func New(pkg, other *packages.Package) *Generator {
	g := &Generator{
		Imports: map[string]string{}, pkg: pkg,
		others: map[*types.Package]*types.Package{},
		makers: map[string]string{}, dead: map[string]string{}, partial: map[string]bool{},
	}
	if other != nil {
		g.other = other.Types
	}
	return g
}

// Code returns the makers, and the types that they need.
func (g *Generator) Code() string { return strings.Join(g.made, "") }

// File returns a file in a package with a name: declarations, which include Code, and the imports that
// they use. imported, if not nil, replaces the paths of imports. It is an error if the declarations are
// not valid Go.
func (g *Generator) File(pkg, decls string, imported func(path string) string) ([]byte, error) {
	used, err := selected(decls)
	if err != nil {
		return nil, fmt.Errorf("the generated code is not valid Go: %w", err)
	}
	var out bytes.Buffer
	if !modern(g.pkg) {
		out.WriteString(modernBuild) // for any and type parameters
	}
	fmt.Fprintf(&out, "package %s\n\nimport (\n", pkg)
	for _, p := range slices.Sorted(maps.Keys(g.Imports)) {
		if name := g.Imports[p]; used[name] || name == "_" {
			if imported != nil {
				p = imported(p)
			}
			fmt.Fprintf(&out, "\t%s %q\n", name, p)
		}
	}
	out.WriteString(")\n" + decls)
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated code is not valid Go: %w", err)
	}
	return source, nil
}

// modernBuild lets a file use a newer language version than its module has.
const modernBuild = "//go:build go1.24\n\n"

// modern reports whether the module of a package has a language version with generics.
func modern(pkg *packages.Package) bool {
	return pkg.Module == nil || pkg.Module.GoVersion != "" && version.Compare("go"+pkg.Module.GoVersion, "go1.18") >= 0
}

// selected returns the names before dots in declarations: abandoned makers may have requested
// imports that remain unused.
func selected(decls string) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+decls,
		parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names, nil
}
