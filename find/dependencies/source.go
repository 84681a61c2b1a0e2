package dependencies

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/driver"
)

// readSources reads the source of the hot lines and of the functions that are called, as the module builds
// them. It returns why none could be read; calls have the reasons for single ones.
func readSources(ctx context.Context, in *Input, calls []Call) error {
	var paths []string
	for i := range calls {
		paths = append(paths, calls[i].pkg)
		for _, l := range calls[i].Hottest {
			paths = append(paths, l.pkg)
		}
	}
	slices.Sort(paths)
	// A profile may come from anyone: what is no import path could be a pattern or a file for the go command.
	paths = slices.DeleteFunc(slices.Compact(paths), func(p string) bool { return module.CheckImportPath(p) != nil })
	if len(paths) == 0 {
		return nil
	}
	pkgs, err := driver.Load(ctx, driver.Options{Dir: in.Dir, Flags: in.Flags, Env: in.Env}, paths...)
	if err != nil {
		for i := range calls {
			calls[i].Unread = "the packages of dependencies cannot be loaded"
		}
		return &diag.Error{
			Op: "read the source of dependencies", Err: err, Hint: "the module must build: try `go build ./...` there",
		}
	}
	byPath := map[string]*packages.Package{}
	for _, p := range pkgs {
		byPath[p.PkgPath] = p
	}
	files := sourceFiles{}
	for i := range calls {
		c := &calls[i]
		if err := c.read(byPath, files); err != nil {
			c.Unread = err.Error()
		}
	}
	return nil
}

// sourceFiles are the lines of files, by name; nil for one that cannot be read.
type sourceFiles map[string][]string

// maxFile is the size up to which a file of a dependency is read.
const maxFile = 4 << 20

// line returns a line of a file; "" if there is none.
func (s sourceFiles) line(name string, n int) string {
	lines, ok := s[name]
	if !ok {
		if info, err := os.Stat(name); err == nil && info.Size() <= maxFile {
			if text, err := os.ReadFile(name); err == nil {
				lines = strings.Split(string(text), "\n")
			}
		}
		s[name] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// read completes a call from the packages of dependencies.
func (c *Call) read(byPath map[string]*packages.Package, files sourceFiles) error {
	for i := range c.Hottest {
		l := &c.Hottest[i]
		pkg := byPath[l.pkg]
		if pkg == nil || !describe(pkg, &l.Module, &l.Version) {
			continue // recorded with another version: its lines are others
		}
		if name := fileNamed(pkg, l.profileFile); name != "" {
			l.Code = files.line(name, l.Line)
			l.File = path.Join(dirInModule(pkg, l.Module), path.Base(filepath.ToSlash(name)))
		}
	}
	pkg := byPath[c.pkg]
	switch {
	case pkg == nil:
		return errors.New("the module does not depend on its package")
	case pkg.Types == nil || len(pkg.Errors) > 0:
		return errors.New("its package does not build here")
	}
	recorded := c.Version
	if !describe(pkg, &c.Module, &c.Version) {
		return fmt.Errorf("the recording has version %s of %s, and the module now uses another one", recorded, c.Module)
	}
	c.Alternatives = alternativesTo(pkg, c.Callee)
	return nil
}

// describe completes the module and version of a package. It reports whether they are those that were known, if any.
func describe(pkg *packages.Package, module, version *string) bool {
	m := pkg.Module
	if m == nil {
		return *version == ""
	}
	now := m.Version
	if m.Replace != nil && m.Replace.Version != "" {
		now = m.Replace.Version
	}
	if *version != "" && now != "" && *version != now {
		return false
	}
	*module, *version = m.Path, now
	return true
}

// dirInModule returns the directory of a package relative to its module.
func dirInModule(pkg *packages.Package, module string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg.PkgPath, module), "/")
}

// fileNamed returns the file of a package with the base name of a file in a profile; "" if it has none.
func fileNamed(pkg *packages.Package, file string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	i := slices.IndexFunc(pkg.GoFiles, func(name string) bool { return filepath.Base(name) == base })
	if i < 0 {
		return ""
	}
	return pkg.GoFiles[i]
}
