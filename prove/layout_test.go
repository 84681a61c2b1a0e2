package prove

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/prove/benchmarks"
	"github.com/whet-go/whet/internal/prove/judgment"
)

// TestVaryLayout checks that slight differences that decide are measured in other layouts, whose results
// replace them, and that they are undecided where that fails.
func TestVaryLayout(t *testing.T) {
	t.Parallel()
	subject := func(name string, v ab.Verdict, ratio float64) ab.SubjectResult {
		return ab.SubjectResult{Name: name, Units: []ab.Unit{{
			Unit: "sec/op", Better: bench.Lower, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(ratio * 0.999),
			High: bench.Float(ratio * 1.001),
		}}}
	}
	for _, test := range []struct {
		name          string
		first, second []ab.SubjectResult // second is nil if nothing is measured again
		failed        string             // of the second comparison
		want          error              // of the judgment
		warning       string
	}{
		{"a large gain", []ab.SubjectResult{subject("X", ab.Better, 0.8)}, nil, "", nil, ""},
		{
			"a slight loss of the layout",
			[]ab.SubjectResult{subject("X", ab.Worse, 1.03)},
			[]ab.SubjectResult{subject("X", ab.Same, 1)},
			"", judgment.ErrNoGain, "",
		},
		{
			"a slight loss",
			[]ab.SubjectResult{subject("X", ab.Worse, 1.03)},
			[]ab.SubjectResult{subject("X", ab.Worse, 1.02)},
			"", judgment.ErrLoss, "",
		},
		{
			"a slight gain",
			[]ab.SubjectResult{subject("X", ab.Better, 0.97), subject("Y", ab.Same, 1)},
			[]ab.SubjectResult{subject("X", ab.Better, 0.98)},
			"", nil, "",
		},
		{
			"a layout that cannot be varied",
			[]ab.SubjectResult{subject("X", ab.Better, 0.97)},
			[]ab.SubjectResult{},
			"flag provided but not defined: -randlayout", judgment.ErrSmall,
			"slight differences of time do not count: the layout of the program cannot be varied: X: flag provided",
		},
		{
			"more than there is time for",
			[]ab.SubjectResult{
				subject("1", ab.Better, 0.91), subject("2", ab.Better, 0.92), subject("3", ab.Better, 0.93),
				subject("4", ab.Better, 0.94), subject("5", ab.Better, 0.96),
			},
			[]ab.SubjectResult{
				subject("1", ab.Same, 1), subject("2", ab.Same, 1), subject("3", ab.Same, 1), subject("4", ab.Same, 1),
			},
			"", judgment.ErrSmall, "",
		},
	} {
		f := scratchOf(t, "package a\n")
		f.o.Progress = func(string) {}
		runs := 0
		f.benchmarks = benchmarks.New(f.scratch, benchmarks.Options{Run: func(
			_ context.Context, _, _ builds.Side, o builds.Options,
		) (*builds.Result, error) {
			if runs++; runs == 1 {
				return &builds.Result{Result: ab.Result{Subjects: slices.Clone(test.first)}}, nil
			}
			if !o.VaryLayout || len(o.Only) == 0 {
				t.Errorf("%s: measured again with %+v", test.name, o)
			}
			var again []ab.SubjectResult
			for _, s := range test.second {
				s.VariedLayout = true
				again = append(again, s)
			}
			if test.failed != "" {
				again = []ab.SubjectResult{{Name: "X", Error: test.failed}}
			}
			return &builds.Result{Result: ab.Result{Subjects: again}}, nil
		}})
		m, err := f.MeasureBy(t.Context(), builds.Side{}, builds.Side{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if (runs == 2) != (test.second != nil) {
			t.Errorf("%s: %d comparisons", test.name, runs)
		}
		if j := judgment.Of(m.AB, nil, false); !errors.Is(j.Err, test.want) || len(j.Slight) > 0 {
			t.Errorf("%s: judgment %v, slight %q", test.name, j.Err, j.Slight)
		}
		if got := strings.Join(f.Warnings().Texts(), "\n"); !strings.HasPrefix(got, test.warning) ||
			(got == "") != (test.warning == "") {
			t.Errorf("%s: warnings %q", test.name, got)
		}
		if i := len(test.second); i > 0 && test.failed == "" {
			got, want := float64(m.AB.Subjects[0].Units[0].Ratio), float64(test.second[0].Units[0].Ratio)
			if math.Abs(got-want) > 0 {
				t.Errorf("%s: ratio %v, want %v", test.name, got, want)
			}
		}
	}
}

// TestShareCPU checks that the CPU time of benchmarks that noise leaves undecided is measured while both sides share a
// CPU, that it counts, next to the time, and that slight differences are measured that way in other layouts.
func TestShareCPU(t *testing.T) {
	t.Parallel()
	unit := func(name string, v ab.Verdict, ratio, half float64) ab.Unit {
		u := ab.Unit{
			Unit: name, Better: bench.Lower, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(ratio * (1 - half)),
			High: bench.Float(ratio * (1 + half)), Rounds: [2][]float64{{1e-6}, {1e-6}},
		}
		u.A.Median, u.B.Median = 1e-6, 1e-6
		return u
	}
	of := func(canShare bool, units ...ab.Unit) ab.SubjectResult {
		return ab.SubjectResult{Name: "X", CanShare: canShare, Units: units}
	}
	time := func(v ab.Verdict, ratio, half float64) ab.Unit { return unit("sec/op", v, ratio, half) }
	cpu := func(v ab.Verdict, ratio, half float64) ab.Unit { return unit(gotest.CPUTime, v, ratio, half) }
	waits := cpu(ab.Same, 1, 0.01)
	waits.A.Median, waits.B.Median = 1e-7, 1e-7
	noisy := time(ab.Undecided, 1.01, 0.12)
	for _, test := range []struct {
		name string
		runs []ab.SubjectResult // the first, with CPU time, and in other layouts
		want error
	}{
		{"the same", []ab.SubjectResult{of(true, noisy), of(true, cpu(ab.Same, 1.001, 0.005))}, judgment.ErrNoGain},
		{"still noisy", []ab.SubjectResult{of(true, noisy), of(true, cpu(ab.Undecided, 1.01, 0.2))}, judgment.ErrNoSign},
		{"a large loss", []ab.SubjectResult{of(true, noisy), of(true, cpu(ab.Worse, 1.2, 0.01))}, judgment.ErrLoss},
		{
			"a slight gain",
			[]ab.SubjectResult{of(true, noisy), of(true, cpu(ab.Better, 0.97, 0.01)), of(true, cpu(ab.Better, 0.96, 0.01))},
			nil,
		},
		{
			"a slight gain of the layout",
			[]ab.SubjectResult{of(true, noisy), of(true, cpu(ab.Better, 0.97, 0.01)), of(true, cpu(ab.Same, 1, 0.01))},
			judgment.ErrNoGain,
		},
		{"the time may hide much", []ab.SubjectResult{
			of(true, time(ab.Undecided, 1.01, 0.4)), of(true, cpu(ab.Same, 1.001, 0.005)),
		}, judgment.ErrNoSign},
		{"it waits", []ab.SubjectResult{of(true, noisy), of(true, waits)}, judgment.ErrNoSign},
		{"it uses several CPUs", []ab.SubjectResult{of(false, noisy)}, judgment.ErrNoSign},
		{"narrow enough", []ab.SubjectResult{of(true, time(ab.Undecided, 1.01, 0.03))}, judgment.ErrNoGain},
	} {
		f := scratchOf(t, "package a\n")
		f.o.Progress = func(string) {}
		runs := 0
		f.benchmarks = benchmarks.New(f.scratch, benchmarks.Options{Run: func(
			_ context.Context, _, _ builds.Side, o builds.Options,
		) (*builds.Result, error) {
			runs++
			if runs > len(test.runs) {
				t.Fatalf("%s: measured again with %+v", test.name, o)
			}
			if runs > 1 && (o.AB.Unit != gotest.CPUTime || len(o.AB.Plans) != 1 || !o.AB.Plans[0].Shared) ||
				o.VaryLayout != (runs > 2) {
				t.Errorf("%s: run %d with %+v", test.name, runs, o)
			}
			r := test.runs[runs-1]
			r.VariedLayout = o.VaryLayout
			return &builds.Result{Result: ab.Result{Subjects: []ab.SubjectResult{r}}}, nil
		}})
		m, err := f.MeasureBy(t.Context(), builds.Side{}, builds.Side{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if j := judgment.Of(m.AB, nil, false); runs != len(test.runs) || !errors.Is(j.Err, test.want) || len(j.Slight) > 0 {
			t.Errorf("%s: %d runs, judgment %v, slight %q", test.name, runs, j.Err, j.Slight)
		}
		if units := m.AB.Subjects[0].Units; units[0].Unit != "sec/op" || m.Shares("X") != (len(test.runs) > 1) {
			t.Errorf("%s: %+v", test.name, units)
		}
	}
}
