package shape

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestChance compares with the similarity of profiles that are drawn from one distribution.
func TestChance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	weights := []float64{40, 20, 10, 10, 5, 5, 3, 3, 2, 1, 1}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	draw := func(n int) Shape {
		s := Shape{parts: map[spot]float64{}, Samples: int64(n)}
		for range n {
			at := rnd.Float64() * total
			for i, w := range weights {
				if at -= w; at < 0 {
					s.parts[spot{line: int64(i)}] += 1 / float64(n)
					break
				}
			}
		}
		return s
	}
	for _, n := range []int{50, 200, 2000} {
		similar, chance := 0.0, 0.0
		const runs = 300
		for range runs {
			a, b := draw(n), draw(2*n)
			similar += Similarity(a, b) / runs
			chance += Chance(a, b) / runs
		}
		if math.Abs(similar-chance) > 0.01 {
			t.Errorf("%d samples: profiles of the same work are %.3f similar, and %.3f is expected", n, similar, chance)
		}
	}
	if got := Chance(Shape{}, draw(10)); got != 1 {
		t.Errorf("without samples %v is expected, want 1", got)
	}
}
