package bench

import (
	"cmp"
	"slices"
)

// Adjust returns the p values adjusted to control the false-discovery rate: of the tests whose
// adjusted value is at most q, an expected share of at most q has no real effect. The tests must be
// independent or positively dependent.
//
// The method is Benjamini and Hochberg, "Controlling the False Discovery Rate: A Practical and
// Powerful Approach to Multiple Testing", Journal of the Royal Statistical Society B 57 (1995),
// pages 289-300: the i-th smallest of m values becomes the least of p[j]·m/j over j >= i, as in R's
// p.adjust(p, "BH").
func Adjust(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	least := 1.0
	for rank := len(order); rank > 0; rank-- {
		at := order[rank-1]
		least = min(least, p[at]*float64(len(p))/float64(rank))
		// Rounding must not make it less than the value itself.
		out[at] = max(least, p[at])
	}
	return out
}
