package load

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// batch decides whether the loop waits for several answers to come together, which
// saves the client's processor time where each sleep and each system call costs about
// as much as an answer. Where they are cheap, the timer of the wait costs more: so both
// ways are measured.
//
// It must not lie about latency. In the closed model, requests in flight are a
// constant, so by Little's law (L = λW) mean latency stays what it is as long as
// the rate does: a server that is busy all the time answers the others while one
// answer waits to be read. So short windows with and without are compared, over
// and over, and answers are waited for only while that does not lower the rate. In
// the open model they never are.
type batch struct {
	on     bool
	window int // of the comparison; windows: it is over
	until  time.Duration
	begun  time.Duration
	before int64                // answers at its beginning
	cpu    time.Duration        // the thread's processor time then
	clock  func() time.Duration // tells it; nil: the thread's own
	rates  [2][]float64         // answers a second, without and with
	costs  [2][]float64         // processor time an answer
	// refusals and confirmations in a row.
	refusals, confirmed int
}

const (
	windows     = 24 // half of them with
	windowTime  = 8 * time.Millisecond
	settledTime = 5 * time.Second
	// firstTime is how long the first answer to the question holds: while a server and the
	// loop begin, everything is unlike what comes later.
	firstTime = 300 * time.Millisecond
	// mostRefusedTime is the longest time until what was refused is tried again.
	mostRefusedTime = 30 * time.Second
	// keepsRate is the share of the rate that must be left: less than 1, since windows
	// differ by chance.
	keepsRate = 0.95
	// gatherTime is how long answers are waited for.
	gatherTime = 50 * time.Microsecond
	maxGather  = 32
)

// next tells how many answers to wait for, and for how long.
func (b *batch) next(l *loop) (count int, gather time.Duration) {
	if l.open != nil || l.perEvent || !l.running || l.inFlight < 4 {
		return 1, 0
	}
	if l.time >= b.until {
		b.turn(l)
	}
	if !b.on {
		return 1, 0
	}
	return min(l.inFlight/2, maxGather), gatherTime
}

// turn ends a window and begins the next.
func (b *batch) turn(l *loop) {
	clock := b.clock
	if clock == nil {
		clock = threadTime
	}
	cpu := clock()
	if b.window < windows && b.begun > 0 {
		which := b.window % 2
		answers := float64(l.answers - b.before)
		b.rates[which] = append(b.rates[which], answers/(l.time-b.begun).Seconds())
		b.costs[which] = append(b.costs[which], float64(cpu-b.cpu)/max(answers, 1))
		b.window++
	} else {
		b.window = 0
		for i := range b.rates {
			b.rates[i], b.costs[i] = b.rates[i][:0], b.costs[i][:0]
		}
	}
	b.begun, b.before, b.cpu = l.time, l.answers, cpu
	if b.window < windows {
		b.on = b.window%2 == 1
		b.until = l.time + windowTime
		return
	}
	b.on = median(b.rates[1]) >= keepsRate*median(b.rates[0]) && median(b.costs[1]) < median(b.costs[0])
	if b.on {
		b.confirmed++
		b.until, b.refusals = l.time+min(time.Duration(b.confirmed)*time.Duration(b.confirmed)*firstTime, settledTime), 0
		return
	}
	b.confirmed = 0
	// It may have been chance; but to find that out disturbs those that are answered
	// meanwhile, so less and less often.
	b.refusals++
	b.until = l.time + min(time.Duration(b.refusals)*time.Duration(b.refusals)*firstTime, mostRefusedTime)
}

// threadTime is the processor time of the thread that asks.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0 // the clock is there since Linux 2.6
	}
	return time.Duration(t.Nano())
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}
