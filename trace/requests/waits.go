package requests

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Wait sums the waits of requests at one stack that goroutines at one other stack ended.
type Wait struct {
	Cause Cause
	Stack uint32 // of the request's goroutine
	// Waking is the stack of the goroutine that ended the waits: for a lock, where it was released.
	// 0 if a timer, the network, or the end of a system call ended them.
	Waking    uint32
	Count     int64
	Requests  int64 // that waited there at least once
	Time, Max time.Duration
}

// Waits sum where the requests of a trace wait.
type Waits struct {
	Requests int
	Time     time.Duration // of all requests
	Times    Times         // the sum is Time
	Waits    []Wait        // by descending time
	Dropped  int           // requests beyond the bound, which are in none of the other figures
}

// Bounds of what is kept during the search for waits: about 100 MB.
const (
	maxFollowed = 4 << 20
	maxWaits    = 100_000
)

// stays of a goroutine in requests, in order.
type stays struct {
	all  []struct{ from, to int64 }
	next int // the first that has not ended
	last map[waitKey]int
}

// first reports whether the current request waits at a place for the first time.
func (s *stays) first(at waitKey) bool {
	if last, ok := s.last[at]; ok && last == s.next {
		return false
	}
	if s.last == nil {
		s.last = map[waitKey]int{}
	}
	s.last[at] = s.next
	return true
}

// inside returns how much of a time belongs to requests. Calls must be in the order of time.
func (s *stays) inside(from, to int64) (took int64) {
	for s.next < len(s.all) && s.all[s.next].to <= from {
		s.next++
	}
	for i := s.next; i < len(s.all) && s.all[i].from < to; i++ {
		took += max(min(to, s.all[i].to)-max(from, s.all[i].from), 0)
	}
	return took
}

type waitKey struct {
	cause         Cause
	stack, waking uint32
}

// WaitsOf sums where the requests of a trace wait, on their own goroutines: for locks, channels,
// the network, system calls, the garbage collector. Time spent waiting for a processor is only in
// Times, because no line causes it.
func WaitsOf(x *index.Index) (*Waits, error) {
	w := &Waits{}
	of := map[uint32]*stays{}
	if _, err := Find(x, Options{Slowest: 1, Each: func(_ string, r *Request) {
		if w.Requests == maxFollowed {
			w.Dropped++
			return
		}
		w.Requests++
		w.Time += r.Latency()
		for c, d := range r.Times {
			w.Times[c] += d
		}
		s := of[r.Goroutine]
		if s == nil {
			s = &stays{}
			of[r.Goroutine] = s
		}
		s.all = append(s.all, struct{ from, to int64 }{r.From, r.To})
	}}); err != nil {
		return nil, err
	}
	for _, s := range of {
		slices.SortFunc(s.all, func(a, b struct{ from, to int64 }) int { return cmp.Compare(a.from, b.from) })
	}
	sums := map[waitKey]*Wait{}
	ps := newPlaces(x)
	add := func(s *index.Span, waking uint32) {
		took := time.Duration(of[s.Goroutine].inside(s.From, s.To))
		cause := causeOf(s.Code, x.Code(s.Code), siteOfSpan(&ps, s))
		if took == 0 || cause == Running || cause == Runnable {
			return
		}
		key := waitKey{cause, s.Stack, waking}
		one := sums[key]
		if one == nil {
			if len(sums) == maxWaits {
				return
			}
			one = &Wait{Cause: cause, Stack: s.Stack, Waking: waking}
			sums[key] = one
		}
		one.Count++
		if of[s.Goroutine].first(key) {
			one.Requests++
		}
		one.Time += took
		one.Max = max(one.Max, took)
	}
	open := map[uint32]index.Span{} // by goroutine: its state, until the next span shows who ended it
	if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if of[s.Goroutine] == nil {
			return true
		}
		if before, ok := open[s.Goroutine]; ok {
			waking := uint32(0)
			if before.Code >= index.Waiting && s.Code == index.Runnable && s.From == before.To && s.With > 0 {
				waking = s.Stack
			}
			add(&before, waking)
		}
		open[s.Goroutine] = s
		return true
	}); err != nil {
		return nil, err
	}
	for _, g := range slices.Sorted(maps.Keys(open)) {
		s := open[g]
		add(&s, 0)
	}
	for _, one := range sums {
		w.Waits = append(w.Waits, *one)
	}
	slices.SortFunc(w.Waits, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Waking, b.Waking),
			cmp.Compare(a.Cause, b.Cause))
	})
	return w, nil
}
