package scratch

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find/rules/rewrite"
)

// A Change is a file before and after; nil where it does not exist.
type Change struct{ Before, After []byte }

// Changes are changed files, by their names relative to the module.
type Changes map[string]Change

// Before returns the files without the changes.
func (c Changes) Before() map[string][]byte {
	files := map[string][]byte{}
	for name, one := range c {
		files[name] = one.Before
	}
	return files
}

// After returns the files with the changes.
func (c Changes) After() map[string][]byte {
	files := map[string][]byte{}
	for name, one := range c {
		files[name] = one.After
	}
	return files
}

// Dirs returns the directories of the files, sorted.
func (c Changes) Dirs() []string {
	var list []string
	for file := range c {
		list = append(list, path.Dir(file))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// In returns the files in a directory.
func (c Changes) In(dir string) (files []string) {
	for file := range c {
		if path.Dir(file) == dir {
			files = append(files, file)
		}
	}
	return files
}

// Diff returns the changes as a unified diff.
func (c Changes) Diff() string {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(c)) {
		out.Write(rewrite.Diff(name, c[name].Before, c[name].After))
	}
	return out.String()
}

// DiffUpTo returns the first lines of Diff, as many as n bytes hold.
func (c Changes) DiffUpTo(n int) string {
	text := c.Diff()
	if len(text) <= n {
		return text
	}
	return text[:strings.LastIndexByte(text[:n], '\n')+1]
}

// Apply writes changes to the copy.
func (m *Module) Apply(changes Changes) error {
	for file, c := range changes {
		name := m.Path(file)
		if c.After == nil {
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, c.After, 0o600); err != nil {
			return err
		}
	}
	return nil
}
