package runes

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Wide(b []byte) (n int) {
	for _, r := range string(b) { // want `Decode the characters of b`
		if r < 0x80 {
			continue
		}
		n += int(r)
	}
	return n
}

func Last(b []byte, char rune) int {
	last := -1
	for i, r := range string(b) { // want `Decode the characters of b`
		if r == char {
			last = i
		}
	}
	return last
}

// The index is set, and the bytes are.
func Others(b []byte) (n int) {
	for i, r := range string(b) {
		i++
		n += i * int(r)
	}
	for _, r := range string(b) {
		b = append(b, byte(r))
	}
	return n + len(b)
}

func Try(r *rand.Rand) string {
	b := values.Bytes(r)
	return fmt.Sprint(Wide(b), Last(b, values.Rune(r)), Last(b, 0xfffd), Others(b))
}
