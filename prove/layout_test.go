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

// TestCollectLess checks that benchmarks which allocate and are undecided are measured again with fewer collections,
// that the narrower interval counts, and that nothing is measured again where the settings say how often to collect.
func TestCollectLess(t *testing.T) {
	t.Parallel()
	subject := func(v ab.Verdict, ratio, low, high, allocs float64) ab.SubjectResult {
		sum := ab.Summary{Median: bench.Float(allocs)}
		return ab.SubjectResult{Name: "X", Units: []ab.Unit{
			{
				Unit: "sec/op", Better: bench.Lower, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(low),
				High: bench.Float(high),
			},
			{Unit: "allocs/op", Better: bench.Lower, Verdict: ab.Same, Ratio: 1, Low: 1, High: 1, A: sum, B: sum},
		}}
	}
	wide := subject(ab.Undecided, 1.01, 0.9, 1.12, 3)
	for _, test := range []struct {
		name          string
		first, second ab.SubjectResult
		env           []string
		runs          int
		want          error
	}{
		{"the same", wide, subject(ab.Same, 1.001, 0.995, 1.005, 3), nil, 2, judgment.ErrNoGain},
		{"no wider", wide, subject(ab.Undecided, 1.01, 0.8, 1.2, 3), nil, 2, judgment.ErrNoSign},
		{"a loss", wide, subject(ab.Worse, 1.2, 1.18, 1.22, 3), nil, 2, judgment.ErrLoss},
		{"nothing is allocated", subject(ab.Undecided, 1.01, 0.9, 1.12, 0), wide, nil, 1, judgment.ErrNoSign},
		{"as the program runs", wide, wide, []string{"GOGC=50"}, 1, judgment.ErrNoSign},
		{"narrow enough", subject(ab.Undecided, 1.01, 0.98, 1.04, 3), wide, nil, 1, judgment.ErrNoGain},
	} {
		f := scratchOf(t, "package a\n")
		f.o.Progress = func(string) {}
		runs := 0
		f.benchmarks = benchmarks.New(f.scratch, benchmarks.Options{Run: func(
			_ context.Context, a, b builds.Side, o builds.Options,
		) (*builds.Result, error) {
			if runs++; runs == 1 {
				return &builds.Result{Result: ab.Result{Subjects: []ab.SubjectResult{test.first}}}, nil
			}
			if o.VaryLayout || !slices.Contains(a.Env, "GOGC=800") || !slices.Contains(b.Env, "GOGC=800") {
				t.Errorf("%s: measured again with %q, %q, %+v", test.name, a.Env, b.Env, o)
			}
			return &builds.Result{Result: ab.Result{Subjects: []ab.SubjectResult{test.second}}}, nil
		}})
		m, err := f.MeasureBy(t.Context(), builds.Side{Env: test.env}, builds.Side{Env: test.env}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if j := judgment.Of(m.AB, nil, false); runs != test.runs || !errors.Is(j.Err, test.want) {
			t.Errorf("%s: %d runs, judgment %v", test.name, runs, j.Err)
		}
	}
}
