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

func Spaces(s string) (n int) {
	chars := []rune(s) // want `Use an array for short texts`
	for i, r := range chars {
		if r == ' ' && i+1 < len(chars) && chars[i+1] == ' ' {
			n++
		}
	}
	return n
}

func Upper(s string) string {
	b := []byte(s) // want `Use an array for short texts`
	for i := range b {
		b[i] &^= 0x20
	}
	return string(b)
}

func Runes(s string) []rune {
	chars := []rune(s)
	return chars
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

func Marked(list []int, n int) (count int) {
	var (
		size = len(list) + n
		used = make([]bool, size) // want `Use an array for up to 256 elements`
		last int
	)
	for i, x := range list {
		last, used[i] = x, x > 3
	}
	for _, u := range used {
		if u {
			count++
		}
	}
	return count + last
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
	return Reversed(values.String(r)) + fmt.Sprint(Spaces(values.String(r)), Upper(values.String(r)), len(Runes(values.String(r))), Collected(list, r.IntN(3)), Marked(list, 300*r.IntN(2)))
}
