package linebuffer

import (
	"io"
	"sync"
	"time"
)

// lineBuffer collects lines and writes many with one call: when there are 4 KiB, after a second at
// the latest, and when it is closed.
type lineBuffer struct {
	w io.Writer

	mu     sync.Mutex
	room   [4 << 10]byte
	lines  []byte      // in room, not written yet
	timer  *time.Timer // writes them; nil before the first
	closed bool        // lines are written at once
	err    error       // of the first write that failed
}

// newLineBuffer collects lines for w, which is written to by one goroutine at a time.
func newLineBuffer(w io.Writer) *lineBuffer {
	b := &lineBuffer{w: w}
	b.lines = b.room[:0]
	return b
}

// Write expects whole lines.
func (b *lineBuffer) Write(p []byte) (int, error) {
	const longest = time.Second
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines)+len(p) > len(b.room) {
		b.flush()
	}
	if b.closed || len(p) > len(b.room) {
		return b.put(p)
	}
	if len(b.lines) == 0 {
		if b.timer == nil {
			b.timer = time.AfterFunc(longest, b.late)
		} else {
			b.timer.Reset(longest)
		}
	}
	b.lines = append(b.lines, p...)
	return len(p), nil
}

// late writes the lines when the timer fires.
func (b *lineBuffer) late() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
}

// flush is called with the lock held, so that lines stay in order.
func (b *lineBuffer) flush() {
	if len(b.lines) > 0 {
		_, _ = b.put(b.lines) // close returns the error
		b.lines = b.lines[:0]
	}
}

func (b *lineBuffer) put(p []byte) (int, error) {
	n, err := b.w.Write(p)
	if err != nil && b.err == nil {
		b.err = err
	}
	return n, err
}

// close writes the pending lines, and returns the first error of all writes. Later lines are written
// at once.
func (b *lineBuffer) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
	return b.err
}
