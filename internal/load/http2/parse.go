package http2

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// A reader is the state of parsing between the pieces in which bytes arrive.
type reader struct {
	begun  [headerSize]byte // the beginning of a frame header
	nbegun int
	open   bool // within the payload of frame
	padded bool // the length of the padding has not arrived yet
	pad    byte
	frame  frame
	left   int    // rest of a payload that is counted and not kept
	part   []byte // of other payloads

	header frame  // the HEADERS whose CONTINUATION must come next; id 0 means none
	block  []byte // its header block so far
}

// maxKeptPart is the capacity up to which the buffer for payloads in pieces is reused.
const maxKeptPart = 2048

// Parse processes bytes that have arrived, in pieces of any size, reports to done which requests
// have ended, and appends what must be sent now. The error is a [ConnError]: what was appended (a
// GOAWAY at the end) should still be sent; then the connection must be closed, and [Conn.Close]
// called. Once it has failed, Parse returns the same error again.
func (c *Conn) Parse(dst, b []byte, done Done) ([]byte, error) {
	if c.err != nil {
		return dst, c.err
	}
	dst, err := c.parse(dst, b, done)
	if err != nil {
		c.err = err
		c.reader = reader{}
		if ce := (*ConnError)(nil); errors.As(err, &ce) {
			dst = appendGoAway(dst, ce.Code)
		}
	}
	return dst, err
}

func (c *Conn) parse(dst, b []byte, done Done) ([]byte, error) {
	for {
		if !c.open {
			if c.nbegun == 0 && len(b) >= headerSize {
				c.frame, b = parseFrame(b), b[headerSize:]
			} else {
				n := copy(c.begun[c.nbegun:], b)
				b = b[n:]
				if c.nbegun += n; c.nbegun < headerSize {
					return dst, nil
				}
				c.frame, c.nbegun = parseFrame(c.begun[:]), 0
			}
			if err := c.begin(); err != nil {
				return dst, err
			}
		}
		var err error
		switch f := &c.frame; f.typ {
		case frameHeaders, frameResetStream, frameSettings, framePing, frameGoAway, frameWindowUpdate, frameContinuation:
			var payload []byte
			if len(c.part) == 0 && len(b) >= int(f.length) {
				payload, b = b[:f.length], b[f.length:]
			} else {
				n := min(len(b), int(f.length)-len(c.part))
				c.part = append(c.part, b[:n]...)
				if b = b[n:]; len(c.part) < int(f.length) {
					return dst, nil
				}
				payload = c.part
			}
			c.open = false
			dst, err = c.control(dst, payload, done)
			if c.part = c.part[:0]; cap(c.part) > maxKeptPart {
				c.part = nil
			}
		default: // DATA, and unknown types
			if c.padded {
				if len(b) == 0 {
					return dst, nil
				}
				c.padded, c.pad = false, b[0]
				c.left--
				if b = b[1:]; int(c.pad) > c.left {
					return dst, connError(protocolError, "padding longer than its DATA frame")
				}
			}
			n := min(c.left, len(b))
			b = b[n:]
			if c.left -= n; c.left > 0 {
				return dst, nil
			}
			c.open = false
			if f.typ == frameData {
				dst, err = c.data(dst, done)
			}
		}
		if err != nil {
			return dst, err
		}
	}
}

// begin checks a frame header.
func (c *Conn) begin() error {
	f := &c.frame
	switch {
	case !c.settings && f.length == 'H'<<16|'T'<<8|'T' && f.typ == 'P':
		return connError(protocolError, "the peer speaks HTTP/1")
	case f.length > maxFrameSize:
		return connError(frameSizeError, "frame of %d bytes", f.length)
	case !c.settings && (f.typ != frameSettings || f.flags&flagAck != 0):
		return connError(protocolError, "the first frame is not SETTINGS")
	case (c.header.id != 0) != (f.typ == frameContinuation) || f.id != c.header.id && c.header.id != 0:
		return connError(protocolError, "CONTINUATION expected and not there, or the other way round")
	}
	ofStream, size := false, -1
	switch f.typ {
	case frameData, frameHeaders, frameContinuation:
		ofStream = true
	case framePriority:
		ofStream, size = true, 5
	case frameResetStream:
		ofStream, size = true, 4
	case frameWindowUpdate:
		ofStream, size = f.id != 0, 4
	case frameSettings:
		if f.length%6 != 0 || f.length != 0 && f.flags&flagAck != 0 {
			return connError(frameSizeError, "SETTINGS of %d bytes", f.length)
		}
	case framePing:
		size = 8
	case frameGoAway:
		if f.length < 8 {
			return connError(frameSizeError, "GOAWAY of %d bytes", f.length)
		}
	case framePushPromise:
		return connError(protocolError, "PUSH_PROMISE though push is off")
	default: // unknown: ignored (RFC 9113, section 5.5)
		c.open, c.left, c.padded = true, int(f.length), false
		return c.useless()
	}
	switch {
	case ofStream != (f.id != 0):
		return connError(protocolError, "frame of type %d on stream %d", f.typ, f.id)
	case ofStream && f.typ != framePriority && (f.id%2 == 0 || f.id >= c.next):
		return connError(protocolError, "frame of type %d on stream %d, which was not opened", f.typ, f.id)
	case size >= 0 && int(f.length) != size:
		return connError(frameSizeError, "frame of type %d of %d bytes", f.typ, f.length)
	}
	c.open, c.left, c.pad = true, int(f.length), 0
	c.padded = f.typ == frameData && f.flags&flagPadded != 0
	if c.padded && f.length == 0 {
		return connError(frameSizeError, "padded DATA frame without bytes")
	}
	if f.typ == framePriority {
		return c.useless()
	}
	return nil
}

// control processes a complete frame other than DATA.
func (c *Conn) control(dst, p []byte, done Done) ([]byte, error) {
	f := c.frame
	switch f.typ {
	case frameHeaders:
		return c.headers(dst, p, done)
	case frameContinuation:
		if len(c.block)+len(p) > c.conf.MaxBlock {
			return dst, connError(enhanceYourCalm, "header block of more than %d KiB", c.conf.MaxBlock>>10)
		}
		if c.continuations++; c.continuations > maxContinuations {
			return dst, flooded("a header block in more than %d CONTINUATION frames", maxContinuations)
		}
		c.block = append(c.block, p...)
		if f.flags&flagEndHeaders == 0 {
			return dst, nil
		}
		id, end, block := f.id, c.header.flags&flagEndStream != 0, c.block
		c.header, c.block = frame{}, nil
		return c.answer(dst, id, end, block, done)
	case frameResetStream:
		if s := c.streams.find(f.id); s != nil {
			c.finish(s, ResetError{Code: Code(binary.BigEndian.Uint32(p))}, done)
		}
		return dst, c.useless()
	case frameSettings:
		if f.flags&flagAck == 0 {
			return c.configure(dst, p)
		}
		return dst, c.useless()
	case framePing:
		if f.flags&flagAck == 0 {
			dst = append(appendFrame(dst, 8, framePing, flagAck, 0), p...)
			return dst, c.reply()
		}
		return dst, c.useless()
	case frameGoAway:
		c.goAway(p, done)
		return dst, c.useless()
	case frameWindowUpdate:
		return c.windowUpdate(dst, int64(binary.BigEndian.Uint32(p)&^(1<<31)), done)
	}
	return dst, nil
}

// headers processes a HEADERS frame.
func (c *Conn) headers(dst, p []byte, done Done) ([]byte, error) {
	f := c.frame
	pad := 0
	if f.flags&flagPadded != 0 {
		if len(p) == 0 {
			return dst, connError(frameSizeError, "padded HEADERS frame without bytes")
		}
		pad, p = int(p[0]), p[1:]
	}
	if f.flags&flagPriority != 0 {
		if len(p) < 5 {
			return dst, connError(frameSizeError, "HEADERS frame too short for its priority")
		}
		p = p[5:]
	}
	if pad > len(p) {
		return dst, connError(protocolError, "padding longer than its HEADERS frame")
	}
	p = p[:len(p)-pad]
	if f.flags&flagEndHeaders == 0 {
		c.header, c.block, c.continuations = f, slices.Clone(p), 0
		return dst, nil
	}
	return c.answer(dst, f.id, f.flags&flagEndStream != 0, p, done)
}

// maxInterim is how many 1xx answers may precede the final one.
const maxInterim = 100

// answer processes a complete header block. The frame that began it ends the stream if end is set.
func (c *Conn) answer(dst []byte, id uint32, end bool, block []byte, done Done) ([]byte, error) {
	h, err := c.decode(block)
	if err != nil {
		return dst, err
	}
	s := c.streams.find(id)
	if s == nil {
		return dst, c.useless()
	}
	switch {
	case h.wrong != "":
		return c.fail(dst, s, end, protocolError, malformed("%s", h.wrong), done), nil
	case s.status != 0: // trailers
		switch {
		case h.status != 0:
			return c.fail(dst, s, end, protocolError, malformed(":status in trailers"), done), nil
		case !end:
			return c.fail(dst, s, end, protocolError, malformed("trailers that do not end the answer"), done), nil
		}
		return c.end(dst, s, done), nil
	case h.status == 0:
		return c.fail(dst, s, end, protocolError, malformed("no :status"), done), nil
	case h.status < 200:
		s.interim++
		switch {
		case h.status == 101, end:
			return c.fail(dst, s, end, protocolError, malformed("status %d as the final answer", h.status), done), nil
		case s.interim > maxInterim:
			return c.fail(dst, s, end, protocolError, malformed("more than %d interim answers", maxInterim), done), nil
		}
		if c.conf.Begun != nil {
			c.conf.Begun(s.tag)
		}
		return dst, nil
	}
	s.status, s.length = uint16(h.status), h.length
	if !end && c.conf.Begun != nil {
		c.conf.Begun(s.tag)
	}
	if end {
		return c.end(dst, s, done), nil
	}
	return dst, nil
}

// data processes the end of a DATA frame. Padding counts for flow control (RFC 9113, section
// 6.9.1).
func (c *Conn) data(dst []byte, done Done) ([]byte, error) {
	f := c.frame
	n := int32(f.length)
	if c.connIn -= n; c.connIn < 0 {
		return dst, connError(flowControlError, "more DATA than the connection's window")
	}
	if c.connIn <= c.conf.ConnWindow/2 {
		dst = appendWindowUpdate(dst, 0, c.conf.ConnWindow-c.connIn)
		c.connIn = c.conf.ConnWindow
	}
	end := f.flags&flagEndStream != 0
	if f.flags&flagPadded != 0 {
		n -= 1 + int32(c.pad)
	}
	s := c.streams.find(f.id)
	if s == nil {
		if c.late -= int64(f.length); c.late < 0 {
			return dst, connError(flowControlError, "more DATA than the window of streams that have ended")
		}
		if n == 0 {
			return dst, c.useless()
		}
		return dst, nil
	}
	if s.recv -= int32(f.length); s.recv < 0 {
		return c.fail(dst, s, end, flowControlError, malformed("more DATA than the stream's window"), done), nil
	}
	if s.status == 0 {
		return c.fail(dst, s, end, protocolError, malformed("DATA before the header"), done), nil
	}
	s.body += int64(n)
	switch {
	case n > 0 && s.bodyless():
		return c.fail(dst, s, end, protocolError, malformed("content in an answer that has none"), done), nil
	case s.length >= 0 && s.body > s.length && !s.bodyless():
		return c.fail(dst, s, end, protocolError, malformed("body longer than its content-length of %d", s.length), done), nil
	case end:
		return c.end(dst, s, done), nil
	case n == 0:
		return dst, c.useless()
	}
	c.useful(1)
	if s.recv <= c.conf.StreamWindow/2 {
		dst = appendWindowUpdate(dst, s.id, c.conf.StreamWindow-s.recv)
		s.recv = c.conf.StreamWindow
	}
	return dst, nil
}

// end finishes a stream that the peer has ended.
func (c *Conn) end(dst []byte, s *stream, done Done) []byte {
	if s.length >= 0 && s.body != s.length && !s.bodyless() {
		return c.fail(dst, s, true, protocolError, malformed("body of %d bytes, content-length %d", s.body, s.length), done)
	}
	if s.flags&flagSent == 0 {
		dst = appendReset(dst, s.id, noError) // the peer does not want the rest of the body
	}
	c.useful(creditAnswer)
	c.finish(s, nil, done)
	return dst
}

// fail resets a stream, unless both sides have ended it, and finishes it.
func (c *Conn) fail(dst []byte, s *stream, ended bool, code Code, err error, done Done) []byte {
	if !ended || s.flags&flagSent == 0 {
		dst = appendReset(dst, s.id, code)
	}
	if !ended {
		c.late += int64(max(s.recv, 0))
	}
	c.finish(s, err, done)
	return dst
}

// configure processes SETTINGS and acknowledges them.
func (c *Conn) configure(dst, p []byte) ([]byte, error) {
	c.settings = true
	window := c.window
	for ; len(p) > 0; p = p[6:] {
		v := binary.BigEndian.Uint32(p[2:])
		switch binary.BigEndian.Uint16(p) {
		case settingHeaderTableSize:
			if v < c.table {
				c.table, c.shrunk = v, true
				c.unindexed = c.unindexed || c.encoder != nil && c.encoder.size > v
			}
		case settingEnablePush:
			if v != 0 {
				return dst, connError(protocolError, "ENABLE_PUSH of %d from a server", v)
			}
		case settingMaxConcurrentStreams:
			c.maxStreams = v
		case settingInitialWindowSize:
			if v > math.MaxInt32 {
				return dst, connError(flowControlError, "INITIAL_WINDOW_SIZE of %d", v)
			}
			window = int32(v)
		case settingMaxFrameSize:
			if v < maxFrameSize || v > 1<<24-1 {
				return dst, connError(protocolError, "MAX_FRAME_SIZE of %d", v)
			}
			c.maxFrame = v
		}
	}
	// Only the last of several sizes counts: a frame may contain thousands, and each would take a
	// pass over all streams.
	if err := c.resize(window); err != nil {
		return dst, err
	}
	dst = appendFrame(dst, 0, frameSettings, flagAck, 0)
	return c.unblock(dst), c.reply()
}

// resize sets the initial window of streams to the peer's value and adjusts those of open streams.
func (c *Conn) resize(window int32) error {
	delta := int64(window) - int64(c.window)
	if delta == 0 {
		return nil
	}
	c.window = window
	for i := range c.streams.slots {
		if s := &c.streams.slots[i]; s.id != 0 {
			sum := int64(s.send) + delta
			if sum > math.MaxInt32 {
				return connError(flowControlError, "INITIAL_WINDOW_SIZE makes the window of stream %d too large", s.id)
			}
			s.send = int32(sum)
		}
	}
	return nil
}

// windowUpdate processes a WINDOW_UPDATE frame.
func (c *Conn) windowUpdate(dst []byte, n int64, done Done) ([]byte, error) {
	id := c.frame.id
	if id == 0 {
		switch sum := int64(c.connOut) + n; {
		case n == 0:
			return dst, connError(protocolError, "WINDOW_UPDATE of 0")
		case sum > math.MaxInt32:
			return dst, connError(flowControlError, "window of the connection too large")
		default:
			c.connOut = int32(sum)
		}
		return c.unblock(dst), c.updated()
	}
	s := c.streams.find(id)
	if s == nil {
		return dst, c.updated()
	}
	sum := int64(s.send) + n
	switch {
	case n == 0:
		return c.fail(dst, s, false, protocolError, malformed("WINDOW_UPDATE of 0"), done), nil
	case sum > math.MaxInt32:
		return c.fail(dst, s, false, flowControlError, malformed("window of the stream too large"), done), nil
	}
	s.send = int32(sum)
	if len(s.rest) > 0 {
		if dst = c.appendBody(dst, s); len(s.rest) == 0 {
			i := slices.Index(c.blocked, id)
			c.blocked = slices.Delete(c.blocked, i, i+1)
		}
	}
	return dst, c.updated()
}

// maxDebug is how many bytes of the debug data of GOAWAY are stored.
const maxDebug = 100

// goAway processes a GOAWAY frame and refuses the streams that the peer does not process.
func (c *Conn) goAway(p []byte, done Done) {
	c.goingAway = true
	if code := Code(binary.BigEndian.Uint32(p[4:])); code != noError {
		c.away = &GoAwayError{Code: code, Debug: string(p[8:min(len(p), 8+maxDebug)])}
	}
	for _, id := range c.openAfter(binary.BigEndian.Uint32(p) &^ (1 << 31)) {
		c.finish(c.streams.find(id), ErrRefused, done)
	}
}
