package perloop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"test/values"
)

func Distinct(lists [][]string) (n int) {
	for _, list := range lists {
		seen := map[string]bool{} // want `Make seen once, before the loop`
		for _, w := range list {
			seen[w] = true
		}
		n += len(seen)
	}
	return n
}

func Sorted(lists [][]string) (all []string) {
	for _, list := range lists {
		copied := make([]string, len(list)) // want `Make copied once`
		copy(copied, list)
		slices.Sort(copied)
		all = append(all, strings.Join(copied, ","))
	}
	return all
}

func Encoded(words []string) (all []string) {
	for _, w := range words {
		out := make([]byte, 0, 4) // want `Make out once`
		for i := range len(w) {
			out = append(out, w[i]+1)
		}
		all = append(all, string(out))
	}
	return all
}

// Each is kept.
func Kept(words []string) (all [][]byte) {
	for _, w := range words {
		out := make([]byte, 0, len(w))
		out = append(out, w...)
		all = append(all, out)
	}
	return all
}

// It is not in a loop.
func Once(list []string) int {
	seen := map[string]bool{}
	for _, w := range list {
		seen[w] = true
	}
	return len(seen)
}

func Try(r *rand.Rand) string {
	lists := [][]string{values.Strings(r), values.Strings(r), values.Strings(r)}
	return fmt.Sprint(Distinct(lists), Sorted(lists), Encoded(lists[0]), Kept(lists[1]), Once(lists[2]))
}
