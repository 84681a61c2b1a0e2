package load

import (
	"net"
	"sync"
)

// A floodError says that a server has sent far more of what is no answer than any server
// needs.
type floodError struct{ what string }

func (e *floodError) Error() string { return "the server sent " + e.what }

// A guard ends a connection of the [NetHTTP] engine that receives and receives without
// bringing an answer. net/http does not hold what it receives then, but reads it as fast
// as it comes. The event loops count frames instead.
type guard struct {
	most    int64 // bytes
	mu      sync.Mutex
	useless int64 // bytes received since the last answer, without those of bodies
}

const (
	// mostUseless is twice the largest header.
	mostUseless = 2 << 20
	// mostBuffered is what net/http may hold of the body of one stream of HTTP/2.
	mostBuffered = 4 << 20
	// overhead is how many bytes may come for one of a body: it takes 10 in a frame of its
	// own, and some 30 in a TLS record of its own.
	overhead = 64
)

// received counts bytes of a connection.
func (g *guard) received(n int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.useless += int64(n); g.useless > g.most {
		g.useless = 0 // the next connection begins anew
		return &floodError{"too much that is not an answer"}
	}
	return nil
}

// answered tells that the header of an answer has come.
func (g *guard) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.useless = 0
}

// got tells that n bytes of a body have come.
func (g *guard) got(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.useless = max(g.useless-overhead*int64(n), 0)
}

// A guardedConn is a connection that a guard looks at.
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
