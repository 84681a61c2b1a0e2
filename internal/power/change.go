package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/internal/power/splice"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A workshop makes changes of modules below a directory.
type workshop struct {
	dir string
	mu  sync.Mutex // held while copies are made
}

// copyOf returns the copy of a module's version, which an earlier run may have made. It stays
// unchanged.
func (w *workshop) copyOf(ctx context.Context, modulePath, version string) (string, error) {
	dir := filepath.Join(w.dir, "modules", directory(modulePath, version))
	if _, err := os.Stat(done(dir)); err == nil {
		return dir, nil
	}
	if err := modproxy.Copy(ctx, modulePath, version, dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(done(dir), nil, 0o600)
}

// done names the file that shows that a copy is complete.
func done(dir string) string { return dir + ".done" }

// fetched is copyOf, with all dependencies downloaded.
func (w *workshop) fetched(ctx context.Context, modulePath, version string) (string, error) {
	dir, err := w.copyOf(ctx, modulePath, version)
	if err != nil {
		return "", err
	}
	stamp := dir + ".fetched"
	if _, err := os.Stat(stamp); err == nil {
		return dir, nil
	}
	if err := modproxy.Fetch(ctx, dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(stamp, nil, 0o600)
}

// versions makes the two versions of a case. The caller removes b, and a if it is not shared.
func (w *workshop) versions(ctx context.Context, c *testCase) (a, b string, remove func() error, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	temp, err := os.MkdirTemp(w.dir, "case")
	if err != nil {
		return "", "", nil, err
	}
	remove = func() error { return os.RemoveAll(temp) }
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if c.archive != nil {
		a, b, err = c.unpack(ctx, temp)
		return a, b, remove, err
	}
	if a, err = w.fetched(ctx, c.Module, c.A); err != nil {
		return "", "", nil, err
	}
	newer, err := w.copyOf(ctx, c.Module, c.B)
	if err != nil {
		return "", "", nil, err
	}
	changes, err := changesOf(a, newer, c.Functions)
	if err != nil {
		return "", "", nil, err
	}
	b = filepath.Join(temp, "b")
	if err := os.CopyFS(b, os.DirFS(a)); err != nil {
		return "", "", nil, err
	}
	if err := write(b, changes); err != nil {
		return "", "", nil, err
	}
	if c.Mutant != nil {
		changes, err := mutate(ctx, b, c)
		if err != nil {
			return "", "", nil, err
		}
		if err := write(b, changes); err != nil {
			return "", "", nil, err
		}
	}
	return a, b, remove, nil
}

// diff writes the change of a case of a module.
func (w *workshop) diff(ctx context.Context, c *testCase, out io.Writer) error {
	a, b, remove, err := w.versions(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = remove() }()
	newer, err := w.copyOf(ctx, c.Module, c.B)
	if err != nil {
		return err
	}
	changes, err := changesOf(a, newer, c.Functions)
	if err != nil {
		return err
	}
	for name, change := range changes {
		if change.After, err = os.ReadFile(filepath.Join(b, filepath.FromSlash(name))); err != nil { // with its mutant
			return err
		}
		changes[name] = change
	}
	_, err = fmt.Fprintf(out, "%s (%s): %s\n%s", c.Name, c.Label, c.Why, changes.Diff())
	return err
}

// write writes the new contents of changed files.
func write(dir string, changes scratch.Changes) error {
	for name, c := range changes {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), c.After, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// changesOf returns the files of the module in directory a in which functions have the text of the
// module in directory b.
func changesOf(a, b string, functions []string) (scratch.Changes, error) {
	changes := scratch.Changes{}
	byDir, err := byPackage(b, functions)
	if err != nil {
		return nil, err
	}
	for dir, names := range byDir {
		pair, err := readPair(a, b, dir)
		if err != nil {
			return nil, err
		}
		change, err := pair.Change(names)
		if err != nil {
			return nil, fmt.Errorf("package in %s: %w", dir, err)
		}
		if err := addFiles(changes, a, dir, change); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// addFiles adds the files of a package's change.
func addFiles(changes scratch.Changes, a, dir string, change *splice.Change) error {
	for name, after := range change.Files {
		before, err := os.ReadFile(filepath.Join(a, filepath.FromSlash(dir), name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		changes[path.Join(dir, name)] = scratch.Change{Before: before, After: after}
	}
	return nil
}

// readPair reads the two versions of the package in a directory.
func readPair(a, b, dir string) (*splice.Pair, error) {
	old, err := splice.Read(filepath.Join(a, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	now, err := splice.Read(filepath.Join(b, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	pair, err := splice.New(old, now)
	if err != nil {
		return nil, fmt.Errorf("package in %s: %w", dir, err)
	}
	return pair, nil
}

// byPackage divides names of functions by the directories of their packages.
func byPackage(module string, functions []string) (map[string][]string, error) {
	by := map[string][]string{}
	for _, f := range functions {
		dir, name, err := inPackage(module, f)
		if err != nil {
			return nil, err
		}
		by[dir] = append(by[dir], name)
	}
	return by, nil
}

// inPackage divides the name of a function, as in "dir.F" and "dir.(*T).M", into the directory of its
// package, "." without one, and the rest.
func inPackage(module, function string) (dir, name string, err error) {
	dirs := []string{"."}
	for i, r := range function {
		if r == '.' && i > 0 {
			dirs = append(dirs, function[:i])
		}
	}
	slices.Reverse(dirs)
	for _, dir := range dirs {
		name := function
		if dir != "." {
			name = function[len(dir)+1:]
		}
		files, err := splice.Read(filepath.Join(module, filepath.FromSlash(dir)))
		if err != nil || len(files) == 0 {
			continue
		}
		pair, err := splice.New(files, files)
		if err == nil && pair.Has(name) {
			return dir, name, nil
		}
	}
	return "", "", fmt.Errorf("%s declares no %s", filepath.Base(module), function)
}

// named returns the name of a function with the directory of its package.
func named(dir, name string) string { return strings.TrimPrefix(dir+"."+name, "..") }
