package sortslice

import (
	"slices"
	"sort"
)

type large struct {
	key  int
	rest [40]int
}

func Large(s []large) {
	sort.Slice(s, func(i, j int) bool { return s[i].key < s[j].key })
}

func Generic[T any](s []T, less func(a, b T) bool) {
	sort.Slice(s, func(i, j int) bool { return less(s[i], s[j]) })
}

func Unknown(s any, less func(i, j int) bool) { sort.Slice(s, less) }

func Interface(s sort.Interface) {
	sort.Sort(s)
	sort.Sort(sort.Reverse(s))
}

func Sorted(s []string) {
	sort.Strings(s)
	slices.Sort(s)
}
