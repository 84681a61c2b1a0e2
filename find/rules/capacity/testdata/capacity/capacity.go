package capacity

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"test/values"
)

type good struct{ Name, Group string }

type list struct{ items []string }

// Lengths is nil for nothing.
func Lengths(words []string) []int {
	var lengths []int
	// Each has one.
	for _, word := range words {
		lengths = append(lengths, len(word)) // want `lengths is copied whenever it is full, although it is known that len\(words\) elements will be added$`
	}
	return lengths
}

func Empty(words []string) []int {
	lengths := []int{}
	for _, word := range words {
		lengths = append(lengths, len(word)) // want `len\(words\) elements will be added$`
	}
	return lengths
}

func Made(words []string) []int {
	lengths := make([]int, 0)
	for i := 0; i < len(words); i++ {
		lengths = append(lengths, i, len(words[i])) // want `2\*len\(words\) elements will be added$`
	}
	return lengths
}

func Answer(body string) (string, error) {
	var items []string
	if err := json.Unmarshal([]byte(body), &items); err != nil {
		return "", fmt.Errorf("decode: %w", err)
	}
	var hashes []string
	for _, it := range items {
		hashes = append(hashes, it+it) // want `len\(items\) elements will be added$`
	}
	out, err := json.Marshal(map[string][]string{"hashes": hashes})
	return string(out), err
}

func Select(goods []good, group string) []good {
	var selected []good
	for _, g := range goods {
		if group == "" || g.Group == group {
			selected = append(selected, g) // want `len\(goods\) elements will be added at most`
		}
	}
	sort.Slice(selected, func(i, j int) bool { return selected[i].Name < selected[j].Name })
	return selected
}

func Tags(name string, tags map[string]string) string {
	var keys []string
	if _, ok := tags["host"]; ok {
		keys = append(keys, "host") // want `keys is .* known that 4 elements will be added`
	}
	keys = append(keys, "endpoint", "os", "browser") // want `4 elements`

	parts := []string{name}
	for _, key := range keys {
		if value := tags[key]; value != "" {
			parts = append(parts, value) // want `1\+len\(keys\) elements will be added$`
		} else {
			parts = append(parts, "no-"+key) // want `1\+len\(keys\) elements will be added$`
		}
	}
	return strings.Join(parts, ".")
}

func Joined(words []string) string {
	var parts []string // in order
	for i := range words {
		parts = append(parts, strings.ToUpper(words[i])) // want `len\(words\)`
	}
	return strings.Join(parts, ",")
}

func Late(n int, words []string) (out []string, err error) {
	var found []string
	if n < 0 {
		return found, errors.New("negative")
	}
	words = append(words, "last")
	for _, w := range words {
		if w == "%" {
			return nil, errors.New("per cent")
		}
		found = append(found, w) // want `len\(words\) elements will be added$`
	}
	return found, nil
}

func Limited(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, w) // want `len\(words\) elements will be added at most`
		if len(out) == 2 {
			break
		}
	}
	return out
}

func Partly(words []string) ([]string, error) {
	var out []string
	for _, w := range words {
		if w == "" {
			return out, errors.New("empty")
		}
		out = append(out, w) // want `len\(words\) elements will be added at most`
	}
	return out, nil
}

func Count(n int) []int {
	n %= 100
	var out []int
	for i := range n {
		out = append(out, i) // want `max\(n, 0\) elements will be added`
	}
	return out
}

func CountEmpty(n int) []int {
	n %= 100
	out := []int{}
	for i := 0; i < n; i++ {
		out = append(out, i) // want `max\(n, 0\) elements will be added`
	}
	return out
}

func Five() []int {
	var out []int
	for i := range 5 {
		out = append(out, i) // want `5 elements`
	}
	return out
}

func Runes(s string) []rune {
	var out []rune
	for _, r := range s {
		out = append(out, r) // want `len\(s\) elements will be added$`
	}
	return out
}

func Keys(m map[string]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k) // want `len\(m\) elements will be added$`
	}
	sort.Strings(keys)
	return keys
}

func (l *list) Lower() []string {
	var out []string
outer:
	for _, item := range l.items {
		for _, r := range item {
			if r > 0x7f {
				continue outer
			}
		}
		out = append(out, strings.ToLower(item)) // want `len\(l.items\) elements will be added at most`
	}
	return out
}

func (l *list) All() []string {
	var out []string
	for _, item := range l.items {
		for _, r := range item {
			if r > 0x7f {
				break
			}
		}
		out = append(out, strings.ToLower(item)) // want `len\(l.items\) elements will be added$`
	}
	return out
}

func Generic[T any, S ~[]T](in S) S {
	var out []T
	for _, x := range []T(in) {
		out = append(out, x) // want `known how many elements will be added`
	}
	return out
}

func Called(s string) []string {
	var out []string
	for _, f := range strings.Fields(s) {
		out = append(out, f) // want `known how many elements will be added; no rewrite`
	}
	return out
}

func Index(words []string) map[string]int {
	index := map[string]int{}
	for i, w := range words {
		index[w] = i // want `index rehashes its keys whenever it is full, although len\(words\) keys will be added at most`
	}
	return index
}

func Invert(m map[string]int) map[string]int {
	lengths := make(map[string]int)
	for k := range m {
		lengths[k] = len(k) // want `len\(m\) keys will be added`
	}
	return lengths
}

func Both(a, b []string) []string {
	out := []string{}
	for _, x := range a {
		out = append(out, x) // want `1\+len\(a\)\+len\(b\) elements will be added$`
	}
	for _, x := range b {
		out = append(out, x) // want `1\+len\(a\)\+len\(b\) elements will be added$`
	}
	out = append(out, "end") // want `1\+len\(a\)\+len\(b\) elements will be added$`
	return out
}

func Closure(words []string) func() []string {
	return func() []string {
		var out []string
		for _, w := range words {
			out = append(out, w+"!") // want `len\(words\)`
		}
		return out
	}
}

func Shadowed(words []string) []string {
	len := func([]string) int { return -1 }
	out := []string{}
	for _, w := range words {
		out = append(out, w) // want `elements will be added`
	}
	return out[:max(len(out), 0)]
}

func ShadowedOperand(words string) []string {
	var out []string
	for _, words := range words {
		if words != '%' {
			out = append(out, string(words)) // want `len\(words\) elements will be added at most`
		}
	}
	return out
}

func Retry(words []string) (out []string) {
	for range 2 {
		var part []string
		if HasRoom(words) != nil {
			for _, w := range words {
				part = append(part, w) // want `len\(words\) elements will be added$`
			}
		}
		out = part
		words = words[:len(words)/2]
	}
	return out
}

func Commented(words []string) []string {
	out := []string{ /* none yet */ }
	for _, w := range words {
		out = append(out, w) // want `len\(words\) elements will be added$`
	}
	return out
}

func Bytes(a, b string) string {
	var buf []byte
	buf = append(buf, a...)        // want `6\+len\(a\)\+len\(b\) elements`
	buf = append(buf, " and: "...) // want `6\+len\(a\)\+len\(b\) elements`
	buf = append(buf, b...)        // want `6\+len\(a\)\+len\(b\) elements`
	return string(buf)
}

func Branches(words []string) []string {
	var out []string
	for _, w := range words {
		if w == "" {
			out = append(out, "empty") // want `2\*len\(words\) elements will be added$`
		} else if w > "m" {
			out = append(out, "late", w) // want `elements will be added$`
		} else {
			out = append(out, "early") // want `elements will be added$`
		}
	}
	return out
}

func Twins(words []string) ([]string, []int) {
	var texts []string
	var lengths []int
	for _, w := range words {
		texts = append(texts, w)          // want `texts .* len\(words\) elements will be added$`
		lengths = append(lengths, len(w)) // want `lengths .* len\(words\) elements will be added$`
	}
	return texts, lengths
}

func show(x any) string {
	out, err := json.Marshal(x)
	return fmt.Sprint(string(out), err)
}

func Try(r *rand.Rand) string {
	words := values.Strings(r)
	n := values.Int(r)
	m := map[string]int{}
	for _, w := range words {
		m[w] = n // want `len\(words\) keys`
	}
	tags := map[string]string{"os": values.String(r)}
	if values.Bool(r) {
		tags["host"] = values.String(r)
	}
	goods := values.Slice(r, func(r *rand.Rand) good { return good{values.String(r), []string{"a", "b"}[r.IntN(2)]} })
	body, _ := json.Marshal(words)
	answer, err := Answer(string(body))
	late, err2 := Late(n, words)
	partly, err3 := Partly(words)
	l := &list{words}
	return fmt.Sprint(show(Lengths(words)), show(Empty(words)), show(Made(words)), answer, err, show(Select(goods, "a")), show(Select(goods, "")),
		Tags("n", tags), Joined(words), show(late), err2, show(Limited(words)), show(partly), err3, show(Count(n)), show(CountEmpty(n)), show(Five()),
		show(Runes(tags["os"])), show(Keys(m)), show(l.Lower()), show(l.All()), show(Generic(words)), show(Called(tags["os"])),
		show(Index(words)), show(Invert(m)), show(Both(words, words)), show(Closure(words)()), show(Shadowed(words)), show(Branches(words)), show(fmt.Sprint(Twins(words))), show(ShadowedOperand(tags["os"])), show(Retry(words)), show(Commented(words)), show(Bytes(tags["os"], tags["host"])))
}
