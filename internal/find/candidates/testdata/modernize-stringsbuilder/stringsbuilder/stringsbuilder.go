package stringsbuilder

import (
	"math/rand/v2"

	"test/values"
)

func Join(parts []string) string {
	all := "" // want `strings.Builder`
	for _, p := range parts {
		all += p
	}
	return all
}

func Pair(a, b string) string {
	a += b
	return a
}

func Try(r *rand.Rand) string { return Join(values.Strings(r)) }
