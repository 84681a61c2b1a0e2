package reproducer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A writer writes the body of a test.
type writer struct {
	b    strings.Builder
	all  bool // compare everything
	kind string
}

func (w *writer) f(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

// earlier writes calls whose answers do not differ.
func (w *writer) earlier(t turn) {
	alone := t.Panic == nil && len(t.Calls) == 1
	if !alone {
		w.f("func() {\n")
	}
	if t.Panic != nil {
		w.f("defer func() { _ = recover() }()\n")
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		args := make([]string, len(c.Args))
		for k := range c.Args {
			args[k] = c.Args[k].Code
		}
		w.call(c, args, usedResults(t, c, nil))
	}
	if !alone {
		w.f("}()\n")
	}
}

// last writes the calls whose answers differ, and the comparison.
func (w *writer) last(t turn) {
	if t.Panic != nil {
		w.f("defer func() {\nif got, want := «fmt».Sprint(recover()), %s; got != want {\n"+
			"t.Errorf(\"it panics with %%s, want %%s\", got, want)\n}\n}()\n", quoted(*t.Panic))
	}
	var checks strings.Builder
	add := func(name, what string, c *check) {
		if t.Panic == nil {
			checks.WriteString(c.compare(name, what))
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		letter := "abe"[c.depth() : c.depth()+1]
		args := make([]string, len(c.Args))
		for k := range c.Args {
			args[k] = c.Args[k].Code
			if after := c.Args[k].After; after != nil && (w.all || w.kind == "left") && t.Panic == nil {
				name := letter + strconv.Itoa(k)
				w.f("%s := %s\n", name, args[k])
				add(name, fmt.Sprintf("argument %d of %s afterwards", k+1, c.plainName()), after)
				args[k] = name
			}
		}
		var compared []bool
		for k, result := range c.Results {
			of := result != nil && (w.all || w.kind == "returned") && t.Panic == nil
			compared = append(compared, of)
			if of {
				what := "the result of " + c.plainName()
				if len(c.Results) > 1 {
					what = fmt.Sprintf("result %d of %s", k+1, c.plainName())
				}
				add(c.result(k), what, result)
			}
		}
		w.call(c, args, usedResults(t, c, compared))
	}
	if t.Receiver != nil && (w.all || w.kind == "left") {
		add("recv", "the receiver afterwards", t.Receiver)
	}
	if w.all || w.kind == "write" {
		for _, c := range t.Written {
			if regexp.MustCompile(`\b` + c.variable() + `\b`).MatchString(w.b.String()) {
				add("", "what was written", c)
			}
		}
	}
	w.b.WriteString(checks.String())
}

// depth returns 0 for a call of the function, 1 for one of what it returned, and 2 for one of what that
// returned.
func (c *call) depth() int {
	if innerCall.MatchString(c.Name) {
		return strings.IndexByte(resultLetters, c.Name[0]) + 1
	}
	return 0
}

// resultLetters are the letters of results, by the depth of their call.
const resultLetters = "rcd"

var innerCall = regexp.MustCompile(`^[rc][0-9]+(\.|$)`)

// result returns the name of a result.
func (c *call) result(n int) string { return string(resultLetters[c.depth()]) + strconv.Itoa(n) }

// plainName returns the name of what is called, for a message.
func (c *call) plainName() string {
	name, _, _ := strings.Cut(c.Name, "[")
	return strings.TrimPrefix(name, "recv.")
}

// usedResults reports which results of a call need a name: those that are compared, or called.
func usedResults(t turn, c *call, compared []bool) []bool {
	used := make([]bool, len(c.Results))
	for i := range used {
		used[i] = i < len(compared) && compared[i]
		for k := range t.Calls {
			of, _, _ := strings.Cut(t.Calls[k].Name, ".")
			used[i] = used[i] || t.Calls[k].depth() == c.depth()+1 && of == c.result(i)
		}
	}
	return used
}

// call writes a call.
func (w *writer) call(c *call, args []string, used []bool) {
	names := make([]string, len(used))
	for i := range used {
		names[i] = "_"
		if used[i] {
			names[i] = c.result(i)
		}
	}
	if slices.Contains(used, true) {
		w.f("%s := ", strings.Join(names, ", "))
	}
	w.f("%s(%s%s)\n", c.Name, strings.Join(args, ", "), c.Dots)
}

// compare returns the code that compares a value, which has a name and a description.
func (c *check) compare(name, what string) string {
	got := strings.ReplaceAll(c.Got, "«»", name)
	message := func(want string) string {
		return fmt.Sprintf("t.Errorf(%s, got%s)\n}\n", quoted(what+" is %#v, want "+want), map[bool]string{
			true: ", want",
		}[want == "%#v"])
	}
	switch {
	case c.Want == "nil":
		return fmt.Sprintf("if got := %s; got != nil {\n%s", got, message("nil"))
	case c.Deep:
		return fmt.Sprintf("if got, want := %s, (%s); !«reflect».DeepEqual(got, want) {\n%s", got, c.Want, message("%#v"))
	}
	return fmt.Sprintf("if got, want := %s, %s; got != want {\n%s", got, c.Want, message("%#v"))
}

var writerName = regexp.MustCompile(`\bw[0-9]+\b`)

// variable returns the name of the writer that a comparison is about.
func (c *check) variable() string { return writerName.FindString(c.Got) }

// quoted returns text as a Go string in recorded code.
func quoted(text string) string {
	return strings.NewReplacer("«", `\u00ab`, "»", `\u00bb`).Replace(strconv.Quote(text))
}

// helpers returns the types that code needs.
func helpers(code string) string {
	var b strings.Builder
	stream := strings.Contains(code, "&whetStream{")
	if stream {
		b.WriteString(streamHelper)
	}
	if stream || strings.Contains(code, "&whetPieces{") {
		b.WriteString(piecesHelper)
	}
	if stream || strings.Contains(code, "&whetWrites{") {
		b.WriteString(writesHelper)
	}
	if strings.Contains(code, "whetText(") {
		b.WriteString(textHelper)
	}
	if strings.Contains(code, "&whetList{") {
		b.WriteString(listHelper)
	}
	return b.String()
}

// Types of values that the comparison makes.
const (
	piecesHelper = `
// whetPieces is a reader that returns its data in pieces, and then an error.
type whetPieces struct {
	data  string
	piece int
	err   error
}

func (r *whetPieces) Read(p []byte) (int, error) {
	if r.data == "" {
		return 0, r.err
	}
	if len(p) > r.piece {
		p = p[:r.piece]
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

func (r *whetPieces) Close() error { return nil }
`
	writesHelper = `
// whetWrites is a writer that records what is written to it. If fail is not 0, the write with that number fails.
type whetWrites struct {
	writes []string
	fail   int
}

func (w *whetWrites) Write(p []byte) (int, error) {
	w.writes = append(w.writes, string(p))
	if len(w.writes) == w.fail {
		return 0, «errors».New("a write failed")
	}
	return len(p), nil
}

func (w *whetWrites) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *whetWrites) Close() error { return nil }
`
	streamHelper = `
// whetStream is a reader and a writer.
type whetStream struct {
	*whetPieces
	w *whetWrites
}

func (s *whetStream) Write(p []byte) (int, error) { return s.w.Write(p) }
`
	textHelper = `
// whetText is a string in angle brackets.
type whetText string

func (t whetText) String() string { return "<" + string(t) + ">" }
`
	listHelper = `
// whetList is a list that orders its elements by their ranks.
type whetList struct {
	items []interface{}
	ranks map[interface{}]int
}

func (l *whetList) Len() int           { return len(l.items) }
func (l *whetList) Less(i, j int) bool { return l.ranks[l.items[i]] < l.ranks[l.items[j]] }
func (l *whetList) Swap(i, j int)      { l.items[i], l.items[j] = l.items[j], l.items[i] }
func (l *whetList) Push(x interface{}) { l.items = append(l.items, x) }

func (l *whetList) Pop() interface{} {
	n := len(l.items) - 1
	x := l.items[n]
	l.items = l.items[:n]
	return x
}
`
)
