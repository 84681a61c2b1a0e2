package judgment

import (
	"errors"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// TestNoise checks how much noise may hide for the same speed, with several benchmarks and figures.
func TestNoise(t *testing.T) {
	t.Parallel()
	unit := func(name string, took, low, high float64) ab.Unit {
		u := ab.Unit{
			Unit: name, Better: bench.Lower, Verdict: ab.Undecided, Ratio: bench.Float((low + high) / 2),
			Low: bench.Float(low), High: bench.Float(high),
		}
		u.A.Median = bench.Float(took)
		return u
	}
	const seconds, cpu = "sec/op", gotest.CPUTime
	one := func(units ...ab.Unit) []ab.SubjectResult { return []ab.SubjectResult{{Name: "One", Units: units}} }
	two := func(first, second ab.Unit) []ab.SubjectResult {
		return append(one(first), ab.SubjectResult{Name: "Two", Units: []ab.Unit{second}})
	}
	for _, test := range []struct {
		name     string
		subjects []ab.SubjectResult
		same     bool
	}{
		{"within 5%", one(unit(seconds, 20e-9, 0.98, 1.03)), true},
		{"within 10%", one(unit(seconds, 20e-9, 0.92, 1.1)), false},
		{"a long one within 10%", two(unit(seconds, 600e-9, 0.92, 1.1), unit(seconds, 20e-9, 0.98, 1.03)), true},
		{"a long one within 10% of CPU time", two(unit(cpu, 600e-9, 0.92, 1.1), unit(seconds, 20e-9, 0.98, 1.03)), true},
		{"a long one within 40%", two(unit(seconds, 600e-9, 0.7, 1.4), unit(seconds, 20e-9, 0.98, 1.03)), false},
		{"a long one that is likely slower", two(unit(seconds, 600e-9, 1.01, 1.1), unit(seconds, 20e-9, 0.98, 1.03)), false},
		{"a short one within 10%", two(unit(seconds, 600e-9, 0.98, 1.03), unit(seconds, 20e-9, 0.92, 1.1)), false},
		{"both within 10%", two(unit(seconds, 600e-9, 0.92, 1.1), unit(seconds, 20e-9, 0.92, 1.1)), false},
		{"memory", two(unit(seconds, 20e-9, 0.98, 1.03), unit("B/op", 10, 0.9, 1.1)), false},
		{"CPU time within 5%", one(unit(seconds, 20e-9, 0.9, 1.12), unit(cpu, 20e-9, 0.98, 1.03)), true},
		{
			"CPU time within 5%, and the clock within 40%",
			one(unit(seconds, 20e-9, 0.7, 1.4), unit(cpu, 20e-9, 0.98, 1.03)), false,
		},
		{"the clock within 10%, and CPU time, too", one(unit(seconds, 20e-9, 0.9, 1.1), unit(cpu, 20e-9, 0.9, 1.1)), false},
	} {
		err := Of(&ab.Result{Subjects: test.subjects}, nil, false).Err
		if same := errors.Is(err, ErrNoGain) || errors.Is(err, ErrSmall); same != test.same {
			t.Errorf("%s: %v, want the same speed %v", test.name, err, test.same)
		}
	}
}
