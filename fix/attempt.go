package fix

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/fix/scratch"
)

// errSameCode is the reason for not trying a rewrite in a round.
var errSameCode = errors.New("a kept rewrite changes the same code")

// errNotSeen is the reason for dropping a rewrite that may still be kept together with others.
var errNotSeen = errors.New("no gain distinguishable from noise")

// errNoSign is the reason for not trying a measured rewrite together with others either.
var errNoSign = errors.New("no gain distinguishable from noise, nor a sign of one")

// errNoGain is the reason for dropping a measured rewrite.
var errNoGain = errors.New("no gain")

// attempt tries one finding's fix on top of what was kept. If ctx ends, nothing is decided.
func (f *fixer) attempt(ctx context.Context, x *find.Finding) *Attempt {
	a := &Attempt{Finding: *x, Stage: StageRewrite, Round: f.round}
	if !f.has(x.Needs) {
		a.Stage, a.Reason = StageNeeds, "it needs a "+string(x.Needs)
		if x.Needs == rules.Review {
			a.Reason = "it needs review"
		}
		return a
	}
	changes, err := f.rewrite(x.Fix, f.edits)
	if err == nil {
		err = refuse(changes)
	}
	if err != nil {
		a.retry = errors.Is(err, errSameCode)
		a.Reason = err.Error()
		return a
	}
	a.Diff = changes.Diff()
	if err := f.prove(ctx, a, x, changes); err != nil {
		a.Reason, a.weak = err.Error(), errors.Is(err, errNotSeen)
		// A rewrite kept in this round may be the reason: without it the rewrite would be a
		// different one.
		a.retry = a.Stage != StageMeasure && f.keptIn(changes)
		return a
	}
	if err := f.keep(a, changes); err != nil {
		a.Stage, a.Reason = StageRewrite, err.Error()
		return a
	}
	for _, e := range x.Fix.Files {
		f.edits[e.File] = append(f.edits[e.File], e.Edits...)
	}
	return a
}

// keptIn reports whether a rewrite was kept in this round in the packages of changes.
func (f *fixer) keptIn(changes scratch.Changes) bool {
	edited := scratch.Changes{}
	for file := range f.edits {
		edited[file] = scratch.Change{}
	}
	return slices.ContainsFunc(edited.Dirs(), func(dir string) bool { return slices.Contains(changes.Dirs(), dir) })
}

// rewrite returns the files that a fix changes, applied on top of edits. The edits of both refer to
// the source at the start of the round.
func (f *fixer) rewrite(fix *find.Fix, edits map[string][]rewrite.Edit) (scratch.Changes, error) {
	changes := scratch.Changes{}
	for _, e := range fix.Files {
		original, err := f.scratch.Original(e.File)
		if err != nil {
			return nil, err
		}
		before, err := rewrite.Apply(original, edits[e.File], e.Names)
		if err != nil {
			return nil, err
		}
		after, err := rewrite.Apply(original, slices.Concat(edits[e.File], e.Edits), e.Names)
		if errors.Is(err, rewrite.ErrOverlap) {
			return nil, errSameCode
		}
		if err != nil {
			return nil, err
		}
		changes[e.File] = scratch.Change{Before: before, After: after}
	}
	return changes, nil
}

// prove runs changes through all stages of proof; a records the stage reached and the observations.
// It returns nil if the changes are proven.
func (f *fixer) prove(ctx context.Context, a *Attempt, x *find.Finding, changes scratch.Changes) error {
	over, err := f.scratch.Overlay(changes.After())
	if err != nil {
		return err
	}
	pkgs, err := f.packages.Affected(changes.Dirs())
	if err != nil {
		a.Stage = StageBuild
		return err
	}
	for _, s := range []struct {
		stage Stage
		do    func() error
	}{
		{StageBuild, func() error { return f.scratch.Build(ctx, over, pkgs) }},
		{StageVet, func() error { return f.vet(ctx, over, pkgs) }},
		{StageTest, func() error {
			err := f.test(ctx, scratch.Trial{Module: f.scratch, Flags: over}, scratch.Trial{Module: f.scratch}, pkgs)
			if err == nil {
				a.Tested, a.Ignored = len(pkgs), f.tests.Ignored(pkgs)
			}
			return err
		}},
		{StageCompare, func() error {
			f.o.Progress("compare the results of the old and the new code")
			a.Answers, err = f.compare(ctx, changes, x.Needs == rules.Review)
			return err
		}},
		{StageMeasure, func() error {
			f.o.Progress("measure")
			if a.Measured, err = f.measure(ctx, x, changes); err != nil {
				return err
			}
			a.Open, err = judge(a.Measured.AB, x.Needs == rules.Review)
			return err
		}},
	} {
		began := time.Now()
		a.Stage = s.stage
		err := s.do()
		a.Took = addTook(a.Took, string(s.stage), began)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// vet returns the first diagnostic that go vet did not report before any change.
func (f *fixer) vet(ctx context.Context, over, pkgs []string) error {
	if more := scratch.NewComplaints(f.vetted, f.scratch.Vet(ctx, over, pkgs)); len(more) > 0 {
		return errors.New(more[0].String())
	}
	return nil
}

// test runs the tests of packages, and compares what they do with what they did before any change.
// Those that seem to differ run again in original.
func (f *fixer) test(ctx context.Context, changed, original scratch.Trial, pkgs []string) error {
	err := f.tests.Compare(ctx, changed, original, pkgs)
	for _, t := range f.tests.Flaky() {
		if name := t.String(); !slices.Contains(f.result.Flaky, name) {
			f.result.Flaky = append(f.result.Flaky, name)
		}
	}
	return err
}

// keep writes a proven rewrite to the scratch copy.
func (f *fixer) keep(a *Attempt, changes scratch.Changes) error {
	a.undo = map[string][]byte{}
	for file, c := range changes {
		before, ok := f.result.changed[file]
		if !ok {
			before.Before = c.Before
		}
		a.undo[file] = c.Before
		if err := f.scratch.Write(file, c.After); err != nil {
			return err
		}
		f.result.changed[file] = scratch.Change{Before: before.Before, After: c.After}
	}
	a.Stage, a.Reason, f.testedAll = StageKept, "", a.Tested == len(f.packages.All)
	hit := coveringAny(f.benchmarks, a.Finding.Places)
	if a.Measured != nil {
		hit = append(hit, a.Measured.covering...)
	}
	for _, r := range hit {
		if !slices.ContainsFunc(f.keptBenchmarks, func(h benchmark) bool { return h.pkg == r.pkg && h.name == r.name }) {
			f.keptBenchmarks = append(f.keptBenchmarks, r)
		}
	}
	return nil
}

// judge returns why a comparison does not show a gain, and which figures remain undecided. A gain
// stands despite a loss in another figure if the loss is negligible: at most 1% and at most a
// fifth of the gain. A rewrite that needs review, such as a buffer that slows down a benchmark that
// discards everything, may lose up to a quarter of what it gains elsewhere: the figures are
// reported.
func judge(r *ab.Result, reviewed bool) (open []string, err error) {
	v := verdict{}
	for _, s := range r.Subjects {
		if s.Error != "" {
			return nil, errors.New(s.Name + ": " + s.Error)
		}
		for i := range s.Units {
			v.add(s.Name, &s.Units[i])
		}
	}
	limit := min(v.gain/5, math.Log(1.01))
	if reviewed {
		limit = v.gain / 4
	}
	switch {
	case v.lost > limit:
		return nil, errors.New("regression: " + v.loss)
	case v.gain > 0 && v.open > v.gain:
		return v.undecided, fmt.Errorf("%w: the possible loss exceeds the gain: %s", errNotSeen, v.opened)
	case v.gain > 0:
		return v.undecided, nil
	case len(v.undecided) > 0 && v.leans():
		return v.undecided, errNotSeen
	case len(v.undecided) > 0:
		return v.undecided, errNoSign
	}
	return nil, errNoGain
}

// A verdict accumulates the figures of a comparison, as logarithms of their ratios.
type verdict struct {
	gain      float64 // the largest proven gain
	lost      float64 // the largest proven loss, and its figure
	loss      string
	undecided []string
	open      float64 // the largest undecided loss, and its figure
	opened    string
	sums      map[string]float64 // sums of all losses by unit, including undecided ones
}

func (v *verdict) add(name string, u *ab.Unit) {
	if u.Unit == gotest.MeanTime && u.Verdict == ab.Undecided {
		return // noise from other processes, which affects sec/op less
	}
	lost := math.Log(float64(u.Ratio))
	if u.Better == bench.Higher {
		lost = -lost
	}
	if v.sums == nil {
		v.sums = map[string]float64{}
	}
	if !math.IsNaN(lost) && !math.IsInf(lost, 0) {
		v.sums[u.Unit] += lost
	}
	figure := figureOf(name, u)
	switch u.Verdict {
	case ab.Worse:
		if math.IsNaN(lost) {
			lost = math.Inf(1) // from zero
		}
		if lost > v.lost {
			v.lost, v.loss = lost, figure
		}
	case ab.Better:
		if math.IsNaN(lost) {
			lost = math.Inf(-1) // to zero
		}
		v.gain = math.Max(v.gain, -lost)
	case ab.Undecided:
		v.undecided = append(v.undecided, figure)
		if lost > v.open {
			v.open, v.opened = lost, figure
		}
	case ab.Same:
	}
}

// leans reports whether some unit gains over all benchmarks, taking undecided figures at face
// value.
func (v *verdict) leans() bool {
	for _, lost := range v.sums {
		if lost < -0.002 {
			return true
		}
	}
	return false
}

// figureOf describes how a benchmark's unit has changed, with its interval.
func figureOf(name string, u *ab.Unit) string {
	if math.IsNaN(float64(u.Ratio)) {
		return fmt.Sprintf("%s %s: from %v to %v", name, u.Unit, u.A.Median, u.B.Median)
	}
	if math.IsInf(float64(u.High), 0) || math.IsInf(float64(u.Low), 0) {
		return fmt.Sprintf("%s %s: %s (too few rounds for an interval)", name, u.Unit, percent(float64(u.Ratio)))
	}
	return fmt.Sprintf("%s %s: %s (95%%: %s to %s)", name, u.Unit, percent(float64(u.Ratio)), percent(float64(u.Low)),
		percent(float64(u.High)))
}
