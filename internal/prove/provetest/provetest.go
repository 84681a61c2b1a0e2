package provetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
)

// ByAllocations runs the benchmarks of both builds, as fix does, and lets their allocations decide,
// which do not depend on the load of the machine.
func ByAllocations(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error) {
	r, err := builds.Run(ctx, a, b, o)
	if err != nil {
		return nil, err
	}
	for i := range r.Subjects {
		s := &r.Subjects[i]
		at := slices.IndexFunc(s.Units, func(u ab.Unit) bool { return u.Unit == "allocs/op" })
		if at < 0 {
			return nil, fmt.Errorf("%s: no allocs/op in %+v", s.Name, s.Units)
		}
		u := s.Units[at]
		ratio := 1.0
		if u.A.Median > 0 {
			ratio = float64(u.B.Median) / float64(u.A.Median)
		}
		u.Ratio, u.Low, u.High, u.Verdict = bench.Float(ratio), bench.Float(ratio), bench.Float(ratio), ab.Same
		switch {
		case ratio < 0.95:
			u.Verdict = ab.Better
		case ratio > 1.05:
			u.Verdict = ab.Worse
		}
		s.Units = []ab.Unit{u}
	}
	return r, nil
}
