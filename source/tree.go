package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
)

// maxTreeFiles limits the index of a working tree, which could be /.
const maxTreeFiles = 200_000

// A tree is a working tree. It is walked once, by the first lookup that needs it.
type tree struct {
	dir   string
	named bool // in Options.Named
	index func() *treeIndex
	mods  func() []Module
}

type treeIndex struct {
	byName  map[string][]string // base name to slash-separated paths below dir
	modules []Module
	partial bool // the tree has more files than the index can hold
}

func newTree(dir string) *tree {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	t := &tree{dir: dir}
	t.index = sync.OnceValue(t.walk)
	t.mods = sync.OnceValue(func() []Module {
		// The tree may be a subdirectory of a module.
		var out []Module
		for d := filepath.Dir(dir); ; d = filepath.Dir(d) {
			if m, ok := readModule(d); ok {
				out = append(out, m)
			}
			if filepath.Dir(d) == d {
				break
			}
		}
		return append(out, t.index().modules...)
	})
	return t
}

// modules lists the modules that the tree contains or is part of.
func (t *tree) modules() []Module { return t.mods() }

// readModule reads the module path from dir/go.mod.
func readModule(dir string) (Module, bool) {
	name := filepath.Join(dir, "go.mod")
	data, err := readRegular(1<<20,
		func() (fs.FileInfo, error) { return os.Stat(name) },
		func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return Module{}, false
	}
	p := modfile.ModulePath(data)
	return Module{Path: p, Dir: dir, Main: true}, p != ""
}

func (t *tree) walk() *treeIndex {
	ix := &treeIndex{byName: map[string][]string{}}
	n := 0
	_ = filepath.WalkDir(t.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir // unreadable: ignore it
			}
			return nil
		}
		base := d.Name()
		if d.IsDir() {
			if name != t.dir && (strings.HasPrefix(base, ".") || base == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > maxTreeFiles {
			ix.partial = true
			return fs.SkipAll
		}
		if base == "go.mod" {
			if m, ok := readModule(filepath.Dir(name)); ok {
				ix.modules = append(ix.modules, m)
			}
		}
		if !isSource(base) {
			return nil
		}
		if rel, err := filepath.Rel(t.dir, name); err == nil {
			ix.byName[base] = append(ix.byName[base], filepath.ToSlash(rel))
		}
		return nil
	})
	return ix
}

// suffix returns the file of the tree that shares the most trailing elements with p; with entire,
// it must share all of them.
func (t *tree) suffix(p string, entire bool) (string, error) {
	ix := t.index()
	want := strings.Split(strings.Trim(p, "/"), "/")
	best, shared, whole, tie := "", 0, false, ""
	for _, rel := range ix.byName[path.Base(p)] {
		have := strings.Split(rel, "/")
		n := 0
		for n < len(have) && n < len(want) && have[len(have)-1-n] == want[len(want)-1-n] {
			n++
		}
		all := n == len(have)
		switch {
		case n == 1 && !all || entire && n < len(want):
			continue
		case n > shared || n == shared && all && !whole:
			best, shared, whole, tie = rel, n, all, ""
		case n == shared && all == whole:
			tie = rel
		}
	}
	switch {
	case tie != "":
		return "", fmt.Errorf("%s and %s match equally well", best, tie)
	case best == "" && ix.partial:
		return "", fmt.Errorf("only the first %d files were searched", maxTreeFiles)
	case best == "":
		return "", errors.New("no path has the same ending")
	}
	return best, nil
}
