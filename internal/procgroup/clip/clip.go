package clip

import (
	"bytes"
	"sync"
)

// A Buffer holds the first and the last bytes of what is written to it. It is safe for concurrent use.
type Buffer struct {
	Head, Tail int // how many bytes are held of the beginning and, at least, of the end; set before the first Write

	mu    sync.Mutex
	first []byte
	last  []byte // at most twice Tail
	lost  bool
}

// Write never fails, so that the program does not notice.
func (c *Buffer) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	take := min(n, c.Head-len(c.first))
	c.first, p = append(c.first, p[:take]...), p[take:]
	if over := len(p) - c.Tail; over > 0 {
		p, c.last, c.lost = p[over:], c.last[:0], true
	}
	if c.last = append(c.last, p...); len(c.last) > 2*c.Tail {
		c.last, c.lost = append(c.last[:0], c.last[len(c.last)-c.Tail:]...), true
	}
	return n, nil
}

// Bytes returns the bytes held, with a line break where some are missing.
func (c *Buffer) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost {
		return bytes.Join([][]byte{c.first, c.last}, []byte("\n"))
	}
	return bytes.Join([][]byte{c.first, c.last}, nil)
}

// Len returns the number of bytes held.
func (c *Buffer) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.first) + len(c.last)
}

// Reset discards everything.
func (c *Buffer) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.first, c.last, c.lost = c.first[:0], c.last[:0], false
}

// String returns Bytes as a string.
func (c *Buffer) String() string { return string(c.Bytes()) }
