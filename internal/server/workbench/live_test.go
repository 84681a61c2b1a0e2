package workbench

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/whet-go/whet/internal/input/live"
)

// profiled is a service whose CPU profile is always the same, and the number of profiles that were requested.
func profiled(t *testing.T) (address string, requests *atomic.Int64) {
	t.Helper()
	cpu, err := os.ReadFile("../../../find/testdata/slug.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	requests = &atomic.Int64{}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write(cpu) // the client may be gone
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, requests
}

// TestLive has the lines of targets that were named, once or as events, and of no others.
func TestLive(t *testing.T) {
	target, requests := profiled(t)
	other, asked := profiled(t)
	s, _ := serve(t, func(o *Options) {
		o.Targets = []Target{{Address: target, Name: "service"}, {Address: "http://127.0.0.1:1", Name: "gone"}}
	})
	state := get[live.State](t, s, "/api/v1/live?target=service")
	if state.Target != "service" || len(state.Windows) == 0 || len(state.Lines) == 0 || state.OwnCPU == 0 {
		t.Errorf("%+v", state)
	}
	for name, want := range map[string]string{other: "was not given", "": "was not given", "gone": "connection refused"} {
		w := ask(s, http.MethodGet, "/api/v1/live?target="+url.QueryEscape(name), "")
		if w.Code < 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%q: %d %s", name, w.Code, w.Body)
		}
	}
	if asked.Load() != 0 {
		t.Error("an address that was not configured was contacted")
	}

	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	events := func(name string) *bufio.Scanner {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/live?target="+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/event-stream")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%v", resp.Header)
		}
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		return lines
	}
	next := func(s *bufio.Scanner) (event, data string) {
		for s.Scan() && s.Text() != "" {
			if v, ok := strings.CutPrefix(s.Text(), "event: "); ok {
				event = v
			}
			if v, ok := strings.CutPrefix(s.Text(), "data: "); ok {
				data = v
			}
		}
		return event, data
	}
	one, two := events("service"), events("service")
	for range 3 {
		for _, from := range []*bufio.Scanner{one, two} {
			if event, data := next(from); event != "state" || !strings.Contains(data, `"schema":"whet.live/1"`) {
				t.Fatalf("%s %.200s", event, data)
			}
		}
	}
	s.lives.mu.Lock()
	run := s.lives.runs["service"]
	if len(s.lives.runs) != 1 || run == nil || run.users != 2 {
		t.Errorf("%d runs, %+v", len(s.lives.runs), run)
	}
	s.lives.mu.Unlock()
	if event, data := next(events("gone")); event != "failure" || !strings.Contains(data, "is the service running") {
		t.Errorf("%s %s", event, data)
	}
	if requests.Load() == 0 {
		t.Error("no profile was requested")
	}
}
