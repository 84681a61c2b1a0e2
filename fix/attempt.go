package fix

import (
	"context"
	"errors"
	"slices"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/prove"
)

// errSameCode is the reason for not trying a rewrite in a round.
var errSameCode = errors.New("a kept rewrite changes the same code")

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
		err = f.prover.Refuse(changes)
	}
	if err != nil {
		a.retry = errors.Is(err, errSameCode)
		a.Reason = err.Error()
		return a
	}
	a.Diff = changes.Diff()
	if err := f.prove(ctx, a, x, changes); err != nil {
		a.Reason = err.Error()
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
func (f *fixer) keptIn(changes prove.Changes) bool {
	edited := prove.Changes{}
	for file := range f.edits {
		edited[file] = prove.Change{}
	}
	return slices.ContainsFunc(edited.Dirs(), func(dir string) bool { return slices.Contains(changes.Dirs(), dir) })
}

// rewrite returns the files that a fix changes, with the fix applied on top of edits. Both refer to
// the source at the start of the round.
func (f *fixer) rewrite(fix *find.Fix, edits map[string][]rewrite.Edit) (prove.Changes, error) {
	changes := prove.Changes{}
	for _, e := range fix.Files {
		original, err := f.prover.Original(e.File)
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
		changes[e.File] = prove.Change{Before: before, After: after}
	}
	return changes, nil
}

// prove runs changes through all stages of proof and records the verdict in a. It returns nil if the
// changes are proven.
func (f *fixer) prove(ctx context.Context, a *Attempt, x *find.Finding, changes prove.Changes) error {
	c := prove.Candidate{Changes: changes, Places: x.Places, Reviewed: x.Needs == rules.Review}
	judge := f.prover.Judge
	if x.Tier != find.Proposed {
		c.Vouched, judge = true, f.prover.Prove
	}
	v := judge(ctx, c)
	err := f.take(a, v)
	if f.o.Review && x.Tier != find.Proposed && errors.Is(err, prove.ErrUnproven) {
		err = nil
	}
	if err == nil {
		a.Predicted = f.prover.Predict(ctx, v, changes)
	}
	return err
}

// take records a verdict. It returns why the change is not proven; nil if it is.
func (f *fixer) take(a *Attempt, v *prove.Verdict) error {
	a.testedAll = f.prover.TestedAll(v)
	a.Stage, a.Tested, a.Ignored = v.Stage, v.Tested, v.Ignored
	a.Answers, a.Measured, a.Open, a.IgnoredLosses = v.Answers, v.Measured, v.Open, v.IgnoredLosses
	a.Unproven, a.Hint = v.Unproven, diag.Hint(v.Err)
	a.Took, a.weak = append(a.Took, v.Took...), v.Leans()
	if a.Finding.Tier == find.Proposed {
		a.Outcome = outcomeOf(v)
	}
	return v.Err
}

// keep writes a proven rewrite to the scratch copy.
func (f *fixer) keep(a *Attempt, changes prove.Changes) error {
	a.undo = map[string][]byte{}
	for file, c := range changes {
		before, ok := f.result.changed[file]
		if !ok {
			before.Before = c.Before
		}
		a.undo[file] = c.Before
		if err := f.prover.Write(file, c.After); err != nil {
			return err
		}
		f.result.changed[file] = prove.Change{Before: before.Before, After: c.After}
	}
	a.Stage, a.Reason, a.Hint, f.testedAll = StageKept, "", "", a.testedAll
	f.keptBenchmarks = prove.MergeBenchmarks(f.keptBenchmarks, f.prover.Covering(a.Finding.Places))
	if a.Measured != nil {
		f.keptBenchmarks = prove.MergeBenchmarks(f.keptBenchmarks, a.Measured.Covering())
	}
	return nil
}
