package requests_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/requests"
)

// watched is a handler for Agent.Watch.
func watched(http.ResponseWriter, *http.Request) { time.Sleep(3 * time.Millisecond) }

// TestProfiling leaves out requests for profiles, to whet's agent and net/http/pprof, but not those
// to a handler wrapped by Agent.Watch.
func TestProfiling(t *testing.T) {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	mux := http.NewServeMux()
	// called by a handler of the user's
	mux.HandleFunc("/pprof/", func(w http.ResponseWriter, r *http.Request) { pprof.Handler("heap").ServeHTTP(w, r) })
	user := httptest.NewServer(a.Watch(http.HandlerFunc(watched)))
	defer user.Close()
	own := httptest.NewServer(mux)
	defer own.Close()
	const number = 5
	x := tracetest.Index(t, recorded(t, func() {
		get(t, own.URL, "/pprof/heap?seconds=1", 1)
		get(t, strings.TrimSuffix(a.URL(), "/"), "/slow?than=1h&seconds=0.02", number)
		get(t, user.URL, "/", number+1) // the last one may end after the trace
	}))
	r, err := requests.Find(x, requests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Classes) != 1 || !strings.HasSuffix(r.Classes[0].Name, "requests_test.watched") ||
		r.Classes[0].Count < number {
		t.Errorf("%+v", r.Classes)
	}
	if r.Profiling != number+1 {
		t.Errorf("%d requests for profiles", r.Profiling)
	}
}
