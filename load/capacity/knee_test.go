package capacity

import (
	"math"
	"testing"
)

func TestKnee(t *testing.T) {
	curve := func(f func(x float64) float64, n int) []point {
		var out []point
		for i := range n {
			x := float64(i) / float64(n-1)
			out = append(out, point{1000 * x, f(x)})
		}
		return out
	}
	for _, test := range []struct {
		name   string
		points []point
		want   int
	}{
		// The difference to the straight line, x - x², is greatest at 1/2.
		{"square", curve(func(x float64) float64 { return x * x }, 101), 50},
		// x - x^9 is greatest where 9x^8 = 1.
		{"ninth power", curve(func(x float64) float64 { return math.Pow(x, 9) }, 101), 76},
		{"wall", []point{{1, 10}, {2, 10}, {3, 11}, {4, 900}}, 2},
		{"flat", curve(func(float64) float64 { return 5 }, 9), -1},
		{"straight", []point{{0, 0}, {1, 1}, {2, 2}}, -1},
		{"concave", []point{{0, 0}, {1, 9}, {2, 10}}, -1},
		{"two", []point{{0, 0}, {1, 9}}, -1},
		{"none", nil, -1},
	} {
		if got := knee(test.points); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
