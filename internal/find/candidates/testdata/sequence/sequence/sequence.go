package sequence

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Numbered(s string) (n int) {
	for i, part := range strings.Split(s, ",") { // want `Iterate`
		if part == "" {
			continue
		}
		n += i * len(part)
	}
	return n
}

func Given(s, sep string) (n int) {
	parts := strings.Split(s, sep) // want `Iterate`
	n = 1
	for _, part := range parts {
		n = 3*n + len(part)
	}
	return n
}

func Bytes(b []byte) (n int) {
	for _, line := range bytes.Split(b, []byte("\n")) { // want `Iterate`
		n = 3*n + len(line)
	}
	return n
}

func Counted(s string) (n int) {
	parts := strings.Fields(s)
	for _, part := range parts {
		n += len(part) * len(parts)
	}
	return n
}

func Moved(s string) (n int) {
	for i, part := range strings.Fields(s) {
		i++
		n += i * len(part)
	}
	return n
}

func Try(r *rand.Rand) string {
	s := strings.Join(values.Strings(r), ",")
	return fmt.Sprint(Numbered(s), Given(s, ","), Given(s, "a,"), Bytes(values.Bytes(r)))
}
