package benchmarks

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// abResult has each kind of row.
func abResult() *ab.Result {
	unitOf := func(unit string, a, b, low, high, q float64, v ab.Verdict) ab.Unit {
		u := ab.Unit{
			Unit: unit, Better: bench.Lower, A: ab.Summary{Median: bench.Float(a)}, B: ab.Summary{Median: bench.Float(b)},
			Ratio: bench.Float(b / a), Low: bench.Float(low), High: bench.Float(high), P: q, Q: q, Verdict: v,
		}
		if a == b {
			u.Ratio = 1
		}
		u.Rounds[ab.A], u.Rounds[ab.B] = make([]float64, 24), make([]float64, 24)
		return u
	}
	plan := ab.Plan{Length: 50 * time.Millisecond, Pinned: true}
	return &ab.Result{
		Schema: ab.Schema, Sides: [2]string{"main (0123456789ab)", "the working tree"}, Plan: plan, Machine: ab.Machine{
			GOOS: "linux", GOARCH: "amd64", CPU: "Example CPU @ 2GHz",
			Processors: 2, Kernel: "6.1", Load: "0.31 0.22 0.18", GOGC: "50",
		}, Unit: "sec/op", Precision: 0.01, Confidence: 0.95,
		Alpha: 0.05,
		Tried: []ab.Trial{
			{Plan: ab.Plan{Length: 50 * time.Millisecond}, Pairs: 6, Spread: 0.04},
			{Plan: plan, Pairs: 12, Spread: 0.012},
		},
		Subjects: []ab.SubjectResult{
			{Name: "Leftpad/width=50", Pairs: 24, Stopped: ab.Precise, Units: []ab.Unit{
				unitOf("sec/op", 2.005e-6, 9.012e-7, 0.447, 0.452, 0, ab.Better), unitOf("B/op", 600, 64, 64.0/600, 64.0/600, 0,
					ab.Better), unitOf("allocs/op", 46, 3, 3.0/46, 3.0/46, 0, ab.Better),
			}},
			{Name: "TimedHandler", Pairs: 40, Stopped: ab.Precise, Units: []ab.Unit{
				unitOf("sec/op", 3.1e-6, 3.1037e-6, 0.995, 1.007, 0.731, ab.Same), unitOf("B/op", 0, 0, 1, 1, 1, ab.Same),
				unitOf("allocs/op", 0, 0, 1, 1, 1, ab.Same),
			}},
			{
				Name: "Noisy", Pairs: 300, Stopped: ab.TimeUp, CanShare: true,
				Units: []ab.Unit{unitOf("sec/op", 1e-3, 1.01e-3, 0.98, 1.04, 0.5, ab.Undecided)},
			},
			{
				Name: "Slower", Pairs: 24, Stopped: ab.Precise,
				Units: []ab.Unit{unitOf("sec/op", 1e-3, 4.2e-2, 41.9, 42.1, 0, ab.Worse)},
			},
			{
				Name: "Cut", Pairs: 3, Stopped: ab.Interrupted,
				Units: []ab.Unit{unitOf("sec/op", 1e-3, 1e-3, 0, math.Inf(1), 1, ab.Undecided)},
			},
			{Name: "Broken", Stopped: ab.Failed, Error: "B: panic: oh"},
		},
		Geomean:     []ab.Mean{{Unit: "sec/op", Of: 5, Ratio: 1.2, Low: 1.19, High: 1.21}},
		Elapsed:     40 * time.Second,
		Inside:      38 * time.Second,
		Interrupted: true,
	}
}

// abDocument is the report of a comparison in which both builds have all benchmarks.
func abDocument(r *ab.Result) *blocks.Document { return Builds(&builds.Result{Result: *r}) }

func TestWriteBenchAB(t *testing.T) {
	var text, markdown strings.Builder
	if err := abDocument(abResult()).Write(&text, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/bench-ab.txt", []byte(text.String()))
	for line := range strings.Lines(text.String()) {
		if layout.Columns(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %q", line)
		}
	}
	if err := abDocument(abResult()).WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/bench-ab.md", []byte(markdown.String()))
}
