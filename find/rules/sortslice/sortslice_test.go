package sortslice

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/whet-go/whet/find/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, New()) }

// TestSamePlaces compares sort.Slice with slices.SortFunc on elements many of which are equal, or
// NaN: the rewrite is correct only while both make the same swaps.
func TestSamePlaces(t *testing.T) {
	type element struct {
		key  float64
		from int
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		elements := make([]element, n)
		kinds := 1 + r.IntN(20)
		for i := range elements {
			elements[i] = element{float64(r.IntN(kinds)), i}
			if n%3 == 0 && r.IntN(5) == 0 {
				elements[i].key = math.NaN()
			}
		}
		compare := func(a, b element) int {
			if a.key < b.key {
				return -1
			}
			if b.key < a.key {
				return 1
			}
			return 0
		}
		for stable, sorts := range map[bool][2]func(s []element){
			false: {
				func(s []element) { sort.Slice(s, func(i, j int) bool { return s[i].key < s[j].key }) },
				func(s []element) { slices.SortFunc(s, compare) },
			},
			true: {
				func(s []element) { sort.SliceStable(s, func(i, j int) bool { return s[i].key < s[j].key }) },
				func(s []element) { slices.SortStableFunc(s, compare) },
			},
		} {
			before, after := slices.Clone(elements), slices.Clone(elements)
			sorts[0](before)
			sorts[1](after)
			for i := range before {
				if before[i].from != after[i].from {
					t.Fatalf("stable %v, %d elements, %d kinds: place %d has the element from %d, want %d",
						stable, n, kinds, i, after[i].from, before[i].from)
				}
			}
		}
	}
}
