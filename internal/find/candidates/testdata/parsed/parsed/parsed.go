package parsed

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"test/values"
)

func Int(s string) (int64, error) {
	return strconv.ParseInt(s, 10, 64) // want `Read short decimal numbers in front of strconv.ParseInt`
}

func Any(s string, base, bits int) (uint64, error) {
	return strconv.ParseUint(s, base, bits) // want `Read short decimal numbers`
}

func Float(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 32) // want `Read short decimal numbers`
	return x, err
}

// A number of 8 bits may overflow, and one in base 16 has letters.
func Others(s string) (int64, uint64) {
	a, _ := strconv.ParseInt(s, 10, 8)
	b, _ := strconv.ParseUint(s, 16, 64)
	return a, b
}

func Try(r *rand.Rand) string {
	s := []string{
		values.String(r), fmt.Sprint(r.IntN(1000)), "0" + fmt.Sprint(r.IntN(99)), "123456789", "1234567890", "99999999", "0",
		"+1", "-7", "1_0", "1.5", "inf", "16777217",
	}[r.IntN(13)]
	a, err1 := Int(s)
	b, err2 := Any(s, []int{0, 2, 10, 16}[r.IntN(4)], []int{0, 8, 32, 64}[r.IntN(4)])
	x, err3 := Float(s)
	c, d := Others(s)
	return fmt.Sprint(a, err1, b, err2, x, err3, c, d)
}
