package profiles

import (
	"math/rand/v2"
	"testing"
)

// TestParts holds parts against the nanoseconds that they have, one by one.
func TestParts(t *testing.T) {
	t.Parallel()
	const end = 100
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := &Parts{}
		var in [end + 1]bool // whether the nanosecond that begins then is in a part
		var at [end + 1]bool // whether the time is
		for range r.IntN(6) {
			from := r.Int64N(end)
			to := from + r.Int64N(end-from)
			p.Add(7, from, to)
			for i := from; i <= to; i++ {
				at[i] = true
				in[i] = in[i] || i < to
			}
		}
		p.sort()
		from := r.Int64N(end)
		to := from + r.Int64N(end-from)
		want := int64(0)
		for i := from; i < to; i++ {
			if in[i] {
				want++
			}
		}
		if got := p.overlap(7, from, to); got != want {
			t.Fatalf("%v from %d to %d: %d, want %d", p.of, from, to, got, want)
		}
		if got := p.has(8, from); got != at[from] {
			t.Fatalf("%v at %d: %v, want %v", p.of, from, got, at[from])
		}
		if p.overlap(6, 0, end) != 0 || p.has(7, from) || p.has(0, from) {
			t.Fatal("another goroutine has parts")
		}
	}
	var all *Parts
	all.sort()
	if !all.has(0, 3) || all.overlap(1, 3, 5) != 2 || all.overlap(1, 5, 3) != 0 {
		t.Error("nil does not have all")
	}
}
