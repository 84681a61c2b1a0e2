package requests_test

import (
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// A counter has handlers, of which those for /marked end with the mark of whet's agent.
type counter struct {
	reached sync.WaitGroup // requests that are to be in progress when the trace ends
	release chan struct{}
}

func (c *counter) serve(_ http.ResponseWriter, r *http.Request) {
	time.Sleep(5 * time.Millisecond)
	if strings.HasPrefix(r.URL.Path, "/marked") {
		trace.Log(r.Context(), requests.MarkCategory, r.URL.Path)
	}
	if strings.HasSuffix(r.URL.Path, "/late") {
		c.reached.Done()
		<-c.release
	}
}

// TestMarked checks that a request whose answer is not in the trace is counted if the agent has
// marked its end, and that none is counted twice.
func TestMarked(t *testing.T) {
	c := &counter{release: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(c.serve))
	defer server.Close()
	var late sync.WaitGroup
	defer late.Wait()
	defer close(c.release)
	data := recorded(t, func() {
		get(t, server.URL, "/marked", 1) // answered, and marked
		get(t, server.URL, "/other", 1)
		for _, path := range []string{"/marked/late", "/other/late"} {
			c.reached.Add(1)
			late.Go(func() { get(t, server.URL, path, 1) })
		}
		c.reached.Wait()
		time.Sleep(20 * time.Millisecond) // not of the marked request
	})
	x := tracetest.Index(t, data)
	ends := map[int64]string{}
	if err := x.Records(index.Logs, 0, x.Info.Duration, func(r *index.Record) bool {
		if x.Name(r.Name) == requests.MarkCategory {
			ends[r.To] = r.Text
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	marked := 0
	r, err := requests.Find(x, requests.Options{Each: func(class string, r *requests.Request) {
		if !strings.Contains(class, "(*counter).serve") {
			t.Errorf("class %s", class)
		}
		if ends[r.To] == "/marked/late" {
			marked++
			if r.Times.Sum() != r.Latency() || r.Latency() < 5*time.Millisecond {
				t.Errorf("took %v, of it %v", r.Latency(), r.Times)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Count != 3 || r.Open != 1 || marked != 1 {
		t.Errorf("%d requests, of them %d end at their mark, and %d open, want 3, 1 and 1", r.Count, marked, r.Open)
	}
}
