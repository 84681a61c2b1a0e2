package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

const dot = "."

func Has(s string) bool {
	return strings.Contains(s, ".") || strings.ContainsRune(s, 'a') // want `Search with IndexByte` `Search with IndexByte`
}

func Without(s string) bool {
	return !strings.Contains(s, dot) // want `Search with IndexByte`
}

func Same(s, t string) bool {
	return strings.ContainsAny(s, "a") == Has(t) // want `Search with IndexByte`
}

func Last(s string) string {
	return s[strings.LastIndex(s, "a")+1:] // want `Search with LastIndexByte`
}

func First(b []byte) int {
	return bytes.IndexRune(b, 'b') // want `Search with IndexByte`
}

func Several(s string) bool { return strings.Contains(s, "ab") }

func Wide(s string) bool { return strings.ContainsRune(s, 'é') }

func Given(s, text string) int { return strings.Index(s, text) }

func Try(r *rand.Rand) string {
	s := values.String(r)
	return fmt.Sprint(Has(s), Without(s), Same(s, s), Last(s), First([]byte(s)))
}
