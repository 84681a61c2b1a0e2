package requests

import (
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Cause is what a request's time is spent on.
type Cause uint8

// Causes.
const (
	Running    Cause = iota // on a processor
	Runnable                // waiting for a processor
	Assist                  // on a processor, assisting the garbage collector
	GC                      // waiting for the garbage collector
	Lock                    // waiting for a lock, or a sync.WaitGroup or Cond
	Channel                 // waiting for a channel or select
	Downstream              // waiting for another server, in a client of net/http, net/rpc or gRPC
	Network                 // waiting for the network, except for another server
	Sleep                   // in time.Sleep
	Syscall                 // in system calls
	Other                   // waiting for anything else
	causes
)

// String returns the name of the cause, as reports and JSON have it.
func (c Cause) String() string {
	return [causes]string{
		"running", "runnable", "GC assist", "waiting for GC", "lock", "channel", "downstream", "network", "sleep", "syscall",
		"other",
	}[c]
}

// Causes is the number of causes.
const Causes = int(causes)

// A site is what a stack shows about a server's goroutine.
type site struct {
	between    bool // waiting for the next request, or reading its head
	handshake  bool // in a TLS handshake, before that
	idle       bool // a worker waiting for a request or a connection
	stops      bool // waiting for the background read to stop, after an answer
	serves     bool // inside a function that answers requests
	switched   bool // the connection continues in another protocol, whose requests others answer
	downstream bool // in a client of another server
	connection bool // waiting for the client's connection, or for the goroutines that read and write it
	collector  bool // in the garbage collector
	runtime    bool // waiting for the runtime itself, not on behalf of package sync
	profiling  bool // in a handler of profiles
	handler
}

// childDepth makes whatever a goroutine does for another one deeper than that one's own calls.
const childDepth = 1 << 16

// siteOf analyzes a stack, leaf first.
func (p *program) siteOf(stack []stacks.Frame) site {
	var at site
	calls, rpc, fast := false, false, false // in a server of net/rpc, which calls a method next; of gRPC; of fasthttp
	for i := len(stack) - 1; i >= 0; i-- {
		name := stack[i].Func
		switch {
		case strings.HasPrefix(name, "net/http.(*connReader).abortPendingRead"):
			at.stops = !at.serves
			at.connection = true
		case name == httpConn, isFast(name):
			at.between, at.idle, fast = true, false, name != httpConn
		case name == "crypto/tls.(*Conn).HandshakeContext":
			at.handshake = at.between
		case name == streamWorker, strings.HasPrefix(name, "github.com/valyala/fasthttp.(*workerPool).workerFunc"):
			at.idle = true
		case name == "google.golang.org/grpc.(*Server).handleStream":
			at.idle, at.serves = false, true
		case isClient(name):
			at.downstream = true
		case isConnection(name):
			at.connection = true
		case name == "net/http.(*response).finishRequest":
			at.between = false
		case name == "golang.org/x/net/http2.(*Server).ServeConn":
			at.switched = at.serves
		case isServer(name), isServeHTTP(name) && strings.HasPrefix(name, "net/http."):
			at.between, at.serves = false, true
		case name == "net/rpc.(*service).call":
			calls = true
		case strings.HasPrefix(name, "google.golang.org/grpc.(*Server).process"):
			rpc, at.serves = true, true
		case calls && !strings.HasPrefix(name, "reflect.") && !goruntime.In(name):
			if calls = false; !strings.HasPrefix(name, "net/rpc.") {
				at.handler = handler{name, len(stack) - i}
			}
		case fast && !isOfServer(name) && !goruntime.Standard(name):
			at.between, at.serves = false, true
		}
	}
	switch {
	case rpc:
		at.handler = p.called(stack)
	case at.serves:
		at.handler = p.handler(stack)
		if stack[len(stack)-1].Func == timeoutChild {
			at.depth += childDepth
		}
	}
	at.collector, at.runtime = ofRuntime(stack)
	return at
}

// ofRuntime reports whether a goroutine that waits for a semaphore does so for the garbage
// collector, or otherwise for the runtime itself rather than on behalf of package sync.
func ofRuntime(stack []stacks.Frame) (collector, own bool) {
	i := 0
	for ; i < len(stack) && goruntime.In(stack[i].Func); i++ {
		collector = collector || goruntime.ForCollector(stack[i].Func)
	}
	if i == 0 || i == len(stack) {
		return collector, i > 0
	}
	return collector, !goruntime.Sync(stack[i].Func)
}

// isConnection reports whether a function waits for a client of HTTP/2 or gRPC, or for the
// goroutines that read and write its connection: for a body to read, or for capacity to write.
func isConnection(name string) bool {
	for _, prefix := range []string{"net/http.(*http2", "golang.org/x/net/http2.(*", "net/http/internal/http2.(*"} {
		switch rest, ok := strings.CutPrefix(name, prefix); {
		case !ok:
		case rest == "pipe).Read", strings.HasPrefix(rest, "serverConn).noteBodyRead"),
			strings.HasPrefix(rest, "serverConn).sendServeMsg"),
			strings.HasPrefix(rest, "serverConn).write") && strings.HasSuffix(rest, "FromHandler"):
			return true
		}
	}
	switch rest, ok := strings.CutPrefix(name, "google.golang.org/grpc/internal/transport."); {
	case !ok:
		return false
	default:
		return strings.HasPrefix(rest, "(*recvBufferReader).read") || strings.HasPrefix(rest, "(*writeQuota).") ||
			strings.HasPrefix(rest, "(*controlBuffer).throttle")
	}
}

// isClient reports whether a function waits for the answer of another server, or reads it: for its
// caller, or on a client's goroutine for the connection.
func isClient(name string) bool {
	switch name {
	case "net/http.(*http2ClientConn).RoundTrip", "net/http.(*http2ClientConn).readLoop",
		"net/http.http2transportResponseBody.Read",
		// since Go 1.27
		"net/http/internal/http2.(*ClientConn).RoundTrip", "net/http/internal/http2.(*ClientConn).readLoop",
		"net/http/internal/http2.transportResponseBody.Read",
		"golang.org/x/net/http2.(*ClientConn).RoundTrip", "golang.org/x/net/http2.(*ClientConn).readLoop",
		"golang.org/x/net/http2.transportResponseBody.Read",
		"net/http.(*persistConn).readLoop", "net/http.(*persistConn).writeLoop", "net/http.(*bodyEOFSignal).Read",
		"net/http.(*Transport).dialConnFor",
		"net/rpc.(*Client).Call", "net/rpc.(*Client).input", "google.golang.org/grpc.(*ClientConn).Invoke",
		"google.golang.org/grpc.(*clientStream).RecvMsg":
		return true
	}
	return strings.HasPrefix(name, "net/http.(*Transport).roundTrip")
}

// isClosure reports whether a function is a function literal: main.timed.func1, or
// main.main.timed.1 if it was inlined.
func isClosure(name string) bool {
	last := strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "func")
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// mayHandle reports whether a function may be a handler. Few of the standard library are; net/http
// or a handler's closure calls others too.
func mayHandle(name string) bool {
	return !goruntime.Standard(name) ||
		strings.HasPrefix(name, "net/http/") && !strings.HasPrefix(name, "net/http/internal") ||
		strings.HasPrefix(name, "expvar.")
}

// sites caches the analysis of stacks.
type sites struct {
	x       *index.Index
	program *program
	known   map[uint32]site // by stack
}

func newPlaces(x *index.Index) sites {
	ps := sites{x: x, program: newProgram(x.Frames(), x.Branches()), known: map[uint32]site{}}
	for n := range x.Stacks() {
		ps.program.note(x.Stack(uint32(n) + 1))
	}
	for n := range x.Stacks() {
		ps.of(uint32(n) + 1)
	}
	return ps
}

func (ps *sites) of(stack uint32) site {
	at, ok := ps.known[stack]
	if !ok {
		at = ps.program.siteOf(ps.x.Stack(stack))
		at.profiling = isProfiling(ps.x.Stack(stack))
		ps.known[stack] = at
	}
	return at
}

// class returns the name of the class for requests of a handler; "" if none.
func (ps *sites) class(h handler) string {
	if ps.program.passing[h.name] {
		return h.name + orCalled
	}
	return h.name
}

// causeOf returns what a span is spent on. reason is the name of its code.
func causeOf(code index.Code, reason string, p site) Cause {
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
	r, _ := index.ReasonOf(reason)
	switch {
	case r == index.ForCollector, r == index.ForSync && p.collector:
		return GC
	case p.downstream:
		return Downstream
	case r == index.ForNetwork, p.connection && r != index.ForSleep && r != index.ForSync:
		return Network
	case r == index.ForSend, r == index.ForReceive, r == index.ForSelect:
		return Channel
	case r == index.ForSleep:
		return Sleep
	case r == index.ForCond, r == index.ForSync && !p.runtime:
		return Lock
	}
	return Other
}
