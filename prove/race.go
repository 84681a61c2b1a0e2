package prove

import (
	"context"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

const (
	// raceTime is how long tests may take without the race detector to run with it, the fastest first.
	raceTime = 2 * time.Second
	// maxRace is how long they may run with it. With it, some take a hundred times as long.
	maxRace = 15 * time.Second
	// maxRaceBuild is how long the compiler may take: the first time, it compiles all dependencies.
	maxRaceBuild = time.Minute
	// maxNamed is the number of tests or files that a text names.
	maxNamed = 5
)

// beginRace begins to run the tests of packages with the race detector, of those that start goroutines, or whose
// tests do, if the detector is available. They get a part of the time until the deadline, and no more than maxRace.
func (f *Prover) beginRace(ctx context.Context, changes Changes, pkgs []string) *scratch.RaceRun {
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p string) bool { return !f.startsGoroutines(p) })
	if !f.o.Race || len(pkgs) == 0 || !f.scratch.CanRace(ctx) {
		return scratch.NoRaceRun()
	}
	slow := f.tests.Slow(pkgs, raceTime)
	if names := scratch.Names(slow, maxNamed); names != "" {
		f.warnings.Addf("tests that take long did not run with the race detector: %s", names)
	}
	return f.scratch.BeginRace(ctx, changes, pkgs, f.tests.Without(pkgs, slow), scratch.RaceLimits{
		Build: untilDeadline(ctx, maxRaceBuild, raceShare, 1), Run: untilDeadline(ctx, maxRace, raceShare, 1),
	})
}

// endRace waits for tests with the race detector.
func (f *Prover) endRace(run *scratch.RaceRun, v *Verdict) error {
	f.o.Progress("wait for the tests with the race detector")
	r, err := run.Wait()
	v.Raced = r.Ran
	switch {
	case r.Failed:
		v.Answers.NotCompared = append(v.Answers.NotCompared, "tests fail with the race detector, and those of the "+
			"original did not end in the time to see whether they do, too: run `go test -race`")
	case r.Late:
		f.warnings.Addf("the tests did not end with the race detector in the time for that")
	}
	return err
}

// startsGoroutines reports whether a package of the base, or its tests, start goroutines, or use a
// package that does so with their functions. Without them nothing can race.
func (f *Prover) startsGoroutines(pkg string) bool {
	return syntax.StartsGoroutinesIn(f.packages.Dir(pkg))
}
