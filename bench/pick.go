package bench

import (
	"cmp"
	"slices"
)

// Downsample returns at most n of the values, n being 2 or more, in the order in which they are
// given. They are picked evenly by rank, the least and the largest included, so that a plot of them
// has the shape of a plot of all. values is not changed, and is the result if nothing has to be
// left out.
func Downsample(values []float64, n int) []float64 {
	if len(values) <= n {
		return values
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	keep := make([]int, n)
	for i := range keep {
		keep[i] = order[i*(len(order)-1)/(n-1)]
	}
	slices.Sort(keep)
	out := make([]float64, n)
	for i, at := range keep {
		out[i] = values[at]
	}
	return out
}
