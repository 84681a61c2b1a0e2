package bounds

import (
	"fmt"
	"math/rand/v2"
)

func Dot(a, b []int) (n int) {
	for i := range a {
		n += a[i] * b[i] // want `Take b\[:len\(a\)\]`
	}
	return n
}

func Count(a, b []byte, n int) (same int) {
	for i := 0; i < n; i++ {
		if a[i] == b[i] { // want `Take a\[:max\(n, 0\)\]` `Take b\[:max\(n, 0\)\]`
			same++
		}
	}
	return same
}

func Grows(a []int, b []int) (n int) {
	for i := range a {
		b = append(b, i)
		n += b[i]
	}
	return n
}

func Next(a []int, n int) (sum int) {
	for i := 1; i < n; i++ {
		sum += a[i]
	}
	return sum
}

func Passed(a, b []int) (n int) {
	for i := range a {
		n += b[i] + len(b)
	}
	return n
}

func Try(r *rand.Rand) string {
	a, b := []int{1, r.IntN(9)}, []int{3, 4, r.IntN(9)}
	return fmt.Sprint(Dot(a, b), Count([]byte("abc"), []byte("abd"), r.IntN(4)-1))
}
