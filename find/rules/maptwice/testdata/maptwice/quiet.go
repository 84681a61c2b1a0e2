package maptwice

import "sync"

func quiet(m map[string]int, k string) []int {
	return []int{Written(m, k), OtherKey(m, k), Once(m, k), Called(m, k, func() { m[k] = 9 }), Else(m, k), Deferred(m, k)(), Or(m, k, true), Divided(m, k), Order(m, k, func() int { m[k] = 4; return 1 })}
}

func Written(m map[string]int, k string) int {
	if _, ok := m[k]; ok {
		m[k] = 3
		return m[k]
	}
	return 0
}

func OtherKey(m map[string]int, k string) int {
	if _, ok := m[k]; ok {
		k += "x"
		return m[k]
	}
	return 0
}

func Once(m map[string]int, k string) int {
	if v, ok := m[k]; ok {
		return v
	}
	return 0
}

func Called(m map[string]int, k string, f func()) int {
	if _, ok := m[k]; ok {
		f()
		return m[k]
	}
	return 0
}

func Else(m map[string]int, k string) int {
	if _, ok := m[k]; !ok {
		m[k] = 1
		return m[k]
	} else {
		return m[k]
	}
}

func Deferred(m map[string]int, k string) func() int {
	if _, ok := m[k]; ok {
		return func() int { return m[k] }
	}
	return func() int { return 0 }
}

func Or(m map[string]int, k string, always bool) int {
	if _, ok := m[k]; ok || always {
		return m[k]
	}
	return 0
}

type guarded struct {
	mu sync.RWMutex
	m  map[string]int
}

func (g *guarded) Get(k string) int {
	if _, ok := g.m[k]; ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.m[k]
	}
	return 0
}

func Looped(m map[string]int, k string) (n int) {
	if _, ok := m[k]; ok {
		for range 3 {
			n += m[k]
			m[k] = n
		}
	}
	return n
}

func Deleted(m map[string]int, k string) int {
	if _, ok := m[k]; ok {
		delete(m, k)
		return m[k]
	}
	return 0
}

func Replaced(m map[string]int, k string) int {
	if _, ok := m[k]; ok {
		p := &m
		*p = nil
		return m[k]
	}
	return 0
}

func Divided(m map[string]int, k string) int {
	m[k] = m[k] / 2
	m[k] = 2 - m[k]
	return m[k]
}

func Elements(s []int, i int) { s[i] = s[i] + 1 }

func Order(m map[string]int, k string, f func() int) int {
	if _, ok := m[k]; ok {
		return m[k] + f()
	}
	return 0
}
