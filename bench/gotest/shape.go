package gotest

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// A shape describes how a round runs: count slices of a length, one after the other in one process.
type shape struct {
	slice   time.Duration
	count   int
	outside time.Duration // CPU time that the process spends outside the slices; 0 for one slice
}

func (s shape) length() time.Duration { return time.Duration(s.count) * s.slice }

// Limits for the shape of a round that may fit.
const (
	leastFit = 10 * time.Millisecond
	// perStart is how much longer a round is than the start of its process. More saves little time,
	// and where the noise is between processes it is wasted.
	perStart = 3
	// With this many garbage collections, their share of a round is about constant.
	collections = 5
	// littleGarbage is how much a round may allocate without collections: a quarter of the heap at
	// which the first is due.
	littleGarbage = 1 << 20

	// leastSlice is less than a scheduler's time slice, so that some slices of a round contain no
	// other program. In much less, what testing does around a slice would count.
	leastSlice = 500 * time.Microsecond
	// perSlice is the least number of iterations of a slice: the first ones refill caches and
	// pools, which testing empties before each.
	perSlice    = 100
	leastSlices = 5  // fewer are not worth their collections
	mostSlices  = 10 // of the least length
)

// fitting returns the shape of rounds that suits the benchmark: short, but long enough for the
// start of a process not to matter, for CPU time to be known, and for the garbage collector to cost
// what it costs in a long run. Where the collector need not run, the round is divided into slices.
func (s *Subject) fitting(ctx context.Context, most time.Duration, o RunOptions) (shape, error) {
	seconds := func(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }
	perOp := max(s.perOp[ab.A], s.perOp[ab.B])
	length := max(leastFit, perStart*s.start, seconds(leastForCPU*perOp))
	if s.bytes*float64(iterationsFor(length, perOp)) > littleGarbage {
		for _, b := range s.sides {
			rate, err := b.garbage(ctx, s.benchmark, s.options)
			switch {
			case err != nil:
				return shape{}, err
			case rate == 0:
				return shape{slice: most, count: 1}, nil
			}
			length = max(length, seconds(collections/rate))
		}
		return shape{slice: min(length, most), count: 1}, nil
	}
	whole := shape{slice: min(length, most), count: 1}
	slice := max(leastSlice, seconds(perSlice*perOp))
	if most/slice < leastSlices || s.Concurrent() {
		return whole, nil
	}
	o.Iterations, o.Count = fewIterations, mostSlices
	var between time.Duration // between two slices, of the slower side
	for _, b := range s.sides {
		often, err := b.Run(ctx, s.benchmark, o)
		switch {
		case ctx.Err() != nil:
			return shape{}, ctx.Err()
		case err != nil:
			return whole, nil // it cannot run that often
		}
		between = max(between, (often.CPU-s.start)/(mostSlices-1))
	}
	slice = max(slice, between)
	count := min(mostSlices, int(most/slice))
	if count < leastSlices {
		return whole, nil
	}
	return shape{slice, count, s.start + between*time.Duration(count-1)}, nil
}

// fastest returns the values of a round from those of its slices: times and rates of the fastest
// slice, since disturbances only ever slow one down; the median of others.
func fastest(round []Measurement) ab.Values {
	best, sum := round[0], 0.0
	for _, m := range round {
		sec, _ := m.Value("sec/op")
		if least, _ := best.Value("sec/op"); sec < least {
			best = m
		}
		sum += sec
	}
	out := ab.Values{}
	put := func(unit string, v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[unit] = v
		}
	}
	for _, v := range best.Values {
		if v.Unit == "sec/op" || v.Unit == "B/s" {
			put(v.Unit, v.Value)
			continue
		}
		var all []float64
		for _, m := range round {
			if x, ok := m.Value(v.Unit); ok {
				all = append(all, x)
			}
		}
		put(v.Unit, median(all))
	}
	if _, ok := out["sec/op"]; ok && len(round) > 1 {
		put(MeanTime, sum/float64(len(round)))
	}
	return out
}

// median returns the upper of the two middle values of an even number, so that it is one of them.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
