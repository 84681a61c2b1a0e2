package ab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/bench"
)

// Limits for deciding whether a subject may be pinned.
const (
	pinningRounds = 3 // per side, pinned and unpinned
	// manyCPUs is the CPU time per second above which a subject uses more than one CPU:
	// its own goroutines, or a concurrent garbage collector.
	manyCPUs = 1.1
	// Pinned rounds measure something else if unpinned rounds are faster by this factor,
	fasterUnpinned = 1.1
	// or slower by this one, which allows for the cost of moving to another CPU.
	slowerUnpinned = 1.5
)

// decidePinning decides whether s may be pinned to one CPU. There, a program that runs on several
// CPUs behaves differently: no goroutine waits for a lock while its holder runs. So s is pinned
// only if, unpinned, it takes no more CPU time than wall time and is as fast as pinned.
func (r *runner) decidePinning(ctx context.Context, s *subject, p Plan) error {
	if s.known || len(r.allowed) == 0 || p.Shared { // CPU time is the same wherever it is spent
		return nil
	}
	if c, ok := s.Subject.(interface{ Concurrent() bool }); ok && c.Concurrent() && r.unpinnedAllowed() {
		s.known, s.unpinned = true, true
		return nil
	}
	began := time.Now()
	defer func() { s.elapsed += time.Since(began) }()
	var share float64
	for i := range pinningRounds {
		if i > 0 && time.Since(began) > r.MaxTime/10 {
			break // the rest of the time is for the comparison
		}
		for _, side := range []Side{A, B} {
			for _, cpu := range []int{Anywhere, r.allowed[i%len(r.allowed)]} {
				m, err := s.Measure(ctx, Round{Side: side, Length: p.Length, Fit: p.Fit, CPU: cpu})
				if err != nil {
					return sideError(side, err)
				}
				r.inside += m.Inside
				s.before = append(s.before, measured{side, Plan{Length: p.Length, Fit: p.Fit, Pinned: cpu != Anywhere}, m.Values})
				if cpu != Anywhere {
					s.pinnedTimes[side] = append(s.pinnedTimes[side], m.Values[r.requestedUnit])
					continue
				}
				s.unpinnedTimes[side] = append(s.unpinnedTimes[side], m.Values[r.requestedUnit])
				if ran := max(m.Wall, m.Inside); ran > 0 {
					share = max(share, m.CPU.Seconds()/ran.Seconds())
				}
			}
		}
	}
	s.known = true
	several := share > manyCPUs
	for side := range s.unpinnedTimes {
		several = several || unlike(s.unpinnedTimes[side], s.pinnedTimes[side], slowerUnpinned)
	}
	s.unpinned = several && r.unpinnedAllowed()
	return nil
}

// canShare reports whether the subject says that it can share a CPU.
func (s *subject) canShare() bool {
	c, ok := s.Subject.(interface{ CanShare() bool })
	return ok && c.CanShare()
}

// unpinnedAllowed reports whether rounds need not be pinned.
func (r *runner) unpinnedAllowed() bool {
	return len(r.Plans) == 0 || slices.ContainsFunc(r.Plans, func(p Plan) bool { return !p.Pinned })
}

// unlike reports whether all unpinned times are shorter than all pinned ones, or all are longer, by
// at least the factor slower.
func unlike(a, b []float64, slower float64) bool {
	if len(a) < pinningRounds || len(b) < pinningRounds {
		return false
	}
	ratio := median(slices.Clone(a)) / median(slices.Clone(b))
	return slices.Max(a) < slices.Min(b) && ratio < 1/fasterUnpinned || slices.Min(a) > slices.Max(b) && ratio > slower
}

// planOf returns the plan of a subject, which differs from the common one if the subject uses
// several CPUs.
func (r *runner) planOf(s *subject) Plan {
	p := r.plan
	if s.unpinned {
		p.Pinned, p.Together, p.Shared = false, false, false
	}
	return p
}

// unitOf returns the unit that decides about a subject. CPU time cannot decide for subjects that
// use several CPUs, since it does not show waiting; nor for those that do not measure it.
func (r *runner) unitOf(s *subject) string {
	measured := func(p pair) bool { return p.has(r.Unit) }
	if s.unpinned || len(s.pairs) > 0 && !slices.ContainsFunc(s.pairs, measured) {
		return r.requestedUnit
	}
	return r.Unit
}

// has reports whether both sides measured a unit.
func (p pair) has(unit string) bool {
	_, a := p[A][unit]
	_, b := p[B][unit]
	return a && b
}

// outside is the share of pinned rounds at each end that all unpinned rounds must lie beyond for a
// warning: by chance that happens once in a few thousand subjects.
const outside = 0.05

// pinnedElsewhere returns warnings about subjects whose pinned rounds measured something else than
// the unpinned ones.
func (r *runner) pinnedElsewhere() (warnings bench.Warnings) {
	for _, s := range r.subjects {
		if !r.planOf(s).Pinned {
			continue
		}
		for side, unpinned := range s.unpinnedTimes {
			var values []float64
			for _, p := range s.pairs {
				if v := p[side][r.requestedUnit]; v > 0 && !math.IsInf(v, 0) {
					values = append(values, v)
				}
			}
			if len(values) < int(1/outside) || len(unpinned) == 0 {
				continue
			}
			slices.Sort(values)
			cut := int(outside * float64(len(values)))
			if unlike(unpinned, values[cut:len(values)-cut], fasterUnpinned) {
				warnings = append(warnings, bench.Warning{
					Where: s.Name(),
					Text: fmt.Sprintf("on one CPU %v takes %.3g %s, but %.3g when it may run on all; these "+
						"rounds measure only the former",
						Side(side), median(values), r.requestedUnit, median(slices.Clone(unpinned))),
				})
				break
			}
		}
	}
	return warnings
}
