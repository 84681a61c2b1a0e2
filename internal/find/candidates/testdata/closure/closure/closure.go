package closure

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"test/values"
)

var last func(rune) bool

func index(s string, is func(rune) bool) int {
	last = is
	return strings.IndexFunc(s, is)
}

func First(words []string, set string) (n int) {
	for _, w := range words {
		n += index(w, func(r rune) bool { return strings.ContainsRune(set, r) }) // want `Make the function once, before the loop`
	}
	return n
}

type filter struct{ set string }

func (f *filter) has(r rune) bool { return strings.ContainsRune(f.set, r) }

func (f *filter) First(words []string) (n int) {
	for _, w := range words {
		n += index(w, f.has) // want `Make the function once`
	}
	return n
}

// It captures nothing, or what the loop declares.
func Others(lists [][]string) (n int) {
	for i, list := range lists {
		n += slices.IndexFunc(list, func(s string) bool { return s == "" })
		n += slices.IndexFunc(list, func(s string) bool { return len(s) == i })
	}
	return n
}

func Try(r *rand.Rand) string {
	words, f := values.Strings(r), &filter{values.String(r)}
	return fmt.Sprint(First(words, values.String(r)), f.First(words), Others([][]string{words, values.Strings(r)}))
}
