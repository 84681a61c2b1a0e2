package trimmed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Space(s string) string {
	return strings.TrimSpace(s) // want `Look for something to trim in front of strings.TrimSpace`
}

func Bytes(b []byte) []byte {
	return bytes.TrimSpace(b) // want `in front of bytes.TrimSpace`
}

func Of(s string) (a, b, c string) {
	a = strings.Trim(s, "\"'")    // want `in front of strings.Trim`
	b = strings.TrimLeft(s, "k")  // want `in front of strings.TrimLeft`
	c = strings.TrimRight(s, "=") // want `in front of strings.TrimRight`
	return a, b, c
}

// The set is not constant, not of ASCII characters, or large.
func Others(s, set string) string {
	return strings.Trim(s, set) + strings.Trim(s, "é") + strings.TrimLeft(s, "0123456789") + strings.TrimPrefix(s, "k")
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	if r.IntN(2) == 0 {
		s = []string{"'a'", "k", "k=", " a", "a\u00a0", "\u0085", "é", "\xffa "}[r.IntN(8)]
	}
	a, b, c := Of(s)
	return fmt.Sprintf("%q %q %q %q %q %q", Space(s), Bytes([]byte(s)), a, b, c, Others(s, "k"))
}
