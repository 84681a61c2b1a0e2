package concat

import "strings"

var all string

func Once(a, b string) string {
	s := a
	s += b
	return s
}

func Each(elements []string) int {
	n := 0
	for _, e := range elements {
		s := e
		s += "," // new on each turn
		n += len(s)
	}
	return n
}

func Number(elements []int) (sum int) {
	for _, e := range elements {
		sum += e
	}
	return sum
}

func Builder(elements []string) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString(e)
	}
	return b.String()
}

func Elsewhere(elements []string) string {
	last := ""
	for _, e := range elements {
		last = e + "," + e
	}
	return last
}

func Generic[T ~string](elements []T) (s T) {
	for _, e := range elements {
		s += e
	}
	return s
}

func Later(elements []string) func() {
	s := ""
	var fs []func()
	for _, e := range elements {
		fs = append(fs, func() { s += e })
	}
	return func() {
		for _, f := range fs {
			f()
		}
		all = s
	}
}

func _() {
	var _ = all
	for {
	}
}
