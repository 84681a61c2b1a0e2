package history_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/history"
)

func TestParseGates(t *testing.T) {
	gates, err := history.ParseGates("sec/op<+3%, allocs/op<+0,B/op<=+1%,Encode|/a:b:ns/op<-10,B/s>-5%,MB/s>+1")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []history.Gate{
		{Unit: "sec/op", Limit: 0.03, Relative: true},
		{Unit: "allocs/op"},
		{Unit: "B/op", Limit: 0.01, Relative: true},
		{Unit: "sec/op", Limit: -1e-8, Names: regexp.MustCompile("Encode|/a:b")},
		{Unit: "B/s", Limit: -0.05, Relative: true, Least: true},
		{Unit: "B/s", Limit: 1e6, Least: true},
	} {
		g := gates[i]
		if g.Unit != want.Unit || math.Abs(g.Limit-want.Limit) > 1e-12 || g.Relative != want.Relative ||
			g.Least != want.Least || (g.Names == nil) != (want.Names == nil) ||
			g.Names != nil && g.Names.String() != want.Names.String() {
			t.Errorf("%+v, want %+v", g, want)
		}
	}
	for text, want := range map[string]string{
		"":               "missing < or >",
		"sec/op":         "missing < or >",
		"sec/op<3%":      "no + or - before the limit",
		"sec/op<+":       "is not a number",
		"sec/op<+x%":     "is not a number",
		"sec/op<+Inf":    "is not a number",
		"sec/op<+1e999%": "is not a number",
		"<+3%":           "no unit",
		"a b<+3%":        "no unit",
		"(:sec/op<+3%":   "missing closing",
		"sec/op<+3%,":    "missing < or >",
	} {
		ge := (*history.GateError)(nil)
		if _, err := history.ParseGates(text); !errors.As(err, &ge) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzParseGates expects gates or an error for any text, and limits that are numbers.
func FuzzParseGates(f *testing.F) {
	for _, text := range []string{
		"sec/op<+3%,allocs/op<+0", "Encode/x=[a-z]+:B/s>-5%", "<", ":<+1",
		"a:b:c<=-0x1p-2%", "MB<+1e308",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		gates, err := history.ParseGates(text)
		if (err == nil) == (len(gates) == 0) {
			t.Fatalf("%q: %v, %v", text, gates, err)
		}
		for _, g := range gates {
			if g.Unit == "" || math.IsNaN(g.Limit) || math.IsInf(g.Limit, 0) {
				t.Fatalf("%q: %+v", text, g)
			}
		}
	})
}

// gated returns a history of commits with the given sec/op of one benchmark and B/op of another,
// five measurements each with noise within a commit.
func gated(t *testing.T, r *rand.Rand, times []float64, bytes []int) *history.Report {
	t.Helper()
	dir := t.TempDir()
	for i := range times {
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		var b strings.Builder
		fmt.Fprintf(&b, "commit: %040x\ncommit-time: %s\n", i+1, at.Format(time.RFC3339))
		for range 5 {
			fmt.Fprintf(&b, "BenchmarkFast-4 1 %.8g ns/op %.8g MB/s\nBenchmarkLean-4 1 %d B/op\n",
				times[i]*math.Exp(0.001*r.NormFloat64()), 1e3/times[i], bytes[i])
		}
		write(t, filepath.Join(dir, at.Format("20060102T150405Z-")+fmt.Sprintf("%012x.txt", i+1)), b.String())
	}
	report, err := history.Read(t.Context(), dir, history.Options{Repository: dir})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestGate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	commits := func(n int, sd float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = 100 * math.Exp(sd*r.NormFloat64())
		}
		return out
	}
	same := func(n, v int) []int { return slices.Repeat([]int{v}, n) }
	tests := []struct {
		name  string
		gate  string
		times []float64
		bytes []int
		want  string
		n     int // commits compared with; -1 is left to the changes found by chance
	}{
		{"nothing changed", "sec/op<+10%", append(commits(20, 0.01), 100), same(21, 64), history.Holds, -1},
		{"slower", "sec/op<+3%", append(commits(20, 0.01), 112), same(21, 64), history.Fails, -1},
		{"not by enough", "sec/op<+30%", append(commits(20, 0.01), 112), same(21, 64), history.Holds, -1},
		{"too noisy", "sec/op<+3%", append(commits(20, 0.1), 105), same(21, 64), history.Undecided, -1},
		{"faster", "sec/op<+3%", append(commits(20, 0.01), 80), same(21, 64), history.Holds, -1},
		{"not faster enough", "sec/op<-30%", append(commits(20, 0.01), 90), same(21, 64), history.Fails, -1},
		{"throughput", "B/s>-3%", append(commits(20, 0.01), 112), same(21, 64), history.Fails, -1},
		{"throughput is kept", "B/s>-10%", append(commits(20, 0.01), 100), same(21, 64), history.Holds, -1},
		{"in nanoseconds", "ns/op<+5", append(commits(20, 0.01), 112), same(21, 64), history.Fails, -1},
		{"within nanoseconds", "ns/op<+50", append(commits(20, 0.01), 112), same(21, 64), history.Holds, -1},
		{"more bytes", "B/op<+0", commits(5, 0.01), append(same(4, 64), 65), history.Fails, 4},
		{"no more bytes", "B/op<+0", commits(5, 0.01), same(5, 64), history.Holds, 4},
		{"bytes from none", "B/op<+1%", commits(5, 0.01), append(same(4, 0), 1), history.Fails, 4},
		{"fewer bytes", "B/op<+0", commits(5, 0.01), append(same(4, 64), 48), history.Holds, 4},
		{"one byte of many allowed", "Lean:B/op<+16", commits(5, 0.01), append(same(4, 64), 80), history.Holds, 4},
		{"bytes after one commit", "B/op<+0", commits(2, 0.01), []int{64, 65}, history.Fails, 1},
		{"times after one commit", "sec/op<+3%", commits(2, 0.01), same(2, 64), history.Undecided, 1},
		{"the first commit", "B/op<+0", commits(1, 0.01), same(1, 64), history.Undecided, 0},
		// The change of six commits ago determines the base; that of two commits ago does not.
		{
			"since the change", "sec/op<+5%", append(commits(14, 0.005), 120, 121, 120.5, 119.5, 120, 120),
			same(20, 64), history.Holds, 5,
		},
		{"two after a change", "B/op<+0", commits(16, 0.01), append(same(14, 64), 96, 96), history.Fails, 15},
		{"three after a change", "B/op<+0", commits(17, 0.01), append(same(14, 64), 96, 96, 96), history.Fails, 14},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := gated(t, r, tt.times, tt.bytes)
			gates, err := history.ParseGates(tt.gate)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Check(gates); err != nil || len(report.Gate) != 1 {
				t.Fatal(err, report.Gate)
			}
			c := report.Gate[0]
			if c.Outcome != tt.want || tt.n >= 0 && c.N != tt.n || (c.Reason != "") != (tt.want == history.Undecided) {
				t.Errorf("%+v, want %s", c, tt.want)
			}
			if c.N > 0 && !(c.Low <= c.Change && c.Change <= c.High) {
				t.Errorf("%v is not between %v and %v", c.Change, c.Low, c.High)
			}
		})
	}
}

// TestGateFalseAlarms checks that a gate that allows no change rarely fails when there is only
// noise, and that one of 20% nearly always detects a change of 40%.
func TestGateFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const trials = 120
	failed, found := 0, 0
	for range trials {
		times := make([]float64, 13)
		for i := range times {
			times[i] = 100 * math.Exp(0.03*r.NormFloat64())
		}
		for _, by := range []float64{1, 1.4} {
			times[12] *= by
			report := gated(t, r, times, make([]int, 13))
			gate := "sec/op<+0%"
			if by > 1 {
				gate = "sec/op<+20%"
			}
			gates, err := history.ParseGates(gate)
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Check(gates); err != nil {
				t.Fatal(err)
			}
			fails := report.Gate[0].Outcome == history.Fails
			if fails && by > 1 {
				found++
			} else if fails {
				failed++
			}
		}
	}
	// 5% of 120 is 6, with a standard deviation of 2.4.
	if failed > 12 || found < trials*9/10 {
		t.Errorf("of %d histories %d fail by noise, %d by a change", trials, failed, found)
	}
	t.Log(failed, found)
}

func TestGateOfNothing(t *testing.T) {
	report := gated(t, rand.New(rand.NewPCG(3, 3)), []float64{1, 2}, []int{1, 1})
	for _, text := range []string{"sec/op<+3%,x/op<+1%", "Slow:sec/op<+3%"} {
		gates, err := history.ParseGates(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Check(gates); !errors.Is(err, history.ErrNoSeries) ||
			!strings.Contains(err.Error(), "units are sec/op, B/op, B/s") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
