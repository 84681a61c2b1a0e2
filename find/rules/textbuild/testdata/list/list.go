package list

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	text "strings"

	"test/values"
)

// Name begins with an element, so a separator is due before all others.
func Name(name string, tags map[string]string) string {
	var keys []string
	if _, ok := tags["host"]; ok {
		keys = append(keys, "host")
	}
	keys = append(keys, "system", "browser")
	parts := []string{name} // want `parts exists only to be joined`
	for _, key := range keys {
		if value := tags[key]; value != "" {
			parts = append(parts, text.ToUpper(value)) // want `parts grows only to be joined`
		} else {
			parts = append(parts, "no-"+key) // want `parts grows only to be joined`
		}
	}
	return text.Join(parts, ".")
}

// Roomy is what making room makes of such a list.
func Roomy(name string, keys []string) string {
	parts := append(make([]string, 0, 2*len(keys)+1), name) // want `only to be joined`
	for i, key := range keys {
		parts = append(parts, key, strconv.Itoa(i)) // want `only to be joined`
	}
	return text.Join(parts, ".") + ":" + strconv.Itoa(len(keys))
}

const comma = ", "

// Empty may have no element, an empty one, or one that ends like a separator.
func Empty(words []string) string {
	var list []string
	for _, w := range words {
		if len(w) > 20 {
			continue
		}
		list = append(list, w) // want `list grows only to be joined`
	}
	return "[" + text.Join(list, comma) + "]"
}

// Early returns from several places.
func Early(words []string, n int) (string, error) {
	list := make([]string, 0, len(words)) // want `only to be joined`
	for _, w := range words {
		list = append(list, strconv.Quote(w)) // want `only to be joined`
		if len(w) == n {
			return text.Join(list, ""), fmt.Errorf("of %d", n)
		}
	}
	list = append(list, fmt.Sprintf("%d words", len(words)), "é") // want `only to be joined`
	return text.Join(list, ""), nil
}

func Bytes(words []string) (out [][]byte) {
	for _, w := range words {
		list := []string{} // want `only to be joined`
		for i := range len(w) {
			list = append(list, w[:i]) // want `only to be joined`
		}
		out = append(out, []byte(text.Join(list, "-")))
	}
	return out
}

type sentence struct{ words []string }

func (s sentence) Quoted() string {
	list := make([]string, 0, len(s.words)+len(comma)) // want `only to be joined`
	for _, w := range s.words {
		list = append(list, strconv.Quote(w)) // want `only to be joined`
	}
	return text.Join(list, " ")
}

type counter struct{ n int }

func (c *counter) next() string {
	c.n++
	return strconv.Itoa(c.n)
}

// Order reads what a call changes next to the call.
func Order(c *counter, joined string) string {
	list := []string{c.next(), c.next(), joined}    // want `only to be joined`
	list = append(list, c.next()+strconv.Itoa(c.n)) // want `only to be joined`
	list = append(list, c.next(), c.next())         // want `only to be joined`
	return text.Join(list, "/")
}

// Told is not rewritten: the order of reading c.n and the call is not specified.
func Told(c *counter) string {
	list := []string{strconv.Itoa(c.n), c.next()} // want `only to be joined`
	list = append(list, "x")                      // want `only to be joined`
	return text.Join(list, "/")
}

func Commented(a string) string {
	list := []string{a}    // want `only to be joined`
	list = append(list, a, // want `only to be joined`
		// why
		a)
	return text.Join(list, "/")
}

func Try(r *rand.Rand) string {
	words, name, n := values.Strings(r), values.String(r), values.Int(r)
	tags := map[string]string{}
	for _, key := range []string{"host", "system", "browser"} {
		if values.Bool(r) {
			tags[key] = values.String(r)
		}
	}
	early, err := Early(words, n)
	c := &counter{n}
	return fmt.Sprintf("%q", []any{Name(name, tags), Roomy(name, words), Empty(words), Empty(append(words, "", ", ")), Empty([]string{""}), Empty(nil), early, err, Bytes(words), Order(c, name), Told(c), Commented(name), sentence{words}.Quoted()})
}
