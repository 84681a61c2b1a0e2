package charts

import (
	"cmp"
	"slices"

	"github.com/whet-go/whet/load"
)

// BusiestTargets returns, in order, at most n targets: those whose answers took the most time in
// total.
func BusiestTargets(all []load.TargetResult, n int) []load.TargetResult {
	if len(all) <= n {
		return all
	}
	total := func(i int) float64 { return float64(all[i].Latency.Mean) * float64(all[i].Responses) }
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total(b), total(a)) })
	order = slices.Sorted(slices.Values(order[:n]))
	out := make([]load.TargetResult, n)
	for i, k := range order {
		out[i] = all[k]
	}
	return out
}
