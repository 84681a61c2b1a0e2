package fuzzlog

import (
	"bytes"
	"encoding/hex"
)

// Marked returns the last text in counts, in hexadecimal, between a mark and ";"; "" if there is none.
func Marked(counts []byte, mark byte) (last string) {
	for {
		at := bytes.IndexByte(counts, mark)
		if at < 0 {
			return last
		}
		counts = counts[at+1:]
		text, _, ok := bytes.Cut(counts, []byte(";"))
		if decoded, err := hex.DecodeString(string(text)); ok && err == nil {
			last = string(decoded)
		}
	}
}
