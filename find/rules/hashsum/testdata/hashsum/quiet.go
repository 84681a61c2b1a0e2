package hashsum

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
)

type loud [4]byte

func (loud) String() string { return "" }

// Kept returns the sum.
func Kept(b []byte) []byte {
	h := sha256.New()
	h.Write(b)
	return h.Sum(nil)
}

// Given is not known.
func Given(h hash.Hash, s string) string {
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}

// Escapes: the hash goes elsewhere.
func Escapes(r io.Reader, s string) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Asked: the error is looked at, though there is none.
func Asked(s string) error {
	h := sha256.New()
	_, err := io.WriteString(h, s)
	return err
}

// Captured is used by a closure.
func Captured(list []string) string {
	h := sha256.New()
	add := func(s string) { h.Write([]byte(s)) }
	for _, s := range list {
		add(s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Stored keeps the sum.
func Stored(m map[string][]byte, s []byte) {
	h := sha256.New()
	h.Write(s)
	sum := h.Sum(nil)
	m["sum"] = sum
}

// Short texts are converted on the stack.
func Short() [32]byte { return sha256.Sum256([]byte("short")) }

// Fast needs no memory: the compiler sees that the bytes are only read.
func Fast(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func Keyed(key []byte, s string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}

func Methods(l loud, s string, n int) string {
	return fmt.Sprintf("%x", l) + fmt.Sprintf("%x", s) + fmt.Sprintf("%x", n) + fmt.Sprintf("%X", s)
}
