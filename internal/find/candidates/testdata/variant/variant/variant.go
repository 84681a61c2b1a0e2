package variant

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"

	"test/values"
)

var number = regexp.MustCompile(`[0-9]+`)

func Match(s string) (bool, []int) {
	return number.Match([]byte(s)), number.FindIndex([]byte(s)) // want `Call MatchString` `Call FindStringIndex`
}

func Write(s string) (string, error) {
	var b bytes.Buffer
	if _, err := b.Write([]byte(s)); err != nil { // want `Call WriteString without the conversion`
		return "", err
	}
	return b.String(), nil
}

func Has(b []byte, s, t string) (bool, int) {
	has := strings.Contains(string(b), ", ") && strings.HasPrefix(string(b), string(b[:0])) // want `bytes.Contains` `bytes.HasPrefix`
	at := bytes.Index([]byte(s), []byte(t))                                                 // want `strings.Index`
	return has, at + strings.IndexAny(string(b), s)                                         // want `bytes.IndexAny`
}

// The writer may have no such method, and the other argument would be converted.
func Other(w io.Writer, b []byte, s string) (bool, error) {
	_, err := w.Write([]byte(s))
	return strings.Contains(string(b), s), err
}

func Try(r *rand.Rand) string {
	s, b := values.String(r), values.Bytes(r)
	ok, at := Match(s)
	text, err := Write(s)
	has, first := Has(b, s, values.String(r))
	other, err2 := Other(io.Discard, b, s)
	return fmt.Sprint(ok, at, text, err, has, first, other, err2)
}
