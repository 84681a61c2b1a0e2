package captured

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

type source struct{ next func() string }

func (s *source) start(text string) { // want `Capture a copy of text`
	text = strings.TrimSpace(text)
	s.next = func() string {
		return text + "!"
	}
}

func All(words []string) (list []*source) {
	for _, w := range words {
		n := len(w) // want `Capture a copy of n`
		if n > 3 {
			n = 3
		}
		list = append(list, &source{func() string { return w[:n] }})
	}
	return list
}

// It is set later, by the literal, by the next iteration, or never.
func Others(words []string) (list []func() string) {
	last, count, fixed := "", 0, len(words)
	for _, w := range words {
		last = w
		list = append(list, func() string { return last })
	}
	text := "a"
	list = append(list, func() string { return text }, func() string { return fmt.Sprint(fixed) }, func() string {
		count++
		return fmt.Sprint(count)
	})
	text = "b"
	return list
}

func Try(r *rand.Rand) string {
	s := &source{}
	s.start(values.String(r))
	out := s.next()
	words := values.Strings(r)
	for _, one := range All(words) {
		out += one.next()
	}
	for _, f := range Others(words) {
		out += f()
	}
	return out
}
