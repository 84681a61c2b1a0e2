package shape

import (
	"math"
	"testing"
)

// TestShare counts a stack once however many of the functions are on it.
func TestShare(t *testing.T) {
	t.Parallel()
	p := cpuProfile(t, [][]frame{
		{{"runtime.mallocgc", 9, 10}, {"example.com/m.Inner", 1, 2}, {"example.com/m.Outer", 1, 2}},
		{{"example.com/m.Outer.func1", 1, 2}, {"example.com/m.main", 1, 2}},
		{{"example.com/m.Outermost", 1, 2}},
		{{"runtime.gcBgMarkWorker", 1, 2}},
	}, []int64{20, 5, 25, 50})
	function := func(name string) *Subject {
		return &Subject{Module: "example.com/m", Package: "example.com/m", Symbol: name}
	}
	for _, test := range []struct {
		of      []*Subject
		share   float64
		samples int64
	}{
		{nil, 0, 0},
		{[]*Subject{function("Inner")}, 0.2, 20},
		{[]*Subject{function("Inner"), function("Outer")}, 0.25, 25},
		{[]*Subject{function("None")}, 0, 0},
	} {
		share, samples, err := Share(p, test.of)
		if err != nil || math.Abs(share-test.share) > 1e-9 || samples != test.samples {
			t.Errorf("%v: %v of the time, %d samples, %v", test.of, share, samples, err)
		}
	}
}
