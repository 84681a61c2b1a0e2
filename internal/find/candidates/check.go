package candidates

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"os"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/find/driver"
)

// Imports returns the types of a package by its path; nil if it cannot be imported.
type Imports func(path string) *types.Package

// A checker type-checks a package with edits.
type checker struct {
	pkg     *packages.Package
	imports Imports
}

// compiles returns the first error of the package with edits; nil if it compiles.
func (c *checker) compiles(edits []analysis.TextEdit) error {
	byFile := map[string][]rewrite.Edit{}
	for _, e := range edits {
		f := c.pkg.Fset.File(e.Pos)
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		byFile[f.Name()] = append(byFile[f.Name()], rewrite.Edit{
			From: f.Offset(e.Pos), To: f.Offset(end), Text: string(e.NewText),
		})
	}
	names := map[string]string{}
	for path, p := range c.pkg.Imports {
		names[path] = p.Name
	}
	edited := map[string]*ast.File{}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		before, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		after, err := rewrite.Apply(before, byFile[name], names)
		if err != nil {
			return err
		}
		if string(after) == string(before) {
			return errors.New("the edits change nothing")
		}
		edited[name], err = parser.ParseFile(c.pkg.Fset, name, after, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
	}
	return c.check(edited)
}

// check returns the first error in files that were edited. Of the other files, only the declarations are
// checked, which saves most of the time.
func (c *checker) check(edited map[string]*ast.File) error {
	var files []*ast.File
	for _, f := range c.pkg.Syntax {
		if e := edited[c.pkg.Fset.File(f.FileStart).Name()]; e != nil {
			files = append(files, e)
		} else {
			files = append(files, withoutBodies(f))
		}
	}
	var first error
	conf := types.Config{Importer: c, Sizes: c.pkg.TypesSizes, Error: func(err error) {
		var e types.Error
		if first == nil && errors.As(err, &e) && edited[e.Fset.PositionFor(e.Pos, false).Filename] != nil {
			first = err
		}
	}}
	if m := c.pkg.Module; m != nil && m.GoVersion != "" {
		conf.GoVersion = "go" + m.GoVersion
	}
	info := &types.Info{FileVersions: map[*ast.File]string{}}
	_, _ = conf.Check(c.pkg.PkgPath, c.pkg.Fset, files, info) // the errors are passed to Error
	return first
}

// withoutBodies returns a file whose functions have no bodies.
func withoutBodies(f *ast.File) *ast.File {
	short := *f
	short.Decls = slices.Clone(f.Decls)
	for i, d := range short.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			head := *fn
			head.Body = nil
			short.Decls[i] = &head
		}
	}
	return &short
}

// standard are the paths of the packages that candidates may import.
func standard() []string {
	return []string{
		"bytes", "encoding/hex", "errors", "io", "maps", "slices", "strconv", "strings", "sync", "unicode/utf8",
	}
}

// Standard returns the types of packages of the standard library that candidates may import. They are loaded
// when the first one is needed; without them, candidates that need one are dropped.
func Standard(ctx context.Context, o driver.Options) Imports {
	load := sync.OnceValue(func() map[string]*types.Package {
		byPath := map[string]*types.Package{}
		pkgs, err := driver.Load(ctx, o, standard()...)
		if err != nil {
			return byPath
		}
		for _, pkg := range pkgs {
			byPath[pkg.PkgPath] = pkg.Types
		}
		return byPath
	})
	return func(path string) *types.Package { return load()[path] }
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := c.pkg.Imports[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	for _, p := range c.pkg.Types.Imports() {
		if p.Path() == path && p.Complete() {
			return p, nil
		}
	}
	if c.imports != nil {
		if p := c.imports(path); p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no package %s", path)
}
