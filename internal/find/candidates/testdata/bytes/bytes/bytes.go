package bytes

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Write(w io.Writer, data []byte) (int, error) {
	return io.WriteString(w, string(data)) // want `Write the bytes`
}

func Text(w io.Writer, text string) (int, error) { return io.WriteString(w, text) }

func Runes(w io.Writer, text []rune) (int, error) { return io.WriteString(w, string(text)) }

func Try(r *rand.Rand) string {
	var b strings.Builder
	n, err := Write(&b, []byte(values.String(r)))
	return fmt.Sprint(n, err, b.String())
}
