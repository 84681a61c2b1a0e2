package requests

import (
	"testing"

	"github.com/whet-go/whet/trace/stacks"
)

// TestPlaceOf reads stacks, outermost frame first here.
func TestPlaceOf(t *testing.T) {
	t.Parallel()
	const conn, serve = "net/http.(*conn).serve", "net/http.serverHandler.ServeHTTP"
	for _, test := range []struct {
		name  string
		stack []string
		want  place
	}{
		{"the next request", []string{conn, "net/http.(*conn).readRequest", "net.(*conn).Read"}, place{between: true}},
		{"a handshake", []string{conn, "crypto/tls.(*Conn).HandshakeContext", "net.(*conn).Read"}, place{between: true, handshake: true}},
		{"behind an answer", []string{conn, "net/http.(*response).finishRequest", "net/http.(*connReader).abortPendingRead"}, place{stops: true}},
		{"a handler", []string{conn, serve, "net/http.(*ServeMux).ServeHTTP", "net/http.HandlerFunc.ServeHTTP", "main.hello", "time.Sleep"}, place{handler: "main.hello"}},
		{"a wrapped handler", []string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.main.timed.func1", "main.hello", "time.Sleep"}, place{handler: "main.hello"}},
		{"an inlined wrapper", []string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.main.timed.1", "main.hello"}, place{handler: "main.hello"}},
		{"no handler yet", []string{conn, serve, "net/http.(*ServeMux).ServeHTTP", "runtime.growslice"}, place{}},
		{"a handler of the library", []string{conn, serve, "net/http.(*ServeMux).ServeHTTP", "net/http.HandlerFunc.ServeHTTP", "net/http/pprof.Trace", "time.Sleep"}, place{handler: "net/http/pprof.Trace"}},
		{"a wrapper that sleeps", []string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.timed.func1", "time.Sleep"}, place{handler: "main.timed.func1"}},
		{
			"a client",
			[]string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.ask", "net/http.(*Client).Do", "net/http.(*Transport).roundTrip", "net/http.(*persistConn).roundTrip"},
			place{handler: "main.ask", downstream: true},
		},
		{"a client's connection", []string{"net/http.(*persistConn).readLoop", "bufio.(*Reader).Peek"}, place{downstream: true}},
		{
			"an answer's body",
			[]string{conn, serve, "net/http.HandlerFunc.ServeHTTP", "main.ask", "io.ReadAll", "net/http.(*bodyEOFSignal).Read", "net/http.(*persistConn).Read"},
			place{handler: "main.ask", downstream: true},
		},
		{"HTTP/2", []string{"net/http.(*http2serverConn).runHandler", serve, "net/http.HandlerFunc.ServeHTTP", "main.hello"}, place{handler: "main.hello"}},
		{"a call", []string{"net/rpc.(*service).call", "reflect.Value.Call", "reflect.Value.call", "main.Math.Add", "time.Sleep"}, place{handler: "main.Math.Add"}},
		{"a call's answer", []string{"net/rpc.(*service).call", "net/rpc.(*Server).sendResponse", "bufio.(*Writer).Flush"}, place{}},
		{
			"gRPC",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).handleStream",
				"google.golang.org/grpc.(*Server).processUnaryRPC", "example.com/pb._Greeter_Hello_Handler", "main.(*greeter).Hello", "time.Sleep",
			},
			place{handler: "example.com/pb._Greeter_Hello_Handler"},
		},
		{
			"gRPC's answer",
			[]string{
				"google.golang.org/grpc.(*Server).serveStreams.func2.1", "google.golang.org/grpc.(*Server).processUnaryRPC",
				"google.golang.org/grpc.(*Server).sendResponse", "google.golang.org/grpc/internal/transport.(*http2Server).Write",
			},
			place{},
		},
		{"a gRPC client", []string{"main.ask", "google.golang.org/grpc.(*ClientConn).Invoke", "google.golang.org/grpc/internal/transport.(*Stream).waitOnHeader"}, place{downstream: true}},
		{"nothing", nil, place{}},
	} {
		var stack []stacks.Frame
		for i := len(test.stack) - 1; i >= 0; i-- {
			stack = append(stack, stacks.Frame{Func: test.stack[i]})
		}
		if got := placeOf(stack, func(site, string) bool { return true }); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	if !isWhole("google.golang.org/grpc.(*Server).serveStreams.func2.1") || isWhole("google.golang.org/grpc.(*Server).Serve") {
		t.Error("streams of gRPC have other names")
	}
}

// TestSites tells the handlers that a closure is around from the functions that it calls besides.
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
	const next, helper, typed = 36, 40, 44
	all := sites{}
	for _, s := range [][]stacks.Frame{
		stack(next, "main.hello"), stack(next, "main.bye"), stack(helper, "main.count"), stack(helper, "fmt.Sprintf"), stack(typed, "main.greeter.ServeHTTP"),
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
		{typed, "main.greeter.ServeHTTP", "main.greeter.ServeHTTP"},
	} {
		got := placeOf(stack(test.line, test.name), func(at site, _ string) bool { return all.passes(at) })
		if got.handler != test.want {
			t.Errorf("%s in line %d: the handler is %q, want %q", test.name, test.line, got.handler, test.want)
		}
	}
}
