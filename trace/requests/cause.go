package requests

import (
	"strings"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Cause is what a request's time goes to.
type Cause uint8

// Causes.
const (
	Running    Cause = iota // on a processor
	Runnable                // waiting for a processor
	Assist                  // on a processor, for the garbage collector
	GC                      // waiting for the garbage collector
	Lock                    // waiting for a lock, or a sync.WaitGroup or Cond
	Channel                 // waiting for a channel or select
	Downstream              // waiting for the answer of another server, in net/http's client
	Network                 // waiting for the network otherwise
	Sleep                   // in time.Sleep
	Syscall                 // in system calls
	Other                   // waiting for anything else
	causes
)

func (c Cause) String() string {
	return [causes]string{
		"running", "runnable", "GC assist", "waiting for GC", "lock", "channel", "downstream", "network", "sleep", "syscall", "other",
	}[c]
}

// Causes is how many causes there are.
const Causes = int(causes)

// A place is what a stack tells of a server's goroutine.
type place struct {
	between    bool   // it waits for the next request, or reads its head
	stops      bool   // it waits for the background read to stop, behind an answer
	downstream bool   // in a client of net/http
	handler    string // the function that answers, "" when the stack is not inside of one
}

// placeOf reads a stack, leaf first.
func placeOf(stack []stacks.Frame) place {
	var p place
	serves := false
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		switch {
		case strings.HasPrefix(name, "net/http.(*connReader).abortPendingRead"):
			p.stops = true
		case name == "net/http.(*conn).serve":
			p.between = true
		case strings.HasPrefix(name, "net/http.(*Transport).roundTrip"), name == "net/http.(*http2ClientConn).RoundTrip", name == "golang.org/x/net/http2.(*ClientConn).RoundTrip":
			p.downstream = true
		case name == "net/http.serverHandler.ServeHTTP":
			p.between, serves = false, true
		case strings.HasSuffix(name, ".ServeHTTP") && strings.HasPrefix(name, "net/http."):
			p.between = false
			serves = true // a handler of net/http's own: whom it calls is closer
		case serves:
			// The first function that such a handler calls, unless it is net/http's. A closure may
			// be a handler around another one, which is what is wanted, or have a helper.
			if !strings.HasPrefix(name, "net/http.") {
				if p.handler == "" || !isStandard(name) {
					p.handler = name
				}
				serves = isClosure(name)
			}
		case name == "net/http.(*response).finishRequest":
			p.between = false
		}
	}
	return p
}

// isClosure tells whether a function is a literal in another one: main.timed.func1.
func isClosure(name string) bool {
	i := strings.LastIndex(name, ".func")
	return i >= 0 && strings.Trim(name[i+len(".func"):], "0123456789.") == ""
}

// isStandard tells whether a function is of the standard library: its package's path has no dot before
// the first slash, and is not main.
func isStandard(name string) bool {
	first, _, slash := strings.Cut(name, "/")
	if !slash {
		first, _, _ = strings.Cut(name, ".")
	}
	return !strings.Contains(first, ".") && first != "main"
}

// causeOf is what a span is spent on. reasons are the names of codes.
func causeOf(code index.Code, reason string, p place) Cause {
	switch code {
	case index.Running:
		return Running
	case index.Assist:
		return Assist
	case index.Runnable:
		return Runnable
	case index.Syscall, index.SyscallBlocked:
		return Syscall
	case index.Unknown, index.Waiting:
	}
	switch {
	case p.downstream:
		return Downstream
	case reason == "network":
		return Network
	case strings.Contains(reason, "chan"), strings.Contains(reason, "select"):
		return Channel
	case reason == "sleep":
		return Sleep
	case strings.Contains(reason, "GC"):
		return GC
	case strings.Contains(reason, "sync"):
		return Lock
	}
	return Other
}
