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
	Downstream              // waiting for another server, in a client of net/http, net/rpc or gRPC
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
	handshake  bool   // it does not do so yet: it agrees with the client about TLS
	stops      bool   // it waits for the background read to stop, behind an answer
	downstream bool   // in a client of another server
	handler    string // the function that answers, "" when the stack is not inside of one
}

// A site is where a closure that serves calls another function.
type site struct {
	closure string
	line    int
}

// sites tell, of each site, which function it calls; "" when there are several: what is called there is
// a value, as the handler that a middleware is around.
type sites map[site]string

// passes tells whether a site hands the request on. Of others, what they call is a helper, or the one
// handler that the closure is around.
func (s sites) passes(at site) bool {
	callee, known := s[at]
	return known && callee == ""
}

// note adds the sites of a stack.
func (s sites) note(stack []stacks.Frame) {
	placeOf(stack, func(at site, callee string) bool {
		if known, ok := s[at]; !mayHandle(callee) {
			return true // an argument, on the same line
		} else if !ok {
			s[at] = callee
		} else if known != callee {
			s[at] = ""
		}
		return true
	})
}

// placeOf reads a stack, leaf first. passes tells whether what a closure calls may be the handler.
func placeOf(stack []stacks.Frame, passes func(at site, callee string) bool) place {
	var p place
	serves := false           // the next function may be the handler
	var closure *stacks.Frame // that is called before it, nil: none
	calls := false            // so may the next one, in a server of calls, perhaps by reflection
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		switch {
		case strings.HasPrefix(name, "net/http.(*connReader).abortPendingRead"):
			p.stops = true
		case name == "net/http.(*conn).serve":
			p.between = true
		case name == "crypto/tls.(*Conn).HandshakeContext":
			p.handshake = p.between
		case isClient(name):
			p.downstream = true
		case name == "net/http.serverHandler.ServeHTTP":
			p.between, serves = false, true
		case strings.HasSuffix(name, ".ServeHTTP") && strings.HasPrefix(name, "net/http."):
			p.between = false
			serves, closure = true, nil // a handler of net/http's own: whom it calls is closer
		case serves:
			// The first function that such a handler calls, unless it is net/http's. A closure may
			// be a handler around another one, which is what is wanted, or have a helper.
			if strings.HasPrefix(name, "net/http.") {
				continue
			}
			if serves = closure == nil || strings.HasSuffix(name, ".ServeHTTP") || passes(site{closure.Func, closure.Line}, name); !serves {
				continue
			}
			if mayHandle(name) {
				p.handler = name
			}
			serves, closure = isClosure(name), &stack[i]
		case name == "net/http.(*response).finishRequest":
			p.between = false
		case name == "net/rpc.(*service).call", strings.HasPrefix(name, "google.golang.org/grpc.(*Server).process"):
			calls = true
		case calls && !strings.HasPrefix(name, "reflect.") && !strings.HasPrefix(name, "runtime."):
			if calls = false; !strings.HasPrefix(name, "net/rpc.") && !strings.HasPrefix(name, "google.golang.org/grpc.") {
				p.handler = name
			}
		}
	}
	return p
}

// isClient tells whether a function waits for the answer of another server, or reads it: for its caller,
// or on a goroutine that a client has for its connection.
func isClient(name string) bool {
	switch name {
	case "net/http.(*http2ClientConn).RoundTrip", "net/http.(*http2ClientConn).readLoop", "net/http.http2transportResponseBody.Read",
		"golang.org/x/net/http2.(*ClientConn).RoundTrip", "golang.org/x/net/http2.(*ClientConn).readLoop", "golang.org/x/net/http2.transportResponseBody.Read",
		"net/http.(*persistConn).readLoop", "net/http.(*persistConn).writeLoop", "net/http.(*bodyEOFSignal).Read", "net/http.(*Transport).dialConnFor",
		"net/rpc.(*Client).Call", "net/rpc.(*Client).input", "google.golang.org/grpc.(*ClientConn).Invoke", "google.golang.org/grpc.(*clientStream).RecvMsg":
		return true
	}
	return strings.HasPrefix(name, "net/http.(*Transport).roundTrip")
}

// isClosure tells whether a function is a literal in another one: main.timed.func1, or
// main.main.timed.1 when that was inlined.
func isClosure(name string) bool {
	last := strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "func")
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// mayHandle tells whether a function may be a handler. Of the standard library few are; others are what
// net/http calls besides, or a handler's closure does.
func mayHandle(name string) bool {
	return !isStandard(name) || strings.HasPrefix(name, "net/http/") || strings.HasPrefix(name, "expvar.")
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

// places remembers what stacks tell.
type places struct {
	x     *index.Index
	sites sites
	known map[uint32]place // by stack
}

func newPlaces(x *index.Index) places {
	ps := places{x: x, sites: sites{}, known: map[uint32]place{}}
	for n := range x.Stacks() {
		ps.sites.note(x.Stack(uint32(n) + 1))
	}
	return ps
}

func (ps *places) of(stack uint32) place {
	p, ok := ps.known[stack]
	if !ok {
		p = placeOf(ps.x.Stack(stack), func(at site, _ string) bool { return ps.sites.passes(at) })
		ps.known[stack] = p
	}
	return p
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
	case strings.Contains(reason, "GC"), reason == "preempted": // to scan its stack
		return GC
	case strings.Contains(reason, "sync"):
		return Lock
	}
	return Other
}
