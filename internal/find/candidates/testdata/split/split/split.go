package split

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

type cache struct {
	key  string
	text string
}

func (c *cache) get(key string) (string, error) { // want `Let get be inlined: do the rest in getSlow`
	if key == c.key {
		return c.text, nil
	}
	if strings.Contains(key, "=") {
		return "", fmt.Errorf("key %q", key)
	}
	c.key, c.text = key, strings.ToUpper(key)
	return c.text, nil
}

func skip(list ...string) int { // want `do the rest in skipSlow`
	if len(list) == 0 {
		return 0
	} // nothing to do

	// The others are longer.
	n := 0
	for _, w := range list {
		n += len(strings.TrimSpace(w)) + strings.Count(w, "a")
	}
	return n
}

func mark(seen map[string]int, word string) { // want `do the rest in markSlow`
	if seen == nil || word == "" {
		return
	}
	seen[strings.ToLower(word)]++
	seen[strings.ToUpper(word)]++
}

// The first condition needs a call.
func called(key string) string {
	if strings.Contains(key, "=") {
		return ""
	}
	return strings.ToUpper(key) + strings.ToLower(key)
}

// It is small, so the compiler inlines it.
func small(n int) int {
	if n < 0 {
		return 0
	}
	return n + 1
}

// Nothing calls it directly.
func passed(key string) string {
	if key == "" {
		return key
	}
	return strings.ToUpper(key) + strings.ToLower(key)
}

func Try(r *rand.Rand) string {
	c, seen, f := &cache{}, map[string]int{}, passed
	text := ""
	for _, w := range values.Strings(r) {
		got, err := c.get(w)
		again, _ := c.get(w)
		mark(seen, w)
		mark(nil, w)
		text += fmt.Sprint(got, err, again, called(w), small(len(w)), f(w))
	}
	return fmt.Sprint(text, seen, skip(values.Strings(r)...))
}
