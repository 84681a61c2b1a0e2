package first

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func At(raw, sig []byte, offset int) bool {
	return len(raw) > offset && bytes.HasPrefix(raw[offset:], sig) // want `Compare the first byte of raw\[offset:\] first`
}

func Any(s string, prefixes []string) int {
	for i, p := range prefixes {
		if strings.HasPrefix(s, p) { // want `Compare the first byte of s first`
			return i
		}
	}
	return -1
}

func Same(a, b []byte) bool {
	return !bytes.Equal(a, b) // want `Compare the first byte of a first`
}

// The compiler compares constants itself, and a call must not run twice.
func Other(s string, next func() string) bool {
	return strings.HasPrefix(s, "ab") || strings.HasPrefix(next(), s) || bytes.Equal(nil, []byte(s))
}

func Try(r *rand.Rand) string {
	a, b, s := values.Bytes(r), values.Bytes(r), values.String(r)
	half := a[:len(a)/2]
	return fmt.Sprint(At(a, b, 0), At(a, half, 0), At(a, nil, 1), Any(s, values.Strings(r)), Any(s, []string{s}),
		Same(a, b), Same(a, append([]byte{}, a...)), Same(nil, []byte{}), Other(s, func() string { return s }))
}
