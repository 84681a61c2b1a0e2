package scrape

import (
	"context"
	"sync"
	"time"
)

// A room is memory that several goroutines share, in bytes.
type room struct {
	mu   sync.Mutex
	left int64
	all  int64
}

func newRoom(size int64) *room { return &room{left: size, all: size} }

// take reports whether n bytes were left, and takes them.
func (r *room) take(n int64) bool { return r.takeBut(0, n) }

// takeBut reports whether n bytes and those for others were left, and takes n.
func (r *room) takeBut(others, n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left-others {
		return false
	}
	r.left -= n
	return true
}

func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += n
}

// used returns how many bytes are taken.
func (r *room) used() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all - r.left
}

// slots bound what goes on at once.
type slots chan struct{}

// take waits for a slot and reports whether it got one before ctx ended.
func (s slots) take(ctx context.Context) bool {
	select {
	case s <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s slots) give() { <-s }

// A budget limits the share of time in which one process measures: while CPU profiles, the windows of
// kinds that count, or recordings of triggers run. It saves up for the windows of one scrape and for the
// jitter of schedules. Several goroutines may use it.
type budget struct {
	mu    sync.Mutex
	saved time.Duration // of measuring; negative after recordings that were not planned
	at    time.Time
}

// slack is the part of an interval by which a scrape may be early.
const slack = 0.25

// take reports whether the windows of a scrape, of this length together, may run now, and counts them.
func (b *budget) take(now time.Time, length, interval time.Duration, share float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := length + time.Duration(share*slack*float64(interval))
	if b.at.IsZero() {
		b.saved += most // less what was recorded before
	} else {
		b.saved = min(most, b.saved+time.Duration(share*float64(max(now.Sub(b.at), 0))))
	}
	b.at = now
	if b.saved < length {
		return false
	}
	b.saved -= length
	return true
}

// spend counts what was recorded.
func (b *budget) spend(length time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.saved -= max(length, 0)
}

// A host is an address that is scraped, whatever the number of targets that name it.
type host struct {
	busy   slots // of one
	budget budget
	users  int // targets; guarded by the engine
}
