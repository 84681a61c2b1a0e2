package filled

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type Context map[string]int

func (c Context) Update(other Context) Context {
	for k, v := range other {
		c[k] = v // want `Allocate all for len\(base\)\+len\(more\) entries`
	}
	return c
}

func Merged(base, more Context) Context {
	all := make(Context)
	all.Update(base)
	if more != nil {
		all.Update(more)
	}
	return all
}

func count(counts map[string]int, words []string) {
	for _, w := range words {
		counts[w]++ // want `Allocate counts for len\(words\) entries`
	}
}

func Words(words []string) map[string]int {
	counts := map[string]int{}
	count(counts, words)
	return counts
}

func Tallied(words []string) int {
	seen := map[string]int{} // want `Allocate seen for len\(words\) entries`
	tally(seen, words)
	return len(seen)
}

func tally(seen map[string]int, words []string) {
	for _, w := range words {
		seen[w]++
	}
}

// The map has entries, the size is known too late, or it is computed.
func index(m map[string]int, words []string) {
	for i, w := range words {
		m[w] = i
	}
}

func Started(words []string) map[string]int {
	m := map[string]int{"": 1}
	index(m, words)
	return m
}

func Late(words []string) map[string]int {
	m := map[string]int{}
	rest := words[:len(words)/2]
	index(m, rest)
	return m
}

func Try(r *rand.Rand) string {
	words := values.Strings(r)
	a, b := Context(Words(words)), Context(Words(values.Strings(r)))
	return fmt.Sprint(Merged(a, b), Merged(a, nil), Started(words), Late(words), Tallied(words))
}
