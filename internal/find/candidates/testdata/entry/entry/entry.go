package entry

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Group(words []string) map[int]map[string]bool {
	groups := map[int]map[string]bool{}
	for _, w := range words {
		if _, ok := groups[len(w)]; !ok { // want `Look groups\[len\(w\)\] up once`
			groups[len(w)] = map[string]bool{}
		}
		groups[len(w)][w] = true
	}
	return groups
}

type counter struct{ n int }

func Count(words []string) (n int) {
	counts := map[string]*counter{}
	for _, w := range words {
		if counts[w] == nil { // want `Look counts\[w\] up once`
			counts[w] = new(counter)
		}
		counts[w].n++
		n = max(n, counts[w].n)
	}
	for w := range counts { // want `Take the value of the loop over counts`
		n += counts[w].n
	}
	return n
}

// The entries are numbers, are set again, or the loop sets them.
func Others(words []string) (map[string]int, map[string][]string) {
	counts, lists := map[string]int{}, map[string][]string{}
	for _, w := range words {
		if _, ok := counts[w]; !ok {
			counts[w] = 1
		}
		counts[w]++
		if lists[w] == nil {
			lists[w] = []string{}
		}
		lists[w] = append(lists[w], w)
	}
	for w := range counts {
		counts[w] = counts[w] + 1
	}
	return counts, lists
}

func Try(r *rand.Rand) string {
	words := append(values.Strings(r), "a", "a")
	counts, lists := Others(words)
	return fmt.Sprint(Group(words), Count(words), counts, lists)
}
