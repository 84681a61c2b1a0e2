package pgo

import (
	"testing"

	"github.com/whet-go/whet/bench/ab"
)

// TestGainOf checks that the gain is in the most common unit if benchmarks have several.
func TestGainOf(t *testing.T) {
	t.Parallel()
	units := func(names ...string) ab.SubjectResult {
		c := ab.SubjectResult{}
		for _, n := range names {
			c.Units = append(c.Units, ab.Unit{Unit: n, Ratio: 0.9, Low: 0.8, High: 1})
		}
		return c
	}
	mean := func(unit string, of int) ab.Mean { return ab.Mean{Unit: unit, Of: of, Ratio: 0.9, Low: 0.8, High: 1} }
	const cpu, sec = "cpu-sec/op", "sec/op"
	for _, test := range []struct {
		name string
		r    ab.Result
		want string
		of   int
	}{
		{"all by CPU time", ab.Result{
			Unit: cpu, Subjects: []ab.SubjectResult{units(cpu, sec), units(cpu, sec)},
			Geomean: []ab.Mean{mean(cpu, 2), mean(sec, 2)},
		}, cpu, 2},
		{"mixed", ab.Result{
			Unit: cpu, Subjects: []ab.SubjectResult{units(cpu, sec), units(cpu, sec), units(sec, "B/op")},
			Geomean: []ab.Mean{mean("B/op", 3), mean(cpu, 2), mean(sec, 3)},
		}, sec, 3},
		{"one, without CPU time", ab.Result{Unit: cpu, Subjects: []ab.SubjectResult{units(sec, "B/op")}}, sec, 1},
		{"one", ab.Result{Unit: cpu, Subjects: []ab.SubjectResult{units(cpu, sec)}}, cpu, 1},
	} {
		if g := gainOf(&test.r); g == nil || g.Unit != test.want || g.Of != test.of {
			t.Errorf("%s: %+v, want %s of %d", test.name, g, test.want, test.of)
		}
	}
	if g := gainOf(&ab.Result{Unit: cpu}); g != nil {
		t.Errorf("of nothing: %+v", g)
	}
}
