package hashsum

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"

	"test/values"
)

type name string

type id [12]byte

type key struct {
	sum  [sha256.Size]byte
	text name
}

// Two is as it is often written.
func Two(a, b string) string {
	h := sha256.New()
	h.Write([]byte(a))                                   // want `a is copied to the heap to be hashed`
	h.Write([]byte(b))                                   // want `b is copied`
	return base64.StdEncoding.EncodeToString(h.Sum(nil)) // want `sum is allocated, although it always has 32 bytes`
}

func Separated(a string, n name, b []byte) string {
	h := md5.New()
	_, _ = h.Write([]byte(a))     // want `a is copied`
	_, _ = io.WriteString(h, ":") // want `":" is copied`
	_, _ = h.Write([]byte(n))     // want `n is copied`
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)) // want `16 bytes`
}

func (k *key) Mixed(parts []string) (string, bool) {
	var h hash.Hash = sha512.New384()
	for _, room := range parts {
		io.WriteString(h, room) // want `room is copied`
	}
	// The text of the key comes last.
	h.Write([]byte(k.text)) // want `k.text is copied`
	sum := h.Sum(nil)       // want `48 bytes`
	return base64.RawURLEncoding.EncodeToString(sum[:20]), bytes.Equal(sum, k.sum[:])
}

func Commented(a, b string) string {
	h := sha1.New()
	h.Write([]byte(a)) // want `a is copied`
	// A separator would be better.
	h.Write([]byte(b))                   // want `b is copied`
	return fmt.Sprintf("%x", h.Sum(nil)) // want `20 bytes`
}

func Twice(a string) string {
	h := sha512.New()
	h.Write([]byte(a))                              // want `a is copied`
	h.Write([]byte(hex.EncodeToString(h.Sum(nil)))) // want `hex.EncodeToString.h.Sum.nil.. is copied` `64 bytes`
	if hex.EncodeToString(h.Sum(nil)) == a {        // want `64 bytes`
		return ""
	}
	return string(h.Sum(nil)) // want `64 bytes`
}

func Number(a string) uint64 {
	h := sha256.New224()
	h.Write([]byte("prefix"))
	h.Write([]byte(struct{ s string }{a}.s))                   // want `is copied`
	first := h.Sum(nil)[0]                                     // want `28 bytes`
	return uint64(first) + binary.BigEndian.Uint64(h.Sum(nil)) // want `28 bytes`
}

func Reused(parts []string) []string {
	h := sha512.New512_256()
	var sums []string
	for _, p := range parts {
		h.Reset()
		h.Write([]byte(p))                                                    // want `p is copied`
		sums = append(sums, base64.RawStdEncoding.EncodeToString(h.Sum(nil))) // want `32 bytes`
	}
	return sums
}

// Appended is for rule appendform, but for the sum.
func Appended(to []byte, s string) []byte {
	h := sha512.New512_224()
	h.Write([]byte(s))                                 // want `s is copied`
	to = append(to, hex.EncodeToString(h.Sum(nil))...) // want `28 bytes`
	return append(to, h.Sum(nil)...)                   // want `28 bytes`
}

func Closure(parts []string) (list []string) {
	each := func(s string) {
		h := sha1.New()
		io.WriteString(h, s)                                               // want `s is copied`
		list = append(list, base64.URLEncoding.EncodeToString(h.Sum(nil))) // want `20 bytes`
	}
	for _, p := range parts {
		each(p)
	}
	return list
}

func Array(b []byte, i id, k key) string {
	sum := md5.Sum(b)
	return hex.EncodeToString(sum[:]) + // want `16 bytes of sum`
		base64.StdEncoding.EncodeToString(i[:]) + // want `12 bytes of i`
		hex.EncodeToString(k.sum[:]) // want `32 bytes of k.sum`
}

func Printed(b []byte, k *key) []string {
	sum := sha1.Sum(b)
	all := []string{
		fmt.Sprintf("%x", sum),         // want `package hex`
		fmt.Sprintf("%x", sum[:]),      // want `package hex`
		fmt.Sprintf("%x", b),           // want `package hex`
		fmt.Sprintf("%x", sum[:4]),     // want `package hex`
		fmt.Sprintf("%x", k.sum),       // want `package hex`
		fmt.Sprintf("%x", sha1.Sum(b)), // want `package hex`
	}
	return all
}

func PrintedCall(b []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(b)) // want `package hex`
}

func OneShot(a, b string) [16]byte {
	if sum := sha256.Sum256([]byte(a + ":" + b)); sum[0] > 127 { // want `is copied`
		return md5.Sum([]byte(a)) // want `a is copied`
	}
	return [16]byte{}
}

func Shadowed(md5 string) string {
	digest, room, n := sha256.New(), 1, 2
	digest.Write([]byte(md5))                                        // want `md5 is copied`
	return fmt.Sprint(room, n) + hex.EncodeToString(digest.Sum(nil)) // want `32 bytes`
}

func Try(r *rand.Rand) string {
	a, b, c := values.String(r), values.String(r), values.String(r)
	bs, list := values.Bytes(r), values.Strings(r)
	for range r.IntN(12) {
		a += a
		if len(a) > 3000 {
			break
		}
	}
	k := &key{sum: sha256.Sum256(bs), text: name(b)}
	mixed, equal := k.Mixed(list)
	return fmt.Sprint(Two(a, b), Separated(a, name(b), bs), mixed, equal, Commented(a, c), Twice(a), Number(a), Reused(list),
		Appended(bs, c), Closure(list), Array(bs, id{1, 2, 3}, *k), Printed(bs, k), PrintedCall(bs), OneShot(a, b), OneShot(b, c), Shadowed(a), Pair(a, b), Three(a, name(c)))
}
