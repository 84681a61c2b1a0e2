package advice

import (
	"maps"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/trace/contention"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/stacks"
)

// Traces are what execution traces show about waits. The zero value is empty.
type Traces struct {
	requests int
	time     time.Duration // of all requests
	length   time.Duration // of the traces
	waits    []wait
	locks    []contended
	selects  []counted // waits for one of several channels
	syscalls []counted
}

// A counted stack is how often goroutines stopped at a stack.
type counted struct {
	stack []stacks.Frame
	count int64
}

// A wait is what requests wait for at one stack.
type wait struct {
	cause           requests.Cause
	stack           []stacks.Frame
	count, requests int64
	time            time.Duration
}

// A contended lock is the waits for a lock at one stack, released at another one.
type contended struct {
	waiting, waking []stacks.Frame
	count           int64
	time            time.Duration
	meanwhile       []doing
}

// A doing is a wait of goroutines that hold a lock; stack is nil while they run.
type doing struct {
	stack []stacks.Frame
	share float64 // of the longest waits
}

// Add adds a trace, with the waits of its requests. It does not retain the index.
func (t *Traces) Add(x *index.Index, found *requests.Waits) error {
	t.requests += found.Requests
	t.time += found.Time
	t.length += time.Duration(x.Info.Duration)
	for _, w := range found.Waits {
		t.waits = append(t.waits, wait{w.Cause, x.Stack(w.Stack), w.Count, w.Requests, w.Time})
	}
	r, err := contention.Find(x, contention.Options{})
	if err != nil {
		return err
	}
	for _, p := range r.Pairs {
		if p.Kind != contention.Lock || p.Open {
			continue
		}
		c := contended{waiting: x.Stack(p.Waiting), waking: x.Stack(p.Waking), count: p.Count, time: p.Total}
		for _, d := range p.Meanwhile {
			if d.Code == index.Runnable || d.Code == index.Assist || forRuntime(x, d.Code) {
				continue
			}
			c.meanwhile = append(c.meanwhile, doing{x.Stack(d.Stack), d.Share})
		}
		t.locks = append(t.locks, c)
	}
	return t.addCounts(x)
}

// forRuntime reports whether a goroutine in a state waits for the runtime itself, such as the garbage
// collector.
func forRuntime(x *index.Index, code index.Code) bool {
	if code < index.Waiting {
		return false
	}
	reason, _ := index.ReasonOf(x.Code(code))
	return reason == index.OtherReason || reason == index.ForCollector
}

// addCounts counts selects that wait, and system calls.
func (t *Traces) addCounts(x *index.Index) error {
	codes := map[index.Code]bool{}
	selects, syscalls := map[uint32]int64{}, map[uint32]int64{}
	err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if s.Code == index.Syscall && s.Stack > 0 {
			syscalls[s.Stack]++
			return true
		}
		if s.Code < index.Waiting {
			return true
		}
		is, known := codes[s.Code]
		if !known {
			reason, _ := index.ReasonOf(x.Code(s.Code))
			is = reason == index.ForSelect
			codes[s.Code] = is
		}
		if is {
			selects[s.Stack]++
		}
		return true
	})
	list := func(counts map[uint32]int64) (all []counted) {
		for _, stack := range slices.Sorted(maps.Keys(counts)) {
			all = append(all, counted{x.Stack(stack), counts[stack]})
		}
		return all
	}
	t.selects, t.syscalls = append(t.selects, list(selects)...), append(t.syscalls, list(syscalls)...)
	return err
}
