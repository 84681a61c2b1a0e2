package twin

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// MainName replaces the name of a package main in its copy, because a program cannot be imported.
const MainName = "whetmain"

// Dir is the directory, below that of a package, in which its new version is compiled.
const Dir = "whettwin"

// A SeparateError is the reason why two versions of a package cannot be in one program.
type SeparateError struct{ Reason string }

func (e *SeparateError) Error() string { return e.Reason }

// A Copy is the new versions of packages, written next to the old ones in a scratch copy of a module.
type Copy struct {
	Module  *scratch.Module
	Changes scratch.Changes
	Paths   map[string]bool // import paths of the packages
	// Names are the names of the packages that were copied, in their copies, by directory.
	Names map[string]string

	written []string // directories and files
}

// New returns a copy without packages.
func New(m *scratch.Module, changes scratch.Changes) *Copy {
	return &Copy{Module: m, Changes: changes, Paths: map[string]bool{}, Names: map[string]string{}}
}

// maxEmbedded limits the files that are copied for go:embed.
const maxEmbedded = 64 << 20

// Remove removes what was written.
func (c *Copy) Remove() error {
	var errs []error
	for _, name := range slices.Backward(c.written) {
		errs = append(errs, os.RemoveAll(name))
	}
	c.written = nil
	return errors.Join(errs...)
}

// Write writes a file of the module, until Remove.
func (c *Copy) Write(file string, data []byte) error {
	name := c.Module.Path(file)
	for dir := filepath.Dir(name); len(dir) > len(c.Module.Dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			c.written = append(c.written, dir)
		}
	}
	c.written = append(c.written, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// Imported returns the import path of the new version of a package.
func (c *Copy) Imported(p string) string {
	if c.Paths[p] {
		return p + "/" + Dir
	}
	return p
}

// CopyPackage writes the new version of the package in a directory. old has the files of the old version, by
// their full names; none if the package is new.
func (c *Copy) CopyPackage(dir string, old *packages.Package) error {
	c.written = append(c.written, c.Module.Path(path.Join(dir, Dir)))
	if slices.ContainsFunc(old.OtherFiles, func(name string) bool { return !IsAssembly(name) }) {
		return &SeparateError{"it has files that are neither Go nor assembly"}
	}
	files := map[string][]byte{}
	for _, name := range slices.Concat(old.GoFiles, old.OtherFiles) {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[filepath.Base(name)] = text
	}
	known, err := os.ReadDir(c.Module.Path(dir))
	if err != nil && len(old.GoFiles) > 0 {
		return err
	}
	for file, change := range c.Changes {
		name := path.Base(file)
		if path.Dir(file) != dir || !IsCode(name) {
			continue
		}
		_, built := files[name]
		exists := slices.ContainsFunc(known, func(e fs.DirEntry) bool { return e.Name() == name })
		switch {
		case exists && !built: // build constraints exclude it
		case change.After == nil:
			delete(files, name)
		default:
			files[name] = change.After
		}
	}
	embeds := false
	for name, text := range files {
		if IsAssembly(name) {
			if why := c.checkAssembly(text); why != "" {
				return &SeparateError{why}
			}
			if err := c.Write(path.Join(dir, Dir, name), text); err != nil {
				return err
			}
			continue
		}
		if bytes.Contains(text, []byte("\nimport \"C\"")) {
			return &SeparateError{"it uses cgo"}
		}
		if why := c.checkLinknames(name, text); why != "" {
			return &SeparateError{why}
		}
		embeds = embeds || bytes.Contains(text, []byte("\n//go:embed "))
		text, err := c.rewritten(name, text)
		if err != nil {
			return err
		}
		if c.Names[dir], err = packageName(name, text); err != nil {
			return err
		}
		if err := c.Write(path.Join(dir, Dir, name), text); err != nil {
			return err
		}
	}
	if embeds {
		return c.copyEmbedded(dir)
	}
	return nil
}

// IsCode reports whether a file with a base name is Go source or assembly, and no test.
func IsCode(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || IsAssembly(name)
}

func packageName(name string, text []byte) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	return file.Name.Name, nil
}

// rewritten returns a file that imports the new versions of packages, in a package that can be
// imported.
func (c *Copy) rewritten(name string, text []byte) ([]byte, error) {
	return renamed(name, text, func(pkg string) string {
		if pkg == "main" {
			return MainName
		}
		return pkg
	}, c.Imported)
}

// Restore returns a file of a copied package, or one that was made of it, as a file of the package
// itself, which has a name.
func Restore(name string, text []byte, pkg string) ([]byte, error) {
	return renamed(name, text, func(string) string { return pkg }, func(p string) string {
		return strings.TrimSuffix(p, "/"+Dir)
	})
}

// renamed returns a file with other names of the package and of the imported ones. No line gets
// another number.
func renamed(name string, text []byte, pkg, imported func(string) string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	at := 0
	replace := func(n ast.Node, with string) {
		out.Write(text[at:fset.Position(n.Pos()).Offset])
		out.WriteString(with)
		at = fset.Position(n.End()).Offset
	}
	if as := pkg(file.Name.Name); as != file.Name.Name {
		replace(file.Name, as)
	}
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && imported(p) != p {
			replace(spec.Path, strconv.Quote(imported(p)))
		}
	}
	out.Write(text[at:])
	return out.Bytes(), nil
}

// copyEmbedded copies the files that go:embed may name.
func (c *Copy) copyEmbedded(dir string) error {
	from, left := c.Module.Path(dir), int64(maxEmbedded)
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == Dir || entry.Name() == ".git"):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || strings.HasSuffix(name, ".go"):
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if left -= info.Size(); left < 0 {
			return &SeparateError{fmt.Sprintf("the files next to it, which it embeds, are larger than %d MiB", maxEmbedded>>20)}
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file := path.Join(dir, filepath.ToSlash(rel))
		if change, ok := c.Changes[file]; ok {
			text = change.After
		}
		return c.Write(path.Join(dir, Dir, filepath.ToSlash(rel)), text)
	})
}
