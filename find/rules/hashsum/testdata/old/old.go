//go:build go1.21

package old

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"test/values"
)

// Before Go 1.22 nothing appends encoded bytes.
func sums(pairs [][2]string) (texts []string) {
	for _, p := range pairs {
		h := sha256.New()
		h.Write([]byte(p[0]))                                                // want `in full`
		h.Write([]byte(p[1]))                                                // want `in full`
		texts = append(texts, base64.StdEncoding.EncodeToString(h.Sum(nil))) // want `always has 32 bytes`
	}
	return texts
}

func hexed(s string) string {
	sum := md5.Sum([]byte(s))                                        // want `copied to the heap`
	raw := base64.RawURLEncoding.EncodeToString(sum[:])              // want `two allocations`
	return raw + hex.EncodeToString(sum[:]) + fmt.Sprintf("%x", sum) // want `two allocations` `package hex`
}

func Try(r *rand.Rand) string {
	pairs := [][2]string{{values.String(r), values.String(r)}, {values.String(r), ""}}
	return fmt.Sprint(sums(pairs), hexed(values.String(r)))
}
