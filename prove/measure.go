package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/benchmarks"
	"github.com/whet-go/whet/internal/prove/judgment"
)

// A Benchmark is a benchmark of the module, or one that was written, with the code that it runs.
type Benchmark = benchmarks.Benchmark

// Measured is a comparison of A, without a change, and B, with it.
type Measured = benchmarks.Measured

// An Importer is a module that uses the changed one.
type Importer = benchmarks.Importer

// A Prediction is how a recorded program's CPU time changes, as far as a benchmark of the change shows.
type Prediction = benchmarks.Prediction

// Limits of the measurement of a change.
const (
	maxBenchmarks = 4 // of the module, or written
	// maxSubjects is how many benchmarks and sub-benchmarks get the whole time of one. More share it.
	maxSubjects = 2
	// overtime is how many times that time is added if it is expected to decide, which takes a half width of enough:
	// less than what judgment.SameWithin allows, as the ratio is seldom 1.
	overtime = 3
	enough   = 0.035
	// leastShare is the share of the changed lines in what a benchmark runs from which one need not be written: what
	// they gain shows.
	leastShare = 0.05
	// trialTime is about how long the plans of a comparison are tried.
	trialTime = time.Second
	// Benchmarks whose slight differences decide are measured in other layouts: at most maxSlight of them, for
	// layoutTime together, or until the half width of the ratio's interval is layoutPrecision.
	maxSlight       = 4
	layoutTime      = 20 * time.Second
	layoutPrecision = 0.02
)

// errNoBenchmark is the reason for dropping a change that nothing measures.
var errNoBenchmark = errors.New("no benchmark runs this line; write one, or measure the service under load (--service)")

// measure compares the module without and with a change, by the benchmarks that run its places, or
// else by generated ones. The steps before are added to v.
func (f *Prover) measure(ctx context.Context, c Candidate, v *Verdict) (*Measured, error) {
	began := time.Now()
	chosen, err := f.Cover(ctx, c.Places)
	if v.Took = AddStepTime(v.Took, "find benchmarks", began); err != nil {
		return nil, err
	}
	measuring, share := f.measuring(ctx, chosen, c.Places)
	if share < leastShare && !f.Serves() {
		f.o.Progress("write a benchmark")
		began = time.Now()
		written, err := f.write(ctx, c.Changes)
		if v.Took = AddStepTime(v.Took, "write a benchmark", began); err != nil && (len(measuring) == 0 || ctx.Err() != nil) {
			return nil, err
		}
		if len(written) > 0 { // the others are among those that must not become slower
			measuring = written
		}
	}
	over, err := f.scratch.Overlay(c.Changes.After())
	if err != nil {
		return nil, err
	}
	return f.compareBy(ctx, f.Side("without the rewrite"), f.Side("with the rewrite", over...), measuring)
}

// measuring returns those of some benchmarks that measure lines of the places, and the largest share of these.
func (f *Prover) measuring(
	ctx context.Context, chosen []Benchmark, places []find.Place,
) (measuring []Benchmark, share float64) {
	defer f.addWarnings()
	return f.benchmarks.Measuring(ctx, chosen, places)
}

// Cover finds out what benchmarks run, before anything is changed, and returns those for some places.
// The benchmarks of packages that only import a changed one are looked at if this one has none.
func (f *Prover) Cover(ctx context.Context, places []find.Place) ([]Benchmark, error) {
	defer f.addWarnings()
	var scopes []benchmarks.Scope
	if f.scope == nil {
		scopes = append(scopes, benchmarks.Scope{})
	} else {
		scopes = append(scopes, benchmarks.Scope{Packages: f.scope.changed, Covered: f.scope.changed})
		importers := slices.DeleteFunc(f.inScope(), func(p string) bool { return slices.Contains(f.scope.changed, p) })
		if len(importers) > 0 {
			scopes = append(scopes, benchmarks.Scope{Packages: importers, Covered: f.scope.changed})
		}
	}
	for _, s := range scopes {
		if !f.benchmarks.Found(s) {
			f.o.Progress("find the benchmarks that run the lines")
			if err := f.benchmarks.Find(ctx, s); err != nil {
				return nil, err
			}
		}
		if chosen := Focused(f.Covering(places), maxBenchmarks); len(chosen) > 0 {
			return chosen, nil
		}
	}
	return nil, nil
}

// write writes benchmarks that run the changes. Its error is the reason why there are none.
func (f *Prover) write(ctx context.Context, changes Changes) ([]Benchmark, error) {
	list, err := f.changesOf(ctx, changes)
	if err != nil {
		return nil, err
	}
	defer f.addWarnings()
	recording := benchmarks.Recording{Charged: f.Charged, CPU: f.Recorded, Captured: f.Captured}
	chosen, why, err := f.benchmarks.Write(ctx, list, recording, maxBenchmarks)
	switch {
	case err != nil:
		return nil, err
	case len(chosen) > 0:
		return chosen, nil
	case len(why) > 0:
		return nil, fmt.Errorf("%w; %s", errNoBenchmark, strings.Join(why, "; "))
	}
	return nil, errNoBenchmark
}

// Versus compares two builds by the benchmarks that run some places, or else as a program under
// load.
func (f *Prover) Versus(ctx context.Context, a, b builds.Side, places []find.Place) (*Measured, error) {
	chosen, err := f.Cover(ctx, places)
	if err != nil {
		return nil, err
	}
	return f.compareBy(ctx, a, b, chosen)
}

// compareBy compares two builds by benchmarks, or without any, as a program under load.
func (f *Prover) compareBy(ctx context.Context, a, b builds.Side, chosen []Benchmark) (*Measured, error) {
	if len(chosen) > 0 {
		return f.MeasureBy(ctx, a, b, chosen)
	}
	if !f.Serves() {
		return nil, errNoBenchmark
	}
	r, err := f.MeasureService(ctx, a, b)
	return &Measured{AB: r}, err
}

// Serves reports whether the program can be measured under load.
func (f *Prover) Serves() bool { return f.o.Service != nil || f.o.RunService != nil }

// MeasureService compares two builds of the program under load.
func (f *Prover) MeasureService(ctx context.Context, a, b builds.Side) (*ab.Result, error) {
	if f.o.RunService != nil {
		return f.o.RunService(ctx, a, b)
	}
	defer f.clearTrial()
	program := *f.o.Service
	program.AB.MaxTime = untilDeadline(ctx, program.AB.MaxTime, measureShare, 1)
	r, err := program.CompareBuilds(ctx, cmp.Or(f.o.Program, "."), a, b)
	if err != nil {
		return nil, err
	}
	f.warnings = append(f.warnings, r.Warnings...)
	return r.AB, nil
}

// clearTrial removes the files that code under trial has left.
func (f *Prover) clearTrial() { f.warnings.Add(f.scratch.ClearTrial()) }

// MeasureBy compares two builds by benchmarks.
func (f *Prover) MeasureBy(ctx context.Context, a, b builds.Side, chosen []Benchmark) (*Measured, error) {
	o := f.o.AB
	o.Trial = cmp.Or(o.Trial, min(trialTime, o.MaxTime))
	o.Total = untilDeadline(ctx, o.MaxTime*maxSubjects, measureShare, 1)
	o.Overtime = max(0, untilDeadline(ctx, o.Total+overtime*o.MaxTime, measureShare, 1)-o.Total)
	o.Enough = enough
	defer f.addWarnings()
	m, err := f.benchmarks.Compare(ctx, a, b, chosen, o)
	if err != nil {
		return nil, err
	}
	if names := judgment.Of(m.AB, m.Generated(), false).Noisy; len(names) > 0 && ctx.Err() == nil {
		f.shareCPU(ctx, a, b, m, names[:min(len(names), maxSlight)])
	}
	if names := judgment.Of(m.AB, m.Generated(), false).Slight; len(names) > 0 && ctx.Err() == nil {
		f.varyLayout(ctx, a, b, m, names[:min(len(names), maxSlight)])
	}
	return m, nil
}

// shareCPU measures the CPU time of benchmarks whose time noise leaves undecided while both sides share a CPU, where
// noise affects them alike.
func (f *Prover) shareCPU(ctx context.Context, a, b builds.Side, m *Measured, names []string) {
	if len(ab.Processors()) == 0 {
		return
	}
	f.o.Progress("measure CPU time while both versions share a CPU")
	o := f.o.AB
	o.Total, o.Trial = untilDeadline(ctx, o.MaxTime*maxSubjects, layoutShare, 1), noTrial
	err := f.benchmarks.CompareAgain(ctx, a, b, m, benchmarks.Again{Subjects: names, Shared: true}, o)
	if err != nil && ctx.Err() == nil {
		f.warnings.Add(fmt.Errorf("measure CPU time while both versions share a CPU: %w", err))
	}
}

// varyLayout measures benchmarks again whose slight differences decide, in many layouts of the program: as they were
// measured last. Slight differences that are not measured in these are undecided.
func (f *Prover) varyLayout(ctx context.Context, a, b builds.Side, m *Measured, names []string) {
	f.o.Progress("measure in other layouts of the program")
	var groups [2][]string // those whose CPU time was measured on a shared CPU are the second
	for _, name := range names {
		of := 0
		if m.Shares(name) {
			of = 1
		}
		groups[of] = append(groups[of], name)
	}
	for of, group := range groups {
		if len(group) == 0 {
			continue
		}
		o := f.o.AB
		o.Total = untilDeadline(ctx, layoutTime*time.Duration(len(group))/time.Duration(len(names)), layoutShare, 1)
		o.MaxTime, o.Precision, o.Unit = o.Total, layoutPrecision, m.UnitOf(group)
		o.Plans, o.Trial = []ab.Plan{m.AB.Plan}, noTrial
		again := benchmarks.Again{Subjects: group, VaryLayout: true, Shared: of == 1}
		if err := f.benchmarks.CompareAgain(ctx, a, b, m, again, o); err != nil && ctx.Err() == nil {
			f.warnings.Addf("slight differences of time do not count: the layout of the program cannot be varied: %v", err)
		}
	}
	for i := range m.AB.Subjects {
		s := &m.AB.Subjects[i]
		shared := m.Shares(s.Name)
		for k := range s.Units {
			if u := &s.Units[k]; judgment.Slight(u) && (!s.VariedLayout || shared && !u.Shared) {
				u.Verdict = ab.Undecided
			}
		}
	}
}

// Figure describes how a benchmark's unit has changed, with its interval.
func Figure(name string, u *ab.Unit) string { return judgment.Figure(name, u) }

// addWarnings adds the warnings of benchmarks.
func (f *Prover) addWarnings() { f.warnings = append(f.warnings, f.benchmarks.Warnings()...) }

// Covering returns the benchmarks of the base that run a line of the places, in order of how little
// code they run. Prove and Versus run the benchmarks of the base; before that, there are none.
func (f *Prover) Covering(places []find.Place) []Benchmark { return f.benchmarks.Covering(places) }

// MergeBenchmarks returns list and those of more that are not in it.
func MergeBenchmarks(list, more []Benchmark) []Benchmark { return benchmarks.Merge(list, more) }

// Focused returns at most most benchmarks of list: those that run the least code, and the one that
// runs the most.
func Focused(list []Benchmark, most int) []Benchmark { return benchmarks.Focused(list, most) }
