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

func Set(s string, b []byte, set string) (bool, int) {
	found := strings.ContainsAny(s, set)             // want `Search for each byte in the set`
	return found, bytes.IndexAny(b, string(b[:0])) + // want `Search for each byte in the set`
		bytes.IndexAny(b, set) // want `Search for each byte in the set`
}

// The set has one byte, or more than bytes.
func Other(s string) int {
	return strings.IndexAny(s, "a") + strings.IndexAny(s, "aé")
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	i, ok := Bytes(values.Bytes(r))
	set, at := Set(s, values.Bytes(r), ";:= a"[:r.IntN(6)])
	return fmt.Sprint(Needs(s), Index(s), Index("é\xff"+s), i, ok, Other(s), set, at)
}
