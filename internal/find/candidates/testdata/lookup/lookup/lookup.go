package lookup

import (
	"fmt"
	"math/rand/v2"
)

type counts struct{ by map[string]map[string]int }

func Twice(m map[string]int, k string) int {
	n := 0
	if m[k] > 0 { // want `Look m\[k\] up once`
		n = 2 * m[k]
	}
	return n + m[k]
}

func (c *counts) Sum(group string, names []string) (n int) {
	for _, name := range names {
		n += c.by[group][name] // want `before the loop`
	}
	return n
}

func Set(m map[string]int, k string) int {
	n := m[k]
	m[k] = 2
	return n + m[k]
}

func Moves(m map[string]int, k string) int {
	n := m[k]
	k += "x"
	return n + m[k]
}

func Deleted(m map[string]int, k string) int {
	n := m[k]
	delete(m, k)
	return n + m[k]
}

func Try(r *rand.Rand) string {
	m := map[string]int{"a": r.IntN(3), "b": r.IntN(3)}
	c := &counts{map[string]map[string]int{"m": m}}
	return fmt.Sprint(Twice(m, "a"), Twice(m, "c"), c.Sum("m", []string{"a", "b"}), c.Sum("n", []string{"a"}))
}
