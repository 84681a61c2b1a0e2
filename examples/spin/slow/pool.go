// Package slow has workers that look for work all the time.
package slow

import (
	"sync"
	"time"
)

// How often a worker stops looking, and for how long, so that others come to run.
const (
	breath = 2 * time.Second
	rest   = 50 * time.Millisecond
)

// A Pool runs jobs on workers. It may be used by several goroutines.
type Pool struct {
	mu      sync.RWMutex // for closed; held for reading while a job is put in
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

// Submit has a worker run job, after those that were submitted before it have begun.
// It waits while many are in line, and reports whether the pool was still open. Jobs
// must not call it: all workers could wait for each other.
func (p *Pool) Submit(job func()) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.closed {
		return false
	}
	p.jobs <- job
	return true
}

// Close takes no more jobs, and returns when those that it has taken are done.
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

func (p *Pool) work() {
	pause := time.NewTicker(breath)
	defer pause.Stop()
	for {
		select {
		case job, open := <-p.jobs:
			if !open {
				return
			}
			job()
		case <-pause.C:
			time.Sleep(rest)
		default: // no work: look again
		}
	}
}
