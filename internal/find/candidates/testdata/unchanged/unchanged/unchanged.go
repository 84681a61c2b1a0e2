package unchanged

import (
	"math/rand/v2"
	"strings"

	"test/values"
)

func Escape(s string) string {
	var b strings.Builder
	for _, r := range s { // want `Return the text itself`
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func Quote(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ { // want `Return the text itself`
		c := s[i]
		if c == '"' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return string(out)
}

func Chain(s string) string {
	var b strings.Builder
	for _, r := range s { // want `Return the text itself`
		if r == ',' {
			b.WriteString(";")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func Ranges(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 'a' {
			b.WriteByte('_')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func Surrounded(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"':
			b.WriteString("\\\"")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	return Escape(s) + Quote(s) + Chain(s)
}
