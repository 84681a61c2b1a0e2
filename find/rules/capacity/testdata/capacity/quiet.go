package capacity

import "fmt"

func HasRoom(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

func Unknown(next func() (string, bool)) []string {
	var out []string
	for {
		s, ok := next()
		if !ok {
			return out
		}
		out = append(out, s)
	}
}

func Channel(c chan string) []string {
	var out []string
	for s := range c {
		out = append(out, s)
	}
	for i := 0; i < len(c); i++ {
		out = append(out, <-c)
	}
	return out
}

func Addressed(words []string) []*string {
	var out []string
	var pointers []*string
	for {
		for _, w := range words {
			out = append(out, w)
			pointers = append(pointers, &out[len(out)-1])
		}
		if len(out) > 10 {
			return pointers
		}
	}
}

func Copied(words []string) [][]string {
	var out []string
	all := make([][]string, 0, len(words))
	for _, w := range words {
		out = append(out, w)
		all = append(all, out)
	}
	return all
}

func Passed(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, w)
		fmt.Sprint(out)
	}
	return out
}

func Cap(words []string) int {
	var out []string
	for _, w := range words {
		out = append(out, w)
	}
	return cap(out)
}

func Captured(words []string) (n int) {
	var out []string
	defer func() { n = len(out) }()
	for _, w := range words {
		out = append(out, w)
	}
	return 0
}

func Reset(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, w)
		if w == "" {
			out = out[:0]
		}
	}
	return out
}

func Nested(words [][]string) []string {
	var out []string
	for _, ws := range words {
		for _, w := range ws {
			out = append(out, w)
		}
	}
	return out
}

func Outer(words []string) (all []string) {
	for range words {
		all = append(all, "x") // a result
	}
	return all
}

func Once(s string) []string {
	var out []string
	out = append(out, s)
	return out
}

func Moving(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		out = append(out, words[i])
		words = words[1:]
	}
	return out
}

func Jump(words []string) []string {
	var out []string
again:
	for _, w := range words {
		out = append(out, w)
	}
	if len(out) < 10 {
		goto again
	}
	return out
}

func Again(words []string) []string {
	var out []string
	for len(out) < 10 {
		for _, w := range words {
			out = append(out, w)
		}
	}
	return out
}

func Groups(words []string) map[int][]string {
	groups := map[int][]string{}
	counts := map[int]int{}
	for _, w := range words {
		groups[len(w)] = append(groups[len(w)], w)
		counts[len(w)]++
	}
	return groups
}

var _ = func(words []string) {
	for range words {
		_ = append([]string{}, "a")
	}
}
