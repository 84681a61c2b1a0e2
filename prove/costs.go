package prove

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/prove/costs"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// A SideCost is a cost of the change that its benchmarks do not measure.
type SideCost = costs.Cost

// Limits of the search for costs elsewhere.
const (
	maxOthers  = 3       // other benchmarks that are measured
	othersPart = 4       // of the time of a benchmark that runs the change, for all of them together
	muchSource = 1 << 15 // bytes that are added to a package: with less, it does not take much longer to compile
	// noTrial is the time to choose a plan if it is known.
	noTrial = time.Nanosecond
	// leastLoss is the ratio above which a loss of another benchmark counts: smaller ones come with
	// a different layout of the program.
	leastLoss = 1.1
	// leastLossTime is the loss in seconds above which a loss of time counts, for the same reason: a few cycles.
	leastLossTime = 2e-9
)

// sideCosts looks for costs elsewhere of a candidate that was measured. If it does not finish, it returns
// an error and what it found so far.
func (f *Prover) sideCosts(ctx context.Context, c Candidate, v *Verdict) (list []SideCost, err error) {
	began := time.Now()
	f.o.Progress("look for costs elsewhere")
	list, err = f.benchmarks.Probe(ctx, v.Measured.Covering(), c.Changes.After())
	v.Took = AddStepTime(v.Took, "look for costs elsewhere", began)
	f.addWarnings()
	if err != nil {
		return list, fmt.Errorf("look for costs elsewhere: %w", err)
	}
	began = time.Now()
	more, err := f.otherLosses(ctx, c, v)
	if v.Took = AddStepTime(v.Took, "measure other benchmarks", began); err != nil {
		return list, fmt.Errorf("measure other benchmarks: %w", err)
	}
	list = append(list, more...)
	compiled, err := f.compileCosts(ctx, c.Changes)
	if err != nil {
		return list, fmt.Errorf("compile: %w", err)
	}
	return append(list, compiled...), nil
}

// compileCosts compares how long packages take to compile that have grown much.
func (f *Prover) compileCosts(ctx context.Context, changes Changes) (list []SideCost, err error) {
	for _, dir := range f.judgedDirs(changes) {
		pkg := f.packages.In(f.scratch.Path(dir))
		if pkg == "" || syntax.Growth(changes, dir) < muchSource {
			continue
		}
		over, err := f.scratch.Overlay(changes.After())
		if err != nil {
			return list, err
		}
		found, err := costs.CompileTime(ctx, pkg, [2]func(context.Context, int) error{
			costs.Compiler(f.scratch, f.o.Env, pkg, f.o.Flags...),
			costs.Compiler(f.scratch, f.o.Env, pkg, slices.Concat(f.o.Flags, over)...),
		})
		list = append(list, found...)
		if err != nil {
			return list, err
		}
	}
	return list, nil
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
	f.o.Progress("measure other benchmarks")
	o := f.o.AB
	o.Total = untilDeadline(ctx, o.MaxTime, measureShare, 1) / othersPart
	o.MaxTime = o.Total
	o.Plans, o.Trial = []ab.Plan{v.Measured.AB.Plan}, noTrial
	m, err := f.benchmarks.Compare(ctx, f.Side("without the change"), f.Side("with the change", over...), others, o)
	f.addWarnings()
	if err != nil {
		return nil, err
	}
	for i := range m.AB.Subjects {
		s := &m.AB.Subjects[i]
		for k := range s.Units {
			u := &s.Units[k]
			ratio := float64(u.Ratio)
			if strings.HasSuffix(u.Unit, "sec/op") && float64(u.B.Median-u.A.Median) < leastLossTime {
				continue
			}
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
