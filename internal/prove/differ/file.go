package differ

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ/declarations"
	"github.com/whet-go/whet/internal/prove/differ/emptiness"
	"github.com/whet-go/whet/internal/prove/differ/makers"
	"github.com/whet-go/whet/internal/prove/differ/states"
	"github.com/whet-go/whet/internal/prove/differ/support"
	"github.com/whet-go/whet/internal/prove/differ/vocabulary"
)

// supportName names files that are written for the package.
func supportName(part string) string { return "zz_whet_" + part + "_test.go" }

// A testFile is a test file of a package under construction. It is not safe for concurrent use.
type testFile struct {
	*makers.Generator // writes the makers that its tests need

	pkg    *packages.Package
	bodies strings.Builder
	states *states.Finder      // of pkg; nil: not made yet
	uses   *declarations.Graph // of pkg; nil: unknown

	// assembled are functions without a body in Go whose assembly has changed.
	assembled []types.Object
	within    string              // the directory of the package with a dot, before names in results; "" for none
	used      []usedBy            // uses of what has changed that must run
	types     []*types.TypeName   // that have changed so that their values look different
	versions  []*emptiness.Finder // of the package
	// more are the versions of the package that the file is called for, if that is another one: the inputs
	// have their words, too.
	more []*packages.Package
}

func (g *testFile) graph() *declarations.Graph {
	if g.uses == nil {
		g.uses = declarations.NewGraph(g.pkg)
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

// newTestFile returns an empty test file for a package that was loaded with syntax and types. other is
// the other version of the package, which the file must also fit; it may be nil.
func newTestFile(pkg, other *packages.Package) *testFile {
	g := &testFile{Generator: makers.New(pkg, other), pkg: pkg, versions: []*emptiness.Finder{emptiness.New(pkg)}}
	if other != nil {
		g.versions = append(g.versions, emptiness.New(other))
	}
	g.Imports["testing"] = "testing"
	return g
}

// addf adds declarations to the file, formatted as fmt.Sprintf does.
func (g *testFile) addf(format string, args ...any) { fmt.Fprintf(&g.bodies, format, args...) }

// libraryOf returns what code of a kind calls in a package. net is set if that uses package net.
func libraryOf(pkg *packages.Package, kind support.Kind, net bool) support.Library {
	if pkg.Module == nil {
		return support.For(pkg.PkgPath, "", kind, net)
	}
	return support.For(pkg.PkgPath, pkg.Module.Path, kind, net)
}

// texts returns the files to overlay on the package's directory: the one with the added declarations, under name,
// and those that it needs. It returns an error if the declarations are not valid Go.
func (g *testFile) texts(name string, kind support.Kind, calls *captured.Calls) (map[string][]byte, error) {
	l := libraryOf(g.pkg, kind, usesNet(g.pkg.Types))
	g.captured(l, calls)
	source, err := g.source(g.pkg.Types.Name(), "", nil)
	if err != nil {
		return nil, err
	}
	l.Files[name] = source
	words := vocabulary.Of(g.pkg)
	words.Add(calls.Texts(g.pkg.PkgPath))
	l.Files[supportName("vocabulary")] = words.Source(g.pkg.Types.Name(), l.Path, true, nil)
	return l.Files, nil
}

// captured imports the library, and adds the arguments of calls that a program made.
func (g *testFile) captured(l support.Library, calls *captured.Calls) {
	g.Imports[l.Path] = support.Name
	g.addf("var whetCaptured = %s.Calls{\n%s}\n\n", support.Name, calls.Source(g.pkg, g.Generator))
}

// source returns the file with the added declarations, their makers, and more declarations. imported,
// if not nil, replaces the paths of imports.
func (g *testFile) source(pkg, more string, imported func(path string) string) ([]byte, error) {
	return g.File(pkg, g.bodies.String()+g.Code()+more, imported)
}

// usesNet reports whether a package imports net, directly or indirectly.
func usesNet(p *types.Package) bool { return makers.Dependency(p, "net") != nil }
