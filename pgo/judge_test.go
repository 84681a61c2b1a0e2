package pgo

import (
	"math"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
)

func TestJudge(t *testing.T) {
	ratio := func(at, low, high float64) *ab.Result {
		return &ab.Result{Unit: "sec/op", Subjects: []ab.SubjectResult{{Units: []ab.Unit{
			{Unit: "B/op", Ratio: 5, Low: 5, High: 5},
			{Unit: "sec/op", Ratio: bench.Float(at), Low: bench.Float(low), High: bench.Float(high)},
		}}}}
	}
	interrupted := ratio(0.9, 0.8, 0.95)
	interrupted.Interrupted = true
	mean := ratio(1.2, 1.1, 1.3) // of one benchmark, and of all
	mean.Geomean = []ab.Mean{{Unit: "sec/op", Of: 2, Ratio: 0.9, Low: 0.88, High: 0.92}}
	for _, tt := range []struct {
		name    string
		c       *ab.Result
		minGain float64
		pays    bool
		why     string
	}{
		{"gain", ratio(0.9, 0.85, 0.95), 0, true, "faster"},
		{"gain but too small", ratio(0.9, 0.85, 0.95), 0.06, false, "not certainly by the required 6%"},
		{"gain as asked for", ratio(0.9, 0.85, 0.95), 0.04, true, "faster"},
		{"no change in the interval", ratio(0.99, 0.97, 1.01), 0, false, "no proven gain"},
		{"slower", ratio(1.05, 1.02, 1.08), 0, false, "slower"},
		{"too few", ratio(0.9, 0, math.Inf(1)), 0, false, "too few"},
		{"none", ratio(math.NaN(), math.NaN(), math.NaN()), 0, false, "too few"},
		{"no such unit", &ab.Result{Unit: "sec/op"}, 0, false, "too few"},
		{"interrupted", interrupted, 0, false, "interrupted"},
		{"mean", mean, 0, true, "faster"},
		{"not measured", nil, 0, false, "nothing was measured"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &runner{result: &Result{Comparison: tt.c, MinGain: tt.minGain}}
			r.judge()
			if r.result.Pays != tt.pays || !strings.Contains(r.result.Why, tt.why) {
				t.Errorf("pays %v: %s", r.result.Pays, r.result.Why)
			}
		})
	}
}
