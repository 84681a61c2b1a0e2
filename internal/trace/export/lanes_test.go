package export

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLanes compares the lanes of random intervals with those found by a linear search.
func TestLanes(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var all lanes
		var until []int64
		from := int64(0)
		for range 500 {
			from += rnd.Int64N(4)
			to := from + rnd.Int64N(60)
			want := slices.IndexFunc(until, func(until int64) bool { return until <= from })
			if want < 0 {
				want = len(until)
				until = append(until, 0)
			}
			until[want] = to
			if got := all.of(from, to); got != want {
				t.Fatalf("seed %d: lane %d from %d to %d, want %d", seed, got, from, to, want)
			}
		}
		if all.count != len(until) {
			t.Errorf("seed %d: %d lanes, want %d", seed, all.count, len(until))
		}
	}
}

// TestManyLanes has a million simultaneous intervals, which must not take quadratic time.
func TestManyLanes(t *testing.T) {
	var all lanes
	for i := range 1 << 20 {
		if got := all.of(int64(i), 1<<40); got != i {
			t.Fatalf("interval %d is in lane %d", i, got)
		}
	}
}
