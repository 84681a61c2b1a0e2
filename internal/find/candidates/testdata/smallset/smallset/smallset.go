package smallset

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Unique(list []string) (all []string) {
	seen := make(map[string]bool, len(list)) // want `Keep the first elements of seen in an array`
	for _, s := range list {
		if seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
	}
	return all
}

type point struct{ x, y int }

func Repeated(list []int) (n int) {
	seen := map[point]struct{}{} // want `Keep the first elements of seen`
	for _, x := range list {
		p := point{x % 40, 1}
		if _, ok := seen[p]; ok {
			n++
		}
		seen[p] = struct{}{}
	}
	return n
}

// Entries are removed, counted or read by others, or the values say more.
func Others(list []string) (int, string) {
	seen, counts, removed := map[string]bool{}, map[string]int{}, map[string]bool{}
	passed := map[string]bool{}
	for _, s := range list {
		seen[s] = true
		counts[s]++
		removed[s] = true
		delete(removed, s)
		passed[s] = true
	}
	never := map[string]bool{}
	never["x"] = false
	return len(seen) + len(counts) + len(removed), fmt.Sprint(passed, never["x"])
}

func Try(r *rand.Rand) string {
	list := values.Strings(r)
	numbers := make([]int, r.IntN(100))
	for i := range numbers {
		numbers[i] = r.IntN(60)
		list = append(list, fmt.Sprint(r.IntN(30)))
	}
	n, text := Others(list)
	return fmt.Sprint(Unique(list), Repeated(numbers), n, text)
}
