package differ

import (
	"context"
	"path"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ/declarations"
	"github.com/whet-go/whet/internal/prove/differ/twin"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// WriteTwins writes what Compare compiles, for all packages in a module at once.
func WriteTwins(ctx context.Context, dir string, changes scratch.Changes) (not []error, err error) {
	c := &comparer{Copy: twin.New(&scratch.Module{Dir: dir}, changes)}
	load := func() (map[string]*packages.Package, error) {
		all := map[string]*packages.Package{}
		pkgs, err := driver.Load(ctx, driver.Options{Dir: dir}, "./...")
		for _, pkg := range pkgs {
			if len(pkg.Errors) > 0 {
				return nil, pkg.Errors[0]
			}
			all[pkg.PkgPath] = pkg
			c.Paths[pkg.PkgPath] = true
		}
		return all, err
	}
	olds, err := load()
	if err != nil {
		return nil, err
	}
	for p, pkg := range olds {
		if err := c.CopyPackage(path.Base(p), pkg); err != nil {
			return nil, err
		}
	}
	all, err := load()
	if err != nil {
		return nil, err
	}
	for p := range all {
		c.Paths[p] = !strings.HasSuffix(p, "/"+twin.Dir)
	}
	for p := range olds {
		now := all[p+"/"+twin.Dir]
		g := newTestFile(all[p], now)
		entries, errs := g.entries(declarations.Changed(all[p], now))
		not = append(not, errs...)
		files, _, err := g.twins(c, now, entries, Options{})
		if err != nil {
			return nil, err
		}
		for name, text := range files {
			if err := c.Write(path.Join(path.Base(p), name), text); err != nil {
				return nil, err
			}
		}
	}
	return not, nil
}
