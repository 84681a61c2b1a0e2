package appended

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"unicode/utf8"

	"test/values"
)

func Doubled(s string) string {
	out := make([]byte, 0, 2*len(s))
	for i := 0; i < len(s); i++ {
		out = append(out, s[i], s[i]) // want `Build the string in a strings.Builder`
	}
	return string(out)
}

func Joined(parts []string, n int) string {
	var out []byte
	for _, p := range parts {
		if len(out) > 0 {
			out = append(out, ", "...) // want `Build the string in a strings.Builder`
		}
		out = append(out, p...)
		out = append(out, []byte(p)...)
	}
	out = strconv.AppendInt(out, int64(n), 10)
	out = utf8.AppendRune(out, 'é')
	return string(out)
}

func Indexed(s string) string {
	out := make([]byte, 0, len(s))
	out = append(out, s...)
	out[0] = 'x'
	return string(out)
}

func Kept(s string) []byte {
	var out []byte
	out = append(out, s...)
	return out
}

func Cut(s string) string {
	var out []byte
	out = append(out, s...)
	return string(out[1:])
}

func Itself(s string) string {
	var out []byte
	out = append(out, s...)
	out = append(out, out...)
	return string(out)
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	return fmt.Sprintf("%q %q", Doubled(s), Joined(values.Strings(r), r.IntN(1000)-500))
}
