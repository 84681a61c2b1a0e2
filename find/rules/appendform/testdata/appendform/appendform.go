package appendform

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"test/values"
)

type line struct {
	buf  bytes.Buffer
	w    *bufio.Writer
	text []byte
}

func (l *line) Write(n int, x float64, s string, at time.Time, raw []byte) error {
	l.buf.WriteString(strconv.Itoa(n))                      // want `allocated only to be written`
	l.buf.WriteString(strconv.FormatFloat(x, 'f', -1, 64))  // want `allocated only to be written`
	l.w.WriteString(strconv.Quote(s + "x"))                 // want `allocated only to be written`
	l.w.WriteString(at.Format(time.RFC3339Nano))            // want `allocated only to be written`
	_, err := l.w.WriteString(at.UTC().Format(s))           // want `allocated only to be written`
	l.buf.WriteString(hex.EncodeToString(raw))              // want `allocated only to be written`
	l.w.WriteString(base64.StdEncoding.EncodeToString(raw)) // want `allocated only to be written`
	return err
}

func (l *line) Append(n int, u uint64, ok bool, x float32, at time.Time, raw []byte, r rune) {
	l.text = append(l.text, strconv.FormatInt(int64(n), 36)...)                 // want `allocated only to be appended`
	l.text = append(l.text, strconv.FormatUint(u, 2)...)                        // want `allocated only to be appended`
	l.text = append(l.text, strconv.FormatBool(ok)...)                          // want `allocated only to be appended`
	l.text = append(l.text, strconv.FormatFloat(float64(x), 'e', 3, 32)...)     // want `allocated only to be appended`
	l.text = append(l.text[:len(l.text)/2], strconv.QuoteToASCII(string(r))...) // want `allocated only to be appended`
	l.text = append(l.text, at.Format(time.Kitchen)...)                         // want `allocated only to be appended`
	l.text = append(l.text, hex.EncodeToString(raw)...)                         // want `allocated only to be appended`
	l.text = append(l.text, base64.RawURLEncoding.EncodeToString(raw)...)       // want `allocated only to be appended`
	l.text = append(l.text, strconv.Itoa(l.next())...)                          // want `allocated only to be appended`
}

func (l *line) next() int {
	l.text = append(l.text, '!')
	return len(l.text)
}

func None(at time.Time, raw []byte) ([]byte, []byte) {
	return append([]byte(nil), at.Format("")...), append([]byte(nil), hex.EncodeToString(raw)...) // want `AppendFormat appends` `AppendEncode appends`
}

type own []byte

func Named(o own, n int) own {
	return append(o, strconv.Itoa(n)...) // want `allocated only to be appended`
}

func Try(r *rand.Rand) string {
	var out bytes.Buffer
	l := line{w: bufio.NewWriterSize(&out, 16)}
	n, raw := values.Int(r), values.Bytes(r)
	at := time.Unix(int64(int32(n)), 5).UTC()
	err := l.Write(n, values.Float(r), values.String(r), at, raw)
	flushed := l.w.Flush()
	l.Append(n, uint64(n), values.Bool(r), float32(values.Float(r)), at, raw, values.Rune(r))
	a, b := None(at, raw)
	return fmt.Sprintf("%q %q %q %q %v %v %v %v %q", err, l.buf.String(), out.String(), l.text, flushed, a == nil, b == nil, b, Named(own(raw), n))
}
