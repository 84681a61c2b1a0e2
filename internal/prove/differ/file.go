package differ

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/support"
	"github.com/whet-go/whet/internal/prove/differ/vocabulary"
)

// supportName returns the file name of a part of the support.
func supportName(part string) string { return "zz_whet_" + part + "_test.go" }

// A testFile is a test file of a package under construction: the makers of values that its tests need,
// and its imports. It is not safe for concurrent use.
type testFile struct {
	pkg      *packages.Package
	imports  map[string]string // path -> name in the file
	makers   map[string]string // type -> name of its maker
	made     []string          // makers' source
	begun    []string          // types of the makers, in the order in which they were started
	dead     map[string]string // type -> why its values cannot be made
	open     []string          // makers in progress, outermost first
	named    int               // number of named makers
	stubs    int
	declared map[string]bool // names; nil: unknown
	partial  map[string]bool // makers of incomplete values
	bodies   bytes.Buffer

	twin *types.Package // the other version of the package, which the file must also fit; may be nil
	uses *graph         // of pkg; nil: unknown
}

func (g *testFile) graph() *graph {
	if g.uses == nil {
		g.uses = newGraph(g.pkg)
	}
	return g.uses
}

// objects returns what functions are declared as.
func (g *testFile) objects(decls []*ast.FuncDecl) (objs []types.Object) {
	for _, d := range decls {
		if obj := g.pkg.TypesInfo.Defs[d.Name]; obj != nil {
			objs = append(objs, obj)
		}
	}
	return objs
}

// newTestFile returns an empty test file for a package that was loaded with syntax and types.
func newTestFile(pkg *packages.Package) *testFile {
	return &testFile{
		pkg:     pkg,
		imports: map[string]string{"testing": "testing"},
		makers:  map[string]string{}, dead: map[string]string{}, partial: map[string]bool{},
	}
}

// addf adds declarations to the file, formatted as fmt.Sprintf does.
func (g *testFile) addf(format string, args ...any) { fmt.Fprintf(&g.bodies, format, args...) }

// texts returns the files to overlay on the package's directory: the one with the added
// declarations, under name, and the makers of values and the comparison, which are the same for all
// packages. It returns an error if the declarations are not valid Go.
func (g *testFile) texts(name string) (map[string][]byte, error) {
	pkg := g.pkg.Types.Name()
	source, err := g.source(pkg, "", nil)
	if err != nil {
		return nil, err
	}
	files := support.For(pkg, source, usesNet(g.pkg.Types), supportName)
	files[name] = source
	files[supportName("vocabulary")] = vocabulary.Of(g.pkg).Source(pkg, nil)
	return files, nil
}

// source returns the file with the added declarations, their makers, and more declarations. imported,
// if not nil, replaces the paths of imports.
func (g *testFile) source(pkg, more string, imported func(path string) string) ([]byte, error) {
	var code bytes.Buffer
	code.Write(g.bodies.Bytes())
	for _, m := range g.made {
		code.WriteString(m)
	}
	code.WriteString(more)
	used, err := selected(code.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated code is not valid Go: %w", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\nimport (\n", pkg)
	for _, p := range slices.Sorted(maps.Keys(g.imports)) {
		if name := g.imports[p]; used[name] || name == "_" {
			if imported != nil {
				p = imported(p)
			}
			fmt.Fprintf(&out, "\t%s %q\n", name, p)
		}
	}
	out.WriteString(")\n")
	out.Write(code.Bytes())
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated code is not valid Go: %w", err)
	}
	return source, nil
}

// selected returns the names before dots in declarations: abandoned makers may have requested
// imports that remain unused.
func selected(decls []byte) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", slices.Concat([]byte("package p\n"), decls),
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

// qualify returns the name of a package in the generated file.
func (g *testFile) qualify(p *types.Package) string {
	if p == g.pkg.Types {
		return ""
	}
	return g.use(p.Path(), p.Name())
}

// use imports a package under a name that is unused in the package.
func (g *testFile) use(importPath, name string) string {
	if n, ok := g.imports[importPath]; ok {
		return n
	}
	n := name
	if g.declares(n) || slices.Contains(g.names(), n) {
		n = "whet" + strconv.Itoa(len(g.imports)) + name
	}
	g.imports[importPath] = n
	return n
}

// declares reports whether a name is declared anywhere in the package, including within functions.
func (g *testFile) declares(name string) bool {
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

func (g *testFile) names() []string {
	var names []string
	for _, n := range g.imports {
		names = append(names, n)
	}
	return names
}

func (g *testFile) typeString(t types.Type) string { return types.TypeString(t, g.qualify) }

// imported returns a package that another one imports, directly or indirectly, or nil.
func imported(from *types.Package, path string) *types.Package {
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
	return find(from)
}

// usesNet reports whether a package imports net, directly or indirectly.
func usesNet(p *types.Package) bool { return imported(p, "net") != nil }

// accessible reports whether the generated file can name a type.
func (g *testFile) accessible(n *types.TypeName) bool {
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
