package load

import (
	"slices"
	"time"
)

// batch decides whether the loop waits for several answers to come together, which
// saves the client's processor time: each sleep and each system call costs about
// as much as an answer.
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
	before int64 // answers at its beginning
	rates  [2][]float64
	// refusals in a row.
	refusals int
}

const (
	windows     = 24 // half of them with
	windowTime  = 8 * time.Millisecond
	settledTime = 5 * time.Second
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
	if b.window < windows && b.begun > 0 {
		which := b.window % 2
		b.rates[which] = append(b.rates[which], float64(l.answers-b.before)/(l.time-b.begun).Seconds())
		b.window++
	} else {
		b.window = 0
		b.rates = [2][]float64{b.rates[0][:0], b.rates[1][:0]}
	}
	b.begun, b.before = l.time, l.answers
	if b.window < windows {
		b.on = b.window%2 == 1
		b.until = l.time + windowTime
		return
	}
	if b.on = median(b.rates[1]) >= keepsRate*median(b.rates[0]); b.on {
		b.until, b.refusals = l.time+settledTime, 0
		return
	}
	// It may have been chance; but to find that out disturbs those that are answered
	// meanwhile, so less and less often.
	b.refusals++
	b.until = l.time + min(time.Duration(b.refusals)*time.Duration(b.refusals)*time.Second, mostRefusedTime)
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}
