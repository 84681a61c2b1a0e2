package module

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// A Module is the source that profiles are joined with. It is safe for concurrent use.
type Module struct {
	Dir   string              // absolute
	Path  string              // from go.mod
	files map[string][]string // by base name: paths relative to dir, with slashes
}

// Find lists the Go files of the module that contains dir; "" is the current directory. Vendored
// code and nested modules are excluded.
func Find(dir string) (*Module, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root := dir
	var data []byte
	for {
		if data, err = os.ReadFile(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			return nil, &diag.Error{
				Op: "find the module of", Subject: dir, Err: errors.New("no go.mod in it or its parent directories"),
				Hint: "name a directory of the module with --dir",
			}
		}
		root = parent
	}
	m := &Module{Dir: root, Path: modfile.ModulePath(data), files: map[string][]string{}}
	if m.Path == "" {
		return nil, &diag.Error{
			Op: "read", Subject: filepath.Join(root, "go.mod"), Err: errors.New("it has no module line"),
			Hint: "add a line such as: module example.com/service",
		}
	}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name == root {
				return nil
			}
			if base == "vendor" || base == "node_modules" || strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(base, ".go") && entry.Type().IsRegular() {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			m.files[base] = append(m.files[base], filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the source of %s: %w", root, err)
	}
	return m, nil
}

// ErrAmbiguous is returned when several files match.
var ErrAmbiguous = errors.New("several files of the module match")

// File returns the module's file for a file name in a profile, relative to Dir: an error that is
// [fs.ErrNotExist] if there is none, [ErrAmbiguous] if there are several. It matches by the module's path,
// which -trimpath keeps; by absolute path; by the module's version, as in programs built by go
// install; and otherwise takes the only file, or the one with the longest common suffix of path
// elements, because the binary may have been built elsewhere.
func (m *Module) File(name string) (string, error) {
	name = strings.ReplaceAll(name, `\`, "/")
	has := func(rest string) bool { return slices.Contains(m.files[path.Base(rest)], rest) }
	if rest, ok := strings.CutPrefix(name, m.Path+"/"); ok && has(rest) {
		return rest, nil
	}
	if rest, ok := strings.CutPrefix(name, filepath.ToSlash(m.Dir)+"/"); ok && has(rest) {
		return rest, nil
	}
	if head, rest, ok := profile.SplitVersion(name); ok {
		// A file of a version of this module, or of another module.
		if (head == m.Path || strings.HasSuffix(head, "/"+m.Path)) && has(rest) {
			return rest, nil
		}
		return "", fs.ErrNotExist
	}
	best, most, ties := "", 0, 0
	for _, f := range m.files[path.Base(name)] {
		switch n := common(f, name); {
		case n > most:
			best, most, ties = f, n, 1
		case n == most:
			ties++
		}
	}
	switch {
	case most == 0:
		return "", fs.ErrNotExist
	case ties > 1:
		return "", ErrAmbiguous
	case most < strings.Count(best, "/")+1 && most < 2:
		// Only the base name matches, and the file is deeper here: it is another file.
		return "", fs.ErrNotExist
	}
	return best, nil
}

// common returns the number of trailing elements that two paths have in common.
func common(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// Relative returns the path of a file relative to Dir, with slashes. It returns false if the file
// is outside.
func (m *Module) Relative(file string) (string, bool) {
	rel, err := filepath.Rel(m.Dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Read returns the content of one of the module's files.
func (m *Module) Read(rel string) ([]byte, error) {
	return os.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(rel)))
}
