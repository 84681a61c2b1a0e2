package regexpcode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A methodKind is what a method of regexp.Regexp returns.
type methodKind int

const (
	unsupported methodKind = iota
	matchOnly
	findText
	findIndex
	findGroups
	findGroupsIndex
	replaceTemplate
	replaceLiteral
	replaceFunc
	splitText
)

// A method is what a method's name says.
type method struct {
	kind  methodKind
	all   bool
	bytes bool
}

// methodOf returns the meaning of a method of regexp.Regexp.
func methodOf(name string) method {
	m := method{bytes: !strings.Contains(name, "String") && name != "Split"}
	name = strings.Replace(name, "String", "", 1)
	if rest, ok := strings.CutPrefix(name, "FindAll"); ok {
		m.all = true
		name = "Find" + rest
	}
	m.kind = map[string]methodKind{
		"Match": matchOnly, "Find": findText, "FindIndex": findIndex,
		"FindSubmatch": findGroups, "FindSubmatchIndex": findGroupsIndex,
		"ReplaceAll": replaceTemplate, "ReplaceAllLiteral": replaceLiteral, "ReplaceAllFunc": replaceFunc,
		"Split": splitText,
	}[name]
	m.all = m.all || m.kind >= replaceTemplate
	return m
}

// Supports reports whether Compile knows a method of regexp.Regexp.
func Supports(name string) bool { return methodOf(name).kind != unsupported }

// verb is the beginning of the names of functions.
func (m method) verb() string {
	switch {
	case m.kind == matchOnly:
		return "match"
	case m.kind == splitText:
		return "split"
	case m.kind >= replaceTemplate:
		return "replace"
	case m.all && (m.kind == findIndex || m.kind == findGroupsIndex):
		return "locateAll"
	case m.kind == findIndex || m.kind == findGroupsIndex:
		return "locate"
	case m.all:
		return "findAll"
	}
	return "find"
}

// A piece is a part of a template: a text, or a group.
type piece struct {
	text  string
	group int // -1 for a text
}

// expand parses a template of ReplaceAll as regexp.Expand does.
func expand(template string, names []string) []piece {
	var pieces []piece
	text := ""
	for {
		before, after, ok := strings.Cut(template, "$")
		text += before
		if !ok {
			break
		}
		if template = after; strings.HasPrefix(template, "$") {
			text += "$"
			template = template[1:]
			continue
		}
		name, rest, ok := reference(template)
		if !ok {
			text += "$"
			continue
		}
		template = rest
		group := slices.Index(names, name)
		if n, err := strconv.Atoi(name); err == nil && strconv.Itoa(n) == name && n < 1e8 {
			group = n
		}
		if group >= 0 && group < len(names) {
			if text != "" {
				pieces = append(pieces, piece{text, -1})
			}
			text = ""
			pieces = append(pieces, piece{"", group})
		}
	}
	if text != "" {
		pieces = append(pieces, piece{text, -1})
	}
	return pieces
}

// reference cuts the name of a group, with or without braces, from what follows a $.
func reference(s string) (name, rest string, ok bool) {
	inner, braces := strings.CutPrefix(s, "{")
	end := strings.IndexFunc(inner, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if end < 0 {
		end = len(inner)
	}
	name, rest = inner[:end], inner[end:]
	if name == "" {
		return "", "", false
	}
	if braces {
		rest, ok = strings.CutPrefix(rest, "}")
		return name, rest, ok
	}
	return name, rest, true
}

// A wrapper writes the function that takes the place of a method.
type wrapper struct {
	*emitter // of the function that searches
	use      Use
	method   method
	pattern  string // for comments
	empty    bool   // a match may be empty
	always   []bool
	pieces   []piece
}

// call is the call that searches from a position.
func (w *wrapper) call(at string) string {
	if w.from {
		return w.name + "(" + w.text + ", " + at + ")"
	}
	return w.name + "(" + w.text + ")"
}

// next writes the search from a position.
func (w *wrapper) next(at string) {
	to := "start, end"
	if w.hasGroups() {
		to = "loc, ok"
	}
	w.line("%s := %s", to, w.call(at))
}

func (w *wrapper) hasGroups() bool { return len(w.positions()) > 2 }

// none is the condition that there is no match.
func (w *wrapper) none() string {
	if w.hasGroups() {
		return "!ok"
	}
	return "start < 0"
}

func (w *wrapper) start() string { return w.pos(0) }

func (w *wrapper) end() string { return w.pos(1) }

// pos is the expression of a position of the match.
func (w *wrapper) pos(slot int) string {
	if !w.hasGroups() {
		return []string{"start", "end"}[slot]
	}
	return fmt.Sprintf("loc[%d]", slices.Index(w.positions(), slot))
}

// slice is the text of a group as the methods return it: its capacity ends with it.
func (w *wrapper) slice(group int) string {
	from, to := w.pos(2*group), w.pos(2*group+1)
	if w.isBytes() {
		return fmt.Sprintf("b[%s:%s:%s]", from, to, to)
	}
	return fmt.Sprintf("s[%s:%s]", from, to)
}

// element is the type of a text.
func (w *wrapper) element() string {
	if w.isBytes() {
		return "[]byte"
	}
	return "string"
}

// write writes the function.
func (w *wrapper) write(name string) {
	w.depth = 0
	text := w.text + " " + w.element()
	limit, many := "", ""
	if w.use.Limit {
		limit = ", n int"
		many = "; at most n, if n is not negative"
	}
	result := ""
	one, each := "", ""
	switch w.method.kind {
	case findText:
		result, one, each = w.element(), "the text of the first match", "the text of each match"
	case findIndex:
		result, one, each = "[]int", "the start and end of the first match", "the start and end of each match"
	case findGroups:
		result, one = "[]"+w.element(), "the text and the groups of the first match"
		each = "the text and the groups of each match"
	case findGroupsIndex:
		result, one = "[]int", "the starts and ends of the first match and of its groups"
		each = "the starts and ends of each match and of its groups"
	default:
	}
	switch {
	case w.method.kind == matchOnly:
		w.line("// %s reports whether %s contains a match of %s.", name, w.text, w.pattern)
		w.open("func %s(%s) bool", name, text)
		if w.hasGroups() {
			w.line("_, ok := %s", w.call("0"))
			w.line("return ok")
		} else {
			w.line("start, _ := %s", w.call("0"))
			w.line("return start >= 0")
		}
		w.close()
	case w.method.kind == splitText:
		many = strings.Replace(many, "at most n", "into at most n parts", 1)
		w.line("// %s splits s at the matches of %s%s.", name, w.pattern, many)
		w.open("func %s(s string%s) []string", name, limit)
		w.split()
		w.close()
	case w.method.kind >= replaceTemplate:
		w.replace(name, text)
	case w.method.all:
		w.line("// %s returns %s of %s in %s%s.", name, each, w.pattern, w.text, many)
		w.open("func %s(%s%s) []%s", name, text, limit, result)
		w.line("var all []%s", result)
		w.each(func(_, _ string) { w.value(true) }, "return all", "len(all)")
		w.close()
	default:
		missing := "nil"
		if result == "string" {
			missing = `""`
		}
		w.line("// %s returns %s of %s in %s, or %s.", name, one, w.pattern, w.text, missing)
		w.open("func %s(%s) %s", name, text, result)
		w.next("0")
		w.open("if %s", w.none())
		w.line("return %s", missing)
		w.close()
		w.value(false)
		w.close()
	}
}

// value writes what uses the value of a match: as an element of all, or returned.
func (w *wrapper) value(all bool) {
	give := func(v string) {
		if all {
			w.line("all = append(all, %s)", v)
		} else {
			w.line("return %s", v)
		}
	}
	switch w.method.kind {
	case findText:
		give(w.slice(0))
	case findIndex:
		give("[]int{" + w.start() + ", " + w.end() + "}")
	case findGroupsIndex:
		if w.hasGroups() {
			give("loc[:]")
		} else {
			give("[]int{start, end}")
		}
	case findGroups:
		var list []string
		var missing []int
		for g := range w.always {
			if !w.always[g] {
				missing = append(missing, g)
				list = append(list, map[bool]string{true: "nil", false: `""`}[w.isBytes()])
				continue
			}
			list = append(list, w.slice(g))
		}
		lit := "[]" + w.element() + "{" + strings.Join(list, ", ") + "}"
		if len(missing) == 0 {
			give(lit)
			return
		}
		w.line("m := %s", lit)
		for _, g := range missing {
			w.open("if %s >= 0", w.pos(2*g))
			w.line("m[%d] = %s", g, w.slice(g))
			w.close()
		}
		give("m")
	default:
	}
}

// each writes the loop over all matches. done is the statement after the last match, and count is
// compared with the limit.
func (w *wrapper) each(body func(start, end string), done, count string) {
	cond := ""
	if w.use.Limit {
		cond = count + " != n"
	}
	if !w.empty {
		w.open("for at := 0; %s;", cond)
		w.next("at")
		w.open("if %s", w.none())
		w.line("%s", map[bool]string{true: "break", false: done}[w.use.Limit])
		w.close()
		body(w.start(), w.end())
		w.line("at = %s", w.end())
		w.close()
		if w.use.Limit {
			w.line("%s", done)
		}
		return
	}
	if cond != "" {
		cond = " && " + cond
	}
	w.open("for at, last := 0, -1; at <= len(%s)%s;", w.text, cond)
	w.next("at")
	w.open("if %s", w.none())
	w.line("break")
	w.close()
	w.line("// An empty match right after another match does not count.")
	w.open("if %s > at || %s != last", w.end(), w.start())
	body(w.start(), w.end())
	w.close()
	w.open("if last = %s; last > at", w.end())
	w.line("at = last")
	w.line("continue")
	w.close()
	w.line("_, size := %s(%s[at:])", w.decode(), w.text)
	w.open("if at += size; size == 0")
	w.line("break")
	w.close()
	w.close()
	w.line("%s", done)
}

// split writes the body of a function for Split.
func (w *wrapper) split() {
	if w.use.Limit {
		w.open("if n == 0")
		w.line("return nil")
		w.close()
	}
	w.line("var parts []string")
	if !w.empty {
		w.line("done := 0")
		cond := ""
		if w.use.Limit {
			cond = " len(parts)+1 != n"
		}
		w.open("for%s", cond)
		w.next("done")
		w.open("if %s", w.none())
		w.line("break")
		w.close()
		w.line("parts = append(parts, s[done:%s])", w.start())
		w.line("done = %s", w.end())
		w.close()
		w.line("return append(parts, s[done:])")
		return
	}
	w.open(`if s == ""`)
	w.line(`return []string{""}`)
	w.close()
	w.line("done, tail := 0, 0")
	w.each(func(start, end string) {
		w.open("if tail = %s; %s > 0", start, end)
		w.line("parts = append(parts, s[done:%s])", start)
		w.close()
		w.line("done = %s", end)
	}, "if tail != len(s) {\n\t\tparts = append(parts, s[done:])\n\t}\n\treturn parts", "")
}

// replace writes the function for ReplaceAll and similar methods.
func (w *wrapper) replace(name, text string) {
	out := func(what string) {
		if w.isBytes() {
			w.line("out = append(out, %s...)", what)
		} else {
			w.line("out.WriteString(%s)", what)
		}
	}
	params, with := text, ""
	switch {
	case w.method.kind == replaceFunc:
		params += ", f func(" + w.element() + ") " + w.element()
		with = ""
		w.line("// %s returns %s with f of each match of %s in its place.", name, w.text, w.pattern)
	case w.pieces != nil:
		w.line("// %s returns %s with %s for each match of %s.", name, w.text, strconv.Quote(*w.use.Template), w.pattern)
	default:
		if w.isBytes() {
			params += ", with []byte"
		} else {
			params = "s, with string"
		}
		with = "with"
		w.line("// %s returns %s with each match of %s replaced.", name, w.text, w.pattern)
	}
	w.open("func %s(%s) %s", name, params, w.element())
	if w.isBytes() {
		w.line("var out []byte")
	} else {
		w.imports["strings"] = true
		w.line("var out strings.Builder")
	}
	w.line("done := 0 // out holds the result for %s[:done]", w.text)
	insert := func() {
		switch {
		case w.method.kind == replaceFunc && w.isBytes():
			out(fmt.Sprintf("f(b[%s:%s])", w.start(), w.end()))
		case w.method.kind == replaceFunc:
			out(fmt.Sprintf("f(s[%s:%s])", w.start(), w.end()))
		case w.pieces == nil:
			out(with)
		}
		for _, p := range w.pieces {
			switch {
			case p.group < 0:
				out(strconv.Quote(p.text))
			case w.always[p.group]:
				out(fmt.Sprintf("%s[%s:%s]", w.text, w.pos(2*p.group), w.pos(2*p.group+1)))
			default:
				w.open("if %s >= 0", w.pos(2*p.group))
				out(fmt.Sprintf("%s[%s:%s]", w.text, w.pos(2*p.group), w.pos(2*p.group+1)))
				w.close()
			}
		}
	}
	if w.empty {
		if !w.isBytes() {
			w.line("none := true")
		}
		w.open("for at := 0; at <= len(%s);", w.text)
	} else {
		w.open("for")
	}
	w.next(map[bool]string{true: "at", false: "done"}[w.empty])
	w.open("if %s", w.none())
	w.line("break")
	w.close()
	if !w.empty && !w.isBytes() { // empty bytes may have to be nil
		w.open("if done == 0")
		w.line("out.Grow(len(s))")
		w.close()
	}
	out(fmt.Sprintf("%s[done:%s]", w.text, w.start()))
	if w.empty {
		w.line("// An empty match right after another match is not replaced.")
		w.open("if %s > done || %s == 0", w.end(), w.start())
		insert()
		w.close()
	} else {
		insert()
	}
	w.line("done = %s", w.end())
	if w.empty {
		if !w.isBytes() {
			w.line("none = false")
		}
		w.line("_, size := %s(%s[at:])", w.decode(), w.text)
		w.open("if size == 0")
		w.line("break")
		w.close()
		w.open("if at += size; at < done")
		w.line("at = done")
		w.close()
	}
	w.close()
	if w.isBytes() {
		w.line("return append(out, b[done:]...)")
	} else {
		w.open("if %s", map[bool]string{true: "none", false: "done == 0"}[w.empty])
		w.line("return s")
		w.close()
		w.line("out.WriteString(s[done:])")
		w.line("return out.String()")
	}
	w.close()
}

// upper returns a name that begins with an upper-case letter.
func upper(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}
