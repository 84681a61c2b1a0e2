package prove

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// TestJudge says which comparisons keep a rewrite.
func TestJudge(t *testing.T) {
	t.Parallel()
	figure := func(unit string, v ab.Verdict, ratio float64) ab.Unit {
		better := bench.Lower
		if strings.HasSuffix(unit, "B/s") {
			better = bench.Higher
		}
		return ab.Unit{
			Unit: unit, Better: better, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(ratio * 0.99),
			High: bench.Float(ratio * 1.01),
		}
	}
	const time, memory, rate = "sec/op", "B/op", "B/s"
	for _, test := range []struct {
		name     string
		units    []ab.Unit
		reviewed bool
		want     error  // in the chain; nil: kept unless text is set
		text     string // of the error
	}{
		{"gain", []ab.Unit{figure(time, ab.Better, 0.9)}, false, nil, ""},
		{"gain of a rate", []ab.Unit{figure(rate, ab.Better, 1.1)}, false, nil, ""},
		{"loss of a rate", []ab.Unit{figure(rate, ab.Worse, 0.9)}, false, nil, "regression"},
		{"same", []ab.Unit{figure(time, ab.Same, 1)}, false, errNoGain, ""},
		{
			"noise of the mean",
			[]ab.Unit{figure(time, ab.Better, 0.9), figure(gotest.MeanTime, ab.Undecided, 1.3)},
			false, nil,
			"",
		},
		{
			"now and then slow",
			[]ab.Unit{figure(time, ab.Better, 0.9), figure(gotest.MeanTime, ab.Worse, 1.3)},
			false, nil,
			"regression: x.Y mean-sec/op",
		},
		{"next to nothing lost", []ab.Unit{figure(time, ab.Better, 0.8), figure(memory, ab.Worse, 1.004)}, false, nil, ""},
		{
			"as little as gained",
			[]ab.Unit{figure(time, ab.Better, 0.99), figure(memory, ab.Worse, 1.004)},
			false, nil,
			"regression: x.Y B/op",
		},
		{
			"more than 1 % lost",
			[]ab.Unit{figure(time, ab.Better, 0.5), figure(memory, ab.Worse, 1.02)},
			false, nil, "regression",
		},
		{"the same, reviewed", []ab.Unit{figure(time, ab.Better, 0.5), figure(memory, ab.Worse, 1.02)}, true, nil, ""},
		{
			"a third of the gain lost, reviewed",
			[]ab.Unit{figure(time, ab.Better, 0.7), figure(memory, ab.Worse, 1.15)},
			true, nil, "regression",
		},
		{"only lost", []ab.Unit{figure(memory, ab.Worse, 1.001)}, true, nil, "regression"},
		{
			"to nothing, and a little lost",
			[]ab.Unit{figure(memory, ab.Better, math.NaN()), figure(time, ab.Worse, 1.005)},
			false, nil, "",
		},
		{
			"from nothing",
			[]ab.Unit{figure(time, ab.Better, 0.5), figure(memory, ab.Worse, math.NaN())},
			true, nil, "regression",
		},
		{"open, and leans to a gain", []ab.Unit{figure(time, ab.Undecided, 0.98)}, false, errNotSeen, ""},
		{"open, and leans to nothing", []ab.Unit{figure(time, ab.Undecided, 1.01)}, false, errNoSign, ""},
		{
			"may lose more than it gains",
			[]ab.Unit{figure(memory, ab.Better, 0.99), figure(time, ab.Undecided, 1.2)},
			false,
			errNotSeen, "the possible loss",
		},
	} {
		_, err := judge(&ab.Result{Subjects: []ab.SubjectResult{{Name: "x.Y", Units: test.units}}}, test.reviewed)
		switch {
		case test.want == nil && test.text == "":
			if err != nil {
				t.Errorf("%s: dropped: %v", test.name, err)
			}
		case err == nil:
			t.Errorf("%s: kept", test.name)
		case test.want != nil && !errors.Is(err, test.want), !strings.Contains(err.Error(), test.text):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
