package slicessort

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"test/values"
)

func Sorted(list []string) {
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] }) // want `slices.Sort`
}

func Reversed(list []string) {
	sort.Slice(list, func(i, j int) bool { return list[i] > list[j] })
}

func Try(r *rand.Rand) string {
	list := values.Strings(r)
	Sorted(list)
	return fmt.Sprint(list)
}
