package prove

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

const (
	// raceTime is how long tests may take without the race detector to run with it, the fastest first.
	raceTime = 5 * time.Second
	// maxNamed is the number of tests that a warning names.
	maxNamed = 5
)

// testRace runs the tests of packages with the race detector, if they or the packages start
// goroutines and the detector is available. Only if that fails does the base run with it, too: a
// race that is there before the change does not count. raced reports whether the tests ran: they get a part of
// the time until the deadline.
func (f *Prover) testRace(ctx context.Context, over, pkgs []string) (raced bool, err error) {
	if !f.o.Race || !slices.ContainsFunc(pkgs, f.startsGoroutines) || !f.scratch.CanRace(ctx) {
		return false, nil
	}
	f.o.Progress("run the tests with the race detector")
	if limit := untilDeadline(ctx, 0, raceShare, 1); limit > 0 {
		all := ctx
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(all, limit)
		defer cancel()
		defer func() {
			if ctx.Err() != nil && all.Err() == nil {
				f.warnings.Addf("the tests did not end with the race detector in %v, the part of the budget that they get",
					limit.Round(time.Second))
				raced, err = false, nil
			}
		}()
	}
	slow := f.tests.Slow(pkgs, raceTime)
	f.warnLeftOut(slow)
	with := f.scratch.With(append(slices.Clone(f.o.Flags), "-race"), f.o.Env)
	changed := scratch.Trial{Module: with, Flags: over}
	if changed.Passes(ctx, pkgs, slow) {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	base := with.Baseline(ctx, pkgs)
	return base.Ran(), base.Compare(ctx, changed, scratch.Trial{Module: with}, pkgs)
}

// warnLeftOut warns of tests that do not run with the race detector.
func (f *Prover) warnLeftOut(slow map[string][]string) {
	var names []string
	for _, pkg := range slices.Sorted(maps.Keys(slow)) {
		for _, name := range slow[pkg] {
			names = append(names, scratch.Test{Package: pkg, Name: name}.String())
		}
	}
	if len(names) == 0 {
		return
	}
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(", and %d more", n)
	}
	f.warnings.Addf("tests that take long did not run with the race detector: %s%s", strings.Join(names, ", "), more)
}

// startsGoroutines reports whether a package of the base, or its tests, start goroutines, or use a
// package that does so with their functions. Without them nothing can race.
func (f *Prover) startsGoroutines(pkg string) bool {
	return syntax.StartsGoroutinesIn(f.packages.Dir(pkg))
}
