package judgment

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
)

// TestJudge checks which comparisons keep a rewrite.
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
	const seconds, memory, rate = "sec/op", "B/op", "B/s"
	for _, test := range []struct {
		name     string
		units    []ab.Unit
		reviewed bool
		want     error  // in the chain; nil: kept unless text is set
		text     string // of the error
	}{
		{"gain", []ab.Unit{figure(seconds, ab.Better, 0.9)}, false, nil, ""},
		{"gain of a rate", []ab.Unit{figure(rate, ab.Better, 1.1)}, false, nil, ""},
		{"loss of a rate", []ab.Unit{figure(rate, ab.Worse, 0.9)}, false, nil, "regression"},
		{"same", []ab.Unit{figure(seconds, ab.Same, 1)}, false, ErrNoGain, ""},
		{
			"noise of the mean",
			[]ab.Unit{figure(seconds, ab.Better, 0.9), figure(gotest.MeanTime, ab.Undecided, 1.3)},
			false, nil,
			"",
		},
		{
			"noise of CPU time",
			[]ab.Unit{figure(seconds, ab.Same, 1), figure(gotest.CPUTime, ab.Undecided, 1.005)},
			false, ErrNoGain, "",
		},
		{
			"noise that may hide much CPU time",
			[]ab.Unit{figure(seconds, ab.Same, 1), {
				Unit: gotest.CPUTime, Better: bench.Lower, Verdict: ab.Undecided, Ratio: 1.05, Low: 0.8, High: 1.5,
			}},
			false, ErrNoSign, "",
		},
		{
			"likely more CPU time",
			[]ab.Unit{figure(seconds, ab.Same, 1), figure(gotest.CPUTime, ab.Undecided, 1.3)},
			false, ErrNoSign, "",
		},
		{
			"now and then slow",
			[]ab.Unit{figure(seconds, ab.Better, 0.9), figure(gotest.MeanTime, ab.Worse, 1.3)},
			false, nil,
			"regression: x.Y mean-sec/op",
		},
		{"next to nothing lost", []ab.Unit{figure(seconds, ab.Better, 0.8), figure(memory, ab.Worse, 1.004)}, false, nil, ""},
		{
			"as little as gained",
			[]ab.Unit{figure(seconds, ab.Better, 0.99), figure(memory, ab.Worse, 1.004)},
			false, nil,
			"regression: x.Y B/op",
		},
		{
			"more than 1% lost",
			[]ab.Unit{figure(seconds, ab.Better, 0.5), figure(memory, ab.Worse, 1.02)},
			false, nil, "regression",
		},
		{"the same, reviewed", []ab.Unit{figure(seconds, ab.Better, 0.5), figure(memory, ab.Worse, 1.02)}, true, nil, ""},
		{
			"a third of the gain lost, reviewed",
			[]ab.Unit{figure(seconds, ab.Better, 0.7), figure(memory, ab.Worse, 1.15)},
			true, nil, "regression",
		},
		{"only lost", []ab.Unit{figure(memory, ab.Worse, 1.001)}, true, nil, "regression"},
		{
			"to nothing, and a little lost",
			[]ab.Unit{figure(memory, ab.Better, math.NaN()), figure(seconds, ab.Worse, 1.005)},
			false, nil, "",
		},
		{
			"from nothing",
			[]ab.Unit{figure(seconds, ab.Better, 0.5), figure(memory, ab.Worse, math.NaN())},
			true, nil, "regression",
		},
		{"open, and leans to a small gain", []ab.Unit{figure(seconds, ab.Undecided, 0.98)}, false, ErrSmall, ""},
		{"open, and leans to a gain", []ab.Unit{figure(seconds, ab.Undecided, 0.9)}, false, ErrNotSeen, ""},
		{"open, within 5%", []ab.Unit{figure(seconds, ab.Undecided, 1.01)}, false, ErrNoGain, ""},
		{"open, and leans to nothing", []ab.Unit{figure(seconds, ab.Undecided, 1.05)}, false, ErrNoSign, ""},
		{
			"may lose more than it gains",
			[]ab.Unit{figure(memory, ab.Better, 0.99), figure(seconds, ab.Undecided, 1.2)},
			false,
			ErrNotSeen, "the possible loss",
		},
	} {
		r := &ab.Result{Subjects: []ab.SubjectResult{{Name: "x.Y", Units: test.units}}}
		err := Of(r, nil, test.reviewed).Err
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

// TestJudgeOpen checks that an undecided figure does not outweigh a proven gain unless the
// measurement is for its unit, and that an undecided gain comes with the time that it needs.
func TestJudgeOpen(t *testing.T) {
	t.Parallel()
	rounds := func(n int) [2][]float64 { return [2][]float64{make([]float64, n), make([]float64, n)} }
	unit := func(name string, v ab.Verdict, ratio, low, high, spread float64) ab.Unit {
		return ab.Unit{
			Unit: name, Better: bench.Lower, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(low),
			High: bench.Float(high), Spread: bench.Float(spread), Rounds: rounds(13),
		}
	}
	cpu := unit("cpu-sec/req", ab.Undecided, 0.97, 0.85, 1.1, 0.1)
	bytes := unit("B/req", ab.Better, 0.9, 0.89, 0.91, 0.001)
	p50 := unit("p50-sec", ab.Undecided, 1.25, 0.89, 1.74, 0.3)
	for _, test := range []struct {
		name  string
		units []ab.Unit
		err   error
		hint  string
		open  int
	}{
		{"bytes, and an open p50", []ab.Unit{cpu, bytes, p50}, nil, "", 2},
		{
			"bytes, and a p50 that is likely worse",
			[]ab.Unit{cpu, bytes, unit("p50-sec", ab.Undecided, 1.25, 1.01, 1.5, 0.1)},
			ErrNotSeen, "about ", 2,
		},
		{
			"bytes, and CPU time that may be worse",
			[]ab.Unit{unit("cpu-sec/req", ab.Undecided, 1.25, 0.9, 1.7, 0.3), bytes},
			ErrNotSeen, "about ", 1,
		},
		{
			"an open CPU time",
			[]ab.Unit{cpu},
			ErrNotSeen, "about 1m50s would show a change of the measured size (--max-time)", 1,
		},
		{
			"nearly nothing",
			[]ab.Unit{unit("cpu-sec/req", ab.Undecided, 0.9999999, 0.5, 2, 0.3), unit("B/req", ab.Undecided, 0.99, 0, 2, 0.1)},
			ErrNotSeen, "about ", 2,
		},
	} {
		j := Of(&ab.Result{Confidence: 0.95, Alpha: 0.05, Subjects: []ab.SubjectResult{{
			Name: "service", Pairs: 13, Elapsed: 13 * time.Second, Units: test.units,
		}}}, nil, false)
		if !errors.Is(j.Err, test.err) || len(j.Open) != test.open {
			t.Errorf("%s: %v, open %q", test.name, j.Err, j.Open)
		}
		if hint := diag.Hint(j.Err); !strings.Contains(hint, test.hint) || (hint == "") != (test.hint == "") {
			t.Errorf("%s: hint %q", test.name, hint)
		}
	}
}

// TestJudgeGenerated checks that a loss of a generated benchmark is listed with its input and does
// not outweigh the gains of others; alone, such a benchmark proves nothing.
func TestJudgeGenerated(t *testing.T) {
	t.Parallel()
	subject := func(name string, v ab.Verdict, ratio float64) ab.SubjectResult {
		return ab.SubjectResult{Name: name, Units: []ab.Unit{{
			Unit: "sec/op", Better: bench.Lower, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(ratio * 0.99),
			High: bench.Float(ratio * 1.01),
		}}}
	}
	const inputs = `24 generated inputs, such as "x"`
	generated := map[string]string{
		"Whet_Parse": inputs, "m/p.Whet_Parse": inputs, "m/p.Whet_Format": "24 generated inputs",
	}
	slower, faster := subject("m/p.Whet_Parse", ab.Worse, 1.14), subject("m/p.Whet_Format", ab.Better, 0.3)
	for _, test := range []struct {
		name     string
		subjects []ab.SubjectResult
		err      error
		ignored  int
	}{
		{"and the module's own gains", []ab.SubjectResult{slower, subject("m/p.Own", ab.Better, 0.36)}, nil, 1},
		{"and another one gains", []ab.SubjectResult{faster, slower}, nil, 1},
		{"and the module's own shows nothing", []ab.SubjectResult{slower, subject("m/p.Own", ab.Same, 1)}, ErrNoGain, 1},
		{"alone", []ab.SubjectResult{slower}, ErrOnlyGenerated, 1},
		{"alone, without its package", []ab.SubjectResult{subject("Whet_Parse", ab.Worse, 1.05)}, ErrOnlyGenerated, 1},
		{"that gains", []ab.SubjectResult{faster}, nil, 0},
	} {
		j := Of(&ab.Result{Subjects: test.subjects}, generated, false)
		if !errors.Is(j.Err, test.err) || len(j.IgnoredLosses) != test.ignored {
			t.Errorf("%s: %v, ignored %q", test.name, j.Err, j.IgnoredLosses)
		}
		for _, loss := range j.IgnoredLosses {
			if !strings.Contains(loss, `such as "x"`) || !strings.Contains(loss, "does not count") {
				t.Errorf("%s: %s", test.name, loss)
			}
		}
	}
	own := []ab.SubjectResult{faster, subject("m/p.Own", ab.Worse, 1.14)}
	if j := Of(&ab.Result{Subjects: own}, generated, false); j.Err == nil ||
		!strings.Contains(j.Err.Error(), "regression") {
		t.Errorf("the module's own loses: %v", j.Err)
	}
}
