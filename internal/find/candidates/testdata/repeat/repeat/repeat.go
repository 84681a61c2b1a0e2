package repeat

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

func Indent(n int) string {
	return strings.Repeat("  ", n) // want `Take repetitions from a constant`
}

func Places(n int) string {
	return strings.Repeat(",?", n)[1:] // want `Take repetitions`
}

// The text varies, or the number is constant.
func Others(s string, n int) string { return strings.Repeat(s, n) + strings.Repeat("-", 20) }

func Try(r *rand.Rand) string {
	n := r.IntN(300)
	return fmt.Sprint(Indent(n), Places(n+1), Others("é", n%4))
}
