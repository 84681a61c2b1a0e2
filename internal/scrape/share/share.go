package share

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/store"
)

// DefaultTime is the time of a lease, and MinTime the shortest: a fifth and a tenth of it are more than
// a replica of the store may be behind.
const (
	DefaultTime = 15 * time.Second
	MinTime     = 10 * time.Second
)

const (
	renewals = 3  // in the time of a lease
	retries  = 10 // in the time of a lease, while renewing fails
	margin   = 10 // the part of the time of a lease that a member does not use: a tenth
	outage   = 2  // the part of that time for which an attempt shows that the store is down: a half
	settle   = 5  // the part of that time by which a member that joins waits longer: a fifth
	// releaseTime is how long the store may take to release a lease.
	releaseTime = 3 * time.Second
)

// Options configure a Share. Store and Group are required.
type Options struct {
	Store  store.LeaseWriter
	Tenant string
	Group  string // of the processes that divide their targets
	// Member is the name of this process in the group; "" makes one of the host's name, the process ID
	// and a random number. Two processes must not have the same.
	Member string
	Time   time.Duration // of a lease; 0 means DefaultTime
	// Changed is called after the answers of Owner may have changed; nil ignores it. Run calls it, so
	// the lease is not renewed before it returns.
	Changed func()
	// Warn is called when leases cannot be renewed, and when they can again; nil ignores it.
	Warn func(error)
}

// A Share is the part of a group's targets that this process has.
type Share struct {
	o Options

	mu      sync.Mutex
	view    []string  // members, in order; nil before the first renewal
	begun   time.Time // when the last renewal began
	down    time.Time // when the last attempt began, if all since the renewal showed that the store is down
	joined  time.Time // when the first renewal returned, of those without a gap
	from    time.Time // when this member may begin to own targets
	owning  bool      // it has begun: there was a renewal after from
	up      time.Time // since when the store has answered
	trouble error     // of the last renewal
	cut     bool      // since the last renewal, the store could be reached by others
}

// New returns a share that owns nothing until Run.
func New(o Options) *Share {
	if o.Time == 0 {
		o.Time = DefaultTime
	}
	if o.Member == "" {
		o.Member = memberName()
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Share{o: o}
}

// memberName returns a name for this process that no other one has.
func memberName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	host = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}, host)
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("%s-%d-%s", host[:min(len(host), 150)], os.Getpid(), hex.EncodeToString(random))
}

// Member returns the name of this process in the group.
func (s *Share) Member() string { return s.o.Member }

// Group returns the name of the group.
func (s *Share) Group() string { return s.o.Group }

// elapsed returns the time since then, by the clock that has advanced more: the monotonic one may stop
// with the machine, the other one may be set.
func elapsed(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// valid reports whether the view may be used.
func (s *Share) valid(now time.Time) bool { return s.left(now) > 0 }

// left returns how long the view may still be used: not longer than the lease, unless the store is
// down.
func (s *Share) left(now time.Time) time.Duration {
	if s.view == nil {
		return 0
	}
	left := s.o.Time - s.o.Time/margin - elapsed(s.begun, now)
	if !s.down.IsZero() {
		left = max(left, s.o.Time/outage-elapsed(s.down, now))
	}
	return left
}

// Owner returns which member has a target, by a key of the target; "" if that is not known now. mine
// reports whether it is this process, which may then scrape it.
func (s *Share) Owner(key string) (member string, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.valid(now) {
		return "", false
	}
	member = winner(s.view, key)
	if member != s.o.Member {
		return member, false
	}
	return member, s.owning
}

// winner returns the member with the greatest hash.
func winner(members []string, key string) (member string) {
	var most uint64
	for _, m := range members {
		sum := sha256.Sum256([]byte(m + "\x00" + key))
		if h := binary.BigEndian.Uint64(sum[:]); member == "" || h > most {
			member, most = m, h
		}
	}
	return member
}

// Run holds the lease until ctx ends. The caller must not scrape after that, because the lease is
// released. It is called once.
func (s *Share) Run(ctx context.Context) {
	before := ""
	look := func() {
		if now := s.state(); now != before {
			before = now
			s.o.Changed()
		}
	}
	for ctx.Err() == nil {
		look() // the view may be out of use
		wait := s.renew(ctx)
		look()
		if !sleep(ctx, wait) {
			break
		}
	}
	s.mu.Lock()
	held := s.view != nil
	s.view = nil
	s.mu.Unlock()
	s.o.Changed()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err := s.o.Store.Release(last, s.o.Tenant, s.o.Group, s.o.Member); err != nil && held {
		s.o.Warn(fmt.Errorf("the lease is not released, so others wait until it ends: %w", err))
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// state describes what the answers of Owner depend on.
func (s *Share) state() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	return fmt.Sprint(s.valid(now), s.owning, s.view)
}

// renew renews the lease once, and returns when to do so again.
func (s *Share) renew(ctx context.Context) time.Duration {
	s.mu.Lock()
	begun := time.Now()
	limit := s.o.Time / renewals
	if s.valid(begun) {
		limit = min(limit, s.left(begun))
	}
	s.mu.Unlock()
	within, cancel := context.WithTimeout(ctx, limit)
	leases, err := s.o.Store.Renew(within, s.o.Tenant, s.o.Group, s.o.Member, s.o.Time)
	cancel()
	if ctx.Err() != nil {
		return 0
	}
	s.mu.Lock()
	now := time.Now()
	var news error
	switch {
	case err != nil && s.trouble == nil:
		news = fmt.Errorf("leases of %s cannot be renewed: %w", s.o.Group, err)
	case err == nil && s.trouble != nil:
		news = fmt.Errorf("leases of %s are renewed again", s.o.Group)
	}
	var wait time.Duration
	if err == nil {
		wait = s.renewed(begun, now, leases)
	} else {
		if !s.valid(now) {
			s.view = nil // others may have the targets by now
		}
		s.down = time.Time{}
		if s.cut = s.cut || !errors.Is(err, store.ErrDown); !s.cut {
			s.down = begun // for the others, nothing has changed either
		}
		wait = s.o.Time / retries
		if s.valid(now) { // Changed is called when it no longer is
			wait = min(wait, s.left(now))
		}
	}
	s.trouble = err
	s.mu.Unlock()
	if news != nil {
		s.o.Warn(news)
	}
	return max(wait, time.Millisecond)
}

// renewed takes the answer to a renewal, and returns when to renew next.
func (s *Share) renewed(begun, now time.Time, leases []store.Lease) time.Duration {
	joins := !s.valid(now)
	if joins {
		s.view, s.owning = nil, false
	}
	if !s.owning {
		if joins || s.trouble != nil { // while the store is down, views without this member stay in use
			s.joined, s.from = now, now.Add(s.o.Time/renewals)
		}
		// The second renewal sees others that a replica did not have at the first.
		for _, l := range leases {
			longest := s.o.Time
			if l.Left > longest { // its time is longer, and it has renewed within a third of that
				longest = l.Left * renewals / (renewals - 1)
			}
			if from := s.joined.Add(longest + longest/settle); l.Member != s.o.Member && from.After(s.from) {
				s.from = from
			}
		}
		s.owning = !now.Before(s.from)
	}
	if joins || s.trouble != nil {
		s.up = now
	}
	wait := s.o.Time / renewals
	view := []string{s.o.Member}
	for _, l := range leases {
		switch {
		case l.Member == s.o.Member:
		case l.Alive():
			view = append(view, l.Member)
			wait = min(wait, l.Left) // its targets move as soon as it has ended
		case !s.owning:
			view = append(view, l.Member) // the store may have been down until now
		}
	}
	if back := s.up.Add(s.o.Time).Sub(now); back > 0 {
		// Those whose leases ended while the store was down may be scraping.
		view = append(view, s.view...)
		wait = min(wait, back)
	}
	if joined := s.from.Sub(now); joined > 0 {
		wait = min(wait, joined)
	}
	slices.Sort(view)
	s.view, s.begun, s.down, s.cut = slices.Compact(view), begun, time.Time{}, false
	return wait
}

// Publish stores a document with the lease, for the readers of the store.
func (s *Share) Publish(ctx context.Context, document []byte) error {
	within, cancel := context.WithTimeout(ctx, s.o.Time)
	defer cancel()
	return s.o.Store.Publish(within, s.o.Tenant, s.o.Group, s.o.Member, document)
}
