package requests_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/rpc"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/tracetest"
)

// slept is what a sleep of a millisecond is in a trace, at least.
const slept = 900 * time.Microsecond

// nap is a short request that waits.
func nap(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(time.Millisecond)
	_, _ = io.WriteString(w, "ok")
}

// TestServers cuts requests right however they come.
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
			const margin = time.Second // handlers' logs tell requests apart; how exactly is what TestPlanted is about
			for _, p := range cutProblems(t, x, r, number, margin) {
				t.Error(p)
			}
			// The closure is around one handler only, so it might as well call a helper there.
			if len(r.Classes) != 1 || !strings.Contains(r.Classes[0].Name, "logged") || r.Classes[0].Middle[requests.Sleep] < slept {
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

// Naps is a service of net/rpc.
type Naps struct{}

// Nap sleeps.
func (Naps) Nap(_ int, answer *int) error {
	time.Sleep(time.Millisecond)
	*answer = 1
	return nil
}

// TestRPC has each call of net/rpc as a request, named by its method, and that of a client as waiting for
// another server.
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
			// The last may go on for a moment behind its answer.
			if c.Count < number-1 || c.Middle[requests.Sleep] < slept {
				t.Errorf("%+v", c)
			}
		case strings.Contains(c.Name, "TestRPC"):
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

// TestTasks follows tasks over goroutines.
func TestTasks(t *testing.T) {
	const number = 10
	data := recorded(t, func() {
		var all sync.WaitGroup
		for range number {
			all.Go(func() { // the creator ends, the task goes on
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
