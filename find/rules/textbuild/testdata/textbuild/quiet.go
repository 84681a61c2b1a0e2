package textbuild

import "strings"

func twice(a string) string {
	s := a
	s += "x"
	return s + s
}

func Length(a string) []byte {
	s := a
	s += "x"
	if len(s) > 3 {
		s += "y"
	}
	return []byte(s)
}

// Two makes one string, as it would from a buffer.
func Two(a, b string) string {
	s := a
	s += b
	return s
}

func Loop(elements []string) []byte {
	s := ""
	for _, e := range elements {
		s += e
	}
	return []byte(s)
}

func Closure(a string) []byte {
	s := a
	func() { s += "y" }()
	s += "x"
	return []byte(s)
}

func Again(a string) (out [][]byte) {
	s := a
	s += "x"
	for range 3 {
		out = append(out, []byte(s))
	}
	return out
}

func Set(a string) []byte {
	s := a
	s += "x"
	s = strings.ToUpper(s)
	return []byte(s)
}

func Jump(a string) []byte {
	s := a
again:
	s += "x"
	if rest := 1; rest > 2 {
		goto again
	}
	return []byte(s)
}
