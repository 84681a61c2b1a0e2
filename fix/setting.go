package fix

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/fix/scratch"
)

// settings tries the build and run settings that the first findings name, each alone on top of the
// kept rewrites, and finally all proven ones together against the original. Nothing is applied:
// that is up to whoever builds and starts the program.
func (f *fixer) settings(ctx context.Context, first *find.Result) {
	for i := range first.Findings {
		x := &first.Findings[i]
		if x.Fix == nil || x.Fix.Setting == nil {
			continue
		}
		// Kept rewrites may have moved its places, or changed them beyond what can be followed.
		if now := slices.IndexFunc(f.found.Findings,
			func(o find.Finding) bool { return o.ID != "" && o.ID == x.ID }); now >= 0 {
			x = &f.found.Findings[now]
		}
		if ctx.Err() != nil {
			return
		}
		f.o.Progress("try " + x.Fix.Setting.String())
		a := f.trySetting(ctx, x)
		if a == nil {
			return
		}
		f.result.Settings = append(f.result.Settings, *a)
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
	f.o.Progress("compare the original with all kept rewrites and settings")
	f.settingsTotal(ctx, proven, places)
}

// trySetting builds the module with a setting, runs its tests, compares results and measures. It
// returns nil if ctx ends before that is decided.
func (f *fixer) trySetting(ctx context.Context, x *find.Finding) *Attempt {
	a := &Attempt{Finding: *x, Round: f.round}
	if slices.ContainsFunc(x.Fix.Setting.Build, func(s string) bool { return strings.HasPrefix(s, "-pgo=") }) {
		a.Stage, a.Reason = StageNeeds,
			"it needs a profile: `whet pgo RECORDING` writes one, reports what in it is stale, and measures the gain"
		return a
	}
	before := f.side("without " + x.Fix.Setting.String())
	after := withSettings(f.side("with "+x.Fix.Setting.String()), x.Fix.Setting)
	built := f.scratch.With(after.Flags, after.Env)
	places := f.settingPlaces(x)
	for _, s := range []struct {
		stage Stage
		do    func() error
	}{
		{StageBuild, func() error { return built.Build(ctx, nil, f.packages.All) }},
		{StageTest, func() error {
			return f.test(ctx, scratch.Trial{Module: built}, scratch.Trial{Module: f.scratch}, f.packages.All)
		}},
		{StageCompare, func() (err error) {
			if len(x.Fix.Setting.Build) == 0 {
				return nil // the same program
			}
			f.o.Progress("compare the results of the two builds")
			a.Answers, err = f.compareBuilds(ctx, places, before, after)
			return err
		}},
		{StageMeasure, func() (err error) {
			f.o.Progress("measure " + x.Fix.Setting.String())
			if a.Measured, err = f.versus(ctx, before, after, places); err != nil {
				return err
			}
			a.Open, err = judge(a.Measured.AB, false)
			return err
		}},
	} {
		began := time.Now()
		a.Stage = s.stage
		err := s.do()
		a.Took = addTook(a.Took, string(s.stage), began)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			a.Reason = err.Error()
			return a
		}
	}
	a.Stage = StageKept
	return a
}

// withSettings returns a build with settings added: flags, and variables for building and running.
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

// settingPlaces returns the lines whose benchmarks show the effect of a setting: those of the
// finding, or all that cost if it is about the program as a whole.
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

// settingsTotal compares the original with everything that was kept, built and run with settings,
// by the benchmarks that run some of it, or else as a program under load.
func (f *fixer) settingsTotal(ctx context.Context, proven []*rules.Setting, places []find.Place) {
	a, b := f.side("original"), f.side("all kept rewrites and settings")
	var err error
	if len(f.result.changed) > 0 {
		var over []string
		if over, err = f.scratch.Overlay(f.result.changed.Before()); err != nil {
			f.result.Warnings = append(f.result.Warnings, err)
			return
		}
		a.Flags = slices.Concat(a.Flags, over)
	}
	b = withSettings(b, proven...)
	chosen := slices.Clone(f.keptBenchmarks)
	for _, r := range coveringAny(f.benchmarks, places) {
		if !slices.ContainsFunc(chosen, func(h benchmark) bool { return h.pkg == r.pkg && h.name == r.name }) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) > 0 {
		sortByFocus(chosen)
		f.result.WithSettings, err = f.run(ctx, a, b, focused(chosen, maxTotal))
	} else {
		f.result.WithSettings, err = f.versus(ctx, a, b, places)
	}
	if err != nil && ctx.Err() == nil {
		f.result.Warnings = append(f.result.Warnings,
			fmt.Errorf("compare the original with all kept rewrites and settings: %w", err))
	}
}
