package worker

import (
	"net"
	"sync"
)

// A floodError reports that a server has sent far more non-answer bytes than any server needs to.
type floodError struct{ what string }

func (e *floodError) Error() string { return "the server sent " + e.what }

// A guard ends a connection of the [NetHTTP] engine that receives many bytes without an answer.
// net/http reads such bytes as fast as they arrive and discards them. The event loops count frames
// instead.
type guard struct {
	most    int64 // bytes
	mu      sync.Mutex
	useless int64 // bytes received since the last answer, bodies excluded
}

const (
	// maxUseless is twice the largest header.
	maxUseless = 2 << 20
	// maxBuffered is what net/http may buffer of the body of one HTTP/2 stream.
	maxBuffered = 4 << 20
	// overhead is how many bytes may arrive for each byte of a body: 10 for its own frame, and some
	// 30 for its own TLS record.
	overhead = 64
)

// received counts bytes of a connection.
func (g *guard) received(n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.useless += int64(n); g.useless > g.most {
		g.useless = 0 // the next connection starts at zero
		return &floodError{"too much that is not an answer"}
	}
	return nil
}

// answered notes that the header of an answer has arrived.
func (g *guard) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.useless = 0
}

// got notes that n bytes of a body have arrived.
func (g *guard) got(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.useless = max(g.useless-overhead*int64(n), 0)
}

// A guardedConn is a connection watched by a guard.
type guardedConn struct {
	net.Conn
	guard *guard
}

// Read reads from the connection.
func (c *guardedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if flood := c.guard.received(n); flood != nil {
		return 0, flood
	}
	return n, err
}
