// Package slow keeps every event forever.
package slow

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
type History struct {
	mu     sync.Mutex
	events [][]byte
}

// Add adds an event of at most MaxEvent bytes as the newest. The caller may change
// it afterwards.
func (h *History) Add(event []byte) error {
	if len(event) > MaxEvent {
		return fmt.Errorf("event of %d bytes, more than %d", len(event), MaxEvent)
	}
	kept := append(make([]byte, 0, len(event)), event...)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, kept)
	return nil
}

// Last returns the n most recent events, oldest first: at most MaxLast, none for
// an n below 1. They are copies that the caller may change.
func (h *History) Last(n int) [][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	n = max(0, min(n, MaxLast, len(h.events)))
	last := make([][]byte, 0, n)
	for _, event := range h.events[len(h.events)-n:] {
		last = append(last, append([]byte{}, event...))
	}
	return last
}

// Len returns how many events can be requested.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return min(len(h.events), MaxLast)
}
