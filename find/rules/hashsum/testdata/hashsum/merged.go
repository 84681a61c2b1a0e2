package hashsum

import "crypto/md5"

// Pair is written in one go.
func Pair(a, b string) string { h := md5.New(); h.Write([]byte(a)); h.Write([]byte(b)); return string(h.Sum(nil)) } // want `a is copied` `b is copied` `16 bytes`

func Three(a string, n name) string {
	// The function begins on the line of its hash.
	return func() string { h := md5.New(); h.Write([]byte(":")); h.Write([]byte(a)); h.Write([]byte("\x00")); h.Write([]byte(n)); return string(h.Sum(nil)) }() // want `a is copied` `n is copied` `16 bytes`
}
