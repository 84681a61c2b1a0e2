package spool

import (
	"context"
	"sync"
	"time"

	"github.com/whet-go/whet/store"
)

const (
	// maxPaths bounds the services that are remembered.
	maxPaths = 20_000
	// probeEvery is the time between two attempts to find out whether the store takes a service, and
	// probeTimeout that of one.
	probeEvery   = 15 * time.Second
	probeTimeout = 5 * time.Second
)

// A Prober is a store that takes some services while it fails for others, such as a cluster one of whose
// shards is down.
type Prober interface {
	// Takes returns nil if the store can take profiles of a service now. It does so without storing
	// anything.
	Takes(ctx context.Context, tenant, service string) error
}

// paths remember which services a store takes while something waits in the buffer. The rest need not wait
// for them.
type paths struct {
	mu      sync.Mutex
	known   map[path]*way // since the buffer was empty
	pending []path        // to be probed
	wake    chan struct{} // has one entry if there may be one; nil: the store is not a Prober
}

type path struct{ tenant, service string }

// A way is what is known of a path.
type way struct {
	works   bool
	fails   bool
	pending bool
	again   time.Time // when to probe it again, if it does not work
}

// each calls do once for each path of a batch.
func each(tenant string, profiles []store.Profile, do func(path)) {
	seen := map[path]bool{}
	for i := range profiles {
		k := path{tenant, profiles[i].Service}
		if !seen[k] {
			seen[k] = true
			do(k)
		}
	}
}

// direct reports whether to try to store a batch at once: if the buffer is empty, or if the store takes all
// of its services. Those of which that is not known are probed.
func (p *paths) direct(tenant string, profiles []store.Profile, empty bool, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if empty || len(p.known) > maxPaths {
		p.known, p.pending = nil, nil // all is well, or is found out again
	}
	if empty || p.wake == nil {
		return empty
	}
	all := true
	each(tenant, profiles, func(k path) {
		w := p.way(k)
		if w.works {
			return
		}
		all = false
		p.queue(k, w, now)
	})
	return all
}

// held reports whether a store is known not to take a service. It is a buffer.Held.
func (p *paths) held(tenant, service string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.known[path{tenant, service}]
	return w != nil && w.fails
}

// queue has a path probed that does not work, unless it was just before. The lock is held.
func (p *paths) queue(k path, w *way, now time.Time) {
	if p.wake == nil || w.works || w.pending || now.Before(w.again) {
		return
	}
	w.pending = true
	p.pending = append(p.pending, k)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// way returns what is known of a path. The lock is held.
func (p *paths) way(k path) *way {
	w := p.known[k]
	if w == nil {
		w = &way{}
		if p.known == nil {
			p.known = map[path]*way{}
		}
		p.known[k] = w
	}
	return w
}

// failed remembers that the store did not take a batch.
func (p *paths) failed(tenant string, profiles []store.Profile, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	each(tenant, profiles, func(k path) {
		w := p.way(k)
		w.works, w.again = false, now.Add(minTry) // whether all of the batch fails is found out
	})
}

// probe finds out which services a store takes, until ctx ends, and calls found when it takes one again.
func (p *paths) probe(ctx context.Context, s Prober, found func()) {
	again := time.NewTicker(probeEvery)
	defer again.Stop()
	for ctx.Err() == nil {
		p.mu.Lock()
		var k path
		more := len(p.pending) > 0
		if more {
			k, p.pending = p.pending[0], p.pending[1:]
		}
		p.mu.Unlock()
		if more {
			if p.ask(ctx, s, k) {
				found()
			}
			continue
		}
		select {
		case <-p.wake:
		case now := <-again.C: // services that wait in the buffer may not be written again
			p.mu.Lock()
			for k, w := range p.known {
				if w.fails {
					p.queue(k, w, now)
				}
			}
			p.mu.Unlock()
		case <-ctx.Done():
		}
	}
}

// ask reports whether a store takes a service, and remembers it.
func (p *paths) ask(ctx context.Context, s Prober, k path) bool {
	within, cancel := context.WithTimeout(ctx, probeTimeout)
	err := s.Takes(within, k.tenant, k.service)
	cancel()
	if ctx.Err() != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.way(k)
	w.works, w.fails, w.pending, w.again = err == nil, err != nil, false, time.Now().Add(probeEvery)
	return err == nil
}
