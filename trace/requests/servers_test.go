package requests_test

import (
	"bufio"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/rpc"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/requests"
)

// slept is the minimum time that sleeps of a millisecond take in a trace: one without a processor
// just before it waits is shorter.
const slept = 500 * time.Microsecond

// nap is a short request that waits.
func nap(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(time.Millisecond)
	_, _ = io.WriteString(w, "ok")
}

// TestServers checks where requests begin and end, however they arrive.
func TestServers(t *testing.T) {
	const number = 40
	for name, serve := range map[string]func(t *testing.T, h http.Handler) func(){
		"keep-alive": func(t *testing.T, h http.Handler) func() {
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			return func() { get(t, s.URL, "/nap", number) }
		},
		"close": func(t *testing.T, h http.Handler) func() {
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			s.Config.SetKeepAlivesEnabled(false)
			return func() { get(t, s.URL, "/nap", number) }
		},
		"HTTP/2": func(t *testing.T, h http.Handler) func() {
			s := httptest.NewUnstartedServer(h)
			s.EnableHTTP2 = true
			s.StartTLS()
			t.Cleanup(s.Close)
			return func() {
				var streams sync.WaitGroup
				for range 4 {
					streams.Go(func() {
						for range number / 4 {
							resp, err := s.Client().Get(s.URL + "/nap")
							if err != nil {
								t.Error(err)
								return
							}
							if resp.ProtoMajor != 2 {
								t.Errorf("HTTP/%d", resp.ProtoMajor)
							}
							_, _ = io.Copy(io.Discard, resp.Body)
							_ = resp.Body.Close()
						}
					})
				}
				streams.Wait()
			}
		},
		"TLS": func(t *testing.T, h http.Handler) func() {
			s := httptest.NewTLSServer(h)
			t.Cleanup(s.Close)
			return func() {
				for range number {
					resp, err := s.Client().Get(s.URL + "/nap")
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			}
		},
		"pipelined": func(t *testing.T, h http.Handler) func() {
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			return func() { pipeline(t, s.Listener.Addr().String(), number) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := serve(t, logged(nap))
			x := tracetest.Index(t, recorded(t, run))
			r, err := requests.Find(x, requests.Options{Slowest: 2 * number, Paths: 2 * number, Tasks: true})
			if err != nil {
				t.Fatal(err)
			}
			checkPaths(t, x, r)
			const margin = time.Hour // handlers' logs only distinguish requests; TestPlanted checks the exact ends
			for _, p := range cutProblems(t, x, r, number, margin) {
				t.Error(p)
			}
			// The closure wraps only one handler, so what it calls might as well be a helper.
			if len(r.Classes) != 1 || !strings.Contains(r.Classes[0].Name, "logged") ||
				r.Classes[0].Middle[requests.Sleep] < slept {
				t.Errorf("%+v", r.Classes)
			}
		})
	}
}

// pipeline sends all requests before it reads an answer.
func pipeline(t *testing.T, address string, number int) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, strings.Repeat("GET /nap HTTP/1.1\r\nHost: a\r\n\r\n", number)); err != nil {
		t.Error(err)
		return
	}
	answers := bufio.NewReader(c)
	for range number {
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// TestSplitHead sends the head of each request in two parts: the connection wakes up for the first
// one, and waits again.
func TestSplitHead(t *testing.T) {
	const number = 10
	server := httptest.NewServer(logged(nap))
	defer server.Close()
	data := recorded(t, func() {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = c.Close() }()
		answers := bufio.NewReader(c)
		for range number {
			for _, part := range []string{"GET /nap HT", "TP/1.1\r\nHost: a\r\n\r\n"} {
				time.Sleep(2 * time.Millisecond) // so that the server may wait
				if _, err := io.WriteString(c, part); err != nil {
					t.Error(err)
					return
				}
			}
			resp, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	})
	r, err := requests.Find(tracetest.Index(t, data), requests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Count + r.Open; n != number {
		t.Errorf("%d requests, want %d", n, number)
	}
}

// Naps is a service of net/rpc.
type Naps struct{}

// Nap sleeps.
func (Naps) Nap(_ int, answer *int) error {
	time.Sleep(time.Millisecond)
	*answer = 1
	return nil
}

// TestRPC expects each call of net/rpc as a request, named by its method, and a client's call as a
// wait for another server.
func TestRPC(t *testing.T) {
	const number = 40
	server := rpc.NewServer()
	if err := server.Register(Naps{}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		c, err := l.Accept()
		if err == nil {
			server.ServeConn(c)
		}
	})
	client, err := rpc.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(logged(func(http.ResponseWriter, *http.Request) {
		answer := 0
		if err := client.Call("Naps.Nap", 1, &answer); err != nil {
			t.Error(err)
		}
	}))
	data := recorded(t, func() { get(t, front.URL, "/", number) })
	front.Close()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	_ = l.Close()
	serving.Wait()

	x := tracetest.Index(t, data)
	r, err := requests.Find(x, requests.Options{Slowest: number, Paths: number, Tasks: true})
	if err != nil {
		t.Fatal(err)
	}
	checkPaths(t, x, r)
	seen := 0
	for _, c := range r.Classes {
		switch {
		case strings.Contains(c.Name, "Naps"):
			seen++
			// The last one may continue for a moment after its answer.
			if c.Count < number-1 || c.Middle[requests.Sleep] < slept {
				t.Errorf("%+v", c)
			}
		case strings.Contains(c.Name, "TestRPC"), strings.HasSuffix(c.Name, ".logged.func1"): // its name in Go 1.27
			seen++
			if c.Count < number-1 || c.Middle[requests.Downstream] < slept || c.Path[requests.Downstream] < slept {
				t.Errorf("%+v", c)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d classes of %+v", seen, r.Classes)
	}
}

// TestTasks follows tasks across goroutines.
func TestTasks(t *testing.T) {
	const number = 10
	data := recorded(t, func() {
		var all sync.WaitGroup
		for range number {
			all.Go(func() { // the creator ends, the task continues
				_, task := trace.NewTask(t.Context(), "started")
				time.Sleep(time.Millisecond)
				all.Go(func() {
					time.Sleep(5 * time.Millisecond)
					task.End()
				})
			})
			all.Go(func() { // a task within a task
				ctx, outer := trace.NewTask(t.Context(), "outer")
				defer outer.End()
				_, inner := trace.NewTask(ctx, "inner")
				defer inner.End()
				time.Sleep(time.Millisecond)
			})
		}
		all.Wait()
		trace.NewTask(t.Context(), "open") // does not end
	})
	x := tracetest.Index(t, data)
	r, err := requests.Find(x, requests.Options{Slowest: number, Paths: number, Tasks: true})
	if err != nil {
		t.Fatal(err)
	}
	checkPaths(t, x, r)
	if r.Tasks != 3*number || r.Count != 0 || r.Open != 1 || len(r.Classes) != 3 {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Classes {
		if !c.Task || c.Count != number || c.Middle[requests.Sleep] < slept || c.Path[requests.Sleep] < slept {
			t.Errorf("%+v", c)
		}
		for _, one := range c.Slowest {
			on := map[uint32]bool{}
			for _, s := range one.Path.Steps {
				on[s.Goroutine] = true
			}
			want := 1
			if c.Name == "task started" {
				want = 2
			}
			if len(on) != want {
				t.Errorf("%s is on %d goroutines: %+v", c.Name, len(on), one.Path.Steps)
			}
		}
	}
}

// TestOthers names and counts requests of servers in other modules, from traces of them
// (testdata/README.md).
func TestOthers(t *testing.T) {
	t.Parallel()
	const each = 6
	for name, test := range map[string]struct {
		handlers []string
		open     int // one for each worker that waits for its first request when the trace begins
	}{
		"gin":       {[]string{"main.ginAlpha", "main.ginBeta", "main.ginGamma", "main.ginJSON", "main.alpha"}, 0},
		"echo":      {[]string{"main.echoAlpha", "main.echoBeta", "main.echoPage"}, 0},
		"mux":       {[]string{"main.alpha", "main.beta", "main.gamma", "main.eps", "main.zeta"}, 0},
		"gorillaws": {[]string{"main.alpha", "main.wsGorilla"}, 0},
		"grpcmw": {[]string{
			"main.echoServer.UnaryEcho", "main.echoServer.ServerStreamingEcho",
			"main.echoServer.BidirectionalStreamingEcho", "main.(*greeter).SayHello",
		}, 0},
		"grpcworkers": {[]string{
			"main.echoServer.UnaryEcho", "main.echoServer.ServerStreamingEcho",
			"main.echoServer.BidirectionalStreamingEcho", "main.(*greeter).SayHello",
		}, 4},
		"fasthttp": {[]string{"main.init.0.func1.1", "main.init.0.func1.1"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := requests.Find(tracetest.Index(t, stored(t, name)), requests.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]int{}
			for _, h := range test.handlers {
				want[h] += each
			}
			for _, c := range r.Classes {
				if left := want[c.Name] - c.Count; left < 0 || left > 0 && test.open == 0 {
					t.Errorf("%d requests of %s, want %d", c.Count, c.Name, want[c.Name])
				}
				delete(want, c.Name)
			}
			if len(want) > 0 || r.Open != test.open || r.Count+r.Open != each*len(test.handlers) {
				t.Errorf("%d requests, %d open; missing %v", r.Count, r.Open, want)
			}
		})
	}
}

// stored returns a trace from testdata.
func stored(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".trace.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestNothingRead has a connection that answers, immediately tries to read the next request, finds
// none and waits: that attempt is not a request.
func TestNothingRead(t *testing.T) {
	r, err := requests.Find(tracetest.Index(t, stored(t, "nothingread")), requests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Each request has one background read, and this many began. The last request is cut off.
	if r.Count != 237 || r.Open != 1 {
		t.Errorf("%d requests and %d open, want 237 and 1", r.Count, r.Open)
	}
}
