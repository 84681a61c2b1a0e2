package findings

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/pgo"
)

// pgoResult has something to say in each section.
func pgoResult() *pgo.Result {
	r := &pgo.Result{
		Target: pgo.Target{
			Module: "example.com/shop", Main: "example.com/shop/cmd/server", Dir: "/src/shop/cmd/server",
			GoVersion: "go1.26.8", Existing: 1200,
		},
		Profile: pgo.Summary{Samples: 12412, Duration: 30 * time.Second, Calls: 2311, Hot: 431, Bytes: 34212},
		Stale: pgo.Staleness{
			Total: 1000, Stale: 50, Own: 400, OwnStale: 40, GoVersion: "go1.25.1, now go1.26.8",
			Modules: []string{"example.com/dep v1.0.0, now v1.1.0"},
			Functions: []pgo.StaleFunction{
				{Function: "example.com/dep.Encode", Weight: 10, Gone: true},
				{
					Function: "main.(*server).handle", Own: true, Weight: 40,
					Calls: []pgo.StaleCall{{Callee: "example.com/shop/pad.Left", Offset: 7}, {Callee: "x", Offset: 8}},
				},
			},
		},
		A: &pgo.Build{Size: 9_200_000, Wall: 15 * time.Second, CPU: 26 * time.Second},
		B: &pgo.Build{Size: 9_500_000, Wall: 20 * time.Second, CPU: 35 * time.Second},
		Changes: []pgo.ChangedCall{
			{
				Caller: "main.(*server).handle", Callee: "example.com/shop/pad.Left", File: "/src/shop/cmd/server/server.go",
				Line: 41, Own: true, Weight: 300, Change: pgo.Inlined,
			},
			{
				Caller: "example.com/shop/internal/encoding.(*RatherLongWriterName).writeEverything",
				Callee: "example.com/shop/internal/encoding.(*RatherLongWriterName).flushSomething",
				File:   "/src/shop/internal/encoding/writer.go", Line: 341, Own: true, Weight: 12, Change: pgo.NotInlined,
			},
		},
		Frames: []pgo.GrownFrame{
			{Function: "main.(*server).handle", Before: 120, After: 900},
			{Function: "main.small", Before: 120, After: 130},
		},
		Comparison: &ab.Result{
			Unit: "sec/op", Confidence: 0.95, Plan: ab.Plan{Length: 50 * time.Millisecond},
			Subjects: []ab.SubjectResult{
				{Name: "BenchmarkHandle", Units: []ab.Unit{
					{
						Unit: "sec/op", A: ab.Summary{Median: 2e-6}, B: ab.Summary{Median: 1.8e-6}, Ratio: 0.9, Low: 0.88, High: 0.92,
						Verdict: ab.Better,
					},
					{
						Unit: "B/op", A: ab.Summary{Median: 64}, B: ab.Summary{Median: 32}, Ratio: 0.5, Low: 0.5, High: 0.5,
						Verdict: ab.Better,
					},
					{
						Unit: "allocs/op", A: ab.Summary{Median: 1}, B: ab.Summary{Median: 1}, Ratio: 1, Low: 1, High: 1,
						Verdict: ab.Same,
					},
				}},
				{Name: "BenchmarkPad", Error: "panic: no", Units: []ab.Unit{
					{
						Unit: "sec/op", A: ab.Summary{Median: 1e-6}, B: ab.Summary{Median: 1e-6}, Ratio: bench.Float(math.NaN()), Low: 0,
						High: bench.Float(math.Inf(1)), Verdict: ab.Undecided,
					},
				}},
			},
		},
		Gain: &pgo.Gain{Unit: "sec/op", Of: 2, Ratio: 0.95, Low: 0.93, High: 0.97},
		Pays: true, Why: "the program is faster with the profile", Written: "/src/shop/cmd/server/default.pgo",
	}
	return r
}

func TestWritePGO(t *testing.T) {
	var b bytes.Buffer
	if err := PGO(pgoResult()).Write(&b, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/pgo.txt", b.Bytes())
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	b.Reset()
	if err := PGO(pgoResult()).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/pgo.md", b.Bytes())
}

// TestWritePGOService checks that the units of a service are shown as those of benchmarks: the deciding
// one, and others that differ.
func TestWritePGOService(t *testing.T) {
	r := pgoResult()
	r.Comparison = &ab.Result{
		Unit: "cpu-sec/req", Confidence: 0.95, Plan: ab.Plan{Length: time.Second},
		Subjects: []ab.SubjectResult{{Name: "service", Units: []ab.Unit{
			{
				Unit: "cpu-sec/req", A: ab.Summary{Median: 25e-6}, B: ab.Summary{Median: 24e-6}, Ratio: 0.96, Low: 0.95, High: 0.97,
				Verdict: ab.Better,
			},
			{
				Unit: "allocs/req", A: ab.Summary{Median: 126}, B: ab.Summary{Median: 120}, Ratio: 0.95, Low: 0.95, High: 0.95,
				Verdict: ab.Better,
			},
			{
				Unit: "p99-sec", A: ab.Summary{Median: 2e-3}, B: ab.Summary{Median: 3e-3}, Ratio: 1.5, Low: 0.5, High: 2,
				Verdict: ab.Undecided,
			},
		}}},
	}
	r.Gain = &pgo.Gain{Unit: "cpu-sec/req", Of: 1, Ratio: 0.96, Low: 0.95, High: 0.97}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return PGO(r).Write(b, layout.Style{Width: 80}) },
		"markdown": func(b *bytes.Buffer) error { return PGO(r).WriteMarkdown(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "| ", "")), " ")
		for _, want := range []string{
			"Comparison: cpu-sec/req, rounds of 1s, one after the other",
			"25.00µ 24.00µ -4.0% -5.0% to -3.0% better service", "126.0 120.0 -5.0%", "allocs/req", "(-4.0%, -5.0% to -3.0%).",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
		if strings.Contains(got, "p99") {
			t.Errorf("%s shows what is not decided:\n%s", name, b.String())
		}
	}
}

// TestWritePGOVerdicts checks that each verdict says what became of the file.
func TestWritePGOVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(r *pgo.Result)
		want string
	}{
		{
			"dry run", func(r *pgo.Result) { r.Written = "" },
			"It pays off: the program is faster with the profile (-5.0%, -7.0% to -3.0%).\n",
		},
		{
			"library", func(r *pgo.Result) { r.Written, r.Target.Main = "", "" },
			"a library is optimized with the profiles of the programs that use it",
		},
		{
			"no gain", func(r *pgo.Result) { r.Written, r.Pays, r.Why = "", false, "no proven gain" },
			"It does not pay off: no proven gain",
		},
		{"not measured", func(r *pgo.Result) {
			r.Written, r.Pays, r.Comparison, r.Gain, r.Why = "", false, nil, nil, "nothing was measured"
		}, "Not compared: nothing was measured.\n"},
		{"no own code", func(r *pgo.Result) { r.Stale.Own = 0 }, "none of them in own code"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := pgoResult()
			tt.edit(r)
			var b bytes.Buffer
			if err := PGO(r).Write(&b, layout.Style{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), tt.want) {
				t.Errorf("no %q in\n%s", tt.want, b.String())
			}
			if r.Written == "" && !strings.Contains(b.String(), "Nothing was written") {
				t.Errorf("the file is not mentioned:\n%s", b.String())
			}
		})
	}
}
