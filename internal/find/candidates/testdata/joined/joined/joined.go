package joined

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type header struct{ name string }

type body struct {
	head *header
	buf  []byte
	n    int
}

func New(name string, n int) *body {
	h := &header{name: name} // want `Allocate the 3 values of the block as one`
	buf := make([]byte, 0, 32)
	b := &body{head: h, n: n, buf: buf}
	return b
}

// The second one may not be made, and the others do not escape.
func Maybe(name string) *body {
	h := &header{name: name}
	if name == "" {
		return nil
	}
	b := &body{head: h}
	return b
}

func Local(n int) int {
	a := &header{}
	b := new(body)
	a.name, b.n = "x", n
	return b.n + len(a.name)
}

func Try(r *rand.Rand) string {
	b := New(values.String(r), values.Int(r))
	m := Maybe(values.String(r))
	return fmt.Sprint(b.head.name, b.n, len(b.buf), cap(b.buf) >= 32, m == nil || m.head != nil, Local(r.IntN(4)))
}
