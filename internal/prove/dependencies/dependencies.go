package dependencies

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Change is what a change of go.mod affects.
type Change struct {
	Modules []string // paths of modules with another version or replacement, or that only one version requires, sorted
	// Language describes another version of Go, toolchain or setting of the runtime, which may affect all code; "" if
	// there is none.
	Language string
}

// Read compares two versions of go.mod. before may be nil.
func Read(before, after []byte) (c Change, err error) {
	var files [2]*modfile.File
	for i, text := range [][]byte{before, after} {
		if files[i], err = modfile.Parse("go.mod", text, nil); err != nil {
			return c, fmt.Errorf("read go.mod: %w", err)
		}
	}
	was, is := versions(files[0]), versions(files[1])
	for _, path := range slices.Sorted(maps.Keys(merged(was, is))) {
		if was[path] != is[path] {
			c.Modules = append(c.Modules, path)
		}
	}
	if a, b := language(files[0]), language(files[1]); a != b {
		c.Language = fmt.Sprintf("%s instead of %s", orNone(b), orNone(a))
	}
	return c, nil
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func orNone(text string) string {
	if text == "" {
		return "no version of Go"
	}
	return text
}

// versions returns the versions of what a go.mod requires, replaces and excludes, by module path.
func versions(f *modfile.File) map[string]string {
	list := map[string]string{}
	for _, r := range f.Require {
		list[r.Mod.Path] += r.Mod.Version + " "
	}
	for _, r := range f.Replace {
		list[r.Old.Path] += fmt.Sprintf("%s => %s %s ", r.Old.Version, r.New.Path, r.New.Version)
	}
	for _, r := range f.Exclude {
		list[r.Mod.Path] += "not " + r.Mod.Version + " "
	}
	return list
}

// language returns the version of Go, the toolchain and the settings of the runtime.
func language(f *modfile.File) string {
	var parts []string
	if f.Go != nil {
		parts = append(parts, "go "+f.Go.Version)
	}
	if f.Toolchain != nil {
		parts = append(parts, "toolchain "+f.Toolchain.Name)
	}
	for _, g := range f.Godebug {
		parts = append(parts, "godebug "+g.Key+"="+g.Value)
	}
	return strings.Join(parts, ", ")
}

// String describes what changes.
func (c *Change) String() string {
	parts := slices.Clone(c.Modules)
	if c.Language != "" {
		parts = append(parts, c.Language)
	}
	return strings.Join(parts, ", ")
}

// mark begins the lines of the go command's list, which has messages in between.
const mark = "whet-package "

// Packages returns the import paths of the packages that are of the changed modules, or depend on one that is, with
// those of the module itself.
func (c *Change) Packages(ctx context.Context, m *scratch.Module) (map[string]bool, error) {
	out, err := m.Go(ctx, nil, "list", "-e", "-deps", "-f",
		mark+`{{.ImportPath}} {{with .Module}}{{.Path}}{{else}}-{{end}} {{range .Imports}}{{.}},{{end}}`, "./...")
	if err != nil {
		return nil, fmt.Errorf("list the dependencies: %w: %s", err, scratch.LastLines(out))
	}
	return c.affected(out), nil
}

// affected reads the go command's list, in which a package comes after those that it imports.
func (c *Change) affected(list string) map[string]bool {
	affected := map[string]bool{}
	for line := range strings.Lines(list) {
		fields := strings.Fields(strings.TrimPrefix(line, mark))
		if !strings.HasPrefix(line, mark) || len(fields) < 2 {
			continue
		}
		imports := ""
		if len(fields) > 2 {
			imports = fields[2]
		}
		if slices.Contains(c.Modules, fields[1]) || slices.ContainsFunc(strings.Split(imports, ","), func(p string) bool {
			return affected[p]
		}) {
			affected[fields[0]] = true
		}
	}
	return affected
}

// Users returns the functions of a package that may do something else with a change: those that use one of some
// packages of other modules, or all exported ones if the language changes.
func (c *Change) Users(pkg *packages.Package, affected map[string]bool) (users []*ast.FuncDecl) {
	own := func(p *types.Package) bool {
		return p == nil || p == pkg.Types || pkg.Module != nil &&
			(p.Path() == pkg.Module.Path || strings.HasPrefix(p.Path(), pkg.Module.Path+"/"))
	}
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Name.Name == "init" || fn.Name.Name == "main" {
				continue
			}
			uses := c.Language != "" && fn.Name.IsExported()
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && !uses {
					obj := pkg.TypesInfo.Uses[id]
					uses = obj != nil && !own(obj.Pkg()) && affected[obj.Pkg().Path()]
				}
				return !uses
			})
			if uses {
				users = append(users, fn)
			}
		}
	}
	return users
}

// maxFunctions is the number of functions that are compared for a change.
const maxFunctions = 60

// Dependents are the functions of a module that a change of go.mod may affect.
type Dependents struct {
	What     string // what changes; "" if nothing does
	Packages []Dependent
	Places   []find.Place // the lines of the functions
	Left     int          // the number of further functions
}

// A Dependent is a package with some of its functions.
type Dependent struct {
	Package   *packages.Package
	Functions []*ast.FuncDecl
}

// Find finds the functions that a change of go.mod may affect, in packages of a copy of the module with some import
// paths, which load loads. There are none if a version of go.mod cannot be read: its build fails.
func Find(
	ctx context.Context, m *scratch.Module, file scratch.Change, paths []string,
	load func(importPath string) (*packages.Package, error),
) (d Dependents, err error) {
	c, bad := Read(file.Before, file.After)
	if bad != nil {
		return d, nil //nolint:nilerr // the build says what is wrong
	}
	affected, err := c.Packages(ctx, m)
	if err != nil {
		return d, err
	}
	d.What = c.String()
	left := maxFunctions
	for _, importPath := range paths {
		if !affected[importPath] && c.Language == "" {
			continue
		}
		pkg, err := load(importPath)
		if err != nil {
			return d, err
		}
		users := c.Users(pkg, affected)
		n := min(len(users), left)
		d.Left += len(users) - n
		if left -= n; n == 0 {
			continue
		}
		d.Packages = append(d.Packages, Dependent{pkg, users[:n]})
		for _, fn := range users[:n] {
			from, to := pkg.Fset.Position(fn.Pos()), pkg.Fset.Position(fn.End())
			d.Places = append(d.Places, find.Place{File: m.Relative(from.Filename), Line: from.Line, EndLine: to.Line})
		}
	}
	return d, nil
}

// Compared says how much was compared, and what was not: functions, on some inputs.
func (d *Dependents) Compared(functions int, inputs int64) string {
	return fmt.Sprintf("%d functions that use what it changes (%s) were compared in two processes, on %d inputs: "+
		"whatever else uses that, and modules that require this one, are not known to see the same", functions, d.What,
		inputs)
}
