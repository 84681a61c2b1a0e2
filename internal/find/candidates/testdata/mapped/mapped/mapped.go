package mapped

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"test/values"
)

func clean(r rune) rune {
	if r <= ' ' || r == '=' || r == '"' || r == 0x7f {
		return -1
	}
	return r
}

func Key(s string) string {
	return strings.Map(clean, s) // want `Look for something to change in front of strings.Map`
}

func Lower(s string) string {
	return strings.Map(unicode.ToLower, s) // want `Look for something to change`
}

var seen int

func counted(r rune) rune {
	seen++
	return r
}

// The function counts calls, or is not known.
func Others(s string, f func(rune) rune) string {
	return strings.Map(counted, s) + strings.Map(f, s)
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	return Key(s) + Lower(s) + Others(s, clean)
}
