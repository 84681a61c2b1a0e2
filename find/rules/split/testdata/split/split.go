package split

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

const comma = ","

func Sum(s string) (n int) {
	for _, part := range strings.Split(s, comma) { // want `strings.Split makes a slice of all parts, which are only ranged over`
		if part == "a" {
			continue
		}
		if part == "k=v" {
			break
		}
		n += len(part)
	}
	return n
}

func Count(s string) (n int) {
	for range strings.Fields(s) { // want `strings.Fields makes`
		n++
	}
	for _ = range strings.SplitAfter(s, ",") { // want `strings.SplitAfter makes`
		n += 100
	}
	return n
}

func Last(s string) (last string) {
	var part string
	for _, part = range strings.Fields(s) { // want `ranged over`
		if part == "%" {
			return "found"
		}
	}
	words := strings.Split(s, ":") // want `ranged over`
	for _, w := range words {
		last += w
	}
	return part + last
}

func Bytes(s []byte) (n int) {
	for _, part := range bytes.Split(s, []byte(",")) { // want `bytes.Split makes`
		n += len(part)
	}
	for _, part := range bytes.Fields(s) { // want `bytes.Fields makes`
		n += len(part)
	}
	return n
}

func Again(s string) (n int) {
	parts := strings.Split(s, ",") // want `ranged over`
	for range 2 {
		for _, p := range parts {
			n += len(p)
		}
	}
	return n
}

func First(s string) string {
	return strings.Split(s, ",")[0] // want `strings.Split makes a slice of all parts, of which one is used`
}

func FirstOf(s string) (string, error) {
	host := strings.SplitN(s, ":", 3)[0] // want `of which one is used`
	host = strings.Split(host, ".")[0]   // want `of which one is used`
	// A comment.
	return (strings.Split(host, "@"))[0], nil // want `of which one is used`
}

func Call(s string) string {
	return strings.ToUpper(strings.Split(s, ",")[0]) // want `of which one is used`
}

func Second(s string) string {
	return strings.Split(s, ",")[1] // want `of which one is used`
}

func Pair(s string) (string, error) {
	pair := strings.SplitN(s, "=", 2) // want `of which one or two are used`
	if len(pair) != 2 {
		return pair[0], errors.New("no value")
	}
	pair[0] = strings.TrimSpace(pair[0])
	return pair[0] + " is " + pair[1], nil
}

func Value(s string) string {
	if kv := strings.SplitN(s, ",", 2); len(kv) == 2 && kv[1] != "" { // want `of which one or two are used`
		return kv[1]
	}
	return "none"
}

func Either(s string) string {
	kv := strings.SplitN(s, ",", 2) // want `of which one or two are used`
	if len(kv) < 2 || kv[1] == "" {
		return "none"
	}
	return kv[1]
}

func Else(s string) string {
	kv := strings.SplitN(s, ",", 2) // want `of which one or two are used`
	if len(kv) == 1 {
		s = "none"
	} else {
		s = kv[1]
	}
	return s
}

func Before(s string) int {
	parts := strings.Split(s, ",") // want `of which one or two are used`
	return len(parts[0])
}

// What follows is reported without a rewrite.

func Exactly(s string) (string, error) {
	pair := strings.Split(s, "=") // want `of which one or two are used`
	if len(pair) != 2 {
		return "", errors.New("no pair")
	}
	return pair[0] + pair[1], nil
}

func Panics(s string) string {
	pair := strings.SplitN(s, "=", 2) // want `of which one or two are used`
	return pair[0] + pair[1]
}

func Unguarded(s string) string {
	pair := strings.SplitN(s, "=", 2) // want `of which one or two are used`
	if len(pair) != 2 {
		s = "none"
	}
	return s + pair[1]
}

func Or(s string) string {
	pair := strings.SplitN(s, "=", 2) // want `of which one or two are used`
	if s == "a" || len(pair) == 2 {
		return pair[1]
	}
	return s
}

func Unread(s string) {
	parts := strings.Split(s, ",") // want `of which one or two are used`
	parts[0] = "a"
}

func try[T any](f func() T) (got string) {
	defer func() {
		if bad := recover(); bad != nil {
			got = fmt.Sprint("panic: ", bad)
		}
	}()
	return fmt.Sprint(f())
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	if values.Bool(r) {
		s = strings.Join(values.Strings(r), []string{",", "=", ":", " "}[r.IntN(4)])
	}
	first, err := FirstOf(s)
	pair, err2 := Pair(s)
	exactly, err3 := Exactly(s)
	Unread(s)
	out := fmt.Sprint(Sum(s), Count(s), Last(s), Bytes([]byte(s)), Again(s), First(s), first, err, Call(s), pair, err2, Value(s), Either(s), Else(s),
		Before(s), exactly, err3, Three(s))
	for _, f := range []func(string) string{Second, Panics, Unguarded, Or} {
		out += try(func() string { return f(s) })
	}
	return out
}
