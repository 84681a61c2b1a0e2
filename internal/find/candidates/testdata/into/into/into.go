package into

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func lengths(words []string) []int {
	list := make([]int, len(words)) // want `Let lengths be inlined: fill the slice in fillLengths`
	for i, w := range words {
		list[i] = len(strings.TrimSpace(w)) + strings.Count(w, "a")
	}
	return list
}

func Sum(words []string) (sum int) {
	for _, n := range lengths(words) {
		sum += n
	}
	return sum
}

type table struct{ words []string }

func (t *table) marks(skip string) ([]bool, error) {
	if strings.Contains(skip, "=") {
		return nil, fmt.Errorf("skip %q", skip)
	}
	marks := make([]bool, 0, len(t.words)) // want `fill the slice in fillMarks`
	for _, w := range t.words {
		if w != skip {
			marks = append(marks, strings.HasPrefix(w, "a"))
		}
	}
	return marks, nil
}

func (t *table) Marked(skip string) int {
	marks, err := t.marks(skip)
	if err != nil {
		return -1
	}
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n + len(marks)
}

func (t *table) starts() (starts []int, err error) {
	var (
		at   int
		list = make([]int, 0, len(t.words)) // want `fill the slice in fillStarts`
	)
	for _, w := range t.words {
		list = append(list, at)
		at += len(strings.TrimSpace(w)) + strings.Count(w, "a")
	}
	return list, nil
}

func (t *table) Starts() (last int) {
	starts, _ := t.starts()
	for _, n := range starts {
		last = n
	}
	return last
}

// It is small, so the compiler inlines it.
func squares(n int) []int {
	list := make([]int, n)
	return list
}

func Squares(n int) int { return len(squares(max(0, n))) }

// Its caller keeps the slice.
func kept(words []string) []int {
	list := make([]int, len(words))
	for i, w := range words {
		list[i] = len(strings.TrimSpace(w)) + strings.Count(w, "a")
	}
	return list
}

var last []int

func Keep(words []string) int {
	last = kept(words)
	return len(last)
}

// It may return another slice.
func Either(words []string, other []int) []int {
	list := make([]int, len(words)) // want `fill the slice in fillEither`
	for i, w := range words {
		list[i] = strings.Count(w, "a") + strings.Count(w, "b")
	}
	if len(words) > 3 {
		return other
	}
	return list
}

func Try(r *rand.Rand) string {
	words := values.Strings(r)
	t := &table{words: append(words, strings.Split(strings.Repeat("a,b,", r.IntN(300)), ",")...)}
	return fmt.Sprint(Sum(words), Sum(t.words), t.Marked(values.String(r)), t.Marked("a"), t.Starts(), Squares(r.IntN(9)), Keep(words),
		Either(words, []int{1}))
}
