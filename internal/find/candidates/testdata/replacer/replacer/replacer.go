package replacer

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"strings"

	"test/values"
)

var (
	escaper = strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "'")
	long    = strings.NewReplacer("ab", "c")
)

func Escape(s string) string {
	return escaper.Replace(s) // want `Search for "<>`
}

func Escaped(w io.Writer, s string) (int, error) {
	return escaper.WriteString(w, s) // want `Search for "<>`
}

func Assigned(s string) string {
	t := escaper.Replace(s) // want `Search for "<>`
	return t
}

func Nested(b *strings.Builder, s string) {
	b.WriteString(escaper.Replace(s)) // want `Search for "<>`
}

func Page(s string) string {
	return "<b>" + html.EscapeString(s) + "</b>" // want `Search for`
}

func Short(s string) bool { return s != "" && escaper.Replace(s) != s }

func Long(s string) string { return long.Replace(s) }

func Try(r *rand.Rand) string {
	var b bytes.Buffer
	n, err := Escaped(&b, values.String(r))
	var built strings.Builder
	Nested(&built, values.String(r))
	return fmt.Sprint(built.String(), Page(values.String(r)), Escape(values.String(r)), Assigned(values.String(r)), b.String(), n, err)
}
