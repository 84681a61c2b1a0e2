package anyof

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

const special = "<>&\"'\\"

func Needs(s string) bool {
	return !strings.ContainsAny(s, special) // want `Search for .* with a switch`
}

func Index(s string) int {
	return strings.IndexAny(s, " \t\n a") // want `with a switch`
}

func Bytes(b []byte) (int, bool) {
	return bytes.IndexAny(b, "ab:"), bytes.ContainsAny(b, "xé") // want `Search for "ab:" with a switch`
}

// The set varies, has one byte, or more than bytes.
func Other(s, set string) int {
	return strings.IndexAny(s, set) + strings.IndexAny(s, "a") + strings.IndexAny(s, "aé")
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	i, ok := Bytes(values.Bytes(r))
	return fmt.Sprint(Needs(s), Index(s), Index("é\xff"+s), i, ok, Other(s, values.String(r)))
}
