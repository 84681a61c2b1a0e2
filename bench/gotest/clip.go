package gotest

import (
	"bytes"
	"sync"
)

// clipped holds the first and the last bytes of what is written to it, so that endless output takes
// bounded memory. It is safe for concurrent use.
type clipped struct {
	head, tail int // in bytes

	mu    sync.Mutex
	first []byte
	last  []byte // at most twice tail
	lost  bool
}

// Write never fails, so that the program does not notice.
func (c *clipped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	take := min(n, c.head-len(c.first))
	c.first, p = append(c.first, p[:take]...), p[take:]
	if over := len(p) - c.tail; over > 0 {
		p, c.last, c.lost = p[over:], c.last[:0], true
	}
	if c.last = append(c.last, p...); len(c.last) > 2*c.tail {
		c.last, c.lost = append(c.last[:0], c.last[len(c.last)-c.tail:]...), true
	}
	return n, nil
}

// Bytes returns the bytes held, with a line break where some are missing.
func (c *clipped) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost {
		return bytes.Join([][]byte{c.first, c.last}, []byte("\n"))
	}
	return bytes.Join([][]byte{c.first, c.last}, nil)
}

// Len returns the number of bytes held.
func (c *clipped) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.first) + len(c.last)
}

// Reset discards everything.
func (c *clipped) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.first, c.last, c.lost = c.first[:0], c.last[:0], false
}

func (c *clipped) String() string { return string(c.Bytes()) }
