package load

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// batch decides whether the loop waits for several answers to come together. Each time
// it sleeps costs what several answers cost, on a virtual machine most of all; but where
// few answers come, waiting for more costs rate. So both ways are measured.
//
// It must not lie about latency. In the closed model, requests in flight are a
// constant, so by Little's law (L = λW) mean latency stays what it is as long as
// the rate does: a server that is busy all the time answers the others while one
// answer waits to be read. So short windows with and without are compared, over
// and over, and answers are waited for only while that does not lower the rate, and
// only where they come within a fraction of a millisecond. When they once do not,
// that is over. In the open model they are never waited for, nor with [Options.OneByOne].
type batch struct {
	on     bool
	rate   float64 // answers a second, without
	window int     // of the comparison; windows: it is over
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
	windowTime  = 4 * time.Millisecond
	settledTime = 5 * time.Second
	// firstTime is how long the first answer to the question holds: while a server and the
	// loop begin, everything is unlike what comes later.
	firstTime = 300 * time.Millisecond
	// mostRefusedTime is the longest time until what was refused is tried again.
	mostRefusedTime = 30 * time.Second
	// keepsRate is the share of the rate that must be left: less than 1, since windows
	// differ by chance.
	keepsRate = 0.95
	// Once so many pairs of windows all say clearly that it loses, or that it wins, the
	// others would tell nothing new, and those with the dearer way cost what they cost.
	losingPairs, winningPairs = 3, 6
	clearly                   = 0.05

	// batchTime is how long the answers that are waited for may be expected to take.
	batchTime = 500 * time.Microsecond
	// gatherTime ends a wait for answers that do not come. Most waits never see it. It is
	// not less, since a timer that comes before the kernel's own, 250 times a second, costs
	// some microseconds to set and to take back.
	gatherTime = 4 * time.Millisecond
	// Fewer than leastBatch are not worth it, and more than mostBatch bring no more.
	leastBatch, mostBatch = 8, 64
)

// next tells how many answers to wait for, and for how long.
func (b *batch) next(l *loop) (count int, gather time.Duration) {
	// What is waited for are connections that say something, each with one answer at least.
	busy := min(l.inFlight, len(l.conns))
	if l.open != nil || l.OneByOne || l.perEvent || !l.running || busy < leastBatch {
		return 1, 0
	}
	if l.time >= b.until {
		b.turn(l)
	}
	if !b.on {
		return 1, 0
	}
	// Two thirds of them, so that the server has others to work on until it
	// sees what follows these.
	count = min((2*busy+2)/3, int(b.rate*batchTime.Seconds()), mostBatch)
	if count < leastBatch {
		return 1, 0
	}
	return count, gatherTime
}

// waited tells that a wait for count answers took d and brought so many.
func (b *batch) waited(d time.Duration, count int, answers int64, l *loop) {
	if count > 1 && d >= gatherTime && answers < int64(count) {
		b.settle(l.time, false)
	}
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
		rate := answers / (l.time - b.begun).Seconds()
		b.rates[which] = append(b.rates[which], rate)
		b.costs[which] = append(b.costs[which], float64(cpu-b.cpu)/max(answers, 1))
		b.window++
		if which == 0 {
			b.rate = rate
		}
	} else {
		b.window = 0
		for i := range b.rates {
			b.rates[i], b.costs[i] = b.rates[i][:0], b.costs[i][:0]
		}
	}
	b.begun, b.before, b.cpu = l.time, l.answers, cpu
	switch loses, wins := b.clear(); {
	case loses >= losingPairs:
		b.settle(l.time, false)
	case wins >= winningPairs:
		b.settle(l.time, true)
	case b.window < windows:
		b.on = b.window%2 == 1
		b.until = l.time + windowTime
	default:
		b.settle(l.time, median(b.rates[1]) >= keepsRate*median(b.rates[0]) && median(b.costs[1]) < median(b.costs[0]))
	}
}

// clear counts the pairs of windows that say clearly that waiting loses, or that it
// wins; 0 for what not all of them say.
func (b *batch) clear() (loses, wins int) {
	pairs := len(b.rates[1])
	for i := range pairs {
		rate, cost := b.rates[1][i]/max(b.rates[0][i], 1), b.costs[1][i]/max(b.costs[0][i], 1)
		switch {
		case rate < keepsRate-clearly || cost > 1+clearly:
			loses++
		case rate >= keepsRate+clearly/2 && cost < 1-clearly:
			wins++
		}
	}
	if loses < pairs {
		loses = 0
	}
	if wins < pairs {
		wins = 0
	}
	return loses, wins
}

// settle ends the comparison with what holds for a while.
func (b *batch) settle(now time.Duration, on bool) {
	b.on, b.window = on, windows
	if on {
		b.confirmed++
		b.until, b.refusals = now+min(time.Duration(b.confirmed)*time.Duration(b.confirmed)*firstTime, settledTime), 0
		return
	}
	b.confirmed = 0
	// It may have been chance; but to find that out disturbs those that are answered
	// meanwhile, so less and less often.
	b.refusals++
	b.until = now + min(time.Duration(b.refusals)*time.Duration(b.refusals)*firstTime, mostRefusedTime)
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
