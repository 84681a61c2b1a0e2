package load

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/load/http1"
	"github.com/whet-go/whet/load/http2"
	"github.com/whet-go/whet/load/poll"
	"github.com/whet-go/whet/load/request"
)

// A loop is a worker on a thread of its own that serves its connections one event
// after the other. It holds a share of each host's connections.
type loop struct {
	*generator
	poller poll.Poller
	shard  *shard
	lanes  []lane
	conns  []*conn // by slot of the poller
	cut    atomic.Bool
	epoch  time.Time // what times are counted from

	// time is that of the last look at the clock: one for each round of events, or,
	// with an engine that receives one answer after the other, one for each event.
	time     time.Duration
	perEvent bool
	fresh    bool // time is of this round
	answers  int64
	batch    batch
	trial    trial // of engines
	moving   bool  // connections go to the other engine: nothing is sent

	running    bool // requests may be sent
	exhausted  bool // no more requests are to begin
	inFlight   int
	connecting int
	queue      fifo          // want to connect, when connecting allows it
	resting    []*conn       // may send again at their resume
	flush      []*conn       // have bytes of HTTP/2 to send
	looked     time.Duration // when timeouts were last looked for
	err        error

	dialer  secureDialer
	request request.Request // scratch, as what follows
	varying http2.Request
	plain   []byte // decrypted bytes
	heads   http1.Memory
}

// A lane is a host's part in a loop.
type lane struct {
	picker
	schedule  *schedule // nil: closed model
	addresses []poll.Address
	good      int              // index of the address that worked last
	idle      fifo             // connections with room for a request, in the open model
	fixed     [][]byte         // per endpoint: the request's bytes, nil until needed or when they vary
	prepared  []*http2.Request // the same for HTTP/2
	encoder   *http2.Encoder
}

// State of a connection.
const (
	down = iota
	queued
	dialing
	up
)

// A conn is a connection, or the place of one.
type conn struct {
	*loop
	lane    *lane
	slot    int
	state   uint8
	idle    bool // is in lane.idle
	dirty   bool // is in loop.flush
	used    bool // an answer has come on it
	stalled bool // of HTTP/2: requests wait for the server to read
	tried   uint8
	life    uint32        // counts connections of this place
	pause   time.Duration // after the last connection that could not be opened
	resume  time.Duration // no request begins before
	dialed  time.Duration // when opening began
	freed   time.Duration // since when there is room for a request

	flights []flight // requests, under way or to be sent once connected
	active  int
	parser  http1.Parser
	h2      *http2.Conn
	done    http2.Done // endStream
	secure  *secureStream
	out     []byte // a request that varies, or bytes of HTTP/2 that wait to be sent
	// outgrown is what out was before it grew. The kernel may read it still: a server can answer a request
	// that it has not read.
	outgrown [][]byte
}

// A flight is a request that is under way.
type flight struct {
	ticket
	sent   time.Duration
	wrote  time.Duration // when it was put on the wire
	first  time.Duration // when the first bytes of its answer were seen; 0 until then
	active bool
	onWire bool
	again  bool // was sent before, on a connection that the server closed
}

// maxConnecting bounds the connections that a loop opens at once: more would
// overflow the queue of a listening socket.
const maxConnecting = 128

func newLoops(g *generator, e Engine) ([]worker, error) {
	n := g.loops()
	var ws []worker
	for k := range n {
		l := &loop{
			generator: g, shard: g.rec.shards[k], perEvent: e == Epoll,
			lanes: make([]lane, len(g.hosts)), trial: newTrial(), plain: make([]byte, 32<<10),
		}
		for i, h := range g.hosts {
			ln := &l.lanes[i]
			ln.picker = newPicker(h, k, n)
			if ln.fixed = make([][]byte, len(h.endpoints)); g.Protocol == HTTP2 {
				ln.prepareStreams()
			}
			if g.open != nil {
				ln.schedule = newSchedule(g.open, g.Warmup, g.end(), g.seed(i), h.share, k, n)
			}
			for _, a := range h.addresses {
				to, err := poll.ParseAddress(a)
				if err != nil {
					return nil, err
				}
				ln.addresses = append(ln.addresses, to)
			}
			for range h.connections*(k+1)/n - h.connections*k/n {
				c := &conn{loop: l, lane: ln, slot: len(l.conns), flights: make([]flight, g.Streams)}
				l.conns = append(l.conns, c)
			}
		}
		ws = append(ws, l)
	}
	// Whether the engine works is known before the run; each loop makes its own, on its
	// own thread.
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
	l.dialer.init(ctx, l.generator)
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
		l.round(l.patience())
	}
}

// run sends requests until there are no more.
func (l *loop) run(ctx context.Context) {
	defer runtime.UnlockOSThread()
	defer poll.Precise()()
	defer l.dialer.stop()
	defer l.release()
	l.epoch = l.start
	l.running = l.err == nil
	l.time = l.now()
	if l.open != nil {
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
		l.round(l.patience())
		l.compare()
	}
	if l.err != nil && ctx.Err() == nil {
		l.shard.failure(-1, kindOther, l.err)
	}
}

// now is the time of the run.
func (l *loop) now() time.Duration { return time.Since(l.epoch) }

// release closes everything. Requests that are still under way are cut off.
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
			// What was due and never sent counts too.
			for end := min(l.now(), l.end()); s.next() < end; s.advance() {
				if measured, ok := l.admit(s.next()); ok && measured {
					unfinished++
				}
			}
		}
	}
	l.shard.cutOff(unfinished)
	if err := l.trial.close(l); err != nil && l.err == nil {
		l.err = err
	}
	if l.poller != nil {
		if err := l.poller.Close(); err != nil && l.err == nil {
			l.err = err
		}
	}
}

// finished tells whether there is nothing left to do.
func (l *loop) finished() bool {
	end := l.end()
	if end != never && l.time >= end+l.Timeout+lateTimeouts {
		return true
	}
	if l.inFlight > 0 {
		return false
	}
	if l.exhausted || l.open == nil && l.time >= end {
		return true
	}
	for i := range l.lanes {
		if s := l.lanes[i].schedule; s == nil || s.next() != never {
			return false
		}
	}
	return true
}

// patience is how long the loop may wait for events.
func (l *loop) patience() time.Duration {
	d := 20 * time.Millisecond
	switch {
	case l.dialer.busy():
		runtime.Gosched() // there may be one processor for all
		d = 200 * time.Microsecond
	case len(l.resting) > 0 || l.queue.len() > 0:
		d = time.Millisecond
	}
	if end := l.end(); l.time < end {
		d = min(d, end-l.time)
	}
	for i := range l.lanes {
		if ln := &l.lanes[i]; ln.schedule != nil && ln.idle.len() > 0 && ln.schedule.next() != never {
			d = min(d, ln.schedule.next()-l.time)
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

// look brings the time up to date for an event.
func (l *loop) look() {
	if l.perEvent || !l.fresh {
		l.time, l.fresh = l.now(), true
	}
}

// wake lets connections that have rested go on.
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

// dispatch begins the requests of the open model that are due.
func (l *loop) dispatch() {
	for i := range l.lanes {
		ln := &l.lanes[i]
		if ln.schedule == nil {
			return
		}
		for ln.idle.len() > 0 && ln.schedule.next() <= l.time {
			c := ln.idle.first()
			if c.active+1 >= c.capacity() {
				ln.idle.drop()
				c.idle = false
			}
			if c.active >= c.capacity() {
				continue
			}
			due := ln.schedule.next()
			ln.schedule.advance()
			measured, ok := l.admit(due)
			if !ok {
				l.exhausted = true
				for i := range l.lanes {
					l.lanes[i].schedule.stop()
				}
				return
			}
			// Free since before it was due, or only now?
			c.begin(ticket{intended: due, measured: measured, waited: c.freed > due})
		}
	}
}

// rest puts a connection with room for a request where the open model finds it.
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

// drop takes the first one out.
func (q *fifo) drop() {
	if q.head++; 2*q.head >= len(q.conns) {
		q.conns = q.conns[:copy(q.conns, q.conns[q.head:])]
		q.head = 0
	}
}

// capacity is how many requests may be under way.
func (c *conn) capacity() int {
	if c.h2 != nil && c.state == up {
		return min(len(c.flights), c.active+c.h2.Capacity())
	}
	return len(c.flights)
}

// refill begins as many requests as the connection has room for, in the closed
// model; in the open one it offers the room.
func (c *conn) refill() {
	if !c.running || c.moving {
		return
	}
	if c.open != nil {
		c.rest()
		return
	}
	for c.active < c.capacity() && c.resume <= c.time {
		measured, ok := c.admit(c.time)
		if !ok {
			c.exhausted = c.time < c.end() || c.exhausted
			return
		}
		c.begin(ticket{intended: c.time, measured: measured})
	}
}

// begin begins a request.
func (c *conn) begin(t ticket) {
	t.endpoint, t.row = c.lane.next()
	i := 0
	for c.flights[i].active {
		i++
	}
	c.flights[i] = flight{ticket: t, active: true, sent: c.time}
	c.active++
	c.inFlight++
	if c.open != nil && t.measured {
		c.shard.sent(c.time-t.intended, t.waited)
	}
	if c.state == up {
		c.send(i)
	} else {
		c.connect()
	}
}

// send puts flight i on the wire.
func (c *conn) send(i int) {
	f := &c.flights[i]
	f.onWire, f.wrote = true, c.time
	if c.h2 != nil {
		c.sendStream(i)
		return
	}
	c.parser.Begin(f.endpoint.method == "HEAD")
	b := c.lane.fixed[f.endpoint.index]
	if b == nil {
		f.endpoint.template.Expand(&c.request, f.row)
		b = http1.AppendRequest(c.out[:0], &c.request, c.NoKeepAlive)
		if cap(c.out) > 0 && cap(b) > cap(c.out) {
			c.outgrown = append(c.outgrown, c.out)
		}
		c.out = b
		if f.endpoint.template.Fixed() {
			c.out = nil
			c.lane.fixed[f.endpoint.index] = b
		}
	}
	if c.secure != nil {
		c.secure.write(b)
		return
	}
	c.poller.Send(c.slot, b)
}

// connect opens the connection, now or when others are open.
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
	c.dialed = c.now() // c.time may be of before other connections were opened
	if c.lane.scheme == "https" {
		c.dialer.dial(c)
		return
	}
	if err := c.poller.Connect(c.slot, c.address()); err != nil {
		c.connected(err)
	}
}

// address is the one to try next.
func (c *conn) address() poll.Address {
	return c.lane.addresses[(c.lane.good+int(c.tried))%len(c.lane.addresses)]
}

// Connected implements [poll.Handler].
func (l *loop) Connected(slot int, err error) {
	l.look()
	l.conns[slot].connected(err)
}

func (c *conn) connected(err error) {
	c.connecting--
	if err != nil {
		c.state = down
		if c.tried++; int(c.tried) < len(c.lane.addresses) && c.lane.scheme == "http" {
			c.connect()
			return
		}
		c.tried = 0
		c.connectFailed(err)
		return
	}
	c.lane.good = (c.lane.good + int(c.tried)) % len(c.lane.addresses)
	c.tried, c.pause = 0, 0
	c.state = up
	c.connects.Add(1)
	if c.secure != nil {
		c.shard.connected(c.secure.opening)
		c.shard.shaken(c.secure.shook)
	} else {
		c.shard.connected(c.time - c.dialed)
	}
	if c.Protocol == HTTP2 {
		c.openStreams()
	}
	for i := range c.flights {
		if c.flights[i].active {
			c.send(i)
		}
	}
	if c.Protocol == HTTP2 {
		c.refill()
	}
}

// connectFailed fails what waits for the connection.
func (c *conn) connectFailed(err error) {
	c.refused.CompareAndSwap(nil, &err)
	for i := range c.flights {
		if c.flights[i].active {
			c.fail(i, kindConnect, err)
		}
	}
	if !c.running {
		return
	}
	if c.open != nil {
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
func (c *conn) fail(i int, k kind, err error) {
	f := &c.flights[i]
	c.free(i)
	if f.measured {
		c.shard.failure(f.endpoint.row, k, err)
	}
}

// answer ends flight i with one.
func (c *conn) answer(i, status int, body int64) {
	f := &c.flights[i]
	c.free(i)
	c.used = true
	c.answers++
	if f.measured {
		if f.first == 0 {
			f.first = c.time
		}
		c.shard.response(f.endpoint.row, status, body, timing{c.time - f.intended, f.first - f.wrote, c.time - f.first})
	}
}

// Received implements [poll.Handler].
func (l *loop) Received(slot int, b []byte) {
	l.look()
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
			c.disconnect() // it says something unasked
			c.refill()
			return
		}
		if f := &c.flights[0]; f.first == 0 {
			f.first = c.time
		}
		n, done, err := c.heads.Parse(&c.parser, b)
		if err != nil {
			c.lost(kindMalformed, err)
			return
		}
		if !done {
			return
		}
		b = b[n:]
		c.answer(0, c.parser.Status(), c.parser.Body())
		// What follows the answer would be taken for that to the next request.
		if c.parser.Closing() || c.NoKeepAlive || len(b) > 0 || c.poller.Unsent(c.slot) > 0 {
			c.disconnect()
			b = nil
		}
		c.refill()
	}
}

// Ended implements [poll.Handler].
func (l *loop) Ended(slot int, err error) {
	l.look()
	l.conns[slot].ended(err)
}

// ended handles the end of the connection.
func (c *conn) ended(err error) {
	switch {
	case c.h2 != nil:
		c.endedStreams(err)
		return
	case c.active == 0: // kept alive no longer
		c.disconnect()
		c.refill()
		return
	}
	if err == nil {
		if err = c.parser.EOF(); err == nil { // that was the end of the answer
			c.answer(0, c.parser.Status(), c.parser.Body())
			c.disconnect()
			c.refill()
			return
		}
	}
	if errors.As(err, new(*floodError)) {
		c.lost(kindFlood, err)
		return
	}
	f := &c.flights[0]
	if c.used && !c.parser.Started() && !f.again && idempotent(f.endpoint.method) {
		// The server closed the connection before it saw the request.
		f.again, f.first = true, 0
		if f.measured {
			c.shard.retried(1)
		}
		c.disconnect()
		c.connect()
		return
	}
	k := kindReset
	if errors.Is(err, io.ErrUnexpectedEOF) {
		k = kindShortBody
	}
	c.lost(k, err)
}

// idempotent tells whether a request may be sent again when it is not known
// whether it was handled (RFC 9110, 9.2.2).
func idempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return false
}

// lost gives up the connection and fails what is under way on it.
func (c *conn) lost(k kind, err error) {
	c.disconnect()
	for i := range c.flights {
		if c.flights[i].active {
			c.fail(i, k, err)
		}
	}
	c.refill()
}

// disconnect closes the connection. What is under way stays so.
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

// timeouts fails the requests that have been under way for too long, and the
// connections that take too long to open.
func (l *loop) timeouts() {
	if l.inFlight == 0 && l.connecting == 0 {
		return
	}
	for _, c := range l.conns {
		if c.state == dialing && l.time-c.dialed > l.Timeout {
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
				c.lost(kindTimeout, errTimeout)
				break
			}
		}
	}
}

var errTimeout = errors.New("timeout: no complete answer in time")
