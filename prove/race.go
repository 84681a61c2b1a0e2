package prove

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

const (
	// raceTime is how long tests may take without the race detector to run with it, the fastest first.
	raceTime = 2 * time.Second
	// maxRace is how long they may take to build and to run with it. With it, some take a hundred times as long.
	maxRace = 15 * time.Second
	// maxNamed is the number of tests that a warning names.
	maxNamed = 5
)

// A raceRun runs tests with the race detector in a copy of their own, while the results are compared.
type raceRun struct {
	cancel   context.CancelFunc
	done     chan struct{} // closed at the end; the rest is valid then
	ran      bool
	err      error
	warnings find.Warnings
}

// beginRace begins to run the tests of packages with the race detector, of those that start goroutines, or whose
// tests do, if the detector is available. Only if that fails does the base run with it, too: a
// race that is there before the change does not count. The tests get a part of the time until the deadline, and no more than maxRace.
func (f *Prover) beginRace(ctx context.Context, changes Changes, pkgs []string) *raceRun {
	ctx, cancel := context.WithCancel(ctx)
	r := &raceRun{cancel: cancel, done: make(chan struct{})}
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p string) bool { return !f.startsGoroutines(p) })
	if !f.o.Race || len(pkgs) == 0 || !f.scratch.CanRace(ctx) {
		close(r.done)
		return r
	}
	limit := untilDeadline(ctx, maxRace, raceShare, 1)
	slow := f.tests.Slow(pkgs, raceTime)
	r.warnLeftOut(slow)
	without := f.tests.Without(pkgs, slow)
	module, err := f.scratch.Copy(ctx)
	if err != nil {
		r.err = err
		close(r.done)
		return r
	}
	go func() {
		defer close(r.done)
		defer func() { r.err = errors.Join(r.err, module.Close()) }()
		inner, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		r.ran, r.err = f.testRace(inner, module, changes, pkgs, without)
		if inner.Err() != nil && ctx.Err() == nil {
			r.warnings.Addf("the tests did not end with the race detector in %v", limit.Round(time.Second))
			r.ran, r.err = false, nil
		}
	}()
	return r
}

// testRace runs the tests of packages with the race detector in a copy of the module, without some functions by
// package. ran reports whether they ran.
func (f *Prover) testRace(
	ctx context.Context, module *scratch.Module, changes Changes, pkgs []string, without map[string][]string,
) (ran bool, err error) {
	over, err := module.Overlay(changes.After())
	if err != nil {
		return false, err
	}
	with := module.With(append(slices.Clone(f.o.Flags), "-race"), f.o.Env)
	changed := scratch.Trial{Module: with, Flags: over}
	if changed.Passes(ctx, pkgs, without) {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	base := with.Baseline(ctx, pkgs, without)
	err = base.Compare(ctx, changed, scratch.Trial{Module: with}, pkgs)
	var differs *scratch.TestError
	if errors.As(err, &differs) {
		differs.Output = module.Relative(differs.Output)
	}
	return base.Ran(), err
}

// wait returns whether the tests ran, and why the change is rejected.
func (r *raceRun) wait() (ran bool, err error) {
	<-r.done
	r.cancel()
	return r.ran, r.err
}

// stop ends the tests.
func (r *raceRun) stop() {
	r.cancel()
	<-r.done
}

// warnLeftOut warns of tests that do not run with the race detector.
func (r *raceRun) warnLeftOut(slow map[string][]string) {
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
	r.warnings.Addf("tests that take long did not run with the race detector: %s%s", strings.Join(names, ", "), more)
}

// startsGoroutines reports whether a package of the base, or its tests, start goroutines, or use a
// package that does so with their functions. Without them nothing can race.
func (f *Prover) startsGoroutines(pkg string) bool {
	return syntax.StartsGoroutinesIn(f.packages.Dir(pkg))
}
