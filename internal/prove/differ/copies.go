package differ

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/declarations"
	"github.com/whet-go/whet/internal/prove/differ/importers"
	"github.com/whet-go/whet/internal/prove/differ/makers"
	"github.com/whet-go/whet/internal/prove/differ/twin"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// maxCopies is the number of packages that are copied for one program: each is compiled twice.
const maxCopies = 40

// readImports reads which packages of the module import each other.
func readImports(
	ctx context.Context, m *scratch.Module, changes scratch.Changes, o Options,
) (*importers.Graph, error) {
	var dirs []string
	for _, dir := range changes.Dirs() {
		if changesCode(changes, dir) {
			dirs = append(dirs, dir)
		}
	}
	return importers.Read(ctx, m.With(o.Flags, o.Env), changes, dirs)
}

// copyAll writes the new versions of packages. Those after the first are needed by it: without a copy of a
// package between two that have changed, the new version would call the old one.
func (c *comparer) copyAll(ctx context.Context, all []importers.Package, o Options) error {
	if len(all) > maxCopies {
		return &twin.SeparateError{Reason: fmt.Sprintf(
			"its new version needs copies of %d packages that the change affects, and the limit is %d", len(all), maxCopies)}
	}
	olds, err := c.imports.Files(ctx, all, o.Flags, o.Env)
	if err != nil {
		return err
	}
	for _, p := range all {
		c.Paths[p.Path] = true
	}
	for _, p := range all {
		if err := c.CopyPackage(p.Dir, olds[p.Dir]); err != nil {
			return err
		}
	}
	c.own, c.others = all[0], all[1:]
	return nil
}

// delayRegistering has the copies register what the old versions have registered already, too, after these, and
// without a panic.
func (c *comparer) delayRegistering() error {
	var imports, calls strings.Builder
	for i, p := range append([]importers.Package{c.own}, c.others...) {
		if !importers.CanImport(c.own.Path, p.Path) {
			continue
		}
		if err := c.DelayRegistering(p.Dir); err != nil {
			return err
		}
		fmt.Fprintf(&imports, "\twhet%d %q\n", i, p.Path+"/"+twin.Dir)
		fmt.Fprintf(&calls, "\twhet%d.WhetRegister()\n", i)
	}
	text := "package " + c.pkgName + "\n\nimport (\n" + imports.String() + ")\n\nfunc init() {\n" + calls.String() + "}\n"
	return c.Write(path.Join(c.own.Dir, supportName("register")), []byte(text))
}

// initializeAfter adds a file with an import to the other copies, so that they are initialized after what it
// imports: the package first, below one at an import path.
func (c *comparer) initializeAfter(at, imports string) error {
	for _, p := range c.others {
		if !importers.CanImport(p.Path, at) {
			continue // its flags may be there twice: then the program does not start
		}
		name := path.Join(p.Dir, twin.Dir, twinSupport("first"))
		if err := c.Write(name, []byte("package "+c.Names[p.Dir]+imports)); err != nil {
			return err
		}
	}
	return nil
}

// hiddenIn returns what hidden does, for a package and those that are copied, too: by the names of the old
// types, or of those in the copies.
func (c *comparer) hiddenIn(was, is *types.Package, inCopy bool) map[string]string {
	pathOf := func(was, is *types.Package) string {
		if inCopy {
			return is.Path()
		}
		return was.Path()
	}
	all := declarations.Hidden(was, is, pathOf(was, is))
	for _, p := range c.others {
		a, b := makers.Dependency(was, p.Path), makers.Dependency(is, p.Path+"/"+twin.Dir)
		if a != nil && b != nil {
			maps.Copy(all, declarations.Hidden(a, b, pathOf(a, b)))
		}
	}
	return all
}

// assembled returns the functions without a body in Go whose assembly changes. now is nil if the new version cannot
// be loaded.
func (c *comparer) assembled(dir string, old, now *packages.Package) (changed []types.Object) {
	var names []string
	all := false
	for _, file := range c.Changes.In(dir) {
		base := path.Base(file)
		if change := c.Changes[file]; twin.IsAssembly(base) && (now == nil || built(base, old) || built(base, now)) {
			some, any := twin.ChangedAssembly(base, change.Before, change.After)
			names, all = append(names, some...), all || any
		}
	}
	if len(names) == 0 && !all {
		return nil
	}
	declared := map[string]bool{}
	var empty []*ast.FuncDecl
	for _, pkg := range []*packages.Package{old, now} {
		if pkg == nil {
			continue
		}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					declared[d.Name.Name] = true
					if pkg == old && d.Body == nil {
						empty = append(empty, d)
					}
				}
			}
		}
	}
	// What Go does not declare is called by other assembly.
	all = all || slices.ContainsFunc(names, func(name string) bool { return !declared[name] })
	for _, d := range empty {
		if obj := old.TypesInfo.Defs[d.Name]; obj != nil && (all || slices.Contains(names, d.Name.Name)) {
			changed = append(changed, obj)
		}
	}
	return changed
}

// built reports whether a package was loaded with a file that is not Go.
func built(base string, pkg *packages.Package) bool {
	return slices.ContainsFunc(pkg.OtherFiles, func(name string) bool { return filepath.Base(name) == base })
}
