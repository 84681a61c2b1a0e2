package worker

import (
	"time"

	"github.com/whet-go/whet/internal/load/poll"
)

// trial compares io_uring and epoll within a closed run and leaves the loop on the better one. It
// moves the loop's connections back and forth, in windows whose order (A B B A) cancels a trend.
// All requests are requests of the run.
//
// The first loop measures; the others follow once it has decided.
type trial struct {
	phase   int
	other   poll.Poller  // the poller that does not hold the connections
	seen    [2]measuring // io_uring's and epoll's
	window  int          // number of windows begun
	clock   func() time.Duration
	begun   time.Duration
	until   time.Duration
	before  int64
	cpu     time.Duration
	wanted  Engine
	least   float64 // answers per second
	decide  func(ring, ready Measurement) (Engine, string)
	refused int // consecutive refused moves
	failed  int // of which cost time
}

func newTrial() trial { return trial{clock: threadTime, least: trialRate, decide: decide} }

// Phases of a trial.
const (
	trialBefore = iota // the start of the run, which is not measured
	trialMoving        // moving to the next window's engine
	trialWindow
	trialLast // moving to the chosen engine
	trialDone
)

const (
	// trialAfter is the earliest start of a trial.
	trialAfter = 100 * time.Millisecond
	// trialBatch is the latest start: by then the loop has usually decided whether io_uring gains
	// from waiting for answers.
	trialBatch = time.Second
	// maxRefused bounds the rounds in which a move is tried.
	maxRefused = 1000
	// maxFailed bounds the moves that wait for bytes to be sent and do not finish.
	maxFailed = 3
)

// engineNow returns the engine that holds the loop's connections.
func (l *loop) engineNow() Engine {
	if l.perEvent {
		return Epoll
	}
	return IOUring
}

// compare advances the trial after a round.
func (l *loop) compare() {
	t := &l.trial
	if t.phase == trialDone || !l.choosing {
		return
	}
	if l.exhausted || l.time >= l.End {
		return
	}
	switch {
	case !l.isMeasuring():
		if e := l.decided.Load(); e != nil {
			t.phase, t.wanted = trialLast, *e
			t.move(l)
		}
	case t.phase == trialBefore:
		t.start(l)
	case t.phase == trialMoving || t.phase == trialLast:
		t.move(l)
	case t.phase == trialWindow && l.time >= t.until:
		t.turn(l)
	}
}

// active reports whether connections are being compared.
func (t *trial) active() bool { return t.phase == trialMoving || t.phase == trialWindow }

// isMeasuring reports whether the loop is the one that measures.
func (l *loop) isMeasuring() bool { return l.shard == l.rec.Shard(0) }

// start begins the trial when it is time.
func (t *trial) start(l *loop) {
	waits := l.batch.trials == 0 && len(l.conns) >= minBatch && l.time < trialBatch
	if l.time < trialAfter || l.batch.trial || waits {
		return
	}
	if float64(l.answers) < t.least*l.time.Seconds() {
		t.giveUp(l, "fewer than 2000 answers a second: engines do not differ")
		return
	}
	t.next(l)
}

// next begins the next window by moving to its engine.
func (t *trial) next(l *loop) {
	t.wanted = IOUring
	if t.window&3 == 1 || t.window&3 == 2 {
		t.wanted = Epoll
	}
	t.phase = trialMoving
	t.move(l)
}

// turn ends a window.
func (t *trial) turn(l *loop) {
	i := 0
	if l.perEvent {
		i = 1
	}
	t.seen[i].add(l.answers-t.before, l.time-t.begun, t.clock()-t.cpu)
	if t.window++; t.window < 2*trialCycles {
		t.next(l)
		return
	}
	c := Choice{Why: Measured, At: l.time, Measured: t.measured()}
	e, why := t.decide(c.Measured[0], c.Measured[1])
	t.wanted, c.Text = e, why
	l.chosen = c
	l.decided.Store(&e)
	t.phase = trialLast
	t.move(l)
}

// measured returns the result for all windows.
func (t *trial) measured() []Measurement {
	if len(t.seen[0].rates) == 0 || len(t.seen[1].rates) == 0 {
		return nil
	}
	return []Measurement{t.seen[0].measure(IOUring), t.seen[1].measure(Epoll)}
}

// giveUp ends the trial without a decision.
func (t *trial) giveUp(l *loop, why string) {
	t.phase = trialDone
	if l.isMeasuring() && l.chosen.Why == "" {
		l.chosen = Choice{Why: Default, Text: why, Measured: t.measured()}
	}
}

// close ends the trial with the run and releases its poller.
func (t *trial) close(l *loop) error {
	if l.choosing {
		switch {
		case t.phase == trialBefore:
			t.giveUp(l, "the run was too short to compare engines")
		case t.active():
			t.giveUp(l, "the run ended while engines were compared")
		case l.perEvent:
			l.onEpoll.Add(1)
		}
	}
	if t.other == nil {
		return nil
	}
	return t.other.Close()
}

// move moves the loop's connections to the wanted engine. If that is impossible now, it tries again
// after the next round.
func (t *trial) move(l *loop) {
	if t.wanted != l.engineNow() {
		if !t.moved(l) {
			if t.refused++; t.refused > maxRefused || t.failed > maxFailed {
				t.giveUp(l, "connections were never idle, so engines could not be compared")
			}
			return
		}
		if l.err != nil {
			return
		}
	}
	t.refused = 0
	if t.phase == trialLast {
		t.phase = trialDone
		return
	}
	t.phase, t.begun, t.until, t.before, t.cpu = trialWindow, l.time, l.time+windowTime, l.answers, t.clock()
}

// moved moves the connections, and reports whether that was possible now.
func (t *trial) moved(l *loop) bool {
	if l.connecting+l.queue.len() > 0 || l.dialer.busy() {
		return false
	}
	if t.other == nil {
		var err error
		if t.other, err = newPoller(t.wanted, len(l.conns)); err != nil {
			t.failed = maxFailed + 1
			return false
		}
	}
	l.moving = true
	ok, lost, err := poll.Move(l.poller, t.other, l)
	l.moving = false
	if err != nil {
		l.err = err
		return true
	}
	if ok {
		l.poller, t.other = t.other, l.poller
		l.perEvent, t.failed = t.wanted == Epoll, 0
		for _, c := range lost {
			l.Ended(c.Slot, c.Err)
		}
	}
	if !ok {
		t.failed++
	}
	l.time = l.now()
	for _, c := range l.conns {
		c.refill()
	}
	return ok
}
