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

func Kept(s string) []string { return strings.Split(s, ",") }

func Characters(s string) int { return len(strings.Split(s, "")) }

func Try(r *rand.Rand) string {
	s := strings.Join(values.Strings(r), ",")
	return fmt.Sprint(Third(s), Last(s, ","), Last(s, "%"), Last(s, ""))
}
