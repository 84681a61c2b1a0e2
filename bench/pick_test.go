package bench_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
)

// TestPick expects both ends, every quantile to within a step, and the original order.
func TestPick(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, size := range []int{0, 1, 2, 9, 10, 11, 100, 4321} {
		values := make([]float64, size)
		for i := range values {
			values[i] = float64(i) + 0.25*r.Float64() // increasing with the index
		}
		r.Shuffle(size/2, func(i, j int) { values[i], values[j] = values[j], values[i] })
		before := slices.Clone(values)
		got := bench.Downsample(values, 10)
		if !slices.Equal(values, before) || len(got) != min(size, 10) {
			t.Fatalf("%d values became %d", size, len(got))
		}
		at := -1
		for _, v := range got {
			i := slices.Index(values, v)
			if i <= at {
				t.Errorf("of %d values the %dth comes after the %dth", size, i, at)
			}
			at = i
		}
		slices.Sort(got)
		slices.Sort(before)
		for i, v := range got {
			if want := before[i*(size-1)/max(len(got)-1, 1)]; v != want {
				t.Errorf("of %d values rank %d is %v, want %v", size, i, v, want)
			}
		}
	}
}

// TestValues checks that a cell holds the measurements, in order, and no more than its limit.
func TestValues(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, "BenchmarkA 1 %d ns/op\n", 1_000_000_000*(1+(i*7)%3000))
	}
	c, err := compare(t, bench.Options{},
		"BenchmarkA 1 3000000000 ns/op\nBenchmarkA 1 1000000000 ns/op\nBenchmarkA 1 2000000000 ns/op\n", many.String())
	if err != nil {
		t.Fatal(err)
	}
	cells := c.Tables[0].Rows[0].Cells
	if !slices.Equal(cells[0].Values, []float64{3, 1, 2}) || float64(cells[0].Center) != 2 {
		t.Errorf("values %v, median %v", cells[0].Values, cells[0].Center)
	}
	v := cells[1].Values
	if len(v) != bench.MaxValues || cells[1].N != 3000 || slices.Min(v) != 1 || slices.Max(v) != 3000 {
		t.Errorf("%d of %d values from %v to %v", len(v), cells[1].N, slices.Min(v), slices.Max(v))
	}
}
