package concat

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"unicode/utf8"

	"test/values"
)

// Join has two places with one fix.
func Join(elements []string, separator string) string {
	joined := ""
	for i, element := range elements {
		if i > 0 {
			joined += separator // want `each iteration copies all of joined`
		}
		joined += element // want `each iteration copies all of joined`
	}
	return joined
}

type list struct{ items []string }

func (l *list) String() string {
	s := "[" + strconv.Itoa(len(l.items)) + "]"
	for _, item := range l.items {
		if len(s) > 3 {
			s += ", " // want `each iteration copies all of s`
		}
		s = s + strconv.Quote(item) + (":" + item) // want `each iteration copies all of s`
	}
	if s == "" || s[0] != '[' {
		return "odd"
	}
	s += "."
	return s
}

func Runes(text string) (string, int) {
	var out string
	turns := 0
	for _, c := range text {
		switch c {
		case 'a':
			out += "A" // want `each iteration copies all of out`
		case utf8.RuneError:
			out += string(c) + string([]byte{0xff}) // want `each iteration copies all of out`
		default:
			out += string(c) // want `each iteration copies all of out`
		}
		turns += len(out)
	}
	return out, turns
}

// Calls: what is read before a call that changes it stays in one expression.
func Calls(elements []string) string {
	prefix := "x"
	next := func(s string) string {
		prefix += "y"
		return s
	}
	all := ""
	for _, e := range elements {
		all += prefix + next(e) // want `each iteration copies all of all`
	}
	return all
}

func CallFirst(elements []string) string {
	n := 0
	next := func(s string) string {
		n++
		return s + strconv.Itoa(n)
	}
	var all = "<"
	for _, e := range elements {
		all += next(e) + "," + next("") // want `each iteration copies all of all`
	}
	return all + ">"
}

func Closure(elements []string) string {
	all := ""
	add := func(s string) {
		all += s
	}
	for _, e := range elements {
		add(e)
		all += "," // want `each iteration copies all of all`
	}
	return all
}

func Reset(elements []string) (lines []string) {
	line := ""
	for _, e := range elements {
		if len(line) > 3 {
			lines = append(lines, line)
			line = ""
		}
		line += e // want `each iteration copies all of line`
	}
	return append(lines, line)
}

func Itself(n int) string {
	s := "ab"
	for range n {
		s += s[:1] // want `each iteration copies all of s`
	}
	return s
}

type text string

func Named(elements []string) text {
	var all text
	for _, e := range elements {
		all += text(e) // want `each iteration copies all of all`
	}
	return all
}

func Result(elements []string) (all string) {
	for _, e := range elements {
		all += e // want `each iteration copies all of all`
	}
	return
}

func Nested(rows [][]string) (out []string) {
	for _, row := range rows {
		line := "-"
		for _, cell := range row {
			line += cell + "|" // want `each iteration copies all of line`
		}
		out = append(out, line)
	}
	return out
}

func Literal(elements []string) string {
	return func() string {
		s := ""
		for _, e := range elements {
			s += e // want `each iteration copies all of s`
		}
		return s
	}()
}

func Comment(elements []string) string {
	s := ""
	for _, e := range elements {
		s += e + // want `each iteration copies all of s`
			e
	}
	return s
}

func Try(r *rand.Rand) string {
	elements := values.Strings(r)
	s := values.String(r)
	out, turns := Runes(s)
	width := max(min(values.Int(r), 300), -300)
	fill := values.Rune(r)
	b := byte(r.IntN(256))
	rows := values.Slice(r, values.Strings)
	return fmt.Sprintf("%q", []any{
		Join(elements, s), (&list{elements}).String(), out, turns, Calls(elements), CallFirst(elements), Shadowed(elements, s),
		Closure(elements), Reset(elements), Itself(min(width, 20)), Named(elements), Result(elements), Nested(rows), Literal(elements), Comment(elements),
		Leftpad(s, width, fill), Pad(s, width, fill), PadByte(s, width, b), Spaces(s, width), Arrows(s, width), Right(s, width, "é"),
		Times(s, width, elements), Indent(s, width), From(s, width), Line(s, width), Sum(s, width, 3), Local(width), Prefix(elements),
		Changes(s, min(width, 20)), Empty(s, "xy"), Counter(s, min(width, 90)), Below(s, width),
	})
}
