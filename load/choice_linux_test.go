package load_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/load"
)

// TestEngineReasons checks the reason for the engine of runs in which engines are not compared.
func TestEngineReasons(t *testing.T) {
	const compared = 100 * time.Millisecond // engines are compared in longer runs
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	for _, test := range []struct {
		o    load.Options
		why  load.EngineWhy
		text string
	}{
		{load.Options{Requests: 100}, load.EngineDefault, "the run was too short to compare engines"},
		{load.Options{Requests: 10, Rate: 1000}, load.EngineDefault, "the open model sends requests at fixed times"},
		{load.Options{Requests: 10, OneByOne: true}, load.EngineDefault, "comparable"},
		{load.Options{Requests: 10, NoKeepAlive: true}, load.EngineDefault, "connections are not kept alive"},
		{load.Options{Requests: 10, Engine: load.Epoll}, load.EngineRequested, "asked for"},
		{load.Options{Requests: 10, Engine: load.IOUring}, load.EngineRequested, "asked for"},
		{load.Options{Requests: 10, Engine: load.NetHTTP}, load.EngineRequested, "asked for"},
	} {
		test.o.URL, test.o.Timeout = s.URL, 5*time.Minute
		r, err := load.Run(t.Context(), test.o)
		// If the machine stalls, even a hundred requests take long enough for a comparison.
		for i := 0; i < 5 && err == nil && test.o.Requests == 100 && r.Elapsed > compared &&
			!strings.Contains(r.EngineChoice.Text, test.text); i++ {
			r, err = load.Run(t.Context(), test.o)
		}
		if test.o.Engine == load.IOUring && err != nil {
			continue // not available in this kernel
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Engine == load.Epoll && test.o.Engine == "" { // no io_uring here
			test.why, test.text = load.EngineOnly, "io_uring"
		}
		c := r.EngineChoice
		if c == nil || c.Why != test.why || !strings.Contains(c.Text, test.text) || len(c.Measured) > 0 ||
			test.o.Engine != "" && r.Engine != test.o.Engine {
			t.Errorf("%d requests at rate %g, engine %q: engine %s, %+v; want %s: %s", test.o.Requests, test.o.Rate,
				test.o.Engine, r.Engine, c, test.why, test.text)
		}
	}
}
