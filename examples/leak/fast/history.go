// Package fast keeps the events that can still be asked for, and no more.
package fast

import (
	"fmt"
	"sync"
)

const (
	// MaxLast is how many events can be asked for.
	MaxLast = 1000
	// MaxEvent is the length in bytes of the largest event.
	MaxEvent = 4 << 10
)

// History has the events that came last. The zero value has none. It may be used
// by several goroutines.
//
// It is a ring of MaxLast buffers, which new events overwrite: at most
// MaxLast × MaxEvent bytes, however many events come.
type History struct {
	mu   sync.Mutex
	ring [][]byte // the event before next is the newest
	next int
}

// Add puts an event, of at most MaxEvent bytes, behind the others. The caller may
// change it afterwards.
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

// into copies event into buf, or into a new buffer of just its length when that
// is too small. What append makes room for beyond that would be kept too.
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

// Last returns the n events that came last, oldest first: MaxLast at most, none
// for an n below 1. They are the caller's to change: the ring's own are written
// over.
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

// Len returns how many events can be asked for.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ring)
}
