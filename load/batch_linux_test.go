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
		l := closedLoop()
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
}

// closedLoop is one with a request under way on each of 16 connections.
func closedLoop() *loop {
	return &loop{generator: &generator{plan: &plan{}}, running: true, inFlight: 16, conns: make([]*conn, 16)}
}

// TestBatchNever has the cases in which answers are never waited for, though it would save
// half of their processor time and cost no rate.
func TestBatchNever(t *testing.T) {
	for _, test := range []struct {
		name    string
		plan    *plan
		answers int64 // a millisecond
		want    bool
	}{
		{"as fast as they come", &plan{}, 100, true},
		{"the open model", &plan{open: &Open{Rate: 1}}, 100, false},
		{"one by one", &plan{Options: Options{OneByOne: true}}, 100, false},
		{"too slow", &plan{}, 14, false}, // 7 in 500 µs
	} {
		t.Run(test.name, func(t *testing.T) {
			l := closedLoop()
			l.plan = test.plan
			spent := time.Duration(0)
			l.batch.clock = func() time.Duration { return spent }
			on := 0
			for range 10_000 {
				l.time += time.Millisecond
				cost := 10 * time.Microsecond
				if count, _ := l.batch.next(l); count > 1 {
					on++
					cost /= 2
				}
				l.answers += test.answers
				spent += time.Duration(test.answers) * cost
			}
			if test.want != (on > 0) {
				t.Errorf("answers are waited for in %d ms of 10 s", on)
			}
		})
	}
}

// TestBatchStarved lets answers stay out while they are waited for.
func TestBatchStarved(t *testing.T) {
	l := closedLoop()
	spent := time.Duration(0)
	l.batch.clock = func() time.Duration { return spent }
	for range 1000 {
		l.time += time.Millisecond
		cost := 10 * time.Microsecond
		if count, _ := l.batch.next(l); count > 1 {
			cost /= 2
		}
		l.answers += 100
		spent += 100 * cost
	}
	count, gather := l.batch.next(l)
	if count != 11 || gather != gatherTime {
		t.Fatalf("%d answers are waited for up to %v; want 11 of 16", count, gather)
	}
	l.inFlight = 160 // ten streams on each
	if count, _ := l.batch.next(l); count != 11 {
		t.Errorf("%d connections are waited for; want 11 of 16 that have ten requests each", count)
	}
	l.batch.waited(30*time.Microsecond, count, 11, l)
	l.batch.waited(2*gather, count, 11, l) // all came, late
	if count, _ := l.batch.next(l); count != 11 {
		t.Fatalf("%d answers are waited for after waits that brought all", count)
	}
	l.batch.waited(gather, count, 10, l)
	if count, _ := l.batch.next(l); count != 1 {
		t.Errorf("%d answers are waited for after a wait in vain", count)
	}
}
