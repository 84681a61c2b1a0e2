package own

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"test/values"
)

// name is made of a name and tags.
func name(metric string, tags ...string) string {
	metric = strings.TrimSpace(metric)
	joined := make([]byte, 0, 96)
	joined = append(joined, metric...)
	for i, tag := range tags {
		if tag == "" {
			continue
		}
		joined = append(joined, '.')
		joined = strconv.AppendInt(joined, int64(i), 10)
		joined = fmt.Appendf(joined, "%q", tag)
		if tag == "end" {
			return string(joined) // want `what name returns is copied into a longer string`
		}
	}
	return string(joined) // want `what name returns is copied into a longer string`
}

type sender struct{ lines []string }

func (s *sender) send(line string) { s.lines = append(s.lines, line) }

func (s *sender) count(metric string, n int, tags []string) {
	// It counts.
	s.send(name(metric, tags...) + ":" + strconv.Itoa(n) + "|c")
}

func Returned(a, b string) string { return "<" + (name(a, b) + ">") }

func Assigned(a, b string, joined int) (out string) {
	out = a + name(a)
	kept := name(b) + out + strconv.Itoa(joined)
	return kept + name(kept, out)
}

// Whole is made once, by the function itself.
func Whole(a string) string { return name(a, a) }

var text = "text"

// Shadow has a variable of the name that a buffer would like.
func Shadow(a string) string {
	return text + none() + a
}

func none() string {
	b := make([]byte, 0, 4)
	b = append(b, text...)
	return string(b) // want `what none returns`
}

func été(s string) string {
	b := make([]byte, 0, 4)
	b = append(b, s...)
	return string(b) // want `what été returns`
}

func Summer(a string) string { return été(a) + été2(a) }

func été2(s string) string { return s }

func Try(r *rand.Rand) string {
	s := &sender{}
	a, b, n := values.String(r), values.String(r), values.Int(r)
	s.count(a, n, values.Strings(r))
	s.count(b, n, append(values.Strings(r), "", "end", "x"))
	return fmt.Sprintf("%q", []any{s.lines, Returned(a, b), Assigned(a, b, n), Whole(b), Shadow(a), Summer(b)})
}
