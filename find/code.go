package find

import (
	"context"
	"fmt"
	"path"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/find/module"
)

// hotCode is the packages of a module that have hot lines, with their types.
type hotCode struct {
	packages  []*packages.Package
	byFile    map[string]*packages.Package // by the module's file
	unchecked map[string]string            // by the module's file: why rules cannot analyze it
	warnings  Warnings                     // about packages that do not build
}

// loadHotCode loads the packages with hot lines. more directories are those that other evidence is about.
func loadHotCode(ctx context.Context, c *lineCosts, o Options, more []string) (*hotCode, error) {
	h := &hotCode{byFile: map[string]*packages.Package{}, unchecked: map[string]string{}}
	dirs := append(c.hotDirs(), more...)
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if len(dirs) == 0 {
		return h, nil
	}
	o.Progress(fmt.Sprintf("load %d packages", len(dirs)))
	pkgs, err := driver.Load(ctx, driver.Options{Dir: c.module.Dir, Flags: o.Flags, Env: o.Env}, dirs...)
	if err != nil {
		return nil, &diag.Error{
			Op: "load", Subject: c.module.Dir, Err: err, Hint: "the module must build: try `go build ./...` there",
		}
	}
	for _, pkg := range pkgs {
		h.add(pkg, c.module)
	}
	return h, nil
}

// hotDirs returns the directories with lines above the minimum share of some profile, as patterns
// for the go command.
func (c *lineCosts) hotDirs() []string {
	sums := map[string]map[Cost]int64{}
	for at, accounts := range c.places {
		dir := path.Dir(at.file)
		if sums[dir] == nil {
			sums[dir] = map[Cost]int64{}
		}
		for cost := range accounts {
			sums[dir][cost] += c.value(at, cost)
		}
	}
	var dirs []string
	for dir, sum := range sums {
		if slices.ContainsFunc(c.ledgers, func(l *ledger) bool { return share(sum[l.cost], l.total) >= c.minShare }) {
			dirs = append(dirs, "./"+dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// add adds a package, and why rules cannot analyze some of its files.
func (h *hotCode) add(pkg *packages.Package, m *module.Module) {
	h.packages = append(h.packages, pkg)
	rel := func(file string) string {
		if r, ok := m.Relative(file); ok {
			return r
		}
		return file
	}
	why := ""
	if len(pkg.Errors) > 0 || pkg.IllTyped {
		why = "its package does not build"
		if len(pkg.Errors) > 0 {
			first := driver.FirstComplaint(pkg.Errors[0].Error())
			why += ": " + first
			h.warnings.Addf("package %s does not build: %s", pkg.PkgPath, first)
		}
	}
	for _, file := range slices.Concat(pkg.GoFiles, pkg.CompiledGoFiles) {
		if why != "" {
			h.unchecked[rel(file)] = why
		}
		h.byFile[rel(file)] = pkg
	}
	for _, file := range pkg.GoFiles {
		if why == "" && len(pkg.CompiledGoFiles) > 0 && !slices.Contains(pkg.CompiledGoFiles, file) {
			h.unchecked[rel(file)] = "the file uses cgo, so the compiler sees generated code"
		}
	}
	for _, file := range pkg.IgnoredFiles {
		h.unchecked[rel(file)] = "build constraints exclude the file"
	}
}
