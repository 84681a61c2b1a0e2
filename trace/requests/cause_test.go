package requests

import (
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// stackOf returns a stack of functions, given outermost first; "@" and the module follow a function
// that is not own code.
func stackOf(names ...string) (stack []stacks.Frame) {
	for _, name := range slices.Backward(names) {
		f := stacks.Frame{Func: name, File: "shop/main.go"}
		if name, module, ok := strings.Cut(name, "@"); ok {
			f.Func, f.File = name, module+"@v1.2.3/file.go"
		}
		stack = append(stack, f)
	}
	return stack
}

// TestPlaceOf analyzes stacks, given outermost frame first.
func TestPlaceOf(t *testing.T) {
	t.Parallel()
	const conn, serve = "net/http.(*conn).serve", "net/http.serverHandler.ServeHTTP"
	for _, test := range []struct {
		name  string
		stack []string
		want  site
	}{
		{"the next request", []string{conn, "net/http.(*conn).readRequest", "net.(*conn).Read"}, site{between: true}},
		{
			"a handshake",
			[]string{conn, "crypto/tls.(*Conn).HandshakeContext", "net.(*conn).Read"},
			site{between: true, handshake: true},
		},
		{
			"behind an answer",
			[]string{conn, "net/http.(*response).finishRequest", "net/http.(*connReader).abortPendingRead"},
			site{stops: true, connection: true},
		},
		{
			"a handler",
			[]string{
				conn, serve, "net/http.(*ServeMux).ServeHTTP", "net/http.HandlerFunc.ServeHTTP", "main.hello", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"a wrapped handler",
			[]string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.main.timed.func1", "main.hello", "time.Sleep"},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"an inlined wrapper",
			[]string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.main.timed.1", "main.hello"},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"no handler yet",
			[]string{conn, serve, "net/http.(*ServeMux).ServeHTTP", "runtime.growslice"},
			site{serves: true, runtime: true},
		},
		{
			"a handler of the library",
			[]string{
				conn, serve, "net/http.(*ServeMux).ServeHTTP", "net/http.HandlerFunc.ServeHTTP", "net/http/pprof.Trace",
				"time.Sleep",
			},
			site{serves: true, handler: handler{name: "net/http/pprof.Trace"}},
		},
		{
			"a wrapper that sleeps",
			[]string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.timed.func1", "time.Sleep"},
			site{serves: true, handler: handler{name: "main.timed.func1"}},
		},
		{
			"a client",
			[]string{
				conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.ask", "net/http.(*Client).Do",
				"net/http.(*Transport).roundTrip", "net/http.(*persistConn).roundTrip",
			},
			site{serves: true, handler: handler{name: "main.ask"}, downstream: true},
		},
		{
			"a client's connection",
			[]string{"net/http.(*persistConn).readLoop", "bufio.(*Reader).Peek"},
			site{downstream: true},
		},
		{
			"an answer's body",
			[]string{
				conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.ask", "io.ReadAll", "net/http.(*bodyEOFSignal).Read",
				"net/http.(*persistConn).Read",
			},
			site{serves: true, handler: handler{name: "main.ask"}, downstream: true},
		},
		{
			"HTTP/2",
			[]string{"net/http.(*http2serverConn).runHandler", serve, "net/http.HandlerFunc.ServeHTTP", "main.hello"},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"a call",
			[]string{"net/rpc.(*service).call", "reflect.Value.Call", "reflect.Value.call", "main.Math.Add", "time.Sleep"},
			site{handler: handler{name: "main.Math.Add"}},
		},
		{
			"a call's answer",
			[]string{"net/rpc.(*service).call", "net/rpc.(*Server).sendResponse", "bufio.(*Writer).Flush"},
			site{},
		},
		{
			"gRPC",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).handleStream",
				"google.golang.org/grpc.(*Server).processUnaryRPC", "example.com/pb._Greeter_Hello_Handler",
				"main.(*greeter).Hello", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.(*greeter).Hello"}},
		},
		{
			"gRPC's answer",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).processUnaryRPC",
				"google.golang.org/grpc.(*Server).sendResponse", "google.golang.org/grpc/internal/transport.(*http2Server).Write",
			},
			site{serves: true},
		},
		{
			"a gRPC client",
			[]string{
				"main.ask", "google.golang.org/grpc.(*ClientConn).Invoke",
				"google.golang.org/grpc/internal/transport.(*Stream).waitOnHeader",
			},
			site{downstream: true},
		},
		{
			"gRPC 1.85",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).handleStream",
				"google.golang.org/grpc.(*Server).processRPC",
				"google.golang.org/grpc.(*Server).register.(*Server).wrapUnaryHandler.func1",
				"example.com/pb._Greeter_Hello_Handler",
				"google.golang.org/grpc.NewServer.chainUnaryServerInterceptors.chainUnaryInterceptors.func1", "main.logged",
				"google.golang.org/grpc.getChainUnaryHandler.func1", "main.checked",
				"example.com/pb._Greeter_Hello_Handler.func1", "main.(*greeter).Hello", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.(*greeter).Hello"}},
		},
		{
			"gRPC 1.85's answer",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).handleStream",
				"google.golang.org/grpc.(*Server).processRPC",
				"google.golang.org/grpc/internal/transport.(*ServerStream).WriteStatus",
				"google.golang.org/grpc/internal/transport.(*controlBuffer).executeAndPut", "runtime.selectnbsend",
			},
			site{serves: true, runtime: true},
		},
		{
			"gRPC decodes",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).processRPC",
				"example.com/pb._Greeter_Hello_Handler",
				"google.golang.org/grpc.(*serverStream).RecvMsg",
				"google.golang.org/grpc/internal/transport.(*recvBufferReader).read", "runtime.selectgo",
			},
			site{serves: true, connection: true, runtime: true, handler: handler{name: "main.(*greeter).Hello"}},
		},
		{"a worker of gRPC", []string{streamWorker, "runtime.chanrecv2"}, site{idle: true, runtime: true}},
		{
			"a router",
			[]string{
				conn, serve, "x.org/gin.(*Engine).ServeHTTP@x.org/gin", "x.org/gin.(*Context).Next@x.org/gin",
				"main.logged", "x.org/gin.(*Context).Next@x.org/gin", "main.hello", "main.query", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"a router's helper",
			[]string{
				conn, serve, "x.org/gin.(*Engine).ServeHTTP@x.org/gin", "x.org/gin.(*Context).Next@x.org/gin", "main.hello",
				"x.org/gin.(*Context).Render@x.org/gin", "main.page.Render", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"what a router's middleware calls",
			[]string{
				conn, serve, "main.main.timed.1", "x.org/echo.(*Echo).ServeHTTP@x.org/echo",
				"main.main.Recover.func1@x.org/echo", "main.logged.func1", "x.org/echo.(*Echo).add.func1@x.org/echo",
				"main.hello",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"a library's callback",
			[]string{
				conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.hello", "x.org/db.(*DB).Do.func1@x.org/db",
				"main.(*user).BeforeSave", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"a part of the handler",
			[]string{
				conn, serve, "x.org/gin.(*Engine).ServeHTTP@x.org/gin", "main.hello", "x.org/gin.(*Context).Next@x.org/gin",
				"main.hello.func1", "time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"the standard library calls back",
			[]string{conn, serve, "x.org/gin.(*Engine).ServeHTTP@x.org/gin", "encoding/json.Marshal", "main.T.MarshalJSON"},
			site{serves: true, handler: handler{name: "x.org/gin.(*Engine).ServeHTTP"}},
		},
		{
			"a deadline",
			[]string{
				timeoutChild, "net/http.(*ServeMux).ServeHTTP", "net/http.HandlerFunc.ServeHTTP", "main.hello",
				"time.Sleep",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"waiting for the deadline's handler",
			[]string{conn, serve, "net/http.(*timeoutHandler).ServeHTTP", "runtime.selectgo"},
			site{serves: true, runtime: true},
		},
		{
			"a panic",
			[]string{
				conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.hello", "runtime.gopanic", conn + ".func1",
				"net/http.(*connReader).abortPendingRead", "sync.(*Cond).Wait",
			},
			site{serves: true, connection: true, handler: handler{name: "main.hello"}},
		},
		{
			"a hijack",
			[]string{
				conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.hello", "net/http.(*response).Hijack",
				"net/http.(*connReader).abortPendingRead", "sync.(*Cond).Wait",
			},
			site{serves: true, connection: true, handler: handler{name: "main.hello"}},
		},
		{
			"a body of HTTP/2",
			[]string{
				"net/http/internal/http2.(*serverConn).runHandler", "net/http.http2Handler.ServeHTTP", serve,
				"net/http.HandlerFunc.ServeHTTP", "main.hello", "net/http/internal/http2.(*requestBody).Read",
				"net/http/internal/http2.(*pipe).Read", "sync.(*Cond).Wait",
			},
			site{serves: true, connection: true, handler: handler{name: "main.hello"}},
		},
		{
			"HTTP/2 without TLS",
			[]string{
				conn, serve, "x.org/h2c.h2cHandler.ServeHTTP@x.org/h2c", "golang.org/x/net/http2.(*Server).ServeConn",
				"golang.org/x/net/http2.(*serverConn).serve", "runtime.selectgo",
			},
			site{serves: true, switched: true, runtime: true, handler: handler{name: "x.org/h2c.h2cHandler.ServeHTTP"}},
		},
		{
			"fasthttp",
			[]string{
				"github.com/valyala/fasthttp.(*workerPool).workerFunc", "github.com/valyala/fasthttp.(*Server).serveConn",
				"x.org/fiber.(*App).handler@x.org/fiber", "main.hello",
			},
			site{serves: true, handler: handler{name: "main.hello"}},
		},
		{
			"fasthttp's next request",
			[]string{
				"github.com/valyala/fasthttp.(*workerPool).workerFunc", "github.com/valyala/fasthttp.(*Server).serveConn",
				"bufio.(*Reader).Peek", "net.(*conn).Read",
			},
			site{between: true},
		},
		{
			"the collector",
			[]string{
				conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.hello", "runtime.mallocgc", "runtime.gcAssistAlloc",
				"runtime.gcMarkDone",
			},
			site{serves: true, collector: true, runtime: true, handler: handler{name: "main.hello"}},
		},
		{"nothing", nil, site{}},
	} {
		stack := stackOf(test.stack...)
		program := newProgram(stack, stackOf("main.main.timed.func1", "main.main.timed.1"))
		for _, seen := range [][]stacks.Frame{
			stack,
			stackOf(conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.main.timed.func1", "main.bye"),
			stackOf(conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.main.timed.1", "main.bye"),
			stackOf("example.com/pb._Greeter_Hello_Handler", "main.(*greeter).Hello"),
		} {
			program.note(seen)
		}
		got := program.siteOf(stack)
		got.depth = 0
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	if !isWhole("google.golang.org/grpc.(*Server).serveStreams.func2.1") ||
		isWhole("google.golang.org/grpc.(*Server).Serve") {
		t.Error("streams of gRPC have other names")
	}
}

// TestSites distinguishes the handlers that a closure wraps from the other functions that it calls.
func TestSites(t *testing.T) {
	t.Parallel()
	stack := func(line int, name string) []stacks.Frame {
		return []stacks.Frame{
			{Func: "time.Sleep"},
			{Func: name, Line: 7},
			{Func: "main.main.timed.func1", Line: line},
			{Func: "net/http.HandlerFunc.ServeHTTP"},
			{Func: "net/http.serverHandler.ServeHTTP"},
			{Func: "net/http.(*conn).serve"},
		}
	}
	const next, helper, typed, both = 36, 40, 44, 48
	all := newProgram(nil, []stacks.Frame{{Func: "main.main.timed.func1", Line: next}})
	for _, s := range [][]stacks.Frame{
		stack(next, "main.hello"), stack(next, "main.bye"), stack(helper, "main.count"), stack(helper, "fmt.Sprintf"),
		stack(typed, "main.greeter.ServeHTTP"),
		stack(both, "main.write"), stack(both, "main.read"),
	} {
		all.note(s)
	}
	for _, test := range []struct {
		line       int
		name, want string
	}{
		{next, "main.hello", "main.hello"},
		{next, "main.bye", "main.bye"},
		{helper, "main.count", "main.main.timed.func1"},
		{both, "main.read", "main.main.timed.func1"},
		{typed, "main.greeter.ServeHTTP", "main.greeter.ServeHTTP"},
	} {
		if got := all.siteOf(stack(test.line, test.name)); got.name != test.want {
			t.Errorf("%s in line %d: the handler is %q, want %q", test.name, test.line, got.name, test.want)
		}
	}
}

// TestCauses checks that each reason to wait has a cause.
func TestCauses(t *testing.T) {
	t.Parallel()
	const reading = "net/http.(*http2pipe).Read"
	for _, test := range []struct {
		reason string
		stack  []string
		want   Cause
	}{
		{"sync", []string{"main.hello", "sync.(*Mutex).Lock"}, Lock},
		{"sync", []string{"main.hello", "internal/poll.(*FD).Write", "internal/poll.runtime_Semacquire"}, Lock},
		{"sync", []string{"main.hello", "runtime.mallocgc", "runtime.gcStart"}, GC},
		{"sync", []string{"main.hello", "runtime.mallocgc", "runtime.gcAssistAlloc", "runtime.gcMarkDone"}, GC},
		{"sync", []string{"main.ask", "net/http.(*Transport).roundTrip", "runtime.mallocgc", "runtime.gcStart"}, GC},
		{"sync", []string{"main.hello", "runtime.GC", "runtime.gcStart"}, GC},
		{"sync", []string{"main.hello", "runtime.ReadMemStats", "runtime.stopTheWorldGC"}, Other},
		{"sync.(*Cond).Wait", []string{"main.hello", "sync.(*Cond).Wait"}, Lock},
		{"sync.(*Cond).Wait", []string{"main.hello", reading, "sync.(*Cond).Wait"}, Network},
		{"sync", []string{"main.hello", reading, "sync.(*Mutex).Lock"}, Lock},
		{
			"select",
			[]string{"main.hello", "golang.org/x/net/http2.(*serverConn).writeDataFromHandler", "runtime.selectgo"},
			Network,
		},
		{"select", []string{"main.hello", "runtime.selectgo"}, Channel},
		{"chan send", []string{"main.hello", "runtime.chansend1"}, Channel},
		{"chan receive", []string{"main.hello", "runtime.chanrecv1"}, Channel},
		{"network", []string{"main.hello", "net.(*conn).Read"}, Network},
		{"sleep", []string{"main.hello", "time.Sleep"}, Sleep},
		{"preempted", []string{"main.hello"}, GC},
		{"GC mark assist wait for work", []string{"main.hello"}, GC},
		{"GC weak to strong wait", []string{"main.hello"}, GC},
		{"wait until GC ends", []string{"main.hello"}, GC},
		{"synctest", []string{"main.hello"}, Other},
		{"forever", []string{"main.hello"}, Other},
	} {
		if got := causeOf(index.Waiting, test.reason, newProgram(nil, nil).siteOf(stackOf(test.stack...))); got != test.want {
			t.Errorf("%s in %v is %v, want %v", test.reason, test.stack, got, test.want)
		}
	}
}
