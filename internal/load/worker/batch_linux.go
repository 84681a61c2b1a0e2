package worker

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// batch decides how many answers the loop waits for. Every sleep costs the loop as much as several
// answers, especially on a virtual machine, and costs the server, which must wake it. If another
// program needs the CPU, the loop also has to wait for it. But where few answers come, waiting for
// more lowers the rate. So all ways are measured.
//
// It must not distort latency. In the closed model the number of requests in flight is constant, so
// by Little's law (L = λW) mean latency is unchanged as long as the rate is: a server that is
// always busy works on other requests while one answer waits to be read. So short windows of each
// way are compared repeatedly; ways with a lower rate drop out, and among those with the same rate
// the one with the least CPU time wins. The loop waits for several answers only where they arrive
// within a fraction of a millisecond. It never does in the open model, nor with [Options.OneByOne].
type batch struct {
	way   int // index into ways
	until time.Duration
	begun time.Duration        // start of the window
	clock func() time.Duration // the thread's CPU time; nil means measured

	trial  bool
	cycle  int // number of windows so far in a trial
	out    [len(ways)]bool
	seen   [len(ways)]windows
	before int64 // answers at the start of the window
	cpu    time.Duration

	rate    float64 // answers per second in fast windows
	trials  int
	settled time.Duration
	wasted  time.Duration // time since then in waits that timed out
	alarms  int           // consecutive trials for that reason that changed nothing
	was     int           // way before the trial
}

// windows sums over the windows of a way; older windows count less.
type windows struct {
	answers, seconds, cpu float64
	count, rates, squares float64 // of the rates of the windows
}

func (w *windows) add(answers, seconds, cpu float64) {
	rate := answers / max(seconds, 1e-9)
	w.answers, w.seconds, w.cpu = w.answers+answers, w.seconds+seconds, w.cpu+cpu
	w.count, w.rates, w.squares = w.count+1, w.rates+rate, w.squares+rate*rate
}

// age reduces the weight of the windows.
func (w *windows) age() {
	for _, sum := range []*float64{&w.answers, &w.seconds, &w.cpu, &w.count, &w.rates, &w.squares} {
		*sum *= forget
	}
}

// variance returns the variance of the rate.
func (w windows) variance() float64 {
	mean := w.rates / max(w.count, 1)
	return max(w.squares/max(w.count, 1)-mean*mean, 0) / max(w.count, 1)
}

// slower reports whether the rate is significantly below share times v's rate.
func (w windows) slower(v windows, share float64) bool {
	return w.rate() < share*v.rate() && v.rate()-w.rate() > math.Sqrt(w.variance()+v.variance())
}

func (w windows) rate() float64 { return w.answers / max(w.seconds, 1e-9) }
func (w windows) cost() float64 { return w.cpu / max(w.answers, 1) }

// better reports whether a way is as fast as v and clearly cheaper.
func (w windows) better(v windows) bool {
	return !w.slower(v, sameRate) && w.cost() < cheaper*v.cost()
}

// ways are the shares, in thirds, of the busy connections whose answers the loop waits for: the
// server works on the others meanwhile.
var ways = [...]int{0, 1, 2}

const (
	// windowTime is long enough to include a time slice of another program on the CPU.
	windowTime = 8 * time.Millisecond
	// forget is the weight that older windows keep when ways are compared again.
	forget = 0.5
	// A trial has this many windows of each way.
	minCycles, maxCycles = 6, 12
	// After earlyCycles, a way below farBehind of the best rate drops out; after minCycles, one
	// below behind.
	earlyCycles       = 3
	farBehind, behind = 0.75, 0.96
	// sameRate is the share of a rate that counts as equal; among ways of equal rates, one that
	// costs less than the share cheaper of the others is preferred. Windows differ by chance, and
	// the rate matters more than the cost.
	sameRate, cheaper = 0.985, 0.85

	// firstTime is how long the first decision holds: while the server and the loop start,
	// conditions differ from later ones. Later decisions hold longer.
	firstTime   = 300 * time.Millisecond
	settledTime = 5 * time.Second
	// The ways are compared again immediately when wasted waits exceed minWasted and wastedShare of
	// all time.
	minWasted   = 50 * time.Millisecond
	wastedShare = 0.25
	// maxAlarms bounds how often minWasted is doubled.
	maxAlarms = 5

	// batchTime is the maximum expected time for a batch of answers to arrive.
	batchTime = 500 * time.Microsecond
	// gatherTime ends a wait for answers that do not come. Most waits end before it. It is not
	// shorter because a timer that expires before the kernel's own tick (250 Hz) costs some
	// microseconds to set and to cancel.
	gatherTime = 4 * time.Millisecond
	// Fewer than minBatch are not worth waiting for; more than maxBatch have no advantage.
	minBatch, maxBatch = 4, 64
)

// next returns how many answers to wait for, and for how long.
func (b *batch) next(l *loop) (count int, gather time.Duration) {
	// The loop waits for connections with something to read, each with at least one answer.
	busy := min(l.inFlight, len(l.conns))
	if l.Arrivals != nil || l.OneByOne || l.perEvent || !l.running || busy < minBatch {
		return 1, 0
	}
	if l.time >= b.until && !l.trial.active() {
		b.turn(l)
	}
	count = min((ways[b.way]*busy+2)/3, int(b.rate*batchTime.Seconds()), maxBatch)
	if count < minBatch {
		return 1, 0
	}
	return count, gatherTime
}

// waited records that a wait for count answers took d and returned got. When many waits fall short,
// the server's behavior has changed.
func (b *batch) waited(d time.Duration, count int, answers int64, l *loop) {
	if count <= 1 || d < gatherTime || answers >= int64(count) || b.trial {
		return
	}
	b.wasted += d
	if b.wasted > minWasted<<b.alarms && b.wasted.Seconds() > wastedShare*(l.time-b.settled).Seconds() {
		b.until, b.trials, b.alarms = l.time, 0, min(b.alarms+1, maxAlarms)
	}
}

// turn ends a window, or the time for which a decision holds, and starts the next window.
func (b *batch) turn(l *loop) {
	clock := b.clock
	if clock == nil {
		clock = threadTime
	}
	cpu := clock()
	if b.trial {
		answers, seconds := float64(l.answers-b.before), (l.time - b.begun).Seconds()
		b.seen[b.way].add(answers, seconds, (cpu - b.cpu).Seconds())
		// A window in which another program had the CPU does not show how fast answers come
		// otherwise.
		b.rate = max(0.9*b.rate, answers/max(seconds, 1e-9))
		b.advance()
	} else {
		b.trial, b.cycle, b.was, b.way, b.out = true, 0, b.way, 0, [len(ways)]bool{}
		for i := range b.seen {
			b.seen[i].age()
		}
	}
	b.begun, b.before, b.cpu = l.time, l.answers, cpu
	if b.trial {
		b.until = l.time + windowTime
		return
	}
	b.settled, b.wasted = l.time, 0
	if b.way != b.was {
		b.alarms = 0
	}
	b.trials++
	b.until = l.time + min(time.Duration(b.trials)*time.Duration(b.trials)*firstTime, settledTime)
}

// advance moves to the next way still in the trial; after the last one it drops ways, and ends the
// trial once it is decided.
func (b *batch) advance() {
	for b.way++; b.way < len(ways) && b.out[b.way]; b.way++ {
	}
	if b.way < len(ways) {
		return
	}
	b.cycle++
	b.drop()
	best, left := -1, 0
	for i := len(ways) - 1; i >= 0; i-- {
		if !b.out[i] {
			best, left = i, left+1
		}
	}
	if b.way = best; left > 1 && b.cycle < maxCycles {
		return
	}
	b.trial, b.way = false, b.choose()
}

// drop removes the ways that have lost.
func (b *batch) drop() {
	limit := float64(behind)
	switch {
	case b.cycle < earlyCycles:
		return
	case b.cycle < minCycles:
		limit = farBehind
	}
	most := b.seen[b.fastest()]
	for i, w := range b.seen {
		b.out[i] = b.out[i] || w.slower(most, limit)
	}
	if b.cycle < minCycles {
		return
	}
	for i, w := range b.seen {
		for k, v := range b.seen {
			b.out[i] = b.out[i] || !b.out[k] && v.better(w)
		}
	}
}

// fastest returns the remaining way with the highest rate.
func (b *batch) fastest() int {
	best := -1
	for i, w := range b.seen {
		if !b.out[i] && (best < 0 || w.rate() > b.seen[best].rate()) {
			best = i
		}
	}
	return best
}

// choose returns the fastest way, or one that is as fast and clearly cheaper.
func (b *batch) choose() int {
	best := b.fastest()
	for i, w := range b.seen {
		if !b.out[i] && w.better(b.seen[best]) {
			best = i
		}
	}
	return best
}

// threadTime returns the CPU time of the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0 // the clock exists since Linux 2.6
	}
	return time.Duration(t.Nano())
}
