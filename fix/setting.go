package fix

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/prove"
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
	settings := &prove.Settings{Name: x.Fix.Setting.String(), SameProgram: len(x.Fix.Setting.Build) == 0}
	settings.Flags, settings.Env = flagsAndEnv(x.Fix.Setting)
	v := f.prover.Prove(ctx, prove.Candidate{Settings: settings, Places: f.settingPlaces(x)})
	if ctx.Err() != nil {
		return nil
	}
	if err := f.take(a, v); err != nil {
		a.Reason = err.Error()
		return a
	}
	a.Stage = StageKept
	return a
}

// flagsAndEnv returns what settings add to a build: flags, and variables for building and running.
func flagsAndEnv(settings ...*rules.Setting) (flags, env []string) {
	for _, s := range settings {
		for _, one := range s.Build {
			if strings.HasPrefix(one, "-") {
				flags = append(flags, one)
			} else {
				env = append(env, one)
			}
		}
		env = append(env, s.Run...)
	}
	return flags, env
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
	a, b := f.prover.Side("original"), f.prover.Side("all kept rewrites and settings")
	var err error
	if len(f.result.changed) > 0 {
		if a, err = f.prover.SideWith(a.Name, f.result.changed.Before()); err != nil {
			f.result.Warnings.Add(err)
			return
		}
	}
	flags, env := flagsAndEnv(proven...)
	b.Flags, b.Env = slices.Concat(b.Flags, flags), slices.Concat(b.Env, env)
	chosen := prove.MergeBenchmarks(slices.Clone(f.keptBenchmarks), f.prover.Covering(places))
	if len(chosen) > 0 {
		f.result.WithSettings, err = f.prover.MeasureBy(ctx, a, b, prove.Focused(chosen, maxTotal))
	} else {
		f.result.WithSettings, err = f.prover.Versus(ctx, a, b, places)
	}
	if err != nil && ctx.Err() == nil {
		f.result.Warnings.Add(fmt.Errorf("compare the original with all kept rewrites and settings: %w", err))
	}
}
