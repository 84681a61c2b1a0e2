package skip

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Valid(data []byte, i int) (int, bool) {
	for ; i < len(data); i++ { // want `Skip bytes that need nothing by a table`
		if data[i] < ' ' {
			return i, false
		} else if data[i] == '\\' {
			i++
			if i == len(data) {
				return i, false
			}
		} else if data[i] == '"' {
			return i + 1, true
		}
	}
	return i, false
}

func Marks(s string) (n, at int) {
	for i := 0; i < len(s); i++ { // want `Skip bytes`
		switch s[i] {
		case '<', '>', '&', '%':
			n++
		case 'a':
			at = i
		}
	}
	return n, at
}

// Most bytes need something, or the conditions are about more.
func Others(s string, n int) (sum int) {
	for i := 0; i < len(s); i++ {
		if s[i] != 'x' {
			sum++
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] == 'x' && sum > n {
			sum--
		}
	}
	return sum
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	i, ok := Valid([]byte(s), min(r.IntN(3), len(s)))
	n, at := Marks(s)
	return fmt.Sprint(i, ok, n, at, Others(s, values.Int(r)))
}
