package prove

import (
	"context"
	"errors"
	"fmt"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/prove/judgment"
	"github.com/whet-go/whet/internal/prove/sizes"
)

// bySize measures generated benchmarks that are slower with their inputs of each size alone, if there are no others,
// and returns what that shows; it returns any other judgment as it is, and all of candidates that a fix drops anyway.
func (f *Prover) bySize(ctx context.Context, c Candidate, v *Verdict, judged error) error {
	if !errors.Is(judged, judgment.ErrOnlyGenerated) || f.o.tree == nil {
		return judged
	}
	f.o.Progress("measure inputs of each size")
	with, err := f.SideWith("with the change", c.Changes.After())
	if err != nil {
		return err
	}
	o := f.o.AB
	o.Total = untilDeadline(ctx, o.MaxTime*maxSubjects, layoutShare, 1)
	o.Plans, o.Trial = []ab.Plan{v.Measured.AB.Plan}, noTrial
	r, err := f.benchmarks.CompareSizes(ctx, f.Side("without the change"), with, v.Measured, o)
	if f.addWarnings(); err != nil {
		if ctx.Err() == nil {
			f.warnings.Add(fmt.Errorf("measure inputs of each size: %w", err))
		}
		return judged
	}
	by := sizes.Judge(r)
	if by == nil {
		return judged
	}
	if errors.Is(by, judgment.ErrLoss) {
		v.IgnoredLosses = nil // they count
	}
	return by
}
