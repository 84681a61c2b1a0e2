package prove

import (
	"context"
	"errors"

	"github.com/whet-go/whet/find"
)

// Reaching returns the benchmarks of the base that run a line of the places, in order of how little code they
// run. It runs the benchmarks of the base unless that was done. Call Prepare or PrepareFor first: the latter
// limits which benchmarks are run.
func (f *Prover) Reaching(ctx context.Context, places []find.Place) ([]Benchmark, error) {
	if err := f.cover(ctx); err != nil {
		return nil, err
	}
	return f.Covering(places), nil
}

// Outcome returns what a verdict means, without what only Run looks for: costs elsewhere, and what needs review.
func (v *Verdict) Outcome() Outcome {
	if errors.Is(v.Err, ErrUnproven) {
		return OutcomeUnproven
	}
	o, _ := (&Result{}).outcome(v)
	return o
}

// Reproduce returns what shows the difference of a verdict on changes; nil if it is not about one. a and b are names of
// the versions, for the text of a test.
func (f *Prover) Reproduce(ctx context.Context, v *Verdict, changes Changes, a, b string) *Reproducer {
	r := &Result{A: a, B: b, Verdict: v}
	r.reproduce(ctx, f, changes)
	return r.Reproducer
}
