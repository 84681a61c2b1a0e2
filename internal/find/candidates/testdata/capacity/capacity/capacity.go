package capacity

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Filtered(names []string) []string {
	var found []string
	for _, name := range names {
		if len(name) > 1 {
			found = append(found, name) // want `capacity of len\(names\)`
		}
	}
	return found
}

func Unknown(next func() (int, bool)) (list []int) {
	for {
		n, ok := next()
		if !ok {
			return list
		}
		list = append(list, n) // want `capacity of 16`
	}
}

func Bytes(parts []string) string {
	out := []byte{}
	for len(parts) > 0 {
		out = append(out, parts[0]...) // want `capacity of 64`
		parts = parts[1:]
	}
	return string(out)
}

func Index(names []string) map[string]int {
	m := map[string]int{} // want `for len\(names\) entries`
	for i, name := range names {
		m[name] = i
	}
	return m
}

func Joined(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r + 1) // want `grow once to len\(s\) bytes`
	}
	return b.String()
}

func Spread(lists [][]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...) // want `capacity of len\(lists\)`
	}
	return all
}

func Computed(lists [][]string, of func([]string) []string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, of(list)...)
	}
	return all
}

type log struct{ lines []string }

func (l *log) Add(line string) int {
	l.lines = append(l.lines, line) // want `capacity of 16`
	return len(l.lines)
}

type stack struct{ all []int }

func Pushed(n int) int {
	s := &stack{all: make([]int, 0, 2)} // want `Allocate the slice with a capacity of 16`
	for i := range n {
		s.all = append(s.all, i) // want `capacity of 16`
	}
	return len(s.all)
}

func (s *stack) take(from *stack, n int) {
	s.all = append(s.all, from.all[n:]...) // want `capacity of 16`
	from.all = from.all[:n]
}

func Taken(n int) int {
	a, b := &stack{all: []int{1, 2, n}}, &stack{}
	b.take(a, 1)
	return len(a.all)*10 + b.all[1]
}

func (s *stack) reserve(n int) {
	if cap(s.all) < n {
		s.all = make([]int, n) // want `Allocate half as much again`
	}
	s.all = s.all[:n]
}

func Reserved(n int) int {
	s := &stack{}
	s.reserve(n)
	s.reserve(n + 1)
	return len(s.all)
}

func Pair(key, value string) string {
	var b strings.Builder
	b.WriteString(key) // want `grow once to len\(key\)\+len\(value\)\+2 bytes`
	b.WriteString(": ")
	b.WriteString(value)
	return b.String()
}

func Given(list []int, n int) []int {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func Sized(names []string) []string {
	list := make([]string, 0, 4) // want `capacity of 32`
	for _, name := range names {
		list = append(list, name)
	}
	return list
}

func Bounded(names []string, most int) []string {
	list := make([]string, 0, 2) // want `capacity of up to most`
	for _, name := range names {
		if len(list) >= most {
			break
		}
		list = append(list, name)
	}
	return list
}

type counts struct{ byName map[string]int }

func (c *counts) add(name string) {
	c.byName[name]++ // want `Allocate byName for 16 entries`
}

func Counts(names []string) int {
	c := &counts{byName: map[string]int{}}
	for _, name := range names {
		c.add(name)
	}
	return len(c.byName)
}

// The bound is not known yet, or the length is.
func Unbounded(names []string) []string {
	list, more := make([]string, 0, len(names)), 0
	for _, name := range names {
		if more = len(name); len(list) > more {
			break
		}
		list = append(list, name)
	}
	return list
}

func Quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"') // want `grow once to len\(s\) bytes`
	for len(s) > 0 {
		b.WriteByte(s[0])
		s = s[1:]
	}
	b.WriteByte('"')
	return b.String()
}

func Escaped(s string) []byte {
	var out []byte
	for len(s) > 0 {
		if s[0] == '&' {
			out = append(out, "&amp;"...)
		} else {
			out = append(out, s[0]) // want `capacity of len\(s\)`
		}
		s = s[1:]
	}
	return out
}

func Try(r *rand.Rand) string {
	names := values.Strings(r)
	i := 0
	list := Unknown(func() (int, bool) { i++; return i, i < r.IntN(20) })
	text, err := json.Marshal([][]string{Filtered(names), Spread([][]string{nil, {}}), Spread([][]string{names, names})})
	return fmt.Sprint(string(text), err, list, Bytes(names), Index(names), Joined(values.String(r)),
		(&log{}).Add("x"), Pair(values.String(r), values.String(r)),
		Sized(names), Bounded(names, r.IntN(4)), Unbounded(names), Counts(names), Pushed(r.IntN(9)), Reserved(r.IntN(9)), Taken(r.IntN(9)), Quoted(values.String(r)), Escaped(values.String(r)) == nil)
}
