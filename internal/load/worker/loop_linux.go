package worker

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/internal/load/http1"
	"github.com/whet-go/whet/internal/load/http2"
	"github.com/whet-go/whet/internal/load/poll"
	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/internal/load/request"
	"github.com/whet-go/whet/internal/load/workload"
)

// A loop is a worker on its own thread that serves its connections by events. It holds a share of
// each host's connections.
type loop struct {
	*Group
	poller poll.Poller
	shard  *record.Shard
	lanes  []lane
	conns  []*conn // by slot of the poller
	cut    atomic.Bool
	epoch  time.Time // origin of all times

	// time is the last reading of the clock: one per round of events or, with an engine that
	// receives one answer at a time, one per event.
	time     time.Duration
	perEvent bool
	fresh    bool // time belongs to this round
	answers  int64
	batch    batch
	trial    trial // of engines
	moving   bool  // connections are moving to the other engine: nothing is sent

	running    bool // requests may be sent
	exhausted  bool // no more requests may begin
	inFlight   int
	connecting int
	queue      fifo          // waiting for permission to connect
	resting    []*conn       // may send again at their resume time
	flush      []*conn       // have HTTP/2 bytes to send
	looked     time.Duration // last check for timeouts
	err        error

	dialer  secureDialer
	request request.Request // scratch, like the fields below
	varying http2.Request
	plain   []byte // decrypted bytes
	heads   http1.Memory
}

// A lane is a host's part in a loop.
type lane struct {
	workload.Picker
	schedule  *workload.Schedule // nil means the closed model
	addresses []poll.Address
	good      int              // index of the address that last worked
	idle      fifo             // connections with capacity for a request, in the open model
	fixed     [][]byte         // request bytes per endpoint; nil until needed, or when they vary
	prepared  []*http2.Request // the same for HTTP/2
	encoder   *http2.Encoder
}

// States of a connection.
const (
	down = iota
	queued
	dialing
	up
)

// A conn is a connection, or a slot for one.
type conn struct {
	*loop
	lane      *lane
	slot      int
	state     uint8
	idle      bool // in lane.idle
	dirty     bool // in loop.flush
	used      bool // has answered at least once
	stalled   bool // HTTP/2 requests wait for the server to read
	attempt   uint8
	life      uint32        // generation: counts the connections of this slot
	pause     time.Duration // after the last failed attempt to connect
	resume    time.Duration // no request begins before this
	dialStart time.Duration // when connecting began
	freed     time.Duration // since when there is capacity for a request

	flights []flight // requests in flight or waiting for the connection
	active  int
	parser  http1.Parser
	h2      *http2.Conn
	done    http2.Done // endStream
	secure  *secureStream
	out     []byte // a request that varies, or HTTP/2 bytes to send
	// outgrown is the buffer that out replaced when it grew. The kernel may still read it: a server
	// can answer a request before reading all of it.
	outgrown [][]byte
}

// A flight is a request in flight.
type flight struct {
	ticket
	sent   time.Duration
	wrote  time.Duration // when it was written
	first  time.Duration // when the first bytes of its answer were seen; 0 before that
	active bool
	onWire bool
	again  bool // sent once before, on a connection that the server closed
}

// maxConnecting bounds the connections that a loop opens at once: more would overflow the accept
// queue of the server.
const maxConnecting = 128

func newLoops(g *Group, e Engine) ([]worker, error) {
	n := g.loops()
	var ws []worker
	for k := range n {
		l := &loop{
			Group: g, shard: g.rec.Shard(k), perEvent: e == Epoll,
			lanes: make([]lane, len(g.Hosts)), trial: newTrial(), plain: make([]byte, 32<<10),
		}
		for i, h := range g.Hosts {
			ln := &l.lanes[i]
			ln.Picker = workload.NewPicker(h, k, n)
			if ln.fixed = make([][]byte, len(h.Endpoints)); g.HTTP2 {
				ln.prepareStreams()
			}
			if g.Arrivals != nil {
				ln.schedule = workload.NewSchedule(g.Arrivals, g.Warmup, g.End, g.seed(i), h.Share, k, n)
			}
			for _, a := range h.Addresses {
				to, err := poll.ParseAddress(a)
				if err != nil {
					return nil, err
				}
				ln.addresses = append(ln.addresses, to)
			}
			for range h.Connections*(k+1)/n - h.Connections*k/n {
				c := &conn{loop: l, lane: ln, slot: len(l.conns), flights: make([]flight, g.Streams)}
				l.conns = append(l.conns, c)
			}
		}
		ws = append(ws, l)
	}
	// Check now whether the engine works: each loop creates its poller later, on its own thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := newPoller(e, 1)
	if err != nil {
		return nil, err
	}
	return ws, p.Close()
}

func newPoller(e Engine, slots int) (poll.Poller, error) {
	if e == Epoll {
		return poll.Epoll(slots)
	}
	return poll.IOUring(slots)
}

// prepare opens all connections.
func (l *loop) prepare(ctx context.Context) {
	runtime.LockOSThread()
	context.AfterFunc(ctx, func() { l.cut.Store(true) })
	l.dialer.init(ctx, l.Group)
	e := IOUring
	if l.perEvent {
		e = Epoll
	}
	if l.poller, l.err = newPoller(e, len(l.conns)); l.err != nil || l.NoKeepAlive {
		return
	}
	l.epoch = time.Now() // until the run begins
	for _, c := range l.conns {
		c.connect()
	}
	for l.connecting+l.queue.len() > 0 && !l.cut.Load() && l.err == nil {
		l.time = l.now()
		l.round(l.maxWait())
	}
}

// run sends requests until there are none left.
func (l *loop) run(ctx context.Context) {
	defer runtime.UnlockOSThread()
	defer poll.Precise()()
	defer l.dialer.stop()
	defer l.release()
	l.epoch = l.start
	l.running = l.err == nil
	l.time = l.now()
	if l.Arrivals != nil {
		for _, c := range l.conns {
			c.rest()
		}
	} else {
		for _, c := range l.conns {
			c.refill()
		}
	}
	for l.err == nil && !l.cut.Load() {
		l.time = l.now()
		l.wake()
		l.dispatch()
		if l.finished() {
			return
		}
		l.round(l.maxWait())
		l.compare()
	}
	if l.err != nil && ctx.Err() == nil {
		l.shard.Failure(-1, record.Other, l.err)
	}
}

// now returns the time of the run.
func (l *loop) now() time.Duration { return time.Since(l.epoch) }

// release closes everything. Requests in flight are cut off.
func (l *loop) release() {
	var unfinished int64
	for _, c := range l.conns {
		for i := range c.flights {
			if f := &c.flights[i]; f.active && f.measured {
				unfinished++
			}
		}
	}
	for i := range l.lanes {
		if s := l.lanes[i].schedule; s != nil {
			// Requests that were due and never sent count too.
			for end := min(l.now(), l.End); s.Next() < end; s.Advance() {
				if measured, ok := l.admit(s.Next()); ok && measured {
					unfinished++
				}
			}
		}
	}
	l.shard.CutOff(unfinished)
	if err := l.trial.close(l); err != nil && l.err == nil {
		l.err = err
	}
	if l.poller != nil {
		if err := l.poller.Close(); err != nil && l.err == nil {
			l.err = err
		}
	}
}

// finished reports whether all work is done.
func (l *loop) finished() bool {
	end := l.End
	if end != workload.Never && l.time >= end+l.Timeout+lateTimeouts {
		return true
	}
	if l.inFlight > 0 {
		return false
	}
	if l.exhausted || l.Arrivals == nil && l.time >= end {
		return true
	}
	for i := range l.lanes {
		if s := l.lanes[i].schedule; s == nil || s.Next() != workload.Never {
			return false
		}
	}
	return true
}

// maxWait returns how long the loop may wait for events.
func (l *loop) maxWait() time.Duration {
	d := 20 * time.Millisecond
	switch {
	case l.dialer.busy():
		runtime.Gosched() // there may be only one CPU
		d = 200 * time.Microsecond
	case len(l.resting) > 0 || l.queue.len() > 0:
		d = time.Millisecond
	}
	if end := l.End; l.time < end {
		d = min(d, end-l.time)
	}
	for i := range l.lanes {
		if ln := &l.lanes[i]; ln.schedule != nil && ln.idle.len() > 0 && ln.schedule.Next() != workload.Never {
			d = min(d, ln.schedule.Next()-l.time)
		}
	}
	return max(d, 0)
}

// round waits for events once and handles them.
func (l *loop) round(d time.Duration) {
	for _, c := range l.flush {
		c.dirty = false
		c.writeOut()
	}
	l.flush = l.flush[:0]
	l.dialer.deliver(l)
	l.fresh = false
	count, gather := l.batch.next(l)
	start, before := l.time, l.answers
	if err := l.poller.Wait(d, count, gather, l); err != nil {
		l.err = err
		return
	}
	if !l.fresh {
		l.time = l.now()
	}
	l.batch.waited(l.time-start, count, l.answers-before, l)
	if l.time-l.looked >= 10*time.Millisecond {
		l.looked = l.time
		l.timeouts()
	}
	for l.queue.len() > 0 && l.connecting < maxConnecting {
		c := l.queue.first()
		l.queue.drop()
		c.state = down
		c.connect()
	}
}

// updateTime updates the time for an event.
func (l *loop) updateTime() {
	if l.perEvent || !l.fresh {
		l.time, l.fresh = l.now(), true
	}
}

// wake lets rested connections continue.
func (l *loop) wake() {
	kept := l.resting[:0]
	for _, c := range l.resting {
		if c.resume > l.time {
			kept = append(kept, c)
		} else {
			c.refill()
		}
	}
	l.resting = kept
}

// dispatch begins the requests of the open model that are now due.
func (l *loop) dispatch() {
	for i := range l.lanes {
		ln := &l.lanes[i]
		if ln.schedule == nil {
			return
		}
		for ln.idle.len() > 0 && ln.schedule.Next() <= l.time {
			c := ln.idle.first()
			if c.active+1 >= c.capacity() {
				ln.idle.drop()
				c.idle = false
			}
			if c.active >= c.capacity() {
				continue
			}
			due := ln.schedule.Next()
			ln.schedule.Advance()
			measured, ok := l.admit(due)
			if !ok {
				l.exhausted = true
				for i := range l.lanes {
					l.lanes[i].schedule.Stop()
				}
				return
			}
			// Whether it was free before the request was due, or only now.
			c.begin(ticket{intended: due, measured: measured, waited: c.freed > due})
		}
	}
}

// rest adds a connection with capacity to those that the open model uses.
func (c *conn) rest() {
	if !c.idle && c.active < c.capacity() {
		c.idle = true
		c.freed = c.time
		c.lane.idle.add(c)
	}
}

// fifo is a queue of connections.
type fifo struct {
	conns []*conn
	head  int
}

func (q *fifo) len() int     { return len(q.conns) - q.head }
func (q *fifo) first() *conn { return q.conns[q.head] }
func (q *fifo) add(c *conn)  { q.conns = append(q.conns, c) }

// drop removes the first one.
func (q *fifo) drop() {
	if q.head++; 2*q.head >= len(q.conns) {
		q.conns = q.conns[:copy(q.conns, q.conns[q.head:])]
		q.head = 0
	}
}

// capacity returns how many requests may be in flight.
func (c *conn) capacity() int {
	if c.h2 != nil && c.state == up {
		return min(len(c.flights), c.active+c.h2.Capacity())
	}
	return len(c.flights)
}

// refill begins as many requests as the connection has capacity for in the closed model; in the
// open model it makes the connection available.
func (c *conn) refill() {
	if !c.running || c.moving {
		return
	}
	if c.Arrivals != nil {
		c.rest()
		return
	}
	for c.active < c.capacity() && c.resume <= c.time {
		measured, ok := c.admit(c.time)
		if !ok {
			c.exhausted = c.time < c.End || c.exhausted
			return
		}
		c.begin(ticket{intended: c.time, measured: measured})
	}
}

// begin begins a request.
func (c *conn) begin(t ticket) {
	t.endpoint, t.row = c.lane.Next()
	i := 0
	for c.flights[i].active {
		i++
	}
	c.flights[i] = flight{ticket: t, active: true, sent: c.time}
	c.active++
	c.inFlight++
	if c.Arrivals != nil && t.measured {
		c.shard.Sent(c.time-t.intended, t.waited)
	}
	if c.state == up {
		c.send(i)
	} else {
		c.connect()
	}
}

// send writes flight i.
func (c *conn) send(i int) {
	f := &c.flights[i]
	f.onWire, f.wrote = true, c.time
	if c.h2 != nil {
		c.sendStream(i)
		return
	}
	c.parser.Begin(f.endpoint.Method == "HEAD")
	b := c.lane.fixed[f.endpoint.Index]
	if b == nil {
		f.endpoint.Template.Expand(&c.request, f.row)
		b = http1.AppendRequest(c.out[:0], &c.request, c.NoKeepAlive)
		if cap(c.out) > 0 && cap(b) > cap(c.out) {
			c.outgrown = append(c.outgrown, c.out)
		}
		c.out = b
		if f.endpoint.Template.Fixed() {
			c.out = nil
			c.lane.fixed[f.endpoint.Index] = b
		}
	}
	if c.secure != nil {
		c.secure.write(b)
		return
	}
	c.poller.Send(c.slot, b)
}

// connect opens the connection, now or once others are open.
func (c *conn) connect() {
	if c.state != down {
		return
	}
	if c.connecting >= maxConnecting || c.moving {
		c.state = queued
		c.queue.add(c)
		return
	}
	c.state = dialing
	c.life++
	c.connecting++
	c.used = false
	c.dialStart = c.now() // c.time may be older than the opening of other connections
	if c.lane.Scheme == "https" {
		c.dialer.dial(c)
		return
	}
	if err := c.poller.Connect(c.slot, c.address()); err != nil {
		c.connected(err)
	}
}

// address returns the address to try next.
func (c *conn) address() poll.Address {
	return c.lane.addresses[(c.lane.good+int(c.attempt))%len(c.lane.addresses)]
}

// Connected implements [poll.Handler].
func (l *loop) Connected(slot int, err error) {
	l.updateTime()
	l.conns[slot].connected(err)
}

func (c *conn) connected(err error) {
	c.connecting--
	if err != nil {
		c.state = down
		if c.attempt++; int(c.attempt) < len(c.lane.addresses) && c.lane.Scheme == "http" {
			c.connect()
			return
		}
		c.attempt = 0
		c.connectFailed(err)
		return
	}
	c.lane.good = (c.lane.good + int(c.attempt)) % len(c.lane.addresses)
	c.attempt, c.pause = 0, 0
	c.state = up
	c.connects.Add(1)
	if c.secure != nil {
		c.shard.Connected(c.secure.opening)
		c.shard.Handshake(c.secure.shook)
	} else {
		c.shard.Connected(c.time - c.dialStart)
	}
	if c.HTTP2 {
		c.openStreams()
	}
	for i := range c.flights {
		if c.flights[i].active {
			c.send(i)
		}
	}
	if c.HTTP2 {
		c.refill()
	}
}

// connectFailed fails the requests that wait for the connection.
func (c *conn) connectFailed(err error) {
	c.refused.CompareAndSwap(nil, &err)
	for i := range c.flights {
		if c.flights[i].active {
			c.fail(i, record.Connect, err)
		}
	}
	if !c.running {
		return
	}
	if c.Arrivals != nil {
		c.rest()
		return
	}
	c.pause = min(max(2*c.pause, firstPause), lastPause)
	c.resume = c.time + c.pause
	c.resting = append(c.resting, c)
}

// free ends flight i.
func (c *conn) free(i int) {
	c.flights[i].active = false
	c.active--
	c.inFlight--
}

// fail ends flight i without an answer.
func (c *conn) fail(i int, k record.Kind, err error) {
	f := &c.flights[i]
	c.free(i)
	if f.measured {
		c.shard.Failure(f.endpoint.Row, k, err)
	}
}

// answer ends flight i with an answer.
func (c *conn) answer(i, status int, body int64) {
	f := &c.flights[i]
	c.free(i)
	c.used = true
	c.answers++
	if f.measured {
		if f.first == 0 {
			f.first = c.time
		}
		c.shard.Response(f.endpoint.Row, status, body, record.Timing{
			Latency: c.time - f.intended, First: f.first - f.wrote, Transfer: c.time - f.first,
		})
	}
}

// Received implements [poll.Handler].
func (l *loop) Received(slot int, b []byte) {
	l.updateTime()
	c := l.conns[slot]
	if c.secure != nil {
		c.secureReceived(b)
		return
	}
	c.received(b)
}

// received handles bytes of HTTP.
func (c *conn) received(b []byte) {
	if c.h2 != nil {
		c.receivedStreams(b)
		return
	}
	for len(b) > 0 {
		if c.active == 0 {
			c.disconnect() // unsolicited bytes
			c.refill()
			return
		}
		if f := &c.flights[0]; f.first == 0 {
			f.first = c.time
		}
		n, done, err := c.heads.Parse(&c.parser, b)
		if err != nil {
			c.lost(record.Malformed, err)
			return
		}
		if !done {
			return
		}
		b = b[n:]
		c.answer(0, c.parser.Status(), c.parser.Body())
		// Anything after the answer would be mistaken for the answer to the next request.
		if c.parser.Closing() || c.NoKeepAlive || len(b) > 0 || c.poller.Unsent(c.slot) > 0 {
			c.disconnect()
			b = nil
		}
		c.refill()
	}
}

// Ended implements [poll.Handler].
func (l *loop) Ended(slot int, err error) {
	l.updateTime()
	l.conns[slot].ended(err)
}

// ended handles the end of the connection.
func (c *conn) ended(err error) {
	switch {
	case c.h2 != nil:
		c.endedStreams(err)
		return
	case c.active == 0: // keep-alive is over
		c.disconnect()
		c.refill()
		return
	}
	if err == nil {
		if err = c.parser.EOF(); err == nil { // the end of the connection ended the answer
			c.answer(0, c.parser.Status(), c.parser.Body())
			c.disconnect()
			c.refill()
			return
		}
	}
	if errors.As(err, new(*floodError)) {
		c.lost(record.Flood, err)
		return
	}
	f := &c.flights[0]
	if c.used && !c.parser.Started() && !f.again && idempotent(f.endpoint.Method) {
		// The server closed the connection before it saw the request.
		f.again, f.first = true, 0
		if f.measured {
			c.shard.Retried(1)
		}
		c.disconnect()
		c.connect()
		return
	}
	k := record.Reset
	if errors.Is(err, io.ErrUnexpectedEOF) {
		k = record.ShortBody
	}
	c.lost(k, err)
}

// idempotent reports whether a request may be sent again when it may already have been handled (RFC
// 9110, 9.2.2).
func idempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return false
}

// lost drops the connection and fails the requests in flight on it.
func (c *conn) lost(k record.Kind, err error) {
	c.disconnect()
	for i := range c.flights {
		if c.flights[i].active {
			c.fail(i, k, err)
		}
	}
	c.refill()
}

// disconnect closes the connection and leaves its requests in flight.
func (c *conn) disconnect() {
	switch c.state {
	case dialing:
		c.connecting--
	case queued:
		return
	}
	c.poller.Disconnect(c.slot)
	c.state, c.h2, c.secure, c.stalled = down, nil, nil, false
	c.life++
}

// timeouts fails requests in flight for too long and connections that take too long to open.
func (l *loop) timeouts() {
	if l.inFlight == 0 && l.connecting == 0 {
		return
	}
	for _, c := range l.conns {
		if c.state == dialing && l.time-c.dialStart > l.Timeout {
			c.disconnect()
			c.connectFailed(&net.OpError{Op: "dial", Err: errTimeout})
			continue
		}
		if c.active == 0 {
			continue
		}
		if c.h2 != nil {
			c.resumeStreams()
		}
		for i := range c.flights {
			if f := &c.flights[i]; f.active && l.time-f.sent > l.Timeout {
				if c.h2 != nil && c.state == up {
					c.cancelStream(i)
					continue
				}
				c.lost(record.Timeout, errTimeout)
				break
			}
		}
	}
}

var errTimeout = errors.New("timeout: no complete answer in time")
