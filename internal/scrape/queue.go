package scrape

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/spool"
	"github.com/whet-go/whet/store"
)

const (
	maxBatch    = 64     // profiles
	maxWaiting  = 20_000 // profiles
	minSize     = 4 << 10
	minStoreTry = time.Second
	maxStoreTry = 30 * time.Second
	// writeTimeout bounds one attempt.
	writeTimeout = time.Minute
	// directTimeout is that of profiles that are only in memory, if there is a buffer on disk.
	directTimeout = 10 * time.Second
	// dropsEvery is the time between two warnings about dropped profiles.
	dropsEvery = time.Minute
)

// A queue passes profiles on to a store. It is safe for concurrent use.
type queue struct {
	w      store.Writer
	disk   *buffer.Buffer // nil without one
	sender *spool.Sender  // of disk
	tenant string
	room   *room
	warn   func(error)

	mu      sync.Mutex
	waiting []queued
	closed  bool
	wake    chan struct{} // has one entry if there may be work
	counts  Counts
	warned  time.Time // of drops
	trouble error     // of the store, while it fails
}

type queued struct {
	p    store.Profile
	size int64
}

func newQueue(o *Options, r *room, warn func(error)) *queue {
	q := &queue{w: o.Writer, disk: o.Buffer, tenant: o.Tenant, room: r, warn: warn, wake: make(chan struct{}, 1)}
	if q.disk != nil {
		q.sender = spool.NewSender(spool.SenderOptions{
			Writer: q.w, Disk: q.disk, Recordings: o.Recordings, Join: maxBatch,
			Stored: q.stored, Fails: q.fails, Refuse: q.refuse,
		})
	}
	return q
}

// add appends a profile, and reports whether there was memory for it.
func (q *queue) add(p store.Profile) bool {
	size := max(p.Data.Memory(), int64(p.Data.NumSamples())*64, minSize)
	q.mu.Lock()
	if !q.closed && len(q.waiting) < maxWaiting && q.room.take(size) {
		q.waiting = append(q.waiting, queued{p, size})
		q.mu.Unlock()
		q.signal()
		return true
	}
	q.counts.Dropped++
	dropped, now := q.counts.Dropped, time.Now()
	report := now.Sub(q.warned) >= dropsEvery
	if report {
		q.warned = now
	}
	q.mu.Unlock()
	if report {
		q.warn(fmt.Errorf("the store does not keep up: %d profiles were dropped so far", dropped))
	}
	return false
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close lets run end when nothing waits.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

// run writes until the queue is closed and empty, or ctx ends; what is left then is dropped. With a
// buffer, it writes there what the store does not take, and what is left.
func (q *queue) run(ctx context.Context) {
	if q.disk != nil {
		sending, stop := context.WithCancel(ctx)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			q.sender.Run(sending)
		}()
		defer func() {
			stop()
			<-sent
		}()
	}
	for {
		batch := q.next(ctx)
		if len(batch) == 0 {
			return
		}
		done := false
		if q.disk == nil {
			done = q.write(ctx, batch)
		} else {
			done = q.keep(ctx, batch)
		}
		if !done {
			q.mu.Lock()
			left := int64(len(q.waiting))
			q.counts.Dropped += left
			for _, w := range q.waiting {
				q.room.give(w.size)
			}
			q.waiting, q.closed = nil, true
			q.mu.Unlock()
			q.warn(fmt.Errorf("the store did not take the last profiles: %d were dropped", left))
			return
		}
		q.mu.Lock()
		for i := range batch {
			q.room.give(batch[i].size)
			batch[i] = queued{} // for the collector
		}
		q.waiting = q.waiting[len(batch):]
		if len(q.waiting) == 0 {
			q.waiting = nil
		}
		q.mu.Unlock()
	}
}

// next returns the profiles to write, when there are any; none if the queue is closed or ctx ended, and
// nothing waits.
func (q *queue) next(ctx context.Context) []queued {
	for {
		q.mu.Lock()
		batch := q.waiting[:min(len(q.waiting), maxBatch)]
		done := q.closed
		q.mu.Unlock()
		if done || len(batch) > 0 {
			return batch
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// keep stores what the store takes of a batch, and writes the rest to disk. It reports whether that was
// done before ctx ended, and then the disk is tried once more.
func (q *queue) keep(ctx context.Context, batch []queued) bool {
	failing := false
	for wait := minStoreTry; ; wait = min(2*wait, maxStoreTry) {
		if ctx.Err() == nil {
			if batch = q.store(ctx, batch); len(batch) == 0 {
				return true
			}
		}
		err := q.disk.Add(q.tenant, profilesOf(batch))
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case !failing:
			failing = true
			q.warn(fmt.Errorf("%w; profiles wait in memory", err))
		}
		sleepUntil(ctx, time.Now().Add(wait))
	}
}

// store stores the profiles of a batch whose services need not wait for others on disk, and returns those
// that it has not stored.
func (q *queue) store(ctx context.Context, batch []queued) []queued {
	var at, left []queued
	for i := range batch {
		if q.sender.Direct(q.tenant, []store.Profile{batch[i].p}) {
			at = append(at, batch[i])
		} else {
			left = append(left, batch[i])
		}
	}
	if len(at) == 0 || q.direct(ctx, at) {
		return left
	}
	q.sender.Failed(q.tenant, profilesOf(at))
	return append(at, left...)
}

// direct tries once to store a batch that is only in memory, and reports whether all of it was stored or
// refused.
func (q *queue) direct(ctx context.Context, batch []queued) bool {
	within, cancel := context.WithTimeout(ctx, directTimeout)
	err := q.w.Write(within, q.tenant, profilesOf(batch))
	cancel()
	switch {
	case err == nil:
		q.stored(len(batch))
	case spool.Refused(err) && len(batch) == 1:
		q.refuse(batch[0].p.Service, batch[0].p.Kind, err)
	case spool.Refused(err):
		for i := range batch { // one at a time, to find which
			if !q.direct(ctx, batch[i:i+1]) {
				return false
			}
		}
	default:
		if ctx.Err() == nil {
			q.fails(err)
		}
		return false
	}
	return true
}

func profilesOf(batch []queued) []store.Profile {
	profiles := make([]store.Profile, len(batch))
	for i := range batch {
		profiles[i] = batch[i].p
	}
	return profiles
}

// fails reports the first of several errors of the store.
func (q *queue) fails(err error) {
	q.mu.Lock()
	first := q.trouble == nil
	q.trouble = err
	waiting := int64(len(q.waiting))
	q.mu.Unlock()
	if !first {
		return
	}
	if q.disk != nil {
		q.warn(fmt.Errorf("the store fails: %w; profiles are kept in %s", err, q.disk.Dir()))
		return
	}
	q.warn(fmt.Errorf("the store fails: %w; %d profiles wait", err, waiting))
}

// write stores a batch, or counts what the store refuses, and reports whether that was done before ctx
// ended.
func (q *queue) write(ctx context.Context, batch []queued) bool {
	profiles := profilesOf(batch)
	for wait := minStoreTry; ; wait = min(2*wait, maxStoreTry) {
		within, cancel := context.WithTimeout(ctx, writeTimeout)
		err := q.w.Write(within, q.tenant, profiles)
		cancel()
		switch {
		case err == nil:
			q.stored(len(batch))
			return true
		case ctx.Err() != nil:
			return false
		case spool.Refused(err) && len(batch) == 1:
			q.refuse(batch[0].p.Service, batch[0].p.Kind, err)
			return true
		case spool.Refused(err):
			for i := range batch { // one at a time, to find which
				if !q.write(ctx, batch[i:i+1]) {
					return false
				}
			}
			return true
		}
		q.fails(err)
		wait = max(wait, min(spool.RetryAfter(err), maxStoreTry))
		if !sleepUntil(ctx, time.Now().Add(wait+rand.N(wait/4))) { //nolint:gosec // not a secret
			return false
		}
	}
}

func (q *queue) stored(n int) {
	q.mu.Lock()
	q.counts.Stored += int64(n)
	failed := q.trouble != nil
	q.trouble = nil
	q.mu.Unlock()
	if failed {
		q.warn(errors.New("the store works again"))
	}
}

// refuse counts a profile that the store does not take, and reports the first and then a few.
func (q *queue) refuse(service, kind string, err error) {
	q.mu.Lock()
	q.counts.Refused++
	n := q.counts.Refused
	q.mu.Unlock()
	if n&(n-1) == 0 { // 1, 2, 4, 8, …
		q.warn(fmt.Errorf("the store refuses a profile %s of %s: %w (%d so far)", kind, service, err, n))
	}
}

// snapshot returns the counts, how many profiles wait, and why the store fails.
func (q *queue) snapshot() (Counts, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.counts
	c.Waiting = int64(len(q.waiting))
	if q.disk != nil {
		s := q.disk.Stats()
		c.Buffered, c.BufferedRecordings = s.Profiles, s.Recordings
		c.Dropped += s.Dropped
	}
	return c, q.trouble
}
