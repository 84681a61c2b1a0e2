package contention

import (
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/stacks"
)

// A wait is idle if the goroutine waits for new work, so that a shorter wait would gain nothing:
//
//   - it was not ended by a goroutine, but by a timer, the network, or the end of the trace;
//   - or it is at a resting place, such as the loop of a worker. That is a receive, a select or a
//     sync.Cond's Wait at most three calls below the function in which the goroutine starts,
//     outside handlers of net/http, if the goroutines that run the same function and wait there
//     spend more than half of their life at such places.
//
// Other idle waits are those for the runtime's own locks, which are held for the garbage collector;
// net/http's wait for its background read to end, after each answer; and whet's agent waiting for
// requests. Any other wait for a lock, for a WaitGroup or to send is not idle. Neither is a wait of
// the main goroutine, or for a goroutine that the waiting one has started: these wait for work to
// finish. The exception is a main goroutine that waits forever, often in a select without cases:
// that is idle.
//
// In a trace, a client that waits for one answer after the other looks like a worker without work.
// A client whose goroutine does nothing else is therefore treated as a worker, and its waits as
// idle; Options.Idle includes them.

// nearStart is the largest number of calls between a resting place and the start of its goroutine.
const nearStart = 3

// A site is what the stack of a wait shows.
type site struct {
	near    bool   // near the goroutine's start, and in no handler
	group   bool   // in a WaitGroup
	client  bool   // for data from a connection: in net/http's client, or for a body of HTTP/2
	runtime bool   // for the runtime itself
	meant   bool   // a wait that is idle by design: see above
	start   string // the outermost function after those that start goroutines
	back    int64  // waits of goroutines that were here at their last wait near their start
}

// A group is the goroutines that run one function and have waited near their start.
type group struct{ life, rest int64 }

func (f *analysis) site(stack uint32) *site {
	p := f.sites[stack]
	if p == nil {
		p = siteOf(f.x.Stack(stack))
		f.sites[stack] = p
	}
	return p
}

func siteOf(stack []stacks.Frame) *site {
	p := &site{}
	calls, handler := 0, false
	for _, frame := range stack {
		switch name := frame.Func; {
		case name == "sync.(*WaitGroup).Wait":
			p.group = true
		case strings.HasPrefix(name, "net/http.(*persistConn).roundTrip"),
			strings.HasPrefix(name, "net/http.(*Transport).getConn"),
			strings.HasSuffix(name, "http2ClientConn).RoundTrip"), strings.HasSuffix(name, "http2.(*ClientConn).RoundTrip"),
			strings.HasPrefix(name, "net/http.(*http2ClientConn).roundTrip"),
			strings.HasPrefix(name, "golang.org/x/net/http2.(*ClientConn).roundTrip"),
			strings.HasPrefix(name, "net/http/internal/http2.(*ClientConn).roundTrip"):
			p.client = true
		case name == "net/http.serverHandler.ServeHTTP":
			handler = true
		case strings.HasSuffix(name, "http2.(*pipe).Read"), name == "net/http.(*http2pipe).Read":
			p.client = true // it reads a body
		case name == "github.com/whet-go/whet/agent.(*slowRequests).serve", name == "net/http.(*connReader).abortPendingRead":
			p.meant = true
		}
		if !isPlumbing(frame.Func) {
			calls++
			p.start = frame.Func
		}
	}
	if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return !goruntime.In(f.Func) }); i >= 0 {
		p.runtime = !isPlumbing(stack[i].Func) // the runtime itself waits if the caller is not package sync
	}
	p.near = len(stack) > 0 && calls <= nearStart && !handler
	return p
}

// mayRest reports whether a wait is of a kind that can be idle.
func (f *analysis) mayRest(k Kind, waiting uint32) bool {
	return (k == Receive || k == Select || k == Cond) && f.site(waiting).near
}

// rest counts a wait that may be at a resting place. How it ended does not matter.
func (f *analysis) rest(w *wait, took int64) {
	if !f.mayRest(w.kind, w.waiting) {
		return
	}
	p := f.site(w.waiting)
	all := f.groups[p.start]
	if all == nil {
		all = &group{}
		f.groups[p.start] = all
	}
	switch f.lastAt[w.goroutine] {
	case 0:
		all.life += f.life[w.goroutine]
	case w.waiting:
		p.back++
	}
	f.lastAt[w.goroutine] = w.waiting
	all.rest += took
}

// unwoken reports whether the waits of a key are idle because no goroutine ended them.
func unwoken(k key) bool {
	switch k.kind {
	case Receive, Select, Cond:
		return k.waking == 0
	case WaitGroup:
		return k.open
	case Runtime:
		return true
	default: // a goroutine that waits for a lock or to send is blocked; waits for the network were requested
		return false
	}
}

// rested reports whether the waits of a key are at a resting place.
func (f *analysis) rested(k key) bool {
	p, at := f.pairs[k], f.site(k.waiting)
	if at.meant {
		return true
	}
	if !f.mayRest(k.kind, k.waiting) || at.back == 0 || p.Waiter == goruntime.Main {
		return false
	}
	for _, w := range p.Longest {
		if w.Waker > 0 && f.parent[w.Waker-1] == w.Goroutine+1 {
			return false // it has started the goroutine that it waits for
		}
	}
	all := f.groups[at.start]
	return 2*all.rest > all.life
}

// isPlumbing reports whether a function only carries out a wait, or starts a goroutine.
func isPlumbing(name string) bool {
	return goruntime.In(name) || goruntime.Sync(name) || strings.HasPrefix(name, "golang.org/x/sync/errgroup.")
}
