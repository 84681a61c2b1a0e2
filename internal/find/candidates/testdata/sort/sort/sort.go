package sort

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
)

type item struct {
	name string
	rank int
}

type byName []item

func (b byName) Len() int           { return len(b) }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b byName) Less(i, j int) bool { return b[i].name < b[j].name }

func Named(items []item) {
	sort.Sort(byName(items)) // want `slices.SortFunc`
}

func Ranked(items []item, up bool) {
	sort.SliceStable(items, func(i, j int) bool { // want `slices.SortStableFunc`
		if items[i].rank == items[j].rank {
			return strings.ToLower(items[i].name) < strings.ToLower(items[j].name)
		}
		return (items[i].rank < items[j].rank) == up
	})
}

func Other(items []item, order []int) {
	sort.Slice(items, func(i, j int) bool { return order[i] < order[j] })
}

func Given(items []item, less func(i, j int) bool) { sort.Slice(items, less) }

func Strings(s []string) { sort.Sort(sort.StringSlice(s)) }

func Try(r *rand.Rand) string {
	items := make([]item, r.IntN(6))
	for i := range items {
		items[i] = item{fmt.Sprint(r.IntN(1000)), r.IntN(3)}
	}
	Named(items)
	text := fmt.Sprint(items)
	Ranked(items, r.IntN(2) == 0)
	return text + fmt.Sprint(items)
}
