package convert

import (
	"bytes"
	"hash"
	"io"
	"net"
	"strings"
)

type own struct{}

func (own) Write(p []byte) (int, error)       { return len(p), nil }
func (own) WriteString(s string) (int, error) { return -1, nil }

func Hash(h hash.Hash, c net.Conn, o own, s string) {
	h.Write([]byte(s))
	c.Write([]byte(s))
	o.Write([]byte(s))
	o.WriteString(string([]byte(s)))
	write := c.Write
	write([]byte(s))
}

// counting has a buffer's Write, and a WriteString of its own.
type counting struct {
	bytes.Buffer
	n int
}

func (c *counting) WriteString(s string) (int, error) {
	c.n++
	return c.Buffer.WriteString(s)
}

func Count(c *counting, s string, b []byte) int {
	c.Write([]byte(s))
	c.WriteString(string(b))
	return c.n
}

func Plain(w io.Writer, b []byte, s string) bool {
	w.Write(b)
	w.Write([]byte{1, 2})
	io.WriteString(w, s)
	return strings.Contains(s, string(b)) || string(b) == s || strings.TrimSpace(string(b)) == ""
}

func Generic[T ~[]byte | ~string](w io.Writer, t T) {
	w.Write([]byte(t))
	strings.Contains(string(t), "x")
	for range []rune(string([]byte{'a'})[:0])[:0] {
	}
}

func Line(w io.Writer, name string) {
	line := name + ":"
	line += name
	w.Write([]byte(line)) // rule textbuild makes it bytes from the beginning
}
