package receiver

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type entry struct {
	name  string
	words []string
	n     int
}

func (e entry) total() int { // want `Pass a pointer to the entry to total`
	sum := e.n
	for _, w := range e.words {
		sum += len(w)
	}
	return sum
}

func (e entry) same(other *entry) bool { // want `Pass a pointer to the entry to same`
	c := e
	return c.name == other.name && text(e) == text(*other)
}

func text(e entry) string { return fmt.Sprint(e) }

// It changes its copy.
func (e entry) next() entry {
	e.n++
	return e
}

// It is small.
type pair struct{ a, b int }

func (p pair) sum() int { return p.a + p.b }

// A call is of a value without an address.
func (e entry) last() string {
	if len(e.words) == 0 {
		return e.name
	}
	return e.words[len(e.words)-1]
}

// An interface has it.
func (e entry) length() int { return len(e.words) + e.n }

type lengther interface{ length() int }

func Try(r *rand.Rand) string {
	e := entry{name: values.String(r), words: values.Strings(r), n: r.IntN(5)}
	all := []entry{e, e.next()}
	sum := 0
	for i := range all {
		sum += all[i].total()
	}
	var l lengther = e
	return fmt.Sprint(sum, e.same(&all[0]), all[1].same(&e), pair{1, 2}.sum(), e.next().last(), l.length())
}
