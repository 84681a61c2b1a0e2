package builds_test

import (
	"math"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/history"
)

func TestCheck(t *testing.T) {
	unit := func(name string, a, b, low, high, q float64) ab.Unit {
		u := ab.Unit{
			Unit: name, A: ab.Summary{Median: bench.Float(a)}, B: ab.Summary{Median: bench.Float(b)}, Ratio: bench.Float(b / a),
			Low: bench.Float(low), High: bench.Float(high), Q: q,
		}
		if a == 0 {
			u.Ratio = bench.Float(math.NaN())
		}
		return u
	}
	r := &builds.Result{Result: ab.Result{Alpha: 0.05, Subjects: []ab.SubjectResult{
		{Name: "Slower", Units: []ab.Unit{
			unit("sec/op", 1, 1.05, 1.04, 1.06, 0), unit("allocs/op", 2, 3, 1.5, 1.5, 0),
			unit("B/s", 1, 0.9, 0.88, 0.92, 0),
		}},
		{Name: "Noisy", Units: []ab.Unit{unit("sec/op", 1, 1.05, 0.9, 1.2, 0.5), unit("allocs/op", 0, 1, 0, math.Inf(1), 0)}},
	}}}
	for gate, want := range map[string]string{
		"sec/op<+3%":       "Slower: +5.00% (+4.00% to +6.00%) is not within sec/op<+3%",
		"sec/op<+5%":       "",
		"Noisy:sec/op<+3%": "",
		"allocs/op<+0": "Slower: +1 allocs/op is not within allocs/op<+0; Noisy: +1 allocs/op is not " +
			"within allocs/op<+0",
		"allocs/op<+1":           "",
		"Noisy:allocs/op<+50%":   "Noisy: +1 allocs/op is not within Noisy:allocs/op<+50%",
		"B/s>-5%":                "Slower: -10.00% (-12.00% to -8.00%) is not within B/s>-5%",
		"B/s>-9%":                "",
		"sec/op<+3%,allocs/op<1": "error",
		"widgets/op<+1%":         "error",
	} {
		gates, err := history.ParseGates(gate)
		var failed []string
		if err == nil {
			failed, err = r.Check(gates)
		}
		got := strings.Join(failed, "; ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", gate, got, err, want)
		}
	}
}
