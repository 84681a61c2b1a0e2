package load

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestBatch plays servers that lose a share of their rate when answers are waited
// for, and looks at how much of the time they are.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		loss        float64
		least, most float64
	}{
		{0, .9, 1},
		{.5, 0, .05}, // a server that answers each request by itself in its own time
		{.1, 0, .2},
	} {
		random := rand.New(rand.NewPCG(1, 1))
		l := &loop{generator: &generator{plan: &plan{}}, running: true, inFlight: 16}
		on := 0
		const step, steps = time.Millisecond, 60_000
		for range steps {
			l.time += step
			rate := 100.0
			if count, gather := l.batch.next(l); count > 1 && gather > 0 {
				on++
				rate *= 1 - test.loss
			}
			l.answers += int64(rate * (0.9 + 0.2*random.Float64())) // windows differ
		}
		if share := float64(on) / steps; share < test.least || share > test.most {
			t.Errorf("with a loss of %g, answers are waited for in %.3f of the time", test.loss, share)
		}
	}
	open := &loop{generator: &generator{plan: &plan{open: &Open{Rate: 1}}}, running: true, inFlight: 16}
	if count, gather := open.batch.next(open); count != 1 || gather != 0 {
		t.Errorf("in the open model, %d answers are waited for", count)
	}
}
