package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	runtimetrace "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/agent"
)

// logged returns the messages of category test in a trace, which must be complete.
func logged(t *testing.T, data []byte) map[string]bool {
	t.Helper()
	return logsOf(t, data, "test")
}

// logsOf returns the messages of a category.
func logsOf(t *testing.T, data []byte, category string) map[string]bool {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind() == trace.EventLog && ev.Log().Category == category {
			found[ev.Log().Message] = true
		}
	}
}

// mark leaves a message in traces.
func mark(t *testing.T, message string) { runtimetrace.Log(t.Context(), "test", message) }

// TestFlight checks that a snapshot contains what happened before the request, even while another
// trace is recorded.
func TestFlight(t *testing.T) {
	const window = 10 * time.Minute // more than the test takes anywhere
	a := start(t, agent.Options{Flight: window})
	mark(t, "before")
	if page := string(ok(t, a, "")); !strings.Contains(page, "href='flight'") {
		t.Errorf("the index does not list it:\n%s", page)
	}
	var info agent.Info
	if err := json.Unmarshal(ok(t, a, "whet"), &info); err != nil || info.Flight == nil ||
		info.Flight.Window != window || info.Flight.MaxBytes != agent.DefaultFlightBytes {
		t.Errorf("%v, %+v", err, info.Flight)
	}
	if !logged(t, ok(t, a, "flight"))["before"] {
		t.Error("what was before is missing")
	}

	var other []byte
	var wg sync.WaitGroup
	wg.Go(func() { other = ok(t, a, "trace?seconds=0.3") })
	for during := false; !during; { // until both run
		mark(t, "during")
		during = logged(t, ok(t, a, "flight"))["during"]
	}
	wg.Wait()
	logged(t, other)
	mark(t, "after")
	if got := logged(t, ok(t, a, "flight")); !got["before"] || !got["after"] {
		t.Errorf("after another trace: %v", got)
	}

	if _, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Flight: time.Second}); err == nil ||
		!strings.Contains(err.Error(), "flight recorder") {
		t.Errorf("a second one: %v", err)
	}
	for _, o := range []agent.Options{{Flight: -1}, {FlightBytes: -1}} {
		o.Addr = "127.0.0.1:0"
		if _, err := agent.Start(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestFlightAgain starts two flight recorders, one after the other, and then an agent without one.
func TestFlightAgain(t *testing.T) {
	for range 2 {
		a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Flight: time.Second, FlightBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		logged(t, ok(t, a, "flight"))
		http.DefaultClient.CloseIdleConnections()
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a := start(t, agent.Options{})
	status, _, body := get(t, a, "flight", nil)
	if status != http.StatusNotFound || !strings.Contains(string(body), "Options.Flight") {
		t.Errorf("status %d: %s", status, body)
	}
	if page := string(ok(t, a, "")); strings.Contains(page, "flight") || strings.Contains(page, "slow") {
		t.Errorf("the index lists unavailable pages:\n%s", page)
	}
}

// slowOf queries for slow requests.
func slowOf(t *testing.T, a *agent.Agent, query string) (s agent.Slow) {
	t.Helper()
	if err := json.Unmarshal(ok(t, a, "slow?"+query), &s); err != nil || s.Schema != agent.SlowSchema {
		t.Fatalf("%v, %+v", err, s)
	}
	return s
}

// TestWatchMark marks a slow request in the trace, on its goroutine, and none when nothing is traced.
func TestWatchMark(t *testing.T) {
	ask := func(a *agent.Agent) agent.SlowRequest {
		h := a.Watch(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/early", nil)) // before any client queries
		slowOf(t, a, "than=1ns&seconds=0.001")
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/slow", nil))
		got := slowOf(t, a, "than=1ns&after=0").Requests
		if len(got) != 1 || !got[0].Begin.Add(got[0].Latency).Equal(got[0].End) {
			t.Fatalf("%+v", got)
		}
		return got[0]
	}
	if untraced := ask(start(t, agent.Options{})); untraced.Mark != "" {
		t.Errorf("nothing is traced, and the mark is %q", untraced.Mark)
	}
	a := start(t, agent.Options{Flight: 10 * time.Minute})
	mark := ask(a).Mark
	if marks := logsOf(t, ok(t, a, "flight"), agent.MarkCategory); len(marks) != 1 || !marks[mark] {
		t.Errorf("the trace has %v, the request %q", marks, mark)
	}
}

// TestWatch checks that slow requests are reported, and no others.
func TestWatch(t *testing.T) {
	a := start(t, agent.Options{})
	if status, _, body := get(t, a, "slow", nil); status != http.StatusNotFound ||
		!strings.Contains(string(body), "Agent.Watch") {
		t.Errorf("without a handler: status %d: %s", status, body)
	}
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /item/{id}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/wait/", func(http.ResponseWriter, *http.Request) { <-release })
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	h := a.Watch(mux)
	server := httptest.NewServer(h)
	defer server.Close()
	ask := func(path string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
	}

	ask("/item/1") // before any client watches
	first := slowOf(t, a, "than=1ns&seconds=0.001")
	if len(first.Requests) != 0 {
		t.Errorf("before any query: %+v", first)
	}
	ask("/item/secret?token=secret")
	got := slowOf(t, a, "than=1ns&after=0")
	if len(got.Requests) != 1 || got.Requests[0].Name != "GET /item/{id}" ||
		got.Requests[0].Latency <= 0 || got.Next != 1 {
		t.Errorf("%+v", got)
	}

	// The query waits for a slow request.
	var waited agent.Slow
	var wg sync.WaitGroup
	wg.Go(func() { waited = slowOf(t, a, "than=1ns&after=1&seconds=300") })
	wg.Go(func() { ask("/wait/a") })
	close(release)
	wg.Wait()
	if len(waited.Requests) != 1 || waited.Requests[0].Name != "GET /wait/" || waited.Requests[0].Number != 2 {
		t.Errorf("%+v", waited)
	}
	func() {
		defer func() { _ = recover() }()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/panic", nil))
	}()
	if got := slowOf(t, a, "than=1ns&after=2"); len(got.Requests) != 1 || got.Requests[0].Name != "GET /panic" {
		t.Errorf("one that panics: %+v", got)
	}
	for range 100 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/item/2", nil))
	}
	if got := slowOf(t, a, "than=1ns&after=3"); len(got.Requests) != 64 || got.Next != 103 ||
		got.Requests[63].Number != 103 {
		t.Errorf("%d of 100 are remembered, the next is %d", len(got.Requests), got.Next)
	}
	if got := slowOf(t, a, "than=1h&after=0&seconds=0.001"); len(got.Requests) != 0 {
		t.Errorf("none was so slow: %+v", got)
	}
	// A number from an earlier process.
	if got := slowOf(t, a, "than=1ns&after=5000"); len(got.Requests) != 64 {
		t.Errorf("of another process: %+v", got)
	}

	for _, query := range []string{"than=0s", "than=-1s", "than=much", "after=-1", "seconds=0", "seconds=1e6"} {
		if status, _, body := get(t, a, "slow?"+query, nil); status != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", query, status, body)
		}
	}
}
