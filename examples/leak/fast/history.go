// Package fast keeps only the events that can still be requested.
package fast

import (
	"fmt"
	"sync"
)

const (
	// MaxLast is how many events can be requested.
	MaxLast = 1000
	// MaxEvent is the length in bytes of the largest event.
	MaxEvent = 4 << 10
)

// A History has the most recent events. The zero value is empty. It is safe for
// concurrent use.
//
// It is a ring of MaxLast buffers, which new events overwrite: at most
// MaxLast × MaxEvent bytes for any number of events.
type History struct {
	mu   sync.Mutex
	ring [][]byte // the event before next is the newest
	next int
}

// Add adds an event of at most MaxEvent bytes as the newest. The caller may change
// it afterwards.
func (h *History) Add(event []byte) error {
	if len(event) > MaxEvent {
		return fmt.Errorf("event of %d bytes, more than %d", len(event), MaxEvent)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.ring) < MaxLast {
		h.ring = append(h.ring, into(nil, event))
		return nil
	}
	h.ring[h.next] = into(h.ring[h.next], event)
	h.next = (h.next + 1) % MaxLast
	return nil
}

// into copies event into buf, or into a new buffer of exactly its length if that
// is too small. The additional capacity of append would be retained, too.
func into(buf, event []byte) []byte {
	if cap(buf) < len(event) {
		buf = make([]byte, 0, len(event))
	}
	return append(buf[:0], event...)
}

// back returns the event that came i events before the newest one.
func (h *History) back(i int) []byte {
	return h.ring[(h.next-1-i+2*len(h.ring))%len(h.ring)]
}

// Last returns the n most recent events, oldest first: at most MaxLast, none for
// an n below 1. The caller may change them: they are copies, because the buffers
// of the ring are overwritten.
func (h *History) Last(n int) [][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	n = max(0, min(n, len(h.ring)))
	last := make([][]byte, 0, n)
	for i := n - 1; i >= 0; i-- {
		last = append(last, append([]byte{}, h.back(i)...))
	}
	return last
}

// Len returns how many events can be requested.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ring)
}
