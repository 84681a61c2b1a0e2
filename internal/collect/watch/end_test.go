package watch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/collect"
)

// inFront puts a server in front of an agent: flight handles requests for the flight recorder if it
// returns true.
func inFront(t *testing.T, s *shop, flight func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	to, err := url.Parse(s.agent.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host})
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/flight") || !flight(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	return front.URL + to.Path
}

// ended watches until one request was slow, and returns the outcome.
//
//nolint:revive // t is first in tests
func ended(
	t *testing.T, ctx context.Context, s *shop, o Options,
) (events []Event, n int, err error) {
	t.Helper()
	o.Slower = slower
	o.Event = func(e Event) { events = append(events, e) }
	done := make(chan struct{})
	go func() {
		defer close(done)
		n, err = Run(ctx, o)
	}()
	for {
		s.slow(t)
		select {
		case <-done:
			return events, n, err
		default:
		}
	}
}

// TestInterrupt checks that a recording in progress when the watch ends is completed and reported.
func TestInterrupt(t *testing.T) {
	var events []Event
	for range tries {
		s := open(t, agent.Options{Flight: 10 * time.Second}, true)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		address := inFront(t, s, func(http.ResponseWriter, *http.Request) bool {
			cancel() // Ctrl-C during a request to the flight recorder
			return false
		})
		var n int
		var err error
		events, n, err = ended(t, ctx, s, Options{Target: collect.Options{URL: address, Token: token}, Dir: t.TempDir()})
		if err != nil || n != 1 || len(events) != 1 {
			t.Fatalf("%d recordings, %d events, %v", n, len(events), err)
		}
		if !s.disturbed() {
			break
		}
		s.close(t) // a process can have only one flight recorder
	}
	if r := events[0].Request; r.Found != ByMark || !strings.Contains(r.Handler, "(*shop).buy") {
		t.Errorf("%+v", r)
	}
	check(t, events[0])
}

// TestAbort checks that Run does not wait for a flight recorder that does not answer, and leaves no
// file.
func TestAbort(t *testing.T) {
	s := open(t, agent.Options{Flight: 10 * time.Second}, true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	abort := make(chan struct{})
	var once sync.Once
	address := inFront(t, s, func(_ http.ResponseWriter, r *http.Request) bool {
		once.Do(func() {
			cancel()
			close(abort)
		})
		<-r.Context().Done() // the client has disconnected
		return true
	})
	dir := t.TempDir()
	events, n, err := ended(t, ctx, s, Options{
		Target: collect.Options{URL: address, Token: token, Abort: abort}, Dir: dir,
	})
	if err != nil || n != 0 || len(events) != 0 {
		t.Errorf("%d recordings, %d events, %v", n, len(events), err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
