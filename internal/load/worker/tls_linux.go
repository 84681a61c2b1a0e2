package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/whet-go/whet/internal/load/workload"
)

// TLS in an event loop: crypto/tls needs a connection whose Read blocks. So the handshake runs on a
// blocking connection, on its own goroutine; then the loop takes the socket, and the tls.Conn reads
// from memory what the loop has received. When that is used up, Read returns an error that is
// marked as temporary, after which a tls.Conn can continue.

// secureDialer opens TLS connections for a loop.
type secureDialer struct {
	g      *Group
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup

	dials atomic.Int32 // begun and not delivered

	mu    sync.Mutex
	ready []secured
}

// secured is the outcome of a dial.
type secured struct {
	c    *conn
	life uint32
	s    *secureStream
	fd   int
	err  error
}

func (d *secureDialer) init(ctx context.Context, g *Group) {
	d.g = g
	d.ctx, d.cancel = context.WithCancel(ctx)
}

// stop ends the dials in progress and closes undelivered connections.
func (d *secureDialer) stop() {
	d.cancel()
	d.group.Wait()
	for _, r := range d.ready {
		if r.err == nil {
			_ = unix.Close(r.fd)
		}
	}
	d.ready = nil
}

// busy reports whether there is something to deliver soon.
func (d *secureDialer) busy() bool { return d.dials.Load() > 0 }

// dial opens a connection for c; deliver hands it over.
func (d *secureDialer) dial(c *conn) {
	d.dials.Add(1)
	r := secured{c: c, life: c.life}
	host := c.lane.Host
	d.group.Go(func() {
		r.s, r.fd, r.err = d.handshake(host)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ready = append(d.ready, r)
	})
}

func (d *secureDialer) handshake(h *workload.Host) (*secureStream, int, error) {
	ctx, cancel := context.WithTimeout(d.ctx, d.g.Timeout)
	defer cancel()
	begin := time.Now()
	raw, err := dialAny(ctx, &net.Dialer{}, h.Addresses)
	if err != nil {
		return nil, -1, err
	}
	opened := time.Now()
	defer func() { _ = raw.Close() }() // the kept descriptor is a duplicate
	config := d.g.TLS.Clone()
	if config.ServerName == "" {
		if config.ServerName, _, err = net.SplitHostPort(h.Name); err != nil {
			return nil, -1, err
		}
	}
	s := &secureStream{Conn: raw, opening: opened.Sub(begin)}
	s.tls = tls.Client(s, config)
	if err := s.tls.HandshakeContext(ctx); err != nil {
		return nil, -1, fmt.Errorf("TLS handshake: %w", err)
	}
	s.shook = time.Since(opened)
	if got := s.tls.ConnectionState().NegotiatedProtocol; d.g.HTTP2 && got != "h2" {
		return nil, -1, fmt.Errorf("server does not speak HTTP/2: it chose %q", got)
	}
	fd, err := duplicate(raw)
	if err != nil {
		return nil, -1, err
	}
	s.Conn = nil
	return s, fd, nil
}

// duplicate returns a descriptor of the connection's socket that outlives it.
func duplicate(conn net.Conn) (int, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return -1, errors.ErrUnsupported
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	if cerr := raw.Control(func(p uintptr) { fd, err = unix.FcntlInt(p, unix.F_DUPFD_CLOEXEC, 0) }); cerr != nil {
		return -1, cerr
	}
	return fd, err // the socket does not block, so neither does the duplicate
}

// deliver hands the ready connections to their slots.
func (d *secureDialer) deliver(l *loop) {
	if !d.busy() {
		return
	}
	d.mu.Lock()
	ready := d.ready
	d.ready = nil
	d.mu.Unlock()
	d.dials.Add(-int32(len(ready)))
	for _, r := range ready {
		l.time = l.now()
		if r.c.life != r.life || r.c.state != dialing {
			if r.err == nil {
				_ = unix.Close(r.fd)
			}
			continue
		}
		if r.err == nil {
			r.err = l.poller.Adopt(r.c.slot, r.fd)
		}
		if r.err == nil {
			r.c.secure = r.s
			r.s.c = r.c
		}
		r.c.connected(r.err)
	}
}

// A secureStream is a TLS connection of the loop. It is the net.Conn below its tls.Conn: during the
// handshake the embedded connection, afterwards memory.
type secureStream struct {
	net.Conn // nil after the handshake
	c        *conn
	tls      *tls.Conn
	in       []byte // received, not yet read
	out      []byte // encrypted
	// buffers that out replaced when it grew: the kernel may still be sending from them to a slow
	// server
	outgrown [][]byte

	opening, shook time.Duration // durations of connecting and of the handshake

	own     bool  // the bytes written are the loop's, not replies of crypto/tls to what it has read; they go to out
	replied int   // bytes of such replies since the server last read all of them
	err     error // set when the server does not read them
}

// maxReplied bounds the unread replies of the TLS layer (to KeyUpdate, for example). One takes
// some thirty bytes.
const maxReplied = 64 << 10

// errAgain is returned by Read when no bytes have arrived yet.
type errAgain struct{}

func (errAgain) Error() string   { return "nothing to read yet" }
func (errAgain) Timeout() bool   { return true }
func (errAgain) Temporary() bool { return true }

// Read returns what the loop received, or errAgain.
func (s *secureStream) Read(b []byte) (int, error) {
	if s.Conn != nil {
		return s.Conn.Read(b)
	}
	if len(s.in) == 0 {
		return 0, errAgain{}
	}
	n := copy(b, s.in)
	s.in = s.in[n:]
	return n, nil
}

// Write passes encrypted bytes to the loop's poller.
func (s *secureStream) Write(b []byte) (int, error) {
	if s.Conn != nil {
		return s.Conn.Write(b)
	}
	if s.own {
		if cap(s.out) > 0 && cap(s.out)-len(s.out) < len(b) {
			s.outgrown = append(s.outgrown, s.out[:0])
		}
		s.out = append(s.out, b...)
		return len(b), nil
	}
	if s.c.poller.Unsent(s.c.slot) == 0 {
		s.replied = 0
	}
	if s.replied += len(b); s.replied > maxReplied {
		s.err = &floodError{"TLS messages without reading the answers"}
		return 0, s.err
	}
	s.c.poller.Write(s.c.slot, b)
	return len(b), nil
}

// Close does nothing: the loop closes the socket.
func (s *secureStream) Close() error { return nil }

// SetDeadline does nothing after the handshake, like the other deadline methods; tls.Conn calls
// them on Close.
func (s *secureStream) SetDeadline(t time.Time) error {
	if s.Conn != nil {
		return s.Conn.SetDeadline(t)
	}
	return nil
}

// SetReadDeadline is like SetDeadline.
func (s *secureStream) SetReadDeadline(t time.Time) error {
	if s.Conn != nil {
		return s.Conn.SetReadDeadline(t)
	}
	return nil
}

// SetWriteDeadline is like SetDeadline.
func (s *secureStream) SetWriteDeadline(t time.Time) error {
	if s.Conn != nil {
		return s.Conn.SetWriteDeadline(t)
	}
	return nil
}

// write encrypts and sends b, all its records at once.
//
// An HTTP/1.1 request goes out as it does without TLS: the encrypted bytes do not change until the
// answer has arrived, so the send needs no completion event. With io_uring, such an event would end
// a wait for answers.
func (s *secureStream) write(b []byte) {
	s.own = true
	s.out = s.out[:0]
	_, err := s.tls.Write(b)
	s.own = false
	if err != nil {
		return // of the connection, whose end follows
	}
	if s.c.h2 != nil || s.c.poller.Unsent(s.c.slot) > 0 {
		s.c.poller.Write(s.c.slot, s.out) // others may still be in transit
		return
	}
	s.c.poller.Send(s.c.slot, s.out)
}

// secureReceived decrypts what was received and handles it.
func (c *conn) secureReceived(b []byte) {
	s := c.secure
	s.in = b
	for c.secure == s {
		n, err := s.tls.Read(c.plain)
		if n > 0 {
			c.received(c.plain[:n])
		}
		if c.secure == s && s.err != nil { // which tls.Conn would return from the next write
			err = s.err
		}
		if c.secure != s || err == nil {
			continue
		}
		switch {
		case errors.Is(err, errAgain{}):
		case errors.Is(err, io.EOF):
			c.ended(nil)
		default:
			c.ended(err)
		}
		return
	}
}
