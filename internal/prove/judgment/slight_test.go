package judgment

import (
	"slices"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
)

// TestSlight checks which benchmarks are named as those whose slight differences decide.
func TestSlight(t *testing.T) {
	t.Parallel()
	unit := func(name string, v ab.Verdict, ratio float64) ab.Unit {
		better := bench.Lower
		if name == "B/s" {
			better = bench.Higher
		}
		return ab.Unit{
			Unit: name, Better: better, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(ratio * 0.999),
			High: bench.Float(ratio * 1.001),
		}
	}
	subject := func(name string, units ...ab.Unit) ab.SubjectResult {
		return ab.SubjectResult{Name: name, Units: units}
	}
	varied := func(s ab.SubjectResult) ab.SubjectResult {
		s.VariedLayout = true
		return s
	}
	generated := map[string]string{"Whet_X": "24 inputs"}
	for _, test := range []struct {
		name     string
		subjects []ab.SubjectResult
		want     []string
	}{
		{"a large gain", []ab.SubjectResult{subject("X", unit("sec/op", ab.Better, 0.8))}, nil},
		{"a slight gain", []ab.SubjectResult{subject("X", unit("sec/op", ab.Better, 0.98))}, []string{"X"}},
		{"a slight gain in other layouts", []ab.SubjectResult{varied(subject("X", unit("sec/op", ab.Better, 0.98)))}, nil},
		{"a slight gain of a rate", []ab.SubjectResult{subject("X", unit("B/s", ab.Better, 1.03))}, []string{"X"}},
		{"fewer allocations", []ab.SubjectResult{subject("X", unit("allocs/op", ab.Better, 0.98))}, nil},
		{
			"fewer allocations, and a slight gain",
			[]ab.SubjectResult{subject("X", unit("sec/op", ab.Better, 0.98), unit("allocs/op", ab.Better, 0.98))},
			nil,
		},
		{
			"fewer allocations, and a slight loss",
			[]ab.SubjectResult{subject("X", unit("sec/op", ab.Worse, 1.04), unit("allocs/op", ab.Better, 0.9))},
			[]string{"X"},
		},
		{
			"a large loss, and a slight one",
			[]ab.SubjectResult{subject("X", unit("sec/op", ab.Worse, 1.04)), subject("Y", unit("sec/op", ab.Worse, 2))},
			nil,
		},
		{
			"slight losses, the largest first",
			[]ab.SubjectResult{
				subject("X", unit("sec/op", ab.Worse, 1.02)), subject("Y", unit("sec/op", ab.Worse, 1.05)),
				subject("Z", unit("sec/op", ab.Same, 1)),
			},
			[]string{"Y", "X"},
		},
		{
			"only a generated one, slower",
			[]ab.SubjectResult{subject("Whet_X", unit("sec/op", ab.Worse, 1.04))},
			[]string{"Whet_X"},
		},
		{"only a generated one, much slower", []ab.SubjectResult{subject("Whet_X", unit("sec/op", ab.Worse, 1.4))}, nil},
		{"no difference", []ab.SubjectResult{subject("X", unit("sec/op", ab.Same, 1.001))}, nil},
	} {
		if got := Of(&ab.Result{Subjects: test.subjects}, generated, false).Slight; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
