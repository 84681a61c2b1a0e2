package sql

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Text returns a text as a literal of ClickHouse, whatever its bytes are.
func Text(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\x%02x", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// Texts returns texts as a list of literals.
func Texts(all []string) string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = Text(s)
	}
	return strings.Join(list, ",")
}

// Numbers returns numbers as a list of literals.
func Numbers(all []uint64) string {
	b := make([]byte, 0, 21*len(all))
	for i, x := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, x, 10)
	}
	return string(b)
}

// Time returns a time as a value of type DateTime64(9).
func Time(t time.Time) string {
	return fmt.Sprintf("fromUnixTimestamp64Nano(%d, 'UTC')", t.UnixNano())
}
