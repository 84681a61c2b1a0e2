package replacer

import (
	"bytes"
	"fmt"
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

func Long(s string) string { return long.Replace(s) }

func Try(r *rand.Rand) string {
	var b bytes.Buffer
	n, err := Escaped(&b, values.String(r))
	return fmt.Sprint(Escape(values.String(r)), Assigned(values.String(r)), b.String(), n, err)
}
