package builder

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Joined(parts []string) string {
	var b bytes.Buffer
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(',') // want `strings.Builder`
		}
		b.WriteString(p)
	}
	fmt.Fprintf(&b, "%d", b.Len())
	return b.String()
}

func Bytes(parts []string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		b.WriteString(p)
	}
	return b.Bytes()
}

func Passed(parts []string, fill func(*bytes.Buffer)) {
	b := bytes.Buffer{}
	b.WriteString(parts[0])
	fill(&b)
}

func Try(r *rand.Rand) string { return Joined(values.Strings(r)) }
