package maptwice

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"test/values"
)

type price struct {
	cents int
	tags  []string
}

type shop struct {
	prices map[string]price
	name   string
}

func Price(m map[string]int, name string) int {
	if _, ok := m[name]; ok {
		return m[name] // want `m\[name\] is looked up again`
	}
	return -1
}

func (s *shop) Price() (string, int) {
	if _, there := s.prices[s.name]; there && there {
		p := s.prices[s.name] // want `s.prices\[s.name\] is looked up again`
		text := strconv.Itoa(p.cents)
		return text, len(s.prices[s.name].tags) // want `looked up again`
	}
	return "", 0
}

func Constant(m map[string]int) int {
	if _, ok := m["a"]; ok {
		return m["a"] + m["b"] // want `m\["a"\] is looked up again`
	}
	return 0
}

func Sum(m map[string]int, words []string) (n int) {
	for _, w := range words {
		if _, ok := m[w]; ok {
			for range 3 {
				n += m[w] // want `looked up again`
			}
			fmt.Sprint(m[w]) // want `looked up again`
			m[w]++
		}
	}
	return n
}

func Float(m map[float64]int, x float64) int {
	if _, ok := m[x]; ok {
		return m[x] // want `looked up again`
	}
	return m[x]
}

func Set(m map[string]int, k string) {
	if _, ok := m[k]; ok {
		m[k] = m[k] - 2 // want `looked up again`
	}
}

func Add(m map[string]int, k string, n int) {
	m[k] = m[k] + 1   // want `m\[k\] is looked up twice, to read it and to set it`
	m[k] = (m[k] * n) // want `looked up twice`
	m[k] = m[k] &^ n  // want `looked up twice`
}

func Concat(m map[string]string, k string) {
	m[k] = m[k] + "x" // want `looked up twice`
}

func Handed(m map[string]int, k string, f func(int) int) int {
	if _, ok := m[k]; ok {
		return f(m[k]) // want `looked up again`
	}
	return 0
}

// What follows is reported without a rewrite.

func AddCall(m map[string]int, k string, f func() int) {
	m[k] = m[k] + f() // want `looked up twice`
}

func Try(r *rand.Rand) string {
	words := values.Strings(r)
	m := map[string]int{}
	texts := map[string]string{"a": "x"}
	for _, w := range words {
		m[w] = values.Int(r)
		texts[w] = w
	}
	key := values.String(r)
	if len(words) > 0 && values.Bool(r) {
		key = words[0]
	}
	s := &shop{map[string]price{key: {3, words}}, values.String(r)}
	if values.Bool(r) {
		s.name = key
	}
	name, n := s.Price()
	f := values.Float(r)
	floats := map[float64]int{f: 1, math.NaN(): 2}
	out := fmt.Sprint(Price(m, key), name, n, Constant(m), Sum(m, words), Float(floats, f))
	Set(m, key)
	Add(m, key, values.Int(r))
	Concat(texts, key)
	AddCall(m, "a", func() int { m["a"] = 7; return 1 })
	return fmt.Sprint(out, Handed(m, key, func(n int) int { m[key]++; return n }), m, texts, quiet(m, key))
}
