package collect

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/recording"
)

const flightToken = "a token of some length"

// startFlight starts an agent that has a flight recorder and requires a token.
func startFlight(t *testing.T) *agent.Agent {
	t.Helper()
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Token: flightToken, Flight: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// TestFlight records the seconds before now, alone and while a window is recorded.
func TestFlight(t *testing.T) {
	a := startFlight(t)
	dir := t.TempDir()
	spin(1000)
	flight := func(name string) *recording.Recording {
		sum, err := Run(t.Context(), Options{URL: a.URL(), Token: flightToken, Flight: true, Out: filepath.Join(dir, name)})
		if err != nil {
			t.Fatal(err)
		}
		if len(sum.Failures)+len(sum.Warnings) > 0 {
			t.Errorf("failures %v, warnings %v", sum.Failures, sum.Warnings)
		}
		return openRecording(t, sum.Path)
	}
	r := flight("flight.whet")
	m := r.Meta()
	if m.Duration <= 0 || m.Duration > 10*time.Minute || m.Build == nil || m.GOMAXPROCS == 0 ||
		m.Target.PID != os.Getpid() {
		t.Errorf("meta %+v", m)
	}
	for _, name := range []string{"heap", "heap.live", "block", "mutex", "goroutine", "threadcreate"} {
		if _, err := r.Profile(name); err != nil {
			t.Error(err)
		}
	}
	for _, p := range m.Parts {
		if p.Name == recording.TracePart && p.End.Sub(p.Start) != m.Duration {
			t.Errorf("trace from %v to %v, of %v", p.Start, p.End, m.Duration)
		}
	}
	if miss, ok := missing(m, "cpu"); !ok || miss.Hint == "" {
		t.Errorf("cpu: %+v", miss)
	}
	if stats := handlers.MemStats(readPart(t, r, recording.MemStatsEndPart)); stats.Value("Mallocs") <= 0 {
		t.Errorf("%s", stats)
	}
	if bytes.Contains(readPart(t, r, recording.MetaPart), []byte(flightToken)) {
		t.Error("the token is in the recording")
	}

	samples := 0
	// A busy machine may leave the process no CPU time for all of the trace: then it is longer.
	for d := time.Second; samples == 0 && d < time.Minute; d *= 3 {
		var recorded atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for !recorded.Load() {
				spin(10_000)
			}
		})
		wg.Go(func() {
			defer recorded.Store(true)
			sum, err := Run(t.Context(), Options{
				URL: a.URL(), Token: flightToken, Out: filepath.Join(dir, "window.whet"), Duration: d, Trace: d / 2,
			})
			if err != nil {
				t.Error(err)
				return
			}
			if miss, ok := missing(sum.Meta, "trace"); ok {
				t.Errorf("trace: %+v", miss)
			}
		})
		flight("meanwhile.whet")
		wg.Wait()
		samples = traceSamples(t, bytes.NewReader(
			readPart(t, openRecording(t, filepath.Join(dir, "window.whet")), recording.TracePart),
		))
	}
	if samples == 0 {
		t.Error("trace holds no CPU samples")
	}
	flight("behind.whet")
}

// TestNoFlight checks the hints if there is no flight recorder, or if it returns no trace.
func TestNoFlight(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"none": nil,
		"404":  http.NotFound,
		"text": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "go 1.26 trace? no") },
		"busy": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "a snapshot is being written", http.StatusTooManyRequests)
		},
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("/debug/pprof/", func(w http.ResponseWriter, r *http.Request) {
			if answer != nil && r.URL.Path == "/debug/pprof/" {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<a href='goroutine?debug=1'></a><a href='flight'></a>")
				return
			}
			pprof.Index(w, r)
		})
		want := "the target has no flight recorder"
		switch name {
		case "text":
			want = "read trace"
		case "busy":
			want = "a snapshot is being written"
		}
		if answer != nil {
			mux.HandleFunc("/debug/pprof/flight", answer)
		}
		srv := httptest.NewServer(mux)
		out := filepath.Join(t.TempDir(), "r.whet")
		_, err := Run(t.Context(), Options{URL: srv.URL, Flight: true, Out: out})
		srv.Close()
		if err == nil || !strings.Contains(err.Error(), want) || name != "text" && diag.Hint(err) == "" {
			t.Errorf("%s: %v; %s", name, err, diag.Hint(err))
		}
		if strings.Contains(want, "no flight") && !strings.Contains(diag.Hint(err), "agent.Start(agent.Options{Flight:") {
			t.Errorf("%s: hint %s", name, diag.Hint(err))
		}
		if left, err := filepath.Glob(out + "*"); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
	if _, err := Run(t.Context(), Options{
		Command: []string{"true"}, Flight: true, Out: "r.whet",
	}); err == nil || !strings.Contains(err.Error(), "only a server") {
		t.Errorf("of a command: %v", err)
	}
}

// TestTraceLengthMadeUp reads a crafted trace that would need an unbounded amount of memory.
func TestTraceLengthMadeUp(t *testing.T) {
	t.Parallel()
	data := []byte("go 1.22 trace\x00\x00\x00")
	for thread := range uint64(20_000) {
		data = append(binary.AppendUvarint(append(data, 1, 1), thread), 1, 0) // an empty batch
	}
	if _, err := reader.Length(t.Context(), bytes.NewReader(data)); err == nil ||
		!strings.Contains(err.Error(), "more than 16384 threads") {
		t.Errorf("error %v", err)
	}
}
