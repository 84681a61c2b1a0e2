// Package fast has workers that are woken when there is work.
package fast

import "sync"

// A Pool runs jobs on workers. It is safe for concurrent use.
type Pool struct {
	mu      sync.RWMutex // for closed; held for reading while a job is added
	closed  bool
	jobs    chan func()
	workers sync.WaitGroup
}

// NewPool starts a pool with the given number of workers, at least one.
func NewPool(workers int) *Pool {
	p := &Pool{jobs: make(chan func(), 64)}
	for range max(1, workers) {
		p.workers.Go(p.work)
	}
	return p
}

// Submit reports whether the pool is open. If so, a worker runs job, after jobs that
// were submitted before have begun. Submit waits while the queue is full. Jobs must
// not call it: all workers could wait for each other.
func (p *Pool) Submit(job func()) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		return false
	}
	p.jobs <- job
	return true
}

// Close rejects further jobs, and returns when those already accepted are done.
// It may be called more than once, but not by a job.
func (p *Pool) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.jobs)
	}
	p.mu.Unlock()
	p.workers.Wait()
}

// work needs no default and no pauses: a goroutine that waits for a channel costs
// nothing and blocks no other.
func (p *Pool) work() {
	for job := range p.jobs {
		job()
	}
}
