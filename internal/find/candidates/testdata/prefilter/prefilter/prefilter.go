package prefilter

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"test/values"
)

var (
	pair     = regexp.MustCompile(`(\w+)=(\w*)`)
	prefixed = regexp.MustCompile(`abc\d+`)
	folded   = regexp.MustCompile(`(?i)[a-z]+@`)
	either   = regexp.MustCompile(`[a-z]:|\d,`)
)

func Matches(s string) bool {
	return pair.MatchString(s) // want `Search for "="`
}

func MatchesBytes(b []byte) bool {
	return len(b) > 1 && pair.Match(b) // want `Search for "="`
}

func Replaced(s string) string {
	return pair.ReplaceAllString(s, "$2=$1") // want `Search for "="`
}

func Again(s string) string {
	s = pair.ReplaceAllLiteralString(s, "x")                                   // want `Search for "="`
	other := pair.ReplaceAllStringFunc(s, func(m string) string { return "" }) // want `Search for "="`
	return s + other
}

func Found(s string) []string {
	m := pair.FindStringSubmatch(s) // want `Search for "="`
	return m
}

func Prefixed(s string) bool { return prefixed.MatchString(s) }

func Folded(s string) bool { return either.MatchString(s) }

func Copied(b []byte) []byte { return pair.ReplaceAll(b, nil) }

func Folding(s string) bool {
	return folded.MatchString(s) // want `Search for "@"`
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	return fmt.Sprint(Matches(s), MatchesBytes(values.Bytes(r)), Replaced(s), Again(s), Found(s) == nil, Found(s), Folding(s))
}
