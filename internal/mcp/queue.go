package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxWaiting is the number of measurements that may wait.
const maxWaiting = 100

var errFull = errors.New("too many measurements are waiting: try again when some have ended")

// A queue limits how many measurements run at once: they would disturb each other. The first one to wait is the first
// one to run.
type queue struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{} // closed when its turn has come
}

func newQueue(most int) *queue { return &queue{free: most} }

// enter waits for a turn. ahead is called once, if there is a wait, with the number of measurements that wait before
// this one. The caller calls leave after a nil error.
func (q *queue) enter(ctx context.Context, ahead func(n int)) error {
	q.mu.Lock()
	if q.free > 0 && ctx.Err() == nil {
		q.free--
		q.mu.Unlock()
		return nil
	}
	if len(q.waiting) >= maxWaiting {
		q.mu.Unlock()
		return errFull
	}
	turn := make(chan struct{})
	n := len(q.waiting)
	q.waiting = append(q.waiting, turn)
	q.mu.Unlock()
	ahead(n)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, turn)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 {
		q.leave() // its turn came at the same time
	}
	return ctx.Err()
}

// leave ends a turn.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	close(q.waiting[0])
	q.waiting = q.waiting[1:]
}
