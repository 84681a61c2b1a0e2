package loopback

import (
	"net"
	"sync"
	"time"
)

// A bounded listener limits the number of open connections; further ones wait for one to end. A
// write to a connection fails if the client reads nothing for a while, because its handler would
// block forever.
type bounded struct {
	net.Listener
	free  chan struct{} // holds one element for each connection
	write time.Duration

	once   sync.Once
	closed chan struct{}
}

func newBounded(l net.Listener, conns int, write time.Duration) *bounded {
	return &bounded{Listener: l, free: make(chan struct{}, conns), write: write, closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.free <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.free
		return nil, err
	}
	return &conn{Conn: c, write: b.write, end: sync.OnceFunc(func() { <-b.free })}, nil
}

// Close implements net.Listener.
func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// maxPiece is how much of an answer the client must read within the write timeout.
const maxPiece = 64 << 10

type conn struct {
	net.Conn
	write time.Duration
	end   func()
}

// Write writes in pieces, so that a client that keeps reading gets a large answer without a
// timeout.
func (c *conn) Write(b []byte) (n int, err error) {
	for first := true; first || len(b) > 0; first = false {
		if err := c.SetWriteDeadline(time.Now().Add(c.write)); err != nil {
			return n, err
		}
		piece := b[:min(len(b), maxPiece)]
		wrote, err := c.Conn.Write(piece)
		n += wrote
		if err != nil {
			return n, err
		}
		b = b[len(piece):]
	}
	return n, nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.end()
	return c.Conn.Close()
}
