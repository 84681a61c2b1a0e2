package importers

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Graph is which packages of a module import each other, in the old and the new version.
type Graph struct {
	old, now *scratch.Packages
	m        *scratch.Module
	module   string // its path
	changed  []string
}

// Read reads the imports of a module before and after changes. dirs are the directories of the packages that
// these change.
func Read(ctx context.Context, m *scratch.Module, changes scratch.Changes, dirs []string) (*Graph, error) {
	g := &Graph{m: m}
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
func (g *Graph) Of(importPath string) (paths []string) {
	for _, p := range g.old.Paths() {
		if slices.Contains(g.old.Deps(p), importPath) && g.now.Dir(p) != "" {
			paths = append(paths, p)
		}
	}
	// A package has more dependencies than each of these.
	slices.SortStableFunc(paths, func(a, b string) int { return len(g.old.Deps(a)) - len(g.old.Deps(b)) })
	return paths
}

// Imports reports whether the old version of a package imports another one directly.
func (g *Graph) Imports(importPath, other string) bool {
	return slices.Contains(g.old.Imports(importPath), other)
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
	return g.importedElsewhere(importPath, parent)
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
