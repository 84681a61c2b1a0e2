package differ

import (
	"context"
	"errors"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ/effects"
	"github.com/whet-go/whet/internal/prove/differ/importers"
	"github.com/whet-go/whet/internal/prove/differ/twin"
)

// maxPackages is the number of other packages with users that are called: each is a program.
const maxPackages = 6

// A userCaller calls the functions of other packages of the module that what has changed in one concerns.
type userCaller struct {
	*comparer
	e        *effectFinder
	old, now *packages.Package // that has changed
	lines    *twin.Coverage    // that have changed in it
	r        *Comparison
	o        Options
	programs int // that were built
}

// compareUsers calls the functions of other packages that the effects of a change concern. The files of c are
// removed before. It reports whether some were called.
func (c *comparer) compareUsers(
	ctx context.Context, old, now *packages.Package, e *effectFinder, lines *twin.Coverage, r *Comparison, o Options,
) (called bool, err error) {
	if len(e.Uses) == 0 {
		return false, nil
	}
	o.Corpus = "" // it is for mutants of this package's functions
	u := &userCaller{comparer: c, e: e, old: old, now: now, lines: lines, r: r, o: o}
	if err := c.Remove(); err != nil { // copies of users come with their own
		return false, err
	}
	search := &effects.Search{
		Of: old.PkgPath, Imports: c.imports, Set: e.Set,
		Options: driver.Options{Dir: c.Module.Dir, Flags: o.Flags, Env: o.Env},
	}
	err = search.Each(ctx, func(pkg *packages.Package, dir string) error { return u.compareWithCopies(ctx, pkg, dir) })
	return u.programs > 0, err
}

// usesIn returns the uses that concern a package, as it sees them. Their routes are not its own.
func (u *userCaller) usesIn(g *testFile) (uses []effects.Use) {
	for _, one := range u.e.Uses {
		if one.Obj.Pkg().Path() == g.pkg.PkgPath || one.End != nil && one.End.Called {
			continue
		}
		if obj := importers.SeenFrom(g.pkg.Types, one.Obj); obj != nil && len(g.usersOf(obj)) > 0 {
			one.Obj = obj
			g.unlike(obj)
			uses = append(uses, one)
		}
	}
	return uses
}

// compareWithCopies calls the functions of a package that use what has changed, if there are any.
func (u *userCaller) compareWithCopies(ctx context.Context, pkg *packages.Package, dir string) error {
	if len(u.usesIn(newTestFile(pkg, nil))) == 0 {
		return nil
	}
	if u.programs == maxPackages {
		u.e.NotComparedf("users in %s were not compared: only those in %d packages are", dir, maxPackages)
		return nil
	}
	if u.o.Pace != nil && u.o.Pace.Over() {
		u.e.NotComparedf("users in %s were not compared: the time for that was up", dir)
		return nil
	}
	c := &comparer{Copy: twin.New(u.Module, u.Changes), imports: u.imports}
	err := u.comparePackage(ctx, c, dir)
	var separate *twin.SeparateError
	if errors.As(err, &separate) {
		u.e.NotComparedf("users in %s were not compared: %s", dir, separate.Reason)
		err = nil
	}
	return errors.Join(err, c.Remove())
}

// comparePackage calls functions of both versions of a package.
func (u *userCaller) comparePackage(ctx context.Context, c *comparer, dir string) error {
	old, now, err := c.load(ctx, dir, u.o)
	if err != nil {
		return err
	}
	g := newTestFile(old, now)
	g.within, g.more = dir+".", []*packages.Package{u.old, u.now}
	entries, _ := g.entriesBy(func(add addCall) []error {
		for _, use := range u.usesIn(g) {
			u.e.follow(g, use, add)
		}
		return nil
	})
	if len(entries) == 0 {
		return nil
	}
	u.programs++
	o := u.o
	if o.Pace != nil {
		o.Pace = o.Pace.Half() // there may be users in more packages
	}
	return c.compare(ctx, g, now, dir, entries, u.lines, u.r, o)
}
