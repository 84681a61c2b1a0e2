package fix

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
)

// settings tries the settings of the build and the run that findings name, each alone on top of the
// rewrites that were kept, and in the end all that are proven together, against the original. Nothing
// is kept: who builds and starts the program decides.
func (f *fixer) settings(ctx context.Context) {
	for i := range f.found.Findings {
		x := &f.found.Findings[i]
		if x.Fix == nil || x.Fix.Setting == nil {
			continue
		}
		if ctx.Err() != nil {
			f.result.Interrupted = true
			return
		}
		f.o.Progress(fmt.Sprintf("try %s", x.Fix.Setting))
		f.result.Settings = append(f.result.Settings, f.trySetting(ctx, x))
	}
	var proven []*rules.Setting
	var places []find.Place
	for i := range f.result.Settings {
		if a := &f.result.Settings[i]; a.Kept() {
			proven = append(proven, a.Finding.Fix.Setting)
			places = append(places, f.settingPlaces(&a.Finding)...)
		}
	}
	if len(proven) == 0 || ctx.Err() != nil {
		return
	}
	f.o.Progress("compare the original with all that was kept and the settings")
	f.settingsTotal(ctx, proven, places)
}

// trySetting builds the module with a setting, runs its tests, compares answers and measures.
func (f *fixer) trySetting(ctx context.Context, x *find.Finding) Attempt {
	a := Attempt{Finding: *x, Stage: StageBuild}
	drop := func(stage Stage, format string, args ...any) Attempt {
		a.Stage, a.Reason = stage, fmt.Sprintf(format, args...)
		return a
	}
	if slices.ContainsFunc(x.Fix.Setting.Build, func(s string) bool { return strings.HasPrefix(s, "-pgo=") }) {
		return drop(StageMeasure, "it takes a profile: `whet pgo RECORDING` makes one, says what of it is stale, and measures what it brings")
	}
	before := builds.Side{Dir: f.scratch.dir, Flags: f.o.Flags, Env: f.o.Env}
	after := withSettings(before, x.Fix.Setting)
	if out, err := f.scratch.as(after, func() (string, error) { return f.scratch.run(ctx, nil, "build", "./...") }); err != nil {
		return drop(StageBuild, "%s", lastLines(out))
	}
	out, err := f.scratch.as(after, func() (string, error) {
		return f.scratch.run(ctx, nil, "test", "-timeout="+f.o.Timeout.String(), "./...")
	})
	if ctx.Err() != nil {
		return drop(StageTest, "interrupted")
	}
	if err != nil {
		for _, pkg := range failing(out) {
			if !slices.Contains(f.result.Failing, pkg) {
				return drop(StageTest, "%s", lastLines(out))
			}
		}
	}
	f.o.Progress("measure " + x.Fix.Setting.String())
	if a.Measured, err = f.versus(ctx, before, after, f.settingPlaces(x)); err != nil {
		return drop(StageMeasure, "%v", err)
	}
	if ctx.Err() != nil {
		return drop(StageMeasure, "interrupted")
	}
	if reason := judge(a.Measured.AB); reason != "" {
		return drop(StageMeasure, "%s", reason)
	}
	a.Stage = StageKept
	return a
}

// withSettings is a build with settings: flags, and variables for building and running.
func withSettings(side builds.Side, settings ...*rules.Setting) builds.Side {
	side.Flags, side.Env = slices.Clone(side.Flags), slices.Clone(side.Env)
	for _, s := range settings {
		for _, one := range s.Build {
			if strings.HasPrefix(one, "-") {
				side.Flags = append(side.Flags, one)
			} else {
				side.Env = append(side.Env, one)
			}
		}
		side.Env = append(side.Env, s.Run...)
	}
	return side
}

// as has a function run the go command with another side's flags and variables.
func (s *scratch) as(side builds.Side, run func() (string, error)) (string, error) {
	was := s.o
	defer func() { s.o = was }()
	s.o.Flags, s.o.Env = side.Flags, side.Env
	return run()
}

// settingPlaces are the lines whose benchmarks show what a setting does: those of the finding, or all
// that cost where it is about the program as a whole.
func (f *fixer) settingPlaces(x *find.Finding) []find.Place {
	if len(x.Places) > 0 {
		return x.Places
	}
	var places []find.Place
	for i := range f.found.Findings {
		places = append(places, f.found.Findings[i].Places...)
	}
	for i := range f.found.Unexplained {
		places = append(places, f.found.Unexplained[i].Place)
	}
	return places
}

// settingsTotal compares the original with all that was kept, built and run with settings.
func (f *fixer) settingsTotal(ctx context.Context, proven []*rules.Setting, places []find.Place) {
	for i := range f.result.Attempts {
		if a := &f.result.Attempts[i]; a.Kept() {
			places = append(places, a.Finding.Places...)
		}
	}
	b := builds.Side{Dir: f.scratch.dir, Flags: f.o.Flags, Env: f.o.Env}
	a := b
	originals := map[string][]byte{}
	for name, c := range f.result.changed {
		originals[name] = c.before
	}
	if len(originals) > 0 {
		over, err := f.scratch.overlay(originals)
		if err != nil {
			f.result.Warnings = append(f.result.Warnings, err)
			return
		}
		a.Flags = slices.Concat(a.Flags, over)
	}
	var err error
	if f.result.WithSettings, err = f.versus(ctx, a, withSettings(b, proven...), places); err != nil {
		f.result.Warnings = append(f.result.Warnings, fmt.Errorf("compare the original with all that was kept and the settings: %w", err))
	}
}
