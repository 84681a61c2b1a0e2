package stack

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Reversed(s string) string {
	b := make([]byte, len(s)) // want `Use an array for up to 256 elements`
	for i := range s {
		b[len(s)-1-i] = s[i]
	}
	return string(b)
}

func Collected(list []int, n int) (sum int) {
	even := make([]int, 0, len(list)+n) // want `Use an array for up to 32 elements`
	for _, x := range list {
		if x%2 == 0 {
			even = append(even, x)
		}
	}
	for i, x := range even {
		sum += i * x
	}
	return sum + cap(even)
}

func Returned(n int) []byte {
	b := make([]byte, n)
	return b[:n]
}

func Stored(m map[string][]byte, n int) {
	b := make([]byte, n)
	m["x"] = b
}

func Constant() int {
	b := make([]byte, 10)
	return len(b)
}

func Captured(n int) func() int {
	b := make([]byte, n)
	return func() int { return len(b) }
}

func Try(r *rand.Rand) string {
	var list []int
	for range r.IntN(40) {
		list = append(list, r.IntN(100))
	}
	return Reversed(values.String(r)) + fmt.Sprint(Collected(list, r.IntN(3)))
}
