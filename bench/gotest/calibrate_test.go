package gotest

import (
	"maps"
	"math"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench/ab"
)

// TestCalibration checks that the number of iterations fills a round, also for benchmarks that
// report a different time than they take.
func TestCalibration(t *testing.T) {
	const length = 100 * time.Millisecond
	for _, tt := range []struct {
		name       string
		iterations int
		sec        float64 // reported
		wall       time.Duration
		want       int
	}{
		{"honest", 1200, 100e-6, 130 * time.Millisecond, 1000},
		{"longer than a round", 1, 0.4, 450 * time.Millisecond, 1},
		{"no time", 1000, 0, 120 * time.Millisecond, 1000},
		{"too short a time", 1000, 1e-9, 120 * time.Millisecond, 1000},
		{"too long a time", 1000, 5, 200 * time.Millisecond, 500},
		{"free", 1e9, 1e-11, 50 * time.Millisecond, 1e9},
	} {
		m := Measurement{Iterations: tt.iterations}
		if tt.sec > 0 {
			m.Values = []benchfmt.Value{{Value: tt.sec, Unit: "sec/op"}}
		}
		r := &Result{Measurements: []Measurement{m}, Wall: tt.wall}
		if got := iterationsFor(length, perOperation(m, r.Wall, length)); math.Abs(float64(got-tt.want)) > 1 {
			t.Errorf("%s: %d iterations, want %d", tt.name, got, tt.want)
		}
		if r.Inside() > r.Wall {
			t.Errorf("%s: %v of %v inside", tt.name, r.Inside(), r.Wall)
		}
	}
	for _, perOp := range []float64{0, math.NaN(), math.Inf(1)} {
		if n := iterationsFor(length, perOp); n < 1 || n > maxIterations {
			t.Errorf("%v: %d iterations", perOp, n)
		}
	}
}

// TestFarApart checks that the sides get different numbers of iterations only if every run of one
// differs by a factor from every run of the other: under load, one run in three often does.
func TestFarApart(t *testing.T) {
	for _, test := range []struct {
		a, b []float64
		want int
	}{
		{[]float64{1, 1, 1}, []float64{1, 1, 1}, 0},
		{[]float64{1, 1, 1}, []float64{1.9, 1.9, 1.9}, 0},
		{[]float64{1.9, 1.9, 1.9}, []float64{1, 1, 1}, 0},
		{[]float64{1, 1, 1}, []float64{2, 2, 2}, 1},
		{[]float64{30, 40, 35}, []float64{1, 1, 2}, -1},
		{[]float64{1, 1, 1.5}, []float64{2.5, 2.5, 2.5}, 0}, // although the shortest do
		{[]float64{3, 1, 3}, []float64{7, 7, 7}, 1},
	} {
		if got := farApart([2][]float64{test.a, test.b}); got != test.want {
			t.Errorf("farApart(%v, %v) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// TestFastest checks that the times and rates of a round in slices are those of its fastest slice.
func TestFastest(t *testing.T) {
	slice := func(sec, rate, widgets float64) Measurement {
		return Measurement{
			Iterations: 100, Values: []benchfmt.Value{
				{Value: sec, Unit: "sec/op"},
				{Value: rate, Unit: "B/s"},
				{Value: widgets, Unit: "widgets/op"},
			},
		}
	}
	got := fastest([]Measurement{slice(3, 10, 5), slice(1, 30, 9), slice(2, 15, 7)})
	if want := (ab.Values{"sec/op": 1, "B/s": 30, "widgets/op": 7, MeanTime: 2}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := fastest([]Measurement{slice(3, 10, 5)}),
		(ab.Values{"sec/op": 3, "B/s": 10, "widgets/op": 5}); !maps.Equal(got, want) {
		t.Errorf("one slice: %v, want %v", got, want)
	}
	none := Measurement{Values: []benchfmt.Value{{Value: math.NaN(), Unit: "sec/op"}, {Value: 1, Unit: "widgets/op"}}}
	if got, want := fastest([]Measurement{none, none}), (ab.Values{"widgets/op": 1}); !maps.Equal(got, want) {
		t.Errorf("no time: %v, want %v", got, want)
	}
}
