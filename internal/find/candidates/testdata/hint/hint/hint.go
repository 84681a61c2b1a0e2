package hint

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Number(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24 // want `Check b\[3\] first`
}

func Sum(s string) (sum int) {
	for i := 0; i+2 < len(s); i++ {
		sum += int(s[i]) + int(s[i+1]) + int(s[i+2]) // want `Check s\[i\+2\] first`
	}
	return sum
}

// There are two, or the indexes are of different variables.
func Others(s string, i, j int) int {
	if i < 0 || j < 0 || i >= len(s) || j >= len(s) {
		return 0
	}
	return int(s[i]) + int(s[j]) + int(s[0])
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	return fmt.Sprint(Number(values.Bytes(r)), Sum(s), Others(s, r.IntN(9)-1, r.IntN(9)-1))
}
