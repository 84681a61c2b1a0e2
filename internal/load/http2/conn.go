package http2

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"golang.org/x/net/http2/hpack"
)

// Defaults of [Options].
const (
	DefaultConnWindow   = 1 << 30
	DefaultStreamWindow = 16 << 20
	DefaultMaxBlock     = 2 * maxHeaderList
)

// Options configure [New]: they limit how much the peer may send before it has to wait. The zero
// value uses the defaults.
type Options struct {
	// ConnWindow is the flow-control window of the connection, in bytes; 0 means
	// [DefaultConnWindow]. The minimum is 65535, the initial window of the standard.
	ConnWindow int32
	// StreamWindow is that of each stream; 0 means [DefaultStreamWindow].
	StreamWindow int32
	// MaxBlock bounds the header block held while it arrives in pieces, in bytes; 0 means
	// [DefaultMaxBlock]. A longer one fails the connection.
	MaxBlock int
	// Begun, if set, is called with the tag of a request when the header of its answer has arrived
	// and more is to follow, and for each 1xx answer before that. It must not call methods of the
	// Conn.
	Begun func(tag int)
}

// A Done is called when a request ends, with the tag it was sent with; the status of its answer, 0
// if there was none; the bytes of the answer's body in whole frames; and the error, nil if the
// answer was complete and valid, whatever its status. It must not call methods of the Conn that
// calls it.
type Done func(tag, status int, body int64, err error)

// A Conn is the state of a connection. Use New to create one.
type Conn struct {
	err    error // if set, the connection cannot be used any more
	next   uint32
	connIn int32 // what the peer may still send on the connection
	conf   Options

	// State set by the peer.
	settings   bool // its first SETTINGS have arrived
	goingAway  bool // it has sent GOAWAY
	shrunk     bool // our use of its HPACK table must be limited again
	unindexed  bool // its HPACK table cannot hold our common fields
	maxStreams uint32
	maxFrame   uint32
	window     int32  // initial, of streams
	table      uint32 // the part of its HPACK table that we may use
	connOut    int32  // what we may still send on the connection
	away       error  // why it goes away; nil if orderly

	encoder *Encoder // whose common fields are in the peer's table; nil means none
	streams streams
	blocked []uint32 // open streams with a rest, in the order of opening

	reader
	answers
	flood
}

// New returns a connection on which nothing has been sent.
func New(o Options) *Conn {
	if o.ConnWindow == 0 {
		o.ConnWindow = DefaultConnWindow
	}
	if o.StreamWindow == 0 {
		o.StreamWindow = DefaultStreamWindow
	}
	if o.MaxBlock == 0 {
		o.MaxBlock = DefaultMaxBlock
	}
	o.ConnWindow = max(o.ConnWindow, initialWindow)
	c := &Conn{
		next: 1, conf: o, connIn: o.ConnWindow,
		maxStreams: 100, maxFrame: maxFrameSize, window: initialWindow, table: tableSize, connOut: initialWindow,
	}
	c.late = int64(o.StreamWindow)
	c.decoder = hpack.NewDecoder(tableSize, c.field)
	c.decoder.SetMaxStringLength(maxHeaderList)
	return c
}

// The initial values of both sides (RFC 9113, section 6.5.2), which our side keeps.
const (
	initialWindow = 65535
	maxFrameSize  = 16384
)

const clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Preface appends what the client sends first. Requests may follow it immediately.
func (c *Conn) Preface(dst []byte) []byte {
	dst = append(dst, clientPreface...)
	dst = appendFrame(dst, 3*6, frameSettings, 0, 0)
	for _, s := range [...]struct {
		id    uint16
		value uint32
	}{
		{settingEnablePush, 0},
		{settingInitialWindowSize, uint32(c.conf.StreamWindow)},
		{settingMaxHeaderListSize, maxHeaderList},
	} {
		dst = binary.BigEndian.AppendUint16(dst, s.id)
		dst = binary.BigEndian.AppendUint32(dst, s.value)
	}
	if c.conf.ConnWindow > initialWindow {
		dst = appendWindowUpdate(dst, 0, c.conf.ConnWindow-initialWindow)
	}
	return dst
}

// Capacity returns how many streams may be opened now. It can grow after every Parse
// unless the connection is [Conn.Draining].
func (c *Conn) Capacity() int {
	if c.Draining() {
		return 0
	}
	left := (math.MaxInt32-int64(c.next))/2 + 1
	return int(max(0, min(left, int64(c.maxStreams)-int64(c.streams.n), math.MaxInt32)))
}

// Ready reports whether the peer's first SETTINGS have arrived, so that its limits are known. Until
// then, Capacity assumes 100 streams, and a peer that allows fewer refuses the others.
func (c *Conn) Ready() bool { return c.settings }

// Open returns how many requests are in flight.
func (c *Conn) Open() int { return c.streams.n }

// Draining reports whether no more streams can be opened on this connection: the peer is going
// away, the stream ids are used up, or the connection has failed or been closed. Answers to
// requests in flight still arrive, unless it has failed or been closed.
func (c *Conn) Draining() bool {
	return c.goingAway || c.err != nil || c.next > math.MaxInt32
}

// Send opens a stream for a request and appends its bytes, with as much of the body as the peer's
// windows allow; the rest follows from Parse. Bodies wait until the connection is [Conn.Ready],
// since a peer may allow less at first than the standard's 65535 bytes, and some reset streams that
// send too early. tag is passed to the [Done]; the tags of requests in flight should differ if
// [Conn.Cancel] is used. If [Conn.Capacity] is 0, Send appends nothing and returns [ErrCapacity],
// or the connection's error.
func (c *Conn) Send(dst []byte, tag int, r *Request) ([]byte, error) {
	if c.Capacity() == 0 {
		if c.err != nil {
			return dst, c.err
		}
		return dst, ErrCapacity
	}
	id := c.next
	c.next += 2
	dst = c.appendHeader(dst, id, r)
	s := c.streams.add(id)
	s.tag, s.length, s.send, s.recv = tag, -1, c.window, c.conf.StreamWindow
	if r.head {
		s.flags |= flagHead
	}
	if len(r.body) == 0 {
		s.flags |= flagSent
		return dst, nil
	}
	s.rest = r.body
	if c.settings {
		dst = c.appendBody(dst, s)
	}
	if len(s.rest) > 0 {
		if !r.Fixed {
			s.rest = bytes.Clone(s.rest)
		}
		c.blocked = append(c.blocked, id)
	}
	return dst, nil
}

// appendHeader appends a request's header block as HEADERS and, if it is too large for
// one frame, CONTINUATION frames.
func (c *Conn) appendHeader(dst []byte, id uint32, r *Request) []byte {
	var common []byte
	if e := r.encoder; e != nil {
		switch {
		case c.unindexed || c.encoder != nil && c.encoder != e:
			common = e.plain
		case c.encoder == e:
			common = e.again
		case e.size > c.table:
			common, c.unindexed = e.plain, true
		default:
			common, c.encoder = e.first, e
		}
	}
	var resize []byte
	if c.shrunk {
		c.shrunk = false
		resize = appendInt(nil, 0x20, 5, uint64(c.table)) // RFC 7541, section 6.3
	}
	flags := byte(flagEndHeaders)
	if len(r.body) == 0 {
		flags |= flagEndStream
	}
	n := len(resize) + len(r.block) + len(common)
	if n <= int(c.maxFrame) {
		dst = appendFrame(dst, n, frameHeaders, flags, id)
		dst = append(dst, resize...)
		dst = append(dst, r.block[:r.split]...)
		dst = append(dst, common...)
		return append(dst, r.block[r.split:]...)
	}
	block := slices.Concat(resize, r.block[:r.split], common, r.block[r.split:])
	for typ := byte(frameHeaders); len(block) > 0; typ, flags = frameContinuation, 0 {
		flags &^= flagEndHeaders
		part := block[:min(len(block), int(c.maxFrame))]
		if block = block[len(part):]; len(block) == 0 {
			flags |= flagEndHeaders
		}
		dst = append(appendFrame(dst, len(part), typ, flags, id), part...)
	}
	return dst
}

// appendBody appends as much of a stream's body as the windows allow.
func (c *Conn) appendBody(dst []byte, s *stream) []byte {
	for len(s.rest) > 0 {
		n := int(min(int64(len(s.rest)), int64(c.maxFrame), int64(c.connOut), int64(s.send)))
		if n <= 0 {
			return dst
		}
		flags := byte(0)
		if n == len(s.rest) {
			flags = flagEndStream
			s.flags |= flagSent
		}
		dst = append(appendFrame(dst, n, frameData, flags, s.id), s.rest[:n]...)
		s.rest = s.rest[n:]
		c.connOut -= int32(n)
		s.send -= int32(n)
		c.uploaded(n)
	}
	s.rest = nil
	return dst
}

// unblock appends what the windows now allow of the waiting bodies.
func (c *Conn) unblock(dst []byte) []byte {
	if c.connOut <= 0 {
		return dst
	}
	c.blocked = slices.DeleteFunc(c.blocked, func(id uint32) bool {
		if c.connOut <= 0 {
			return false
		}
		s := c.streams.find(id)
		dst = c.appendBody(dst, s)
		return len(s.rest) == 0
	})
	return dst
}

// forget removes an open stream.
func (c *Conn) forget(s *stream) {
	if len(s.rest) > 0 {
		i := slices.Index(c.blocked, s.id)
		c.blocked = slices.Delete(c.blocked, i, i+1)
	}
	c.streams.remove(s.id)
}

// finish removes a stream and reports how it ended.
func (c *Conn) finish(s *stream, err error, done Done) {
	tag, status, body := s.tag, int(s.status), s.body
	c.forget(s)
	done(tag, status, body, err)
}

// Cancel abandons a request: it appends a reset of the stream. There will be no [Done] for it. ok
// is false if no request in flight has that tag.
func (c *Conn) Cancel(dst []byte, tag int) (out []byte, ok bool) {
	for i := range c.streams.slots {
		if s := &c.streams.slots[i]; s.id != 0 && s.tag == tag {
			dst = appendReset(dst, s.id, cancel)
			c.late += int64(s.recv)
			c.forget(s)
			return dst, true
		}
	}
	return dst, false
}

// Close fails all requests in flight, in the order in which they were sent. A nil cause means that
// the peer has closed the connection: then they fail with a [GoAwayError] if the peer has sent one,
// otherwise with [ErrClosed] or, if an answer had begun, io.ErrUnexpectedEOF. After an error of
// [Conn.Parse], that error is the cause, whatever the argument. The Conn cannot be used afterwards.
func (c *Conn) Close(cause error, done Done) {
	if c.err != nil {
		cause = c.err
	} else if cause == nil {
		cause = c.away
	}
	c.err = cause
	if c.err == nil {
		c.err = ErrClosed
	}
	for _, id := range c.openAfter(0) {
		s, err := c.streams.find(id), cause
		if err == nil {
			if err = ErrClosed; s.status != 0 {
				err = io.ErrUnexpectedEOF
			}
		}
		c.finish(s, err, done)
	}
}

// openAfter returns the ids of the open streams above id, in order.
func (c *Conn) openAfter(id uint32) []uint32 {
	var ids []uint32
	for i := range c.streams.slots {
		if s := &c.streams.slots[i]; s.id > id {
			ids = append(ids, s.id)
		}
	}
	slices.Sort(ids)
	return ids
}
