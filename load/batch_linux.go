package load

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// batch decides for how many answers the loop waits. Each time it sleeps costs it what
// several answers cost, on a virtual machine most of all, and costs the server, which has to
// wake it; where another program wants the processor, sleeping costs a turn as well. But
// where few answers come, waiting for more costs rate. So all ways are measured.
//
// It must not lie about latency. In the closed model, requests in flight are a
// constant, so by Little's law (L = λW) mean latency stays what it is as long as
// the rate does: a server that is busy all the time answers the others while one
// answer waits to be read. So short windows of each way are compared, over and over, the
// ways that have a lower rate drop out, and of those with the same the one with least
// processor time is taken. Answers are waited for only where they come within a fraction of
// a millisecond. In the open model they are never waited for, nor with [Options.OneByOne].
type batch struct {
	way   int // index of ways
	until time.Duration
	begun time.Duration        // of the window
	clock func() time.Duration // the thread's CPU time; nil: measured

	trial  bool
	cycle  int // of windows, in a trial
	out    [len(ways)]bool
	seen   [len(ways)]windows
	before int64 // answers at the window's beginning
	cpu    time.Duration

	rate    float64 // answers a second, of fast windows
	trials  int
	settled time.Duration
	vain    time.Duration // spent since then in waits that did not bring what they were for
	alarms  int           // trials for that reason in a row that changed nothing
	was     int           // the way before the trial
}

// windows are sums over the windows of a way, of which older ones count less.
type windows struct {
	answers, seconds, cpu float64
	count, rates, squares float64 // of the windows' rates
}

func (w *windows) add(answers, seconds, cpu float64) {
	rate := answers / max(seconds, 1e-9)
	w.answers, w.seconds, w.cpu = w.answers+answers, w.seconds+seconds, w.cpu+cpu
	w.count, w.rates, w.squares = w.count+1, w.rates+rate, w.squares+rate*rate
}

// age makes the windows count less.
func (w *windows) age() {
	for _, sum := range []*float64{&w.answers, &w.seconds, &w.cpu, &w.count, &w.rates, &w.squares} {
		*sum *= forget
	}
}

// variance is that of the rate.
func (w windows) variance() float64 {
	mean := w.rates / max(w.count, 1)
	return max(w.squares/max(w.count, 1)-mean*mean, 0) / max(w.count, 1)
}

// slower tells whether a way has less than a share of v's rate, and not by chance.
func (w windows) slower(v windows, share float64) bool {
	return w.rate() < share*v.rate() && v.rate()-w.rate() > math.Sqrt(w.variance()+v.variance())
}

func (w windows) rate() float64 { return w.answers / max(w.seconds, 1e-9) }
func (w windows) cost() float64 { return w.cpu / max(w.answers, 1) }

// better tells whether a way is as fast as v and clearly cheaper.
func (w windows) better(v windows) bool {
	return !w.slower(v, sameRate) && w.cost() < cheaper*v.cost()
}

// ways are the shares of the connections with requests under way whose answers are waited
// for, in thirds: the server has the others to work on meanwhile.
var ways = [...]int{0, 1, 2}

const (
	// windowTime is long enough for a neighbour to have its turn of the processor in it.
	windowTime = 8 * time.Millisecond
	// forget is what older windows still count when ways are compared again.
	forget = 0.5
	// A trial has so many windows of each way at most.
	leastCycles, mostCycles = 6, 12
	// After earlyCycles a way drops out that has less than farBehind of the best one's rate,
	// after leastCycles with less than behind.
	earlyCycles       = 3
	farBehind, behind = 0.75, 0.96
	// sameRate is the share of a rate that counts as the same, cheaper the share of a cost
	// for which another way is taken then: windows differ by chance, and rate goes first.
	sameRate, cheaper = 0.985, 0.85

	// firstTime is how long the first answer to the question holds: while a server and the
	// loop begin, everything is unlike what comes later. Later ones hold longer.
	firstTime   = 300 * time.Millisecond
	settledTime = 5 * time.Second
	// leastVain and vainShare are the time spent in vain, and its share of all, that has the
	// ways compared again at once.
	leastVain = 50 * time.Millisecond
	vainShare = 0.25
	// mostAlarms bounds how often leastVain is doubled.
	mostAlarms = 5

	// batchTime is how long the answers that are waited for may be expected to take.
	batchTime = 500 * time.Microsecond
	// gatherTime ends a wait for answers that do not come. Most waits never see it. It is
	// not less, since a timer that comes before the kernel's own, 250 times a second, costs
	// some microseconds to set and to take back.
	gatherTime = 4 * time.Millisecond
	// Fewer than leastBatch are not worth it, and more than mostBatch bring no more.
	leastBatch, mostBatch = 4, 64
)

// next tells how many answers to wait for, and for how long.
func (b *batch) next(l *loop) (count int, gather time.Duration) {
	// What is waited for are connections that say something, each with one answer at least.
	busy := min(l.inFlight, len(l.conns))
	if l.open != nil || l.OneByOne || l.perEvent || !l.running || busy < leastBatch {
		return 1, 0
	}
	if l.time >= b.until && !l.trial.active() {
		b.turn(l)
	}
	count = min((ways[b.way]*busy+2)/3, int(b.rate*batchTime.Seconds()), mostBatch)
	if count < leastBatch {
		return 1, 0
	}
	return count, gatherTime
}

// waited tells that a wait for count answers took d and brought so many. Where many do
// not bring them, the server has become another one.
func (b *batch) waited(d time.Duration, count int, answers int64, l *loop) {
	if count <= 1 || d < gatherTime || answers >= int64(count) || b.trial {
		return
	}
	b.vain += d
	if b.vain > leastVain<<b.alarms && b.vain.Seconds() > vainShare*(l.time-b.settled).Seconds() {
		b.until, b.trials, b.alarms = l.time, 0, min(b.alarms+1, mostAlarms)
	}
}

// turn ends a window, or what was settled, and begins the next window.
func (b *batch) turn(l *loop) {
	clock := b.clock
	if clock == nil {
		clock = threadTime
	}
	cpu := clock()
	if b.trial {
		answers, seconds := float64(l.answers-b.before), (l.time - b.begun).Seconds()
		b.seen[b.way].add(answers, seconds, (cpu - b.cpu).Seconds())
		// A window in which a neighbour had the processor says nothing of how fast answers
		// come when it does not.
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
	b.settled, b.vain = l.time, 0
	if b.way != b.was {
		b.alarms = 0
	}
	b.trials++
	b.until = l.time + min(time.Duration(b.trials)*time.Duration(b.trials)*firstTime, settledTime)
}

// advance goes on to the next way that has not dropped out; after the last one, it looks
// which ways drop out now, and ends the trial when it is decided.
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
	if b.way = best; left > 1 && b.cycle < mostCycles {
		return
	}
	b.trial, b.way = false, b.choose()
}

// drop drops the ways that have lost.
func (b *batch) drop() {
	limit := float64(behind)
	switch {
	case b.cycle < earlyCycles:
		return
	case b.cycle < leastCycles:
		limit = farBehind
	}
	most := b.seen[b.fastest()]
	for i, w := range b.seen {
		b.out[i] = b.out[i] || w.slower(most, limit)
	}
	if b.cycle < leastCycles {
		return
	}
	for i, w := range b.seen {
		for k, v := range b.seen {
			b.out[i] = b.out[i] || !b.out[k] && v.better(w)
		}
	}
}

// fastest returns the way with the best rate of those that are left.
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

// threadTime is the processor time of the thread that asks.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0 // the clock is there since Linux 2.6
	}
	return time.Duration(t.Nano())
}
