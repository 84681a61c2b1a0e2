package record

import (
	"testing"
	"time"
)

// BenchmarkResponse measures the cost of recording an answer.
func BenchmarkResponse(b *testing.B) {
	for name, rows := range map[string]int{"targets=1": 1, "targets=10": 10} {
		b.Run(name, func(b *testing.B) {
			s := New(1, rows, false).shards[0]
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				d := time.Duration(50_000 + i%1000*100)
				s.Response(i%rows, 200, 100, Timing{d, d - d/8, d / 8})
			}
		})
	}
}

// TestLastSecond checks that the remainder of a run is a separate second if it is long enough for a
// rate, and otherwise part of the last one.
func TestLastSecond(t *testing.T) {
	for _, test := range []struct {
		rest  time.Duration
		count int
	}{{0, 1}, {2 * time.Millisecond, 1}, {400 * time.Millisecond, 2}} {
		r := New(1, 1, false)
		answer := func(n int) {
			for range n {
				r.shards[0].Response(0, 200, 1, Timing{Latency: time.Millisecond})
			}
		}
		answer(100)
		r.Cut(time.Second, 3)
		if test.rest > 0 {
			answer(20)
		}
		_, warned := r.Finish(time.Second+test.rest, 1)
		if len(r.seconds) != test.count || warned != (test.count == 2) {
			t.Fatalf("rest of %v: seconds %+v", test.rest, r.seconds)
		}
		var sum int64
		var end time.Duration
		for _, s := range r.seconds {
			if s.Start != end {
				t.Errorf("rest of %v: second starts at %v, want %v", test.rest, s.Start, end)
			}
			end = s.Start + s.Elapsed
			sum += s.Responses
		}
		if end != time.Second+test.rest || sum != r.total.responses || test.rest > 0 && sum != 120 {
			t.Errorf("rest of %v: %d answers until %v, total %d", test.rest, sum, end, r.total.responses)
		}
		if s := r.seconds[len(r.seconds)-1]; s.Partial != (test.count == 2) || test.count == 2 && s.Rate != 50 {
			t.Errorf("rest of %v: %+v", test.rest, s)
		}
	}
}
