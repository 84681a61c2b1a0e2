package timeline

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTop compares the first of many entries with all of them, sorted.
func TestTop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		best := top{most: 1 + r.IntN(50)}
		all := make([]entry, r.IntN(1000))
		for i := range all {
			all[i] = entry{score: r.Int64N(100), id: uint64(i)}
			best.add(all[i])
		}
		best.sort()
		slices.SortFunc(all, better)
		if want := all[:min(len(all), best.most)]; best.total != len(all) || !slices.Equal(best.all, want) {
			t.Fatalf("the best %d of %d: %v, want %v", best.most, best.total, best.all, want)
		}
	}
}
