package scratch

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// CanRace reports whether the go command can build with the race detector, which needs a C compiler.
func (m *Module) CanRace(ctx context.Context) bool {
	if slices.ContainsFunc(m.options.Flags, func(flag string) bool { return strings.HasPrefix(flag, "-race") }) {
		return false // the tests have just run with it
	}
	out, err := m.Go(ctx, nil, "env", "-json", "CC", "CGO_ENABLED", "GOOS", "GOARCH", "GOHOSTOS", "GOHOSTARCH")
	var env map[string]string
	if err != nil || json.Unmarshal([]byte(out), &env) != nil {
		return false
	}
	cc := strings.Fields(env["CC"])
	if len(cc) == 0 || env["CGO_ENABLED"] != "1" || env["GOOS"] != env["GOHOSTOS"] || env["GOARCH"] != env["GOHOSTARCH"] {
		return false
	}
	_, err = exec.LookPath(cc[0])
	return err == nil
}

// A RaceRun runs tests with the race detector in a separate copy of the module.
type RaceRun struct {
	cancel context.CancelFunc
	done   chan struct{} // closed at the end; the rest is valid then
	result RaceResult
	err    error
}

// A RaceResult is how a RaceRun ended.
type RaceResult struct {
	Ran  bool // the tests ran to their end
	Late bool // they did not in the time for that
	// Failed is set if tests with the changes failed, and those of the base did not end in time: it is not known whether
	// they fail, too.
	Failed bool
}

// NoRaceRun is one that has ended without running anything.
func NoRaceRun() *RaceRun {
	r := &RaceRun{cancel: func() {}, done: make(chan struct{})}
	close(r.done)
	return r
}

// RaceLimits are how long the compiler may take for tests with the race detector, and for how long the tests may run.
// The base gets as long as the changes.
type RaceLimits struct{ Build, Run time.Duration }

// BeginRace begins to run the tests of packages with changes and the race detector, for some time and without some
// functions by package. Only if that fails does the base run with it, too: a race that is there before the changes
// does not count. End the run with Wait or Stop before m is closed.
func (m *Module) BeginRace(
	ctx context.Context, changes Changes, packages []string, without map[string][]string, limits RaceLimits,
) *RaceRun {
	module, err := m.Copy(ctx)
	if err != nil {
		r := NoRaceRun()
		r.err = err
		return r
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &RaceRun{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		defer func() { r.err = errors.Join(r.err, module.Close()) }()
		r.result, r.err = module.testRace(ctx, changes, packages, without, limits)
	}()
	return r
}

// testRace runs tests with changes and the race detector.
func (m *Module) testRace(
	ctx context.Context, changes Changes, packages []string, without map[string][]string, limits RaceLimits,
) (r RaceResult, err error) {
	over, err := m.Overlay(changes.After())
	if err != nil {
		return r, err
	}
	with := m.With(append(slices.Clone(m.options.Flags), "-race"), m.options.Env)
	changed := Trial{Module: with, Flags: over}
	with.compileTests(ctx, slices.Concat(over, packages), limits.Build)
	inTime, cancel := context.WithTimeout(ctx, limits.Run)
	defer cancel()
	if changed.Passes(inTime, packages, without) {
		r.Ran = true
		return r, nil
	}
	if inTime.Err() != nil {
		r.Late = ctx.Err() == nil
		return r, ctx.Err()
	}
	with.compileTests(ctx, packages, limits.Build)
	inTime, cancelBase := context.WithTimeout(ctx, limits.Run)
	defer cancelBase()
	base := with.Baseline(inTime, packages, without)
	err = base.Compare(inTime, changed, Trial{Module: with}, packages)
	if inTime.Err() != nil {
		r.Late = ctx.Err() == nil
		r.Failed = r.Late
		return r, ctx.Err()
	}
	var differs *TestError
	if errors.As(err, &differs) {
		differs.Output = m.Relative(differs.Output)
	}
	r.Ran = base.Ran()
	return r, err
}

// compileTests compiles packages with their tests for at most some time, so that tests begin at once. They report
// what does not build when they run.
func (m *Module) compileTests(ctx context.Context, args []string, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, _ = m.Go(ctx, nil, "list", slices.Concat(m.options.Flags, []string{"-e", "-export", "-test"}, args)...)
}

// Wait waits for the end. err is a *TestError if the changes bring a race.
func (r *RaceRun) Wait() (RaceResult, error) {
	<-r.done
	r.cancel()
	return r.result, r.err
}

// Stop ends the tests.
func (r *RaceRun) Stop() {
	r.cancel()
	<-r.done
}
