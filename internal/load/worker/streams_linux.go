package worker

import (
	"errors"
	"io"

	"github.com/whet-go/whet/internal/load/http2"
	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/internal/load/request"
)

// HTTP/2 in an event loop.

// prepareStreams prepares the lane's requests.
func (ln *lane) prepareStreams() {
	samples := make([]*request.Request, 0, len(ln.Endpoints))
	for _, e := range ln.Endpoints {
		rows := 2
		if e.Template.Fixed() {
			rows = 1
		}
		for row := range rows {
			r := new(request.Request)
			e.Template.Expand(r, row)
			samples = append(samples, r)
		}
	}
	ln.encoder = http2.NewEncoder(samples...)
	ln.prepared = make([]*http2.Request, len(ln.Endpoints))
	for i, e := range ln.Endpoints {
		if e.Template.Fixed() {
			r := new(request.Request)
			e.Template.Expand(r, 0)
			ln.prepared[i] = &http2.Request{Fixed: true}
			ln.encoder.Encode(ln.prepared[i], r)
		}
	}
}

// Header blocks that arrive in pieces are held until complete: allBlocks bounds them over all
// connections, as far as each connection may still hold minBlock.
const (
	allBlocks = 256 << 20
	minBlock  = 64 << 10
)

// maxUnsent is the number of unread bytes beyond which no more requests are sent: they would
// accumulate if a server answers without reading.
const maxUnsent = 256 << 10

// openStreams begins HTTP/2 on a new connection.
func (c *conn) openStreams() {
	c.h2 = http2.New(http2.Options{
		Begun: c.streamBegins, MaxBlock: max(minBlock, min(http2.DefaultMaxBlock, allBlocks/c.Connections)),
	})
	c.done = c.endStream
	c.out = c.h2.Preface(c.out[:0])
	c.needFlush()
}

// sendStream writes flight i; it waits while the server allows no more streams.
func (c *conn) sendStream(i int) {
	f := &c.flights[i]
	if c.poller.Unsent(c.slot) > maxUnsent {
		f.onWire, c.stalled = false, true
		return
	}
	q := c.lane.prepared[f.endpoint.Index]
	if q == nil {
		q = &c.varying
		f.endpoint.Template.Expand(&c.request, f.row)
		c.lane.encoder.Encode(q, &c.request)
	}
	var err error
	c.out, err = c.h2.Send(c.out, i, q)
	f.onWire, f.wrote = err == nil, c.time
	c.needFlush()
}

// needFlush makes sure that c.out is sent before the loop waits.
func (c *conn) needFlush() {
	if !c.dirty {
		c.dirty = true
		c.flush = append(c.flush, c)
	}
}

// writeOut sends the pending bytes.
func (c *conn) writeOut() {
	if c.state != up || len(c.out) == 0 {
		return
	}
	if c.h2 != nil && c.poller.Unsent(c.slot) == 0 {
		c.h2.Drained()
	}
	if c.secure != nil {
		c.secure.write(c.out)
	} else {
		c.poller.Write(c.slot, c.out)
	}
	c.out = c.out[:0]
}

// endStream implements [http2.Done].
func (c *conn) endStream(i, status int, body int64, err error) {
	f := &c.flights[i]
	if err == nil {
		c.answer(i, status, body)
		return
	}
	if !f.again && (errors.Is(err, http2.ErrRefused) ||
		errors.Is(err, http2.ErrClosed) && c.used && idempotent(f.endpoint.Method)) {
		f.again, f.onWire, f.first = true, false, 0
		if f.measured {
			c.shard.Retried(1)
		}
		return
	}
	var malformed *http2.MalformedError
	var broken *http2.ConnError
	k := record.Reset
	switch {
	case errors.As(err, &broken) && broken.Flood, errors.As(err, new(*floodError)):
		k = record.Flood
	case errors.As(err, &malformed), errors.As(err, &broken):
		k = record.Malformed
	case errors.Is(err, io.ErrUnexpectedEOF):
		k = record.ShortBody
	}
	c.fail(i, k, err)
}

// streamBegins records when an answer begins that does not end immediately.
func (c *conn) streamBegins(i int) {
	if f := &c.flights[i]; f.first == 0 {
		f.first = c.time
	}
}

// receivedStreams handles bytes of HTTP/2.
func (c *conn) receivedStreams(b []byte) {
	var err error
	c.out, err = c.h2.Parse(c.out, b, c.done)
	if err != nil {
		c.writeOut()
		c.endedStreams(err)
		return
	}
	if len(c.out) > 0 {
		c.needFlush()
	}
	c.continueRequests()
}

// continueRequests sends the requests that waited for capacity, or moves them to a new connection.
func (c *conn) continueRequests() {
	if c.h2.Draining() && c.h2.Open() == 0 {
		c.writeOut()
		c.disconnect()
		if c.active > 0 {
			c.connect()
		}
		c.refill()
		return
	}
	for i := range c.flights {
		if f := &c.flights[i]; f.active && !f.onWire && c.h2.Capacity() > 0 {
			c.sendStream(i)
		}
	}
	c.refill()
}

// resumeStreams sends the requests that waited for the server to read.
func (c *conn) resumeStreams() {
	if c.stalled && c.state == up && c.poller.Unsent(c.slot) <= maxUnsent {
		c.stalled = false
		c.continueRequests()
	}
}

// endedStreams handles the end of an HTTP/2 connection.
func (c *conn) endedStreams(err error) {
	c.h2.Close(err, c.done)
	c.disconnect()
	if c.active > 0 {
		c.connect()
	}
	c.refill()
}

// cancelStream abandons flight i, which takes too long.
func (c *conn) cancelStream(i int) {
	c.out, _ = c.h2.Cancel(c.out, i)
	c.needFlush()
	c.fail(i, record.Timeout, errTimeout)
	c.continueRequests()
}
