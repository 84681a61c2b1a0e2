package fieldorder

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

// A node has gaps.
type node struct {
	leaf bool
	// n is the number of nodes.
	n    int
	kind byte // of the node
	next *node
	a, b bool
	size int32
}

func Chain(n int) *node {
	var last *node
	for i := range n {
		last = &node{leaf: i == 0, n: i, kind: byte(i), next: last, a: true} // want `Order the fields of node: 24 bytes instead of 40`
	}
	return last
}

type packed struct {
	n    int
	kind byte
}

type tagged struct {
	A bool `json:"a"`
	N int
	B bool `json:"b"`
	M int
	C bool
}

type listed struct {
	a bool
	n int
	b bool
	m int
	c bool
}

// A struct has no gaps, has tags, or is made without the names of its fields.
func Others(n int) string {
	a, b, c := &packed{n: n}, &tagged{N: n}, &listed{true, n, false, n, true}
	return fmt.Sprint(*a, *b, *c)
}

func Try(r *rand.Rand) string {
	text := ""
	for n := Chain(r.IntN(5)); n != nil; n = n.next {
		text += fmt.Sprint(n.leaf, n.n, n.kind, n.a, n.b, n.size)
	}
	return text + Others(values.Int(r))
}
