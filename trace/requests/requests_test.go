package requests_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// planted has a handler for each cause of delay.
type planted struct {
	mu         sync.Mutex
	held       chan struct{}
	work       chan chan struct{}
	downstream string
	client     *http.Client
}

const delay = 3 * time.Millisecond

func (p *planted) lock(http.ResponseWriter, *http.Request) {
	p.held <- struct{}{}
	<-p.held // somebody has it
	p.mu.Lock()
	defer p.mu.Unlock()
}

func (p *planted) channel(http.ResponseWriter, *http.Request) {
	done := make(chan struct{})
	p.work <- done
	<-done
}

func (p *planted) sleep(http.ResponseWriter, *http.Request) { time.Sleep(delay) }

func (p *planted) spin(http.ResponseWriter, *http.Request) {
	for begin := time.Now(); time.Since(begin) < delay; {
	}
}

func (p *planted) ask(w http.ResponseWriter, _ *http.Request) {
	resp, err := p.client.Get(p.downstream)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

func (p *planted) quick(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "ok")
}

// logged notes in the trace when a handler begins and ends.
func logged(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		trace.Log(r.Context(), "begin", r.URL.Path)
		h(w, r)
		trace.Log(r.Context(), "end", r.URL.Path)
	}
}

// serve makes a trace of a server with planted delays, of so many requests to each handler.
func serve(t *testing.T, each int) []byte {
	t.Helper()
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(delay) }))
	defer slow.Close()
	p := &planted{held: make(chan struct{}), work: make(chan chan struct{}), downstream: slow.URL, client: slow.Client()}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	workers.Go(func() { // holds the lock whenever somebody is about to want it
		for {
			select {
			case <-p.held:
				p.mu.Lock()
				p.held <- struct{}{}
				time.Sleep(delay)
				p.mu.Unlock()
			case <-stop:
				return
			}
		}
	})
	workers.Go(func() {
		for {
			select {
			case done := <-p.work:
				time.Sleep(delay)
				close(done)
			case <-stop:
				return
			}
		}
	})
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"/lock": p.lock, "/channel": p.channel, "/sleep": p.sleep, "/spin": p.spin, "/ask": p.ask, "/quick": p.quick,
	} {
		mux.HandleFunc(path, logged(h))
	}
	server := httptest.NewServer(mux)
	defer server.Close()

	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	for _, path := range []string{"/lock", "/channel", "/sleep", "/spin", "/ask", "/quick"} {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := range each {
				method, body := http.MethodGet, io.Reader(nil)
				if path == "/quick" && n%2 == 0 {
					method, body = http.MethodPost, strings.NewReader("a body")
				}
				r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, body)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	clients.Wait()
	trace.Stop()
	close(stop)
	workers.Wait()
	return out.Bytes()
}

// TestFind has each planted cause as the largest part of its class, and cuts requests where the handlers
// say that they are.
func TestFind(t *testing.T) {
	const each = 60
	data := serve(t, each)
	name := filepath.Join(t.TempDir(), "x")
	if _, err := index.Build(t.Context(), bytes.NewReader(data), name, index.Options{}); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	const all = 6*each + each // the downstream server's, too
	r, err := requests.Find(x, requests.Options{Slowest: all})
	if err != nil {
		t.Fatal(err)
	}

	// What the handlers logged, by goroutine.
	type log struct {
		at   int64
		what string
	}
	logs := map[uint32][]log{}
	if err := x.Records(index.Logs, 0, x.Info.Duration, func(l *index.Record) bool {
		logs[l.Goroutine-1] = append(logs[l.Goroutine-1], log{l.To, x.Name(l.Name) + " " + l.Text})
		return true
	}); err != nil {
		t.Fatal(err)
	}
	right, found := 0, 0
	spun := [requests.Causes]time.Duration{}
	for _, c := range r.Classes {
		for _, one := range c.Slowest {
			var inside []string
			for _, l := range logs[one.Goroutine] {
				if one.From <= l.at && l.at <= one.To {
					inside = append(inside, l.what)
				}
			}
			if len(logs[one.Goroutine]) == 0 {
				continue // of the downstream server
			}
			found++
			if len(inside) == 2 && strings.HasPrefix(inside[0], "begin") && strings.HasPrefix(inside[1], "end") {
				right++
			}
			sum := time.Duration(0)
			for _, part := range one.Times {
				sum += part
			}
			if len(inside) > 0 && inside[0] == "begin /spin" {
				// Nothing stops in this handler, so no stack shows it.
				for cause, part := range one.Times {
					spun[cause] += part
				}
			}
			if sum != one.Latency() {
				t.Fatalf("a request of %v has parts of %v", one.Latency(), sum)
			}
		}
	}
	if want := 6 * each; right < want*95/100 || found > want {
		t.Errorf("%d of %d requests are cut right, of %d found", right, want, found)
	}

	for suffix, want := range map[string]requests.Cause{
		"lock-fm": requests.Lock, "channel-fm": requests.Channel, "sleep-fm": requests.Sleep, "ask-fm": requests.Downstream,
	} {
		seen := false
		for _, c := range r.Classes {
			if !strings.HasSuffix(c.Name, suffix) && !strings.HasSuffix(c.Name, strings.TrimSuffix(suffix, "-fm")) {
				continue
			}
			seen = true
			largest := requests.Cause(0)
			for cause := range requests.Causes {
				if c.Middle[cause] > c.Middle[largest] {
					largest = requests.Cause(cause)
				}
			}
			if largest != want || c.Count < each*95/100 {
				t.Errorf("%s: %d requests, mostly %v: %v", c.Name, c.Count, largest, c.Middle)
			}
		}
		if !seen {
			t.Errorf("no class %s", suffix)
		}
	}
	if slices.Max(spun[:]) != spun[requests.Running] || spun[requests.Running] == 0 {
		t.Errorf("requests that compute are spent on %v", spun)
	}
	if t.Failed() {
		for _, c := range r.Classes {
			t.Logf("%4d  %v %v %v  %s  %v", c.Count, c.P50, c.P99, c.Max, c.Name, c.Middle)
		}
	}
}
