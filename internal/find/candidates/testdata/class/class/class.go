package class

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Name(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_') { // want `Look c up`
			return false
		}
	}
	return true
}

func Runes(s string) (n int) {
	for _, r := range s {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == 0xa0 { // want `Look r up`
			n++
		}
	}
	return n
}

func Wide(s string) (n int) {
	for _, r := range s {
		if r == ' ' || r == '\t' || r == '\n' || r == '\u2028' {
			n++
		}
	}
	return n
}

func Not(s string) (n int) {
	for _, r := range s {
		if r != ' ' && r != '\t' && r != '\n' && r != '\r' {
			n++
		}
	}
	return n
}

func Few(c byte) bool { return c == 'a' || c == 'b' }

func Two(c, d byte) bool { return c == 'a' || c == 'b' || d == 'c' || d == 'e' }

func Try(r *rand.Rand) string {
	s := values.String(r)
	return fmt.Sprint(Name(s), Runes(s))
}
