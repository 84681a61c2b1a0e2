package writer

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text) // want `Write to a bytes.Buffer directly`
	return err
}

// The type is known.
func Others(b *bytes.Buffer, text string) string {
	io.WriteString(b, text)
	return b.String()
}

func Try(r *rand.Rand) string {
	var a bytes.Buffer
	var b strings.Builder
	text := values.String(r)
	err1, err2, err3 := Write(&a, text), Write(&b, text), Write(io.Discard, text)
	return fmt.Sprint(a.String(), b.String(), err1, err2, err3, Others(&a, text))
}
