package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestBuckets compares the percentiles of two merged histograms with those of the values
// themselves.
func TestBuckets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var one, other spread
	var all []time.Duration
	for i := range 20_000 {
		d := time.Duration(math.Exp(random.NormFloat64()*3 + 10))
		switch i {
		case 0:
			d = 0
		case 1:
			d = 3 * time.Hour
		}
		all = append(all, d)
		if i%3 == 0 {
			one.record(d)
		} else {
			other.record(d)
		}
	}
	one.fold(&other)
	slices.Sort(all)
	if one.count != int64(len(all)) || one.min != 0 || one.max != 3*time.Hour {
		t.Errorf("%d values from %v to %v", one.count, one.min, one.max)
	}
	ranks := []float64{1, 10, 50, 75, 90, 99, 99.9}
	for i, got := range one.percentiles(ranks) {
		want := all[int(math.Ceil(ranks[i]/100*float64(len(all))))-1]
		if math.Abs(float64(got-want)) > 0.016*float64(want) {
			t.Errorf("p%g is %v, want %v", ranks[i], got, want)
		}
	}
	for v := range time.Duration(steps + 5) {
		var b buckets
		b.add(v, 1)
		if got := b.percentiles([]float64{50})[0]; got != v {
			t.Errorf("a single %d is %d", v, got)
		}
	}
	var none spread
	if none.latency() != (Latency{}) {
		t.Errorf("no values: %+v", none.latency())
	}
}

// TestPerTargetMemory checks that the memory for a target depends on the spread of its latencies,
// not on their number.
func TestPerTargetMemory(t *testing.T) {
	allocs := math.Inf(1)
	for range 5 { // the runtime and goroutines of other tests allocate occasionally
		var sum targetTally
		allocs = min(allocs, testing.AllocsPerRun(1, func() {
			for i := range 100_000 {
				sum.response(200+i%2, 1, time.Duration(i)*time.Microsecond)
				sum.failure(Reset)
			}
		}))
	}
	if allocs > octaves+3 {
		t.Errorf("%v allocations", allocs)
	}
}
