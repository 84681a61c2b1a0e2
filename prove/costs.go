package prove

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/prove/costs"
)

// A SideCost is something that the change costs where its benchmarks do not look.
type SideCost = costs.Cost

// Limits of the search for costs elsewhere.
const (
	maxOthers  = 3 // other benchmarks that are measured
	othersPart = 4 // of the time of a benchmark that runs the change
	// leastLoss is the ratio above which a loss of another benchmark counts: smaller ones come with
	// another layout of the program.
	leastLoss = 1.05
)

// sideCosts looks for costs elsewhere of a candidate that was measured. It is an error if it does not
// get to the end; then what was found is returned, too.
func (f *Prover) sideCosts(ctx context.Context, c Candidate, v *Verdict) (list []SideCost, err error) {
	began := time.Now()
	defer func() { v.Took = AddStepTime(v.Took, "costs elsewhere", began) }()
	f.o.Progress("look for costs elsewhere")
	list, err = f.benchmarks.Probe(ctx, v.Measured.Covering(), c.Changes.After())
	f.addWarnings()
	if err != nil {
		return list, fmt.Errorf("look for costs elsewhere: %w", err)
	}
	more, err := f.otherLosses(ctx, c, v)
	if err != nil {
		return list, fmt.Errorf("measure other benchmarks: %w", err)
	}
	return append(list, more...), nil
}

// otherLosses measures benchmarks that run code of the changed packages, and were not measured for the
// change, for a shorter time.
func (f *Prover) otherLosses(ctx context.Context, c Candidate, v *Verdict) (list []SideCost, err error) {
	others := Focused(f.benchmarks.Others(c.Changes.Dirs(), v.Measured.Covering()), maxOthers)
	if len(others) == 0 {
		return nil, nil
	}
	over, err := f.scratch.Overlay(c.Changes.After())
	if err != nil {
		return nil, err
	}
	most := untilDeadline(ctx, f.o.AB.MaxTime, measureShare, 1) / othersPart
	m, err := f.measureFor(ctx, f.Side("without the change"), f.Side("with the change", over...), others, most)
	if err != nil {
		return nil, err
	}
	for i := range m.AB.Subjects {
		s := &m.AB.Subjects[i]
		for k := range s.Units {
			u := &s.Units[k]
			ratio := float64(u.Ratio)
			if u.Verdict == ab.Worse && (math.IsNaN(ratio) || max(ratio, 1/ratio) > leastLoss) {
				list = append(list, SideCost{
					What: "another benchmark, " + u.Unit, Where: s.Name, A: float64(u.A.Median), B: float64(u.B.Median),
					Unit: u.Unit,
				})
				break
			}
		}
	}
	return list, nil
}
