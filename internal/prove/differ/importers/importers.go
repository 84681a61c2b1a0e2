package importers

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/procgroup/golist"
	"github.com/whet-go/whet/internal/prove/differ/twin"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Graph is which packages of a module import each other, in the old and the new version.
type Graph struct {
	old, now *scratch.Packages
	m        *scratch.Module
	module   string // its path
	changed  []string

	of         map[string][]string // what Of has returned
	importable map[string]bool     // what Importable has returned
	elsewhere  map[string][]byte   // files that are not in this build, relative to the module; nil: not read yet
}

// Read reads the imports of a module before and after changes. dirs are the directories of the packages that
// these change.
func Read(ctx context.Context, m *scratch.Module, changes scratch.Changes, dirs []string) (*Graph, error) {
	g := &Graph{m: m, of: map[string][]string{}, importable: map[string]bool{}}
	if data, err := os.ReadFile(m.Path("go.mod")); err == nil {
		g.module = modfile.ModulePath(data)
	}
	over, err := m.Overlay(changes.After())
	if err != nil {
		return nil, err
	}
	if g.old, err = m.Packages(ctx); err != nil {
		return nil, err
	}
	if g.now, err = m.Packages(ctx, over...); err != nil {
		return nil, err
	}
	for _, p := range g.now.Paths() {
		if slices.Contains(dirs, g.dir(g.now, p)) {
			g.changed = append(g.changed, p)
		}
	}
	return g, nil
}

// dir returns the directory of a package, relative to the module.
func (g *Graph) dir(of *scratch.Packages, importPath string) string {
	rel, err := filepath.Rel(g.m.Dir, of.Dir(importPath))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Dir returns the directory of a package of the old version, relative to the module.
func (g *Graph) Dir(importPath string) string { return g.dir(g.old, importPath) }

// A Package is one of the module.
type Package struct {
	Path string // the import path
	Dir  string // relative to the module
}

// Between returns the packages that must be copied to compile the new version of the one in a directory: that
// package first, and those that it depends on and that have changed or depend on one that has.
func (g *Graph) Between(dir string) []Package {
	own := g.now.In(g.m.Path(dir))
	all := []Package{{own, dir}}
	if own == "" {
		all[0].Path = g.old.In(g.m.Path(dir))
		return all
	}
	deps := g.now.Deps(own)
	for _, p := range g.now.Paths() {
		if slices.Contains(deps, p) && (slices.Contains(g.changed, p) || g.needsChanged(p)) {
			all = append(all, Package{p, g.dir(g.now, p)})
		}
	}
	return all
}

func (g *Graph) needsChanged(importPath string) bool {
	return slices.ContainsFunc(g.now.Deps(importPath), func(dep string) bool { return slices.Contains(g.changed, dep) })
}

// Of returns the import paths of the packages of both versions that depend on one, without their tests:
// what one of them needs comes before it.
func (g *Graph) Of(importPath string) []string {
	if paths, ok := g.of[importPath]; ok {
		return paths
	}
	paths := []string{}
	for _, p := range g.old.Paths() {
		if slices.Contains(g.old.Deps(p), importPath) && g.now.Dir(p) != "" {
			paths = append(paths, p)
		}
	}
	// A package has more dependencies than each of these.
	slices.SortStableFunc(paths, func(a, b string) int { return len(g.old.Deps(a)) - len(g.old.Deps(b)) })
	g.of[importPath] = paths
	return paths
}

// Imports reports whether the old version of a package imports another one directly.
func (g *Graph) Imports(importPath, other string) bool {
	return slices.Contains(g.old.Imports(importPath), other)
}

// Mentions reports whether a Go file in the directory of a package contains a word, tests aside.
func (g *Graph) Mentions(importPath, word string) bool {
	dir := g.old.Dir(importPath)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			return false
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		return err != nil || bytes.Contains(text, []byte(word))
	})
}

// Elsewhere returns the files of the module, relative to it, that are not in this build and seem to use a
// declaration of a package.
func (g *Graph) Elsewhere(importPath, name string) (files []string, err error) {
	if g.elsewhere == nil {
		if g.elsewhere, err = g.readElsewhere(); err != nil {
			return nil, err
		}
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for _, file := range slices.Sorted(maps.Keys(g.elsewhere)) {
		text := g.elsewhere[file]
		own := g.m.Path(path.Dir(file)) == g.old.Dir(importPath)
		if (own || bytes.Contains(text, []byte(strconv.Quote(importPath)))) && word.Match(text) {
			files = append(files, file)
		}
	}
	return files, nil
}

// readElsewhere reads the files of the module that are not in this build.
func (g *Graph) readElsewhere() (map[string][]byte, error) {
	files := map[string][]byte{}
	built := map[string]bool{}
	for _, p := range g.old.Paths() {
		for _, name := range g.old.Files(p) {
			built[filepath.Join(g.old.Dir(p), name)] = true
		}
	}
	err := filepath.WalkDir(g.m.Dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != g.m.Dir && ignoredByGo(name, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || built[name]:
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(g.m.Dir, name)
		if !bytes.Contains(text, []byte("//go:build ignore\n")) {
			files[filepath.ToSlash(rel)] = text
		}
		return err
	})
	return files, err
}

// ignoredByGo reports whether the go command ignores a directory with a base name, or it is not of the module.
func ignoredByGo(dir, base string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || base == "testdata" || base == "vendor" || base == twin.Dir || strings.HasPrefix(base, ".") ||
		strings.HasPrefix(base, "_")
}

// Files returns the files of the old versions of packages, by directory. A new package has none.
func (g *Graph) Files(
	ctx context.Context, all []Package, flags, env []string,
) (map[string]*packages.Package, error) {
	olds := map[string]*packages.Package{}
	var patterns []string
	for _, p := range all {
		olds[p.Dir] = &packages.Package{}
		if _, err := os.Stat(g.m.Path(p.Dir)); err == nil {
			patterns = append(patterns, "./"+p.Dir)
		}
	}
	cfg := &packages.Config{
		Dir: g.m.Dir, BuildFlags: flags, Mode: packages.NeedName | packages.NeedFiles,
		Env: append(os.Environ(), env...),
	}
	pkgs, err := golist.Load(ctx, cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("list the files of packages: %w", err)
	}
	for _, pkg := range pkgs {
		if len(pkg.GoFiles) == 0 {
			continue
		}
		if rel, err := filepath.Rel(g.m.Dir, filepath.Dir(pkg.GoFiles[0])); err == nil {
			olds[filepath.ToSlash(rel)] = pkg
		}
	}
	return olds, nil
}

// Importable reports whether a package of another module can import a package: it is neither a program, nor
// below a directory internal. Other modules of the repository can import the latter if their paths allow it,
// so it is importable if one does.
func (g *Graph) Importable(importPath string) bool {
	if g.old.Name(importPath) == "main" {
		return false
	}
	parent, ok := internalParent(importPath)
	if !ok {
		return true
	}
	if g.module == "" || len(parent) < len(g.module) {
		return true // of packages next to the module
	}
	found, ok := g.importable[importPath]
	if !ok {
		found = g.importedElsewhere(importPath, parent)
		g.importable[importPath] = found
	}
	return found
}

// internalParent returns the path before the last element "internal" of an import path.
func internalParent(importPath string) (parent string, ok bool) {
	elements := strings.Split(importPath, "/")
	for i, e := range slices.Backward(elements) {
		if e == "internal" {
			return strings.Join(elements[:i], "/"), true
		}
	}
	return "", false
}

// CanImport reports whether a package may import another one of its module.
func CanImport(from, importPath string) bool {
	parent, ok := internalParent(importPath)
	return !ok || from == parent || strings.HasPrefix(from, parent+"/")
}

// importedElsewhere reports whether another module of the repository, below a path, contains an import path.
// It does, too, if that cannot be determined.
func (g *Graph) importedElsewhere(importPath, parent string) bool {
	found := false
	err := filepath.WalkDir(g.m.Root(), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return filepath.SkipDir
		case entry.Name() != "go.mod" || filepath.Dir(name) == g.m.Dir:
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		module := modfile.ModulePath(data)
		if module == parent || strings.HasPrefix(module, parent+"/") {
			mentions, err := mentions(filepath.Dir(name), importPath)
			found = found || mentions
			return err
		}
		return nil
	})
	return found || err != nil
}

// mentions reports whether a Go file below a directory contains an import path.
func mentions(dir, importPath string) (found bool, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || path.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if found = found || bytes.Contains(text, []byte(strconv.Quote(importPath))); found {
			return fs.SkipAll
		}
		return err
	})
	return found, err
}
