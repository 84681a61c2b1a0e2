package scrape

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/whet-go/whet/store"
)

const (
	// jitter is the part of the interval by which a scrape may be later than its place in it.
	jitter = 10 // a tenth
	// maxBackoff is the longest wait of a target that fails, if its interval is not longer.
	maxBackoff = 10 * time.Minute
)

// A target is a process that is scraped for one job.
type target struct {
	job     *job
	key     string // identifies it in its job
	url     string // of the handlers
	service string
	labels  store.Labels
	host    *host
	stop    context.CancelFunc
	// Used by its goroutine only:
	bases map[string]base // by kind
	agent agentFacts

	state TargetState // guarded by the engine
}

// phase is a target's place in the interval, the same in each process.
func (t *target) phase() time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.key))                            // never fails
	return time.Duration(h.Sum64() % uint64(t.job.Interval)) //nolint:gosec // intervals are positive
}

// A schedule has the times at which a target is due.
type schedule struct {
	first    time.Time // start of round 0
	interval time.Duration
	round    int64
}

// newSchedule returns the schedule of a target. Rounds begin at the same times whenever a process
// starts.
func newSchedule(now time.Time, interval, phase time.Duration) *schedule {
	// Subtracting keeps the monotonic clock, so that a clock that is set does not matter.
	s := &schedule{first: now.Add(phase - time.Duration(now.UnixNano()%int64(interval))), interval: interval}
	if !s.due(0).After(now) {
		s.round++
	}
	return s
}

// due returns the beginning of a round.
func (s *schedule) due(round int64) time.Time {
	return s.first.Add(time.Duration(round) * s.interval)
}

// next moves to the round after the present one, or later if that has begun, or if the target has
// failed several times. It returns the number of rounds that were missed although the target was to
// be scraped.
func (s *schedule) next(now time.Time, failures int) (missed int64) {
	s.round++
	if failures > 1 {
		wait := min(s.interval<<min(failures-1, 20), max(maxBackoff, s.interval))
		if wait <= 0 {
			wait = max(maxBackoff, s.interval)
		}
		s.round += int64((wait - 1) / s.interval)
	}
	for !s.due(s.round).After(now) {
		s.round++
		missed++
	}
	return missed
}

// run scrapes a target until ctx ends.
func (t *target) run(ctx context.Context) {
	s := newSchedule(time.Now(), t.job.Interval, t.phase())
	failures := 0
	for {
		due := s.due(s.round).Add(rand.N(s.interval/jitter + 1)) //nolint:gosec // not a secret
		t.update(func(st *TargetState) { st.Next = due.UTC() })
		if !sleepUntil(ctx, due) {
			return
		}
		if !t.mine() { // the lease has ended while this process was stopped
			s.next(time.Now(), 0)
			continue
		}
		e, ok := t.scrape(ctx, due, failures > 0)
		if !ok {
			return
		}
		failures++
		if !e.failed() {
			failures = 0
		}
		missed := s.next(time.Now(), failures)
		t.update(func(st *TargetState) { st.scraped(&e, failures, missed) })
		t.job.e.event(e)
	}
}

// sleepUntil reports whether a time came before ctx ended.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// scrape waits until the target may be scraped and does so. It returns false if ctx ended.
func (t *target) scrape(ctx context.Context, due time.Time, suspect bool) (Event, bool) {
	e := t.job.e
	if !t.host.busy.take(ctx) {
		return Event{}, false
	}
	defer t.host.busy.give()
	if suspect {
		if !e.suspects.take(ctx) {
			return Event{}, false
		}
		defer e.suspects.give()
	}
	if !e.slots.take(ctx) {
		return Event{}, false
	}
	defer e.slots.give()
	begin := time.Now()
	v := Event{
		Schema: EventSchema, Time: begin.UTC(), Due: due.UTC(), Job: t.job.Name, Service: t.service, Target: t.url,
		Labels: t.labels, Profiles: []EventProfile{},
	}
	t.fetchAll(ctx, suspect, &v)
	v.Took = time.Since(begin)
	return v, ctx.Err() == nil
}

// fetchAll fetches the profiles of a target. If it cannot be reached, the rest is not tried.
func (t *target) fetchAll(ctx context.Context, suspect bool, v *Event) {
	c, err := t.session(suspect)
	if err != nil {
		v.Error = clean(err)
		return
	}
	defer c.CloseIdleConnections()
	cycle := t.job.Cycle()
	measures := cycle > 0 && t.host.budget.take(time.Now(), cycle, t.job.Interval, t.job.Budget)
	for _, kind := range t.job.Kinds {
		if t.job.Window(kind) > 0 && !measures {
			continue
		}
		p := EventProfile{Kind: kind}
		out, err := t.fetch(ctx, c, kind)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			p.Error = clean(err)
			if v.Error == "" {
				v.Error = kind + ": " + p.Error
			}
		case out.profile == nil:
			p.Note = out.note
		default:
			p.Samples = out.profile.Data.NumSamples()
			if !t.job.e.queue.add(*out.profile) {
				p.Note = "dropped, because the store does not keep up"
			}
		}
		v.Profiles = append(v.Profiles, p)
		if gone(err) {
			return
		}
	}
}

// update changes the target's state.
func (t *target) update(change func(*TargetState)) {
	e := t.job.e
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&t.state)
}

// forget releases what a target has when it ends.
func (t *target) forget() {
	for kind, b := range t.bases {
		t.job.e.bases.give(int64(cap(b.data)))
		delete(t.bases, kind)
	}
	e := t.job.e
	e.mu.Lock()
	defer e.mu.Unlock()
	if t.host.users--; t.host.users == 0 && e.hosts[t.url] == t.host {
		delete(e.hosts, t.url)
	}
}
