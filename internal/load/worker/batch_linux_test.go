package worker

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/load/workload"
)

// TestBatch simulates servers that lose a share of their rate when the loop waits for several
// answers, and machines where that saves a share of an answer's CPU time, and checks for what share
// of the time the loop waits.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		loss, saved float64
		least, most float64
	}{
		{0, .2, .9, 1},
		{.5, .2, 0, .05}, // a server that answers each request independently
		{.1, .2, 0, .2},
		{0, -.2, 0, .05}, // system calls are cheap, but timers are not
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

// closedLoop returns a loop with a request in flight on each of 16 connections.
func closedLoop() *loop {
	return &loop{Group: &Group{}, running: true, inFlight: 16, conns: make([]*conn, 16)}
}

// TestBatchNever checks the cases in which the loop never waits for several answers, although that
// would save half of their CPU time and not lower the rate.
func TestBatchNever(t *testing.T) {
	for _, test := range []struct {
		name    string
		o       Options
		answers int64 // a millisecond
		want    bool
	}{
		{"as fast as they come", Options{}, 100, true},
		{"the open model", Options{Arrivals: &workload.Arrivals{Rate: 1}}, 100, false},
		{"one by one", Options{OneByOne: true}, 100, false},
		{"too slow", Options{}, 7, false}, // 3.5 in 500 µs
	} {
		t.Run(test.name, func(t *testing.T) {
			l := closedLoop()
			l.Options = test.o
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

// settle simulates a server and a machine on which waiting saves half of the CPU time, until the
// loop has decided to wait.
func settle(t *testing.T, l *loop) {
	t.Helper()
	spent := time.Duration(0)
	l.batch.clock = func() time.Duration { return spent }
	for range 10_000 {
		l.time += time.Millisecond
		cost := 10 * time.Microsecond
		count, gather := l.batch.next(l)
		if count > 1 {
			cost /= 2
		}
		if l.time > time.Second && count > 1 && !l.batch.trial {
			if gather != gatherTime {
				t.Fatalf("waits up to %v", gather)
			}
			return
		}
		l.answers += 100
		spent += 100 * cost
	}
	t.Fatal("answers are never waited for")
}

// TestBatchStarved withholds the answers that the loop waits for.
func TestBatchStarved(t *testing.T) {
	l := closedLoop()
	settle(t, l)
	count, gather := l.batch.next(l)
	if count != 6 && count != 11 {
		t.Fatalf("%d answers are waited for; want a third or two of 16", count)
	}
	l.inFlight = 160 // ten streams on each
	if n, _ := l.batch.next(l); n != count {
		t.Errorf("%d connections are waited for; want %d of 16 that have ten requests each", n, count)
	}
	// All arrive, but late. Once, and later a tenth of the time, they do not, as when another
	// program has the server's CPU.
	l.batch.waited(2*gather, count, int64(count), l)
	until := l.batch.until
	for range 100 {
		l.time += 10 * gather
		l.batch.waited(gather, count, int64(count)-1, l)
		if l.batch.until <= l.time && l.time < until {
			t.Fatal("the ways are compared at once after wasted waits for a tenth of the time")
		}
	}
	// The server now answers each request independently.
	settle(t, l)
	for range 100 {
		l.time += gather
		l.answers++
		n, _ := l.batch.next(l)
		if l.batch.trial {
			return
		}
		l.batch.waited(gather, n, 1, l)
	}
	t.Error("wasted waits continue for 400ms")
}

// TestBatchNeighbor simulates another program that takes the CPU of the server or of the loop for
// 4 ms at a time, a fifth of the time: windows have half of the answers, or none. The loop still
// waits, which gains a third of the rate.
func TestBatchNeighbor(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(1, seed))
		l := closedLoop()
		spent := time.Duration(0)
		l.batch.clock = func() time.Duration { return spent }
		on, taken := 0, false
		const steps = 20_000
		for i := range steps {
			if i%4 == 0 {
				taken = random.IntN(5) == 0
			}
			l.time += time.Millisecond
			count, gather := l.batch.next(l)
			rate, cost := 100.0, 5000.0
			if count > 1 {
				on++
				rate, cost = rate*1.33, cost*.6
			}
			if taken {
				if i%4 == 3 && count > 1 {
					l.batch.waited(gather, count, 0, l)
				}
				continue
			}
			l.answers += int64(rate)
			spent += time.Duration(rate * cost)
		}
		if share := float64(on) / steps; share < .7 {
			t.Errorf("seed %d: answers are waited for in %.2f of the time", seed, share)
		}
	}
}
