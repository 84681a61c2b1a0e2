package convert

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"unicode/utf8"

	"test/values"
)

type text string

type raw []byte

type page struct {
	bytes.Buffer
	out *bufio.Writer
}

func Write(w io.Writer, rw http.ResponseWriter, p *page, s string, t text) (int, error) {
	rw.Write([]byte(s))                                   // want `copied into bytes`
	rw.Write([]byte("const é"))                           // want `copied into bytes`
	p.Write([]byte(t))                                    // want `copied into bytes`
	p.Buffer.Write([]byte(s + "x"))                       // want `copied into bytes`
	_, _ = p.out.Write(([]byte)(s))                       // want `copied into bytes`
	if _, err := p.out.Write([]byte(t[:0])); err != nil { // want `copied into bytes`
		return 0, err
	}
	return w.Write([]byte(s)) // want `copied into bytes`
}

func Copy(p *page, b []byte, r raw) string {
	var out strings.Builder
	out.WriteString(string(b))   // want `copied into a string`
	out.WriteString(string(r))   // want `copied into a string`
	p.out.WriteString(string(b)) // want `copied into a string`
	p.WriteString(string(b[:0])) // want `copied into a string`
	return out.String()
}

func Search(b, c []byte, r raw, s string) []any {
	return []any{
		strings.Contains(string(b), s),                       // want `package bytes has`
		strings.HasPrefix(string(r), "{"),                    // want `package bytes has`
		strings.Index(string(b), string(c)),                  // want `package bytes has`
		strings.EqualFold(string(b), s),                      // want `package bytes has`
		strings.Count(string(b), ""),                         // want `package bytes has`
		strings.IndexAny(string(b), s),                       // want `package bytes has`
		strings.LastIndexByte(string(b), 'a'),                // want `package bytes has`
		strings.ContainsRune(string(b), utf8.RuneError),      // want `package bytes has`
		strings.IndexRune(string(b), -1),                     // want `package bytes has`
		utf8.RuneCountInString(string(b)),                    // want `package unicode/utf8 has`
		utf8.ValidString(string(b)),                          // want `package unicode/utf8 has`
		strings.LastIndex(string(b), string(b[len(b)/2:])+s), // want `package bytes has`
	}
}

func Changes(b []byte) bool {
	return strings.HasPrefix(string(b), change(b)) // want `package bytes has`
}

func change(b []byte) string {
	s := string(b)
	clear(b)
	return s
}

func Runes(s string) (out []rune) {
	for _, r := range []rune(s) { // want `is converted to runes`
		out = append(out, r)
		s += "x"
	}
	for i, r := range []rune(s) { // want `is converted to runes`
		out = append(out, r, rune(i))
	}
	if s != "" && []rune(s)[0] == 'a' { // want `to get the first one`
		out = nil
	}
	for range []rune(s) { // want `is converted to runes`
		out = append(out, 'x')
	}
	return out
}

func Try(r *rand.Rand) string {
	rec := httptest.NewRecorder()
	var a, b bytes.Buffer
	p := &page{out: bufio.NewWriterSize(&a, 16)}
	s := values.String(r)
	n, err := Write(&b, rec, p, s, text(values.String(r)))
	raws := values.Bytes(r)
	copied := Copy(p, raws, raw(s))
	flushed := p.out.Flush()
	return fmt.Sprintf("%q", []any{n, err, copied, flushed, rec.Body.String(), a.String(), b.String(), p.String(), Search(raws, values.Bytes(r), raw(s), s), Changes([]byte(s)), Runes(s)})
}
