package few

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"test/values"
)

type byLength []string

func (b byLength) Len() int           { return len(b) }
func (b byLength) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b byLength) Less(i, j int) bool { return len(b[i]) < len(b[j]) }

func Sorted(words []string, numbers *[]int) {
	sort.Stable(byLength(words))               // want `Sort only if there are two elements`
	sort.Slice(*numbers, func(i, j int) bool { // want `Sort only if`
		return (*numbers)[i] < (*numbers)[j]
	})
}

type pair struct{ byLength }

// It is not a slice, and the slice is computed.
func Others(p pair, next func() []string) {
	sort.Sort(p)
	sort.Sort(byLength(next()))
}

func Try(r *rand.Rand) string {
	words, numbers := values.Strings(r), []int{r.IntN(9), r.IntN(9), r.IntN(9)}[:r.IntN(4)]
	Sorted(words, &numbers)
	Others(pair{}, func() []string { return nil })
	return fmt.Sprint(words, numbers)
}
