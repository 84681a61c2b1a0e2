package shape

import (
	"math"
	"testing"

	"github.com/whet-go/whet/profile"
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

// TestOther has a function that writes to a connection in one profile, and to a buffer in the other one.
func TestOther(t *testing.T) {
	t.Parallel()
	page, format := frame{"example.com/m.Page", 1, 2}, frame{"fmt.Fprintf", 1, 2}
	recorded := cpuProfile(t, [][]frame{
		{{"runtime.mallocgc", 9, 10}, format, page},
		{{"syscall.write", 1, 2}, {"net.(*conn).Write", 1, 2}, format, page},
		{{"net.(*conn).Read", 1, 2}, {"net/http.serve", 1, 2}},
		{page, {"net/http.serve", 1, 2}},
	}, []int64{20, 30, 40, 10})
	sampled := cpuProfile(t, [][]frame{
		{{"bytes.(*Buffer).Write", 1, 2}, format, page, {"testing.(*B).run", 1, 2}},
	}, []int64{100})
	of := []*Subject{{Module: "example.com/m", Package: "example.com/m", Symbol: "Page"}}
	for _, test := range []struct {
		p, like *profile.Profile
		want    float64
	}{{recorded, sampled, 0.3}, {sampled, recorded, 1}, {recorded, recorded, 0}} {
		if got, err := Other(test.p, test.like, of); err != nil || math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v, %v, want %v", got, err, test.want)
		}
	}
}
