package metrics

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"

	"test/values"
)

// Client is documented.
type Client struct {
	prefix string
	conn   io.Writer // one packet per write
	other  io.Writer
}

// New is documented.
func New(prefix string, conn io.Writer) *Client {
	return &Client{prefix: prefix, conn: conn, other: io.Discard}
}

func Bare(conn io.Writer) Client { return Client{"bare", conn, nil} }

func (c *Client) Count(name string) {
	_, _ = c.conn.Write([]byte(c.prefix + name + ":1|c")) // want `each line written to conn is a separate packet`
}

func (c *Client) Gauge(name string, n int) {
	line := strconv.AppendInt([]byte(c.prefix+name+":"), int64(n), 10)
	c.conn.Write(append(line, "|g"...)) // want `each line written to conn`
}

func (c *Client) Close() error {
	if c.prefix == "" {
		return io.EOF
	}
	return nil
}

// Two has two connections, and its Close is empty.
type Two struct {
	first  net.Conn
	second io.Writer
}

func (t *Two) Close() {}

func (t *Two) First(name string) {
	t.first.Write([]byte(name + ":1|ms")) // want `each line written to first`
}

// Second returns the errors of its writes.
func (t *Two) Second(name string) error {
	_, err := t.second.Write([]byte(name + ":1|h")) // want `each line written to second`
	return err
}

func Pair(second io.Writer) *Two { return &Two{second: second} }

// Open's connection can be set from outside the package.
type Open struct{ Conn io.Writer }

func (o *Open) Count(name string) {
	_, _ = o.Conn.Write([]byte(name + ":1|c")) // want `each line written to Conn`
}

// Text is no connection.
func Text(b *bytes.Buffer) { b.Write([]byte("x:1|c")) }

func Local(w io.Writer) { _, _ = w.Write([]byte("x:1|c")) }

// sent has the lines of all packets.
type sent struct{ lines []string }

func (s *sent) Write(packet []byte) (int, error) {
	if len(packet) > 1432 && bytes.IndexByte(packet, '\n') >= 0 {
		panic("lines that are too many for a packet")
	}
	for line := range bytes.SplitSeq(packet, []byte{'\n'}) {
		s.lines = append(s.lines, string(line))
	}
	return len(packet), nil
}

func Try(r *rand.Rand) string {
	var s sent
	c := New(values.String(r), &s)
	b := Bare(&s)
	names := values.Strings(r)
	for range r.IntN(40) {
		for _, name := range names {
			name = fmt.Sprintf("%x", name)
			c.Count(name)
			c.Gauge(name, values.Int(r))
		}
	}
	err := c.Close()
	c.Count("late")
	b.Count("b")
	err2 := b.Close()
	two := Pair(&s)
	return fmt.Sprint(err, err2, two.Second("x"), fmt.Sprintf("%q", s.lines))
}
