package binary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"test/values"
)

func Find(words []string, word string) (int, bool) {
	at := sort.Search(len(words), func(i int) bool { // want `Search without calls`
		return words[i] >= word
	})
	return at, at < len(words) && words[at] == word
}

func Place(words []string, word string) (at int) {
	at = sort.Search(len(words), func(j int) bool { return words[j] > word }) // want `Search without calls`
	return at
}

func Second(words []string, word string) int {
	i := sort.Search(len(words), func(i int) bool { return words[i] >= word && i >= 0 }) // want `Search without calls`
	return i
}

// The function is given, or does more.
func Others(n int, f func(int) bool) int {
	calls := 0
	i := sort.Search(n, f)
	j := sort.Search(n, func(i int) bool {
		calls++
		return f(i)
	})
	return i + j + calls
}

func Try(r *rand.Rand) string {
	words, word := values.Strings(r), values.String(r)
	words = append(words, word, "k", "x")
	slices.Sort(words)
	i, ok := Find(words, word)
	n := r.IntN(9)
	return fmt.Sprint(i, ok, Place(words, word), Second(words, "b"), Others(9, func(i int) bool { return i >= n }))
}
