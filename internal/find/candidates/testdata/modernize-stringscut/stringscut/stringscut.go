package stringscut

import (
	"math/rand/v2"
	"strings"

	"test/values"
)

func Key(s string) string {
	i := strings.Index(s, "=") // want `Cut`
	if i < 0 {
		return s
	}
	return s[:i]
}

func Where(s string) int { return strings.Index(s, "=") }

func Try(r *rand.Rand) string { return Key(values.String(r)) }
