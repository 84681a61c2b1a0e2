package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/recording"
)

// hostileServer offers all profiles. answer responds to requests for those of kinds.
func hostileServer(t *testing.T, answer http.HandlerFunc, kinds ...string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", cpuProfile)
	mux.HandleFunc("/debug/pprof/trace", executionTrace)
	bad := http.NewServeMux()
	for _, kind := range kinds {
		bad.HandleFunc("/debug/pprof/"+kind, answer)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, pattern := bad.Handler(r); pattern != "" && r.URL.Query().Get("debug") == "" {
			h.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// cpuProfile answers with a CPU profile after the requested time. The profile is made up, because a
// process takes only one at a time and tests run in parallel.
func cpuProfile(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.Atoi(r.FormValue("seconds"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	f := &profile.Function{ID: 1, Name: "main.main"}
	l := &profile.Location{ID: 1, Address: 0x1000, Line: []profile.Line{{Function: f, Line: 1}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7,
		Function: []*profile.Function{f}, Location: []*profile.Location{l},
		Sample:        []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{1, 1e7}}},
		DurationNanos: int64(seconds) * 1e9, TimeNanos: time.Now().UnixNano(),
	}
	_ = p.Write(w) // the client may be gone
}

// executionTrace answers with a trace after the requested time. Like CPU profiles, a process has one at a time.
func executionTrace(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.ParseFloat(r.FormValue("seconds"), 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	http.ServeFile(w, r, filepath.FromSlash("../internal/trace/testdata/go1.26.trace"))
}

// drips sends a byte from time to time, and never ends by itself.
func drips(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := io.WriteString(w, "\x1f"); err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// endless sends as fast as it can, and never ends by itself.
func endless(w http.ResponseWriter, _ *http.Request) {
	piece := strings.Repeat("\x1f\x8b", 32<<10)
	for {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
	}
}

// onlyFile fails the test unless a directory contains only these files.
func onlyFile(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// TestDrips records servers whose answers do not end: the recording ends soon after the window, has
// what is complete, and lists the rest with the reason and a hint.
func TestDrips(t *testing.T) {
	t.Parallel()
	const grace = 25 * time.Second // enough for complete answers on a busy machine
	for _, test := range []struct {
		kinds   []string
		missing []string
		there   []string
	}{
		{[]string{"heap", "allocs"}, []string{"heap"}, []string{"goroutine", "threadcreate"}},
		{[]string{"profile"}, []string{"cpu"}, []string{"goroutine", "heap", "allocs"}},
		{
			[]string{"goroutine", "heap", "allocs", "block", "mutex", "threadcreate", "profile"},
			[]string{"cpu", "heap", "goroutine"},
			nil,
		},
	} {
		t.Run(strings.Join(test.kinds, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out := filepath.Join(dir, "r.whet")
			begin := time.Now()
			sum, err := Run(t.Context(), Options{
				URL: hostileServer(t, drips, test.kinds...), Out: out,
				Duration: time.Second, Trace: 500 * time.Millisecond, Grace: grace,
			})
			// A busy machine may take longer for the rest.
			if took := time.Since(begin); took > 5*time.Minute {
				t.Errorf("it took %v", took)
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(sum.Failures) > 0 {
				t.Errorf("failures %v", sum.Failures)
			}
			for _, part := range test.missing {
				if m, ok := missing(sum.Meta, part); !ok ||
					!strings.Contains(m.Reason, "not complete in time (grace period 25s)") ||
					!strings.Contains(m.Hint, "--grace") {
					t.Errorf("%s is %+v", part, m)
				}
			}
			r := openRecording(t, out)
			for _, part := range test.there {
				if _, err := r.Profile(part); err != nil {
					t.Error(err)
				}
			}
			onlyFile(t, dir, "r.whet")
		})
	}
}

// TestDripsAlone looks for handlers at a server that never gets to the end of its index.
func TestDripsAlone(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(drips))
	defer s.Close()
	dir := t.TempDir()
	for _, flight := range []bool{false, true} {
		_, err := Run(t.Context(), Options{
			URL: s.URL, Out: filepath.Join(dir, "r.whet"), Duration: time.Second, Flight: flight, Grace: time.Second,
		})
		if !errors.Is(err, errOverdue) || !strings.Contains(diag.Hint(err), "--grace") {
			t.Errorf("flight %v: %v", flight, err)
		}
	}
	onlyFile(t, dir)
}

// TestEndless records servers with endless answers: the limit applies to all of them together. No
// file but the recording is left, and none if there is no recording.
func TestEndless(t *testing.T) {
	t.Parallel()
	url := hostileServer(t, endless, "heap", "allocs", "block", "mutex")
	dir := t.TempDir()
	out := filepath.Join(dir, "r.whet")
	sum, err := Run(t.Context(), Options{
		URL: url, Out: out, Duration: time.Second, Trace: -1, MaxSize: 8 << 20, Grace: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := missing(sum.Meta, "heap"); !ok ||
		!strings.Contains(m.Reason, "cut off: answer too large (limit ") || !strings.Contains(m.Hint, "--max-size") {
		t.Errorf("heap: %+v", m)
	}
	for _, part := range []string{"cpu", "goroutine", "threadcreate"} {
		if _, err := openRecording(t, out).Profile(part); err != nil {
			t.Errorf("%s, which has an end, next to profiles without: %v", part, err)
		}
	}
	onlyFile(t, dir, "r.whet")

	// Only one part is cut off, which does not mean that the target is gone.
	url = hostileServer(t, endless, "threadcreate")
	sum, err = Run(t.Context(), Options{
		URL: url, Out: out, Duration: time.Second, Trace: -1, MaxSize: 16 << 20, Grace: time.Minute,
	})
	if err != nil || len(sum.Failures) > 0 {
		t.Fatal(err, sum)
	}
	if m, ok := missing(sum.Meta, "threadcreate"); !ok ||
		!strings.Contains(m.Reason, "cut off") || !strings.Contains(m.Hint, "--max-size") {
		t.Errorf("%+v", m)
	}
	onlyFile(t, dir, "r.whet")

	ctx, cancel := context.WithCancel(t.Context())
	abort := make(chan struct{})
	url = hostileServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		cancel()
		close(abort)
		<-r.Context().Done()
	}, "profile")
	if _, err = Run(ctx, Options{
		URL: url, Out: filepath.Join(dir, "x.whet"), Duration: time.Hour, Trace: -1, Abort: abort,
	}); err != nil {
		t.Log(err) // it may have only what came before
	}
	if _, err := os.Stat(filepath.Join(dir, "x.whet")); err == nil {
		onlyFile(t, dir, "r.whet", "x.whet")
	} else {
		onlyFile(t, dir, "r.whet")
	}
}

// TestNoTrace records servers that send something other than an execution trace.
func TestNoTrace(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"error":"\u202eno trace here"}`:          `it is JSON; it begins with "{\"error\":\"\\u202eno`,
		"\x1b[31m\u202esome text that is no trace": `not an execution trace; it begins with "\x1b[31m\u202esome text that`,
		"": "an empty file",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00\x00\x00": "compressed, as profiles are",
	} {
		url := hostileServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }, "trace")
		out := filepath.Join(t.TempDir(), "r.whet")
		sum, err := Run(t.Context(), Options{
			URL: url, Out: out, Duration: time.Second, Trace: 500 * time.Millisecond, Grace: time.Minute,
		})
		if err != nil {
			t.Error(err)
			continue
		}
		m, ok := missing(sum.Meta, "trace")
		if !ok || !strings.Contains(m.Reason, want) || strings.ContainsAny(m.Reason, "\x1b\u202e") || m.Hint == "" {
			t.Errorf("%q: %+v", answer, m)
		}
		if r := openRecording(t, out); r.Has(recording.TracePart) {
			t.Errorf("%q is stored as a trace", answer)
		}
	}
}

// TestLimitOfMemory records a small profile that takes more to decode than it may.
func TestLimitOfMemory(t *testing.T) {
	t.Parallel()
	bomb := hostile.Gzip(hostile.Bomb(1 << 20))
	url := hostileServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bomb) }, "threadcreate", "heap")
	sum, err := Run(t.Context(), Options{
		URL: url, Out: filepath.Join(t.TempDir(), "r.whet"),
		Duration: time.Second, Trace: -1, MaxMemory: 8 << 20, Grace: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"threadcreate", "heap"} {
		if m, ok := missing(sum.Meta, part); !ok ||
			!strings.Contains(m.Reason, "8MB of memory that it may take") || !strings.Contains(m.Hint, "--max-memory") {
			t.Errorf("%+v", m)
		}
	}
}
