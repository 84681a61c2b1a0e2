package contention

import (
	"slices"
	"strings"

	"github.com/whet-go/whet/trace/stacks"
)

// A wait is idle when the goroutine waits to be given something to do, so that nothing would be gained
// if it were shorter:
//
//   - no goroutine ended it, but a timer, the network, or the trace's end;
//   - or it is at a place of rest. That is a receive, a select or a sync.Cond's Wait at most three calls
//     away from where the goroutine starts, outside of a handler of net/http, where goroutines come back
//     to; and the goroutines that do so and run the same function spend more than half of their life at
//     such places. The loop of a worker is one.
//
// The same goes for the runtime's own locks, which are held for the garbage collector; for net/http's wait
// for its background read to end, behind each answer; and for whet's agent while it is asked for what is
// yet to come. Waiting for a lock, a WaitGroup or to send is never idle otherwise, nor is what the main
// goroutine waits for, or what a goroutine waits for that it has started itself: these wait for work to be
// finished. Only of the main goroutine, which often ends in a select without cases, waiting forever is idle.
//
// The worker that is starved and the client that waits for each answer in turn look alike in a trace; a
// client whose goroutine does nothing else is taken for a worker. Options.Idle shows it.

// nearStart is how many calls a place of rest may be away from where its goroutine starts.
const nearStart = 3

// mainKind is the function that the main goroutine runs.
const mainKind = "runtime.main"

// A place is what a stack of a wait tells.
type place struct {
	near    bool   // near the goroutine's start, and in no handler
	group   bool   // in a WaitGroup
	client  bool   // for what comes over a connection: in net/http's client, or a body of HTTP/2
	runtime bool   // for something of the runtime's own
	meant   bool   // to be waited at: see above
	start   string // the outermost function that is not of what starts goroutines
	back    int64  // waits of goroutines that were here when they last waited near their start
}

// A group is the goroutines that run one function and have waited near their start.
type group struct{ life, rest int64 }

func (f *finder) place(stack uint32) *place {
	p := f.places[stack]
	if p == nil {
		p = placeOf(f.x.Stack(stack))
		f.places[stack] = p
	}
	return p
}

func placeOf(stack []stacks.Frame) *place {
	p := &place{}
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
	if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return !strings.HasPrefix(f.Func, "runtime.") }); i >= 0 {
		p.runtime = !isPlumbing(stack[i].Func) // the runtime waits where something else than package sync calls it
	}
	p.near = len(stack) > 0 && calls <= nearStart && !handler
	return p
}

// mayRest reports whether a wait is of those that can be idle.
func (f *finder) mayRest(k Kind, waiting uint32) bool {
	return (k == Receive || k == Select || k == Cond) && f.place(waiting).near
}

// rest counts a wait that may be at a place of rest. How it ended does not matter.
func (f *finder) rest(w *wait, took int64) {
	if !f.mayRest(w.kind, w.waiting) {
		return
	}
	p := f.place(w.waiting)
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

// nobodys reports whether no goroutine ended the waits of a key, where that means that they are idle.
func nobodys(k key) bool {
	switch k.kind {
	case Receive, Select, Cond:
		return k.waking == 0
	case WaitGroup:
		return k.open
	case Runtime:
		return true
	default: // who waits for a lock or to send is held up; the network was asked for
		return false
	}
}

// rested reports whether the waits of a key are at a place of rest.
func (f *finder) rested(k key) bool {
	p, at := f.pairs[k], f.place(k.waiting)
	if at.meant {
		return true
	}
	if !f.mayRest(k.kind, k.waiting) || at.back == 0 || p.Waiter == mainKind {
		return false
	}
	for _, w := range p.Longest {
		if w.Waker > 0 && f.parent[w.Waker-1] == w.Goroutine+1 {
			return false // it has started whom it waits for
		}
	}
	all := f.groups[at.start]
	return 2*all.rest > all.life
}

// isStandard reports whether a function is of the standard library: its package's path has no dot before
// the first slash, and is not main.
func isStandard(name string) bool {
	first, _, slash := strings.Cut(name, "/")
	if !slash {
		first, _, _ = strings.Cut(name, ".")
	}
	return !strings.Contains(first, ".") && first != "main"
}

// isPlumbing reports whether a function only carries out a wait, or starts a goroutine.
func isPlumbing(name string) bool {
	for _, prefix := range []string{
		"runtime.", "internal/runtime/", "sync.", "internal/sync.", "internal/poll.",
		"golang.org/x/sync/errgroup.",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
