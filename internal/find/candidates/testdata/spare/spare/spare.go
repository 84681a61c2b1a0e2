package spare

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Joined(prefix, rest []byte) []byte {
	out := make([]byte, len(prefix)) // want `Make out with a capacity for len\(rest\) more`
	copy(out, prefix)
	return append(out, rest...)
}

func Products(list [][]byte, prefix []byte) (all [][]byte) {
	for _, v := range list {
		outcome := make([]byte, len(prefix)) // want `Make outcome with a capacity for len\(v\) more`
		copy(outcome, prefix)
		all = append(all, append(outcome, v...))
	}
	return all
}

func More(list []int) []int {
	all := make([]int, len(list)) // want `Make all with a capacity for 2 more`
	copy(all, list)
	all = append(all, 1, 2)
	return all
}

// Elements are appended in a loop, twice, or to a slice that has a capacity.
func Others(list []int) []int {
	a, b, c := make([]int, len(list)), make([]int, len(list), 8), make([]int, len(list))
	copy(a, list)
	for _, x := range list {
		a = append(a, x)
	}
	b = append(b, a...)
	c = append(c, 1)
	c = append(c, b...)
	return c
}

func Try(r *rand.Rand) string {
	a, b := values.Bytes(r), values.Bytes(r)
	list := values.Slice(r, values.Int)
	return fmt.Sprint(Joined(a, b), Products([][]byte{a, b}, a), More(list), Others(list))
}
