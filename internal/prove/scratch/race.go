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
	ran    bool
	err    error
	late   bool
}

// NoRaceRun is one that has ended without running anything.
func NoRaceRun() *RaceRun {
	r := &RaceRun{cancel: func() {}, done: make(chan struct{})}
	close(r.done)
	return r
}

// BeginRace begins to run the tests of packages with changes and the race detector, for some time and without some
// functions by package. Only if that fails does the base run with it, too: a race that is there before the changes
// does not count. End the run with Wait or Stop before m is closed.
func (m *Module) BeginRace(
	ctx context.Context, changes Changes, packages []string, without map[string][]string, limit time.Duration,
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
		inner, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		r.ran, r.err = module.testRace(inner, changes, packages, without)
		if r.late = inner.Err() != nil && ctx.Err() == nil; r.late {
			r.ran, r.err = false, nil
		}
	}()
	return r
}

// testRace runs tests with changes and the race detector. ran reports whether they ran.
func (m *Module) testRace(
	ctx context.Context, changes Changes, packages []string, without map[string][]string,
) (ran bool, err error) {
	over, err := m.Overlay(changes.After())
	if err != nil {
		return false, err
	}
	with := m.With(append(slices.Clone(m.options.Flags), "-race"), m.options.Env)
	changed := Trial{Module: with, Flags: over}
	if changed.Passes(ctx, packages, without) {
		return true, nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	base := with.Baseline(ctx, packages, without)
	err = base.Compare(ctx, changed, Trial{Module: with}, packages)
	var differs *TestError
	if errors.As(err, &differs) {
		differs.Output = m.Relative(differs.Output)
	}
	return base.Ran(), err
}

// Wait waits for the end. ran reports whether the tests ran, and late whether they did not end in time; err is a
// *TestError if the changes bring a race.
func (r *RaceRun) Wait() (ran, late bool, err error) {
	<-r.done
	r.cancel()
	return r.ran, r.late, r.err
}

// Stop ends the tests.
func (r *RaceRun) Stop() {
	r.cancel()
	<-r.done
}
