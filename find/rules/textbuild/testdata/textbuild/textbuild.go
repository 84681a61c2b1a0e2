package textbuild

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"test/values"
)

type statsd struct {
	Namespace string
	Rate      float64
	Conn      io.Writer
}

func clean(s string) string { return strings.ReplaceAll(s, ":", "_") }

func (s *statsd) send(name, kind string, value float64) {
	line := fmt.Sprintf("%s.", s.Namespace)                                      // want `begins as a string`
	line += clean(name)                                                          // want `new string of line`
	line += fmt.Sprintf(":%s|%s", strconv.FormatFloat(value, 'f', -1, 64), kind) // want `new string of line`
	if s.Rate < 1 {
		line += fmt.Sprintf("|@%s", strconv.FormatFloat(s.Rate, 'f', -1, 64)) // want `new string of line`
		if value >= s.Rate {
			return
		}
	}
	_, _ = s.Conn.Write([]byte(line)) // want `copied once more`
}

type level int

func (l level) String() string { return "level " + strconv.Itoa(int(l)) }

type plain uint8

type word string

func Verbs(l level, p plain, w word, f float32, b bool, r rune, u uint64, d time.Duration, raw []byte) []byte {
	var s string
	s += fmt.Sprintf("%d %v %x%%%s|%v", l, p, u, w, f)                                            // want `new string of s`
	s += fmt.Sprintf("%v %s", l, d)                                                               // want `new string of s`
	s += string(r) + string(raw) + "\n"                                                           // want `new string of s`
	s += fmt.Sprint(b, p, w, u, 7) + fmt.Sprintf("%q,%t,%c,%s", w, b, r, raw)                     // want `new string of s`
	s += fmt.Sprintf("%5d|%+v|%.2f|%s|%", p, b, f, u) + strconv.Quote("é") + strconv.Itoa(int(p)) // want `new string of s`
	return []byte(s)                                                                              // want `copied once more`
}

// Returned is a string in the end.
func Returned(host string, port int, path string) (string, error) {
	url := "http://" + host // want `begins as a string`
	if port != 80 {
		url += ":" + strconv.Itoa(port) // want `new string of url`
	}
	if host == "" {
		return url, io.EOF
	}
	url = url + path // want `new string of url`
	url += "?"       // want `new string of url`
	return url, nil
}

type counter struct{ n int }

func (c *counter) next() string {
	c.n++
	return strconv.Itoa(c.n)
}

// Order: c.n is read before next changes it, or after.
func Order(c *counter) []byte {
	s := c.next() + "/" + c.next()                   // want `begins as a string`
	s += fmt.Sprintf("%d,%s,%d", c.n, c.next(), c.n) // want `new string of s`
	s += word2(c) + c.next()                         // want `new string of s`
	return []byte(s)                                 // want `copied once more`
}

func word2(c *counter) string { return c.next() + "!" }

func Empty() []byte {
	s := ""
	if rand.IntN(1) > 0 {
		s += "x" // want `new string of s`
	}
	return []byte(s) // want `copied once more`
}

func Shadowed(append string) []byte {
	s := append      // want `begins as a string`
	s += "x"         // want `new string of s`
	return []byte(s) // want `copied once more`
}

func Commented(a string) []byte {
	s := a                 // want `begins as a string`
	s += "x" + /* why */ a // want `new string of s`
	return []byte(s)       // want `copied once more`
}

func InLoop(elements []string) (out [][]byte) {
	for _, e := range elements {
		s := e                       // want `begins as a string`
		s += ","                     // want `new string of s`
		out = append(out, []byte(s)) // want `copied once more`
	}
	return out
}

func Try(r *rand.Rand) string {
	var b strings.Builder
	s := statsd{values.String(r), values.Float(r), &b}
	name := values.String(r)
	s.send(name, values.String(r), values.Float(r))
	n := values.Int(r)
	made := Verbs(level(n), plain(n), word(name), float32(values.Float(r)), n > 3, values.Rune(r), uint64(n), time.Duration(n), values.Bytes(r))
	url, err := Returned(name, n, values.String(r))
	c := &counter{}
	return fmt.Sprintf("%q", []any{b.String(), made, url, err, Order(c), Order(c), Empty() == nil, Shadowed(name), Commented(name), InLoop(values.Strings(r)), twice(name), Two(name, name), Length(name)})
}
