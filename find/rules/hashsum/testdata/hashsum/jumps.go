package hashsum

import (
	"crypto/sha256"
	sum256 "crypto/sha256"
	"encoding/hex"
)

// Jumps may not jump over new variables.
func Jumps(s string) string {
	if s == "" {
		goto end
	}
	if h := sum256.New(); len(s) > 1 {
		h.Write([]byte(s))                    // want `s is copied`
		return hex.EncodeToString(h.Sum(nil)) // want `32 bytes`
	}
end:
	return ""
}

// Renamed does not see the package where the sum is taken.
func Renamed(s string) string {
	h := sha256.New()
	sha256, sum256 := 1, 2
	h.Write([]byte(s))                                      // want `s is copied`
	return hex.EncodeToString(h.Sum(nil))[sha256+sum256-3:] // want `32 bytes`
}

// Within has its hash in an if.
func Within(s string) string {
	if h := sum256.New(); len(s) > 1 {
		h.Write([]byte(s /* all of it */)) // want `s is copied`
		return string(h.Sum(nil))          // want `32 bytes`
	}
	if h := sum256.New(); len(s) < 100 {
		h.Write([]byte(s))        // want `s is copied`
		return string(h.Sum(nil)) // want `32 bytes`
	}
	return ""
}
