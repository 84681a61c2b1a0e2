package stringscutprefix

import (
	"math/rand/v2"
	"strings"

	"test/values"
)

func Rest(s string) string {
	if strings.HasPrefix(s, "a") { // want `CutPrefix`
		return strings.TrimPrefix(s, "a")
	}
	return "none"
}

func Other(s string) bool { return strings.HasPrefix(s, "a") }

func Try(r *rand.Rand) string { return Rest(values.String(r)) }
