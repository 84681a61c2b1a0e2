package load

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestBatch plays servers that lose a share of their rate when answers are waited
// for, and machines where that saves a share of an answer's processor time, and looks
// at how much of the time they are waited for.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		loss, saved float64
		least, most float64
	}{
		{0, .2, .9, 1},
		{.5, .2, 0, .05}, // a server that answers each request by itself in its own time
		{.1, .2, 0, .2},
		{0, -.2, 0, .05}, // system calls are cheap, and timers are not
	} {
		random := rand.New(rand.NewPCG(1, 1))
		l := &loop{generator: &generator{plan: &plan{}}, running: true, inFlight: 16}
		on := 0
		spent := time.Duration(0)
		l.batch.clock = func() time.Duration { return spent }
		const step, steps = time.Millisecond, 60_000
		for range steps {
			l.time += step
			rate, cost := 100.0, 5000.0
			if count, gather := l.batch.next(l); count > 1 && gather > 0 {
				on++
				rate *= 1 - test.loss
				cost *= 1 - test.saved
			}
			answers := int64(rate * (0.9 + 0.2*random.Float64())) // windows differ
			l.answers += answers
			spent += time.Duration(float64(answers) * cost * (0.9 + 0.2*random.Float64()))
		}
		if share := float64(on) / steps; share < test.least || share > test.most {
			t.Errorf("with a loss of %g and %g saved, answers are waited for in %.3f of the time", test.loss, test.saved, share)
		}
	}
	open := &loop{generator: &generator{plan: &plan{open: &Open{Rate: 1}}}, running: true, inFlight: 16}
	if count, gather := open.batch.next(open); count != 1 || gather != 0 {
		t.Errorf("in the open model, %d answers are waited for", count)
	}
}
