package grow

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"test/values"
)

func Pair(dst []byte, key string, n int) []byte {
	dst = append(dst, key...) // want `Let dst grow once by len\(key\)\+22`
	dst = append(dst, ':', ' ')
	dst = strconv.AppendInt(dst, int64(n), 10)
	return dst
}

// The second append depends on a variable that is declared later, and one append alone is not worth it.
func Others(dst []byte, key string) []byte {
	dst = append(dst, '"')
	more := key + "!"
	dst = append(dst, more...)
	return dst
}

func Try(r *rand.Rand) string {
	b := Pair(nil, values.String(r), values.Int(r))
	return fmt.Sprint(string(b), string(Pair(b[:0], "a", 1)), string(Others(nil, values.String(r))))
}
