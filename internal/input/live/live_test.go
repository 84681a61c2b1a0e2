package live

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// fake serves the same CPU profile for each window, unless fails says otherwise. It has no other profiles.
func fake(t *testing.T, fails func(n int64) bool) string {
	t.Helper()
	cpu, err := os.ReadFile("../../../find/testdata/slug.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, _ *http.Request) {
		if fails(n.Add(1)) {
			http.Error(w, "Could not enable CPU profiling: cpu profiling already in use", http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(cpu) // the client may be gone
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRun adds up windows, orders lines by the last ones, and keeps going when one fails.
func TestRun(t *testing.T) {
	address := fake(t, func(n int64) bool { return n == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var states []*State
	last, err := Run(ctx, Options{URL: address, Name: "service", Window: time.Second}, func(s *State) {
		if states = append(states, s); len(states) == 3 {
			cancel()
		}
	})
	if err != nil || len(states) != 3 || last != states[2] {
		t.Fatal(err, len(states))
	}
	if states[0].Target != "service" || states[0].Schema != Schema || len(states[0].Warnings) != 1 || last.Alloc != -1 {
		t.Errorf("%+v", states[0])
	}
	if w := last.Windows[1]; w.Error == "" || !strings.Contains(w.Hint, "another CPU profile") || w.CPU != 0 {
		t.Errorf("the window that failed is %+v", w)
	}
	if len(last.Windows) != 3 || len(last.Lines) == 0 || last.CPU != 2*states[0].CPU || last.OwnCPU == 0 {
		t.Fatalf("%d windows, %d lines, %d of %d", len(last.Windows), len(last.Lines), last.CPU, states[0].CPU)
	}
	sum := int64(0)
	for i, l := range last.Lines {
		if len(l.CPU) != 3 || l.CPU[1] != 0 || l.CPU[0] != l.CPU[2] || l.CPUSum != 2*l.CPU[0] || l.Path == "" {
			t.Errorf("line %d is %+v", i, l)
		}
		sum += l.CPUSum
	}
	if sum != last.OwnCPU {
		t.Errorf("lines add up to %d, not %d", sum, last.OwnCPU)
	}
	if !slices.IsSortedFunc(last.Lines, func(a, b Line) int { return int(b.CPUSum - a.CPUSum) }) {
		t.Error("the lines are not in the order of their cost")
	}
	if len(states[0].Lines[0].CPU) != 1 {
		t.Error("a later window has changed an earlier state")
	}
}

// TestRunFails has the error of the first window, and none if the caller ends it before.
func TestRunFails(t *testing.T) {
	address := fake(t, func(int64) bool { return true })
	if s, err := Run(t.Context(), Options{URL: address}, nil); err == nil || s != nil ||
		!strings.Contains(err.Error(), "already in use") {
		t.Errorf("%v, %v", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := Run(ctx, Options{URL: address}, nil); err != nil || s != nil {
		t.Errorf("%v, %v", s, err)
	}
}

// TestBounds keeps only the last windows, and at most so many lines in a state.
func TestBounds(t *testing.T) {
	address := fake(t, func(int64) bool { return false })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := 0
	last, err := Run(ctx, Options{URL: address, Window: time.Second, Lines: 1, unpaced: true}, func(*State) {
		if n++; n == MaxWindows+5 {
			cancel()
		}
	})
	if err != nil || len(last.Windows) != MaxWindows || len(last.Lines) != 1 || last.Hidden == 0 ||
		len(last.Lines[0].CPU) != MaxWindows || last.Lines[0].CPUSum != int64(n)*last.Lines[0].CPU[0] {
		t.Errorf("%v: %d windows, %d lines, %d hidden", err, len(last.Windows), len(last.Lines), last.Hidden)
	}
}
