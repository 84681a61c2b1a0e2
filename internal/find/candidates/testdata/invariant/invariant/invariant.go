package invariant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

type filter struct{ prefix string }

func (f *filter) Count(names []string) (n int) {
	for _, name := range names {
		if strings.HasPrefix(name, strings.ToLower(f.prefix)) { // want `before the loop`
			n++
		}
	}
	return n
}

func Keys(m map[string]int, group string, names []string) (n int) {
	for _, name := range names {
		n += m[group+":"] + m[name] // want `before the loop`
	}
	return n
}

func Find(lines [][]byte, sep string) (n int) {
	for _, l := range lines {
		n += bytes.Index(l, []byte(sep)) // want `before the loop`
	}
	return n
}

func Changing(names []string, s string) (n int) {
	for _, name := range names {
		n += len(strings.ToLower(s))
		s += name
	}
	return n
}

func Kept(names []string, s string) (all [][]byte) {
	for range names {
		all = append(all, []byte(s))
	}
	return all
}

func Bytes(names []string, b []byte) (n int) {
	for i, name := range names {
		if i < len(b) {
			b[i] = 'x'
		}
		if name == strings.ToLower(string(b)) {
			n++
		}
	}
	return n
}

func Filled(names []string, b []byte, fill func([]byte)) (n int) {
	for _, name := range names {
		fill(b)
		if name == strings.ToLower(string(b)) {
			n++
		}
	}
	return n
}

func (f *filter) Set(names []string) (n int) {
	for _, name := range names {
		n += len(strings.ToUpper(f.prefix))
		f.prefix = name
	}
	return n
}

func Try(r *rand.Rand) string {
	f, names := &filter{values.String(r)}, values.Strings(r)
	return fmt.Sprint(f.Count(names), Keys(map[string]int{"a:": 2, "a": 5}, values.String(r), names),
		Find([][]byte{values.Bytes(r), values.Bytes(r)}, values.String(r)))
}
