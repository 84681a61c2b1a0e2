package parts

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Third(s string) string {
	parts := strings.Split(s, ",") // want `Split into an array`
	if len(parts) != 3 {
		return ""
	}
	return parts[2]
}

func Last(s, sep string) string {
	if p := strings.Split(s, sep); len(p) > 1 { // want `Split into an array`
		return p[len(p)-1]
	}
	return s
}

func Second(s, sep string) string {
	parts := strings.SplitN(s, sep, 3) // want `Split into an array`
	if len(parts) < 2 {
		return ""
	}
	return parts[1] + "/" + parts[len(parts)-1]
}

func Words(s string) (n int) {
	words := strings.Fields(s) // want `Split into an array`
	for _, w := range words {
		n += len(w)
	}
	return n * len(words)
}

func All(s string, n int) int { return len(strings.SplitN(s, ",", n)) }

func Kept(s string) []string { return strings.Split(s, ",") }

func Characters(s string) int { return len(strings.Split(s, "")) }

func Try(r *rand.Rand) string {
	s := strings.Join(values.Strings(r), ",")
	return fmt.Sprint(Third(s), Last(s, ","), Last(s, "%"), Last(s, ""), Second(s, ","), Second(s, ""), Second(s, "%"),
		Words(values.String(r)), All(s, r.IntN(4)))
}
