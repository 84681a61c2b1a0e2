package bulk

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Appended(list, more []string) []string {
	for _, x := range more { // want `Append all elements at once`
		list = append(list, x)
	}
	return list
}

type sum struct{ all []int }

func (s *sum) Add(from []int, n int) {
	for i := range n { // want `Append all elements at once`
		s.all = append(s.all, from[i])
	}
}

func Copied(from []int) []int {
	to := make([]int, len(from))
	for i := range from { // want `Copy all elements at once`
		to[i] = from[i]
	}
	return to
}

func Shifted(from []int, at, n int) []int {
	to := make([]int, at+n+1)
	for i := 0; i < n; i++ { // want `Copy all elements at once`
		to[at+i] = from[i]
	}
	return to
}

func Counted(from []string) (to []string) {
	for i := 0; i < len(from); i++ { // want `Append all elements at once`
		to = append(to, from[i])
	}
	return to
}

func Selected(from []int) (to []int) {
	for _, x := range from {
		if x > 1 {
			to = append(to, x)
		}
	}
	return to
}

func Converted(from []int) (to []any) {
	for _, x := range from {
		to = append(to, x)
	}
	return to
}

func Grouped(m map[string][]int, from []int) {
	for _, x := range from {
		m["all"] = append(m["all"], x)
	}
}

func Every(rows [][]int, k int) (to []int) {
	for i := range rows {
		to = append(to, rows[i][k])
	}
	return to
}

func Doubled(list []int) []int {
	for _, x := range list {
		list = append(list, x)
	}
	return list
}

func Try(r *rand.Rand) string {
	names := values.Strings(r)
	var numbers []int
	for range r.IntN(9) {
		numbers = append(numbers, r.IntN(100))
	}
	n := r.IntN(len(numbers)+3) - 2
	s := &sum{all: numbers[: len(numbers)/2 : len(numbers)/2]}
	s.Add(numbers, min(n, len(numbers)))
	return fmt.Sprintf("%#v %#v %v %v %v %#v", Appended(nil, names), Appended(names[:len(names):len(names)], names),
		s.all, Copied(numbers), Shifted(numbers, 2, max(min(n, len(numbers)), 0)), Counted(names))
}
