package appendform

import (
	"bytes"
	"strconv"
	"strings"
)

type counting struct {
	bytes.Buffer
	n int
}

func (c *counting) Write(p []byte) (int, error) {
	c.n++
	return c.Buffer.Write(p)
}

func Quiet(c *counting, b *strings.Builder, text []byte, s string, n int) []byte {
	c.WriteString(strconv.Itoa(n))
	b.WriteString(strconv.Itoa(n))
	c.Buffer.WriteString(s)
	text = append(text, s...)
	text = append(text, []byte(strconv.Itoa(n))...)
	strings := append([]string(nil), strconv.Itoa(n))
	return append(text, strings[0]...)
}
