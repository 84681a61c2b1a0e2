package regexpcode

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An emitter writes the function that runs an automaton.
type emitter struct {
	*automaton
	name     string // of the function
	text     string // name of the parameter: s, or b for bytes
	from     bool   // the search begins at the parameter at, not at 0
	groups   []string
	tables   *tables
	imports  map[string]bool
	recorded bool // a match may be followed by one that is preferred
	b        strings.Builder
	depth    int
}

// line writes a line, indented.
func (e *emitter) line(format string, args ...any) {
	e.b.WriteString(strings.Repeat("\t", e.depth))
	fmt.Fprintf(&e.b, format, args...)
	e.b.WriteByte('\n')
}

// open writes a line that begins a block, and close ends it.
func (e *emitter) open(format string, args ...any) {
	e.line(format+" {", args...)
	e.depth++
}

func (e *emitter) close() {
	e.depth--
	e.line("}")
}

// isBytes reports whether the text is of type []byte.
func (e *emitter) isBytes() bool { return e.text == "b" }

// function is a function of package strings or bytes.
func (e *emitter) function(name string) string {
	pkg := "strings"
	if e.isBytes() {
		pkg = "bytes"
	}
	e.imports[pkg] = true
	return pkg + "." + name
}

func (e *emitter) decode() string {
	e.imports["unicode/utf8"] = true
	if e.isBytes() {
		return "utf8.DecodeRune"
	}
	return "utf8.DecodeRuneInString"
}

// quoted is a constant as an argument next to the text.
func (e *emitter) quoted(s string) string {
	if e.isBytes() {
		return "[]byte(" + strconv.Quote(s) + ")"
	}
	return strconv.Quote(s)
}

// array is the type of the positions that the function returns, if there are groups.
func (e *emitter) array() string { return fmt.Sprintf("[%d]int", len(e.positions())) }

// positions are the slots that the function returns, in order: the match and the groups.
func (e *emitter) positions() []int {
	all := []int{0, 1}
	for _, s := range e.slots {
		if s > 1 {
			all = append(all, s)
		}
	}
	return all
}

// signature is the function's parameters and results.
func (e *emitter) signature() string {
	in := e.text + " string"
	if e.isBytes() {
		in = e.text + " []byte"
	}
	if e.from {
		in += ", at int"
	}
	switch {
	case e.match:
		return "(" + in + ") bool"
	case len(e.positions()) == 2:
		return "(" + in + ") (start, end int)"
	}
	return "(" + in + ") (loc " + e.array() + ", ok bool)"
}

// fail is the statement that ends a search without a further match.
func (e *emitter) fail() string {
	switch {
	case e.match:
		return "return false"
	case len(e.positions()) > 2:
		return "return loc, " + map[bool]string{false: "false", true: "ok"}[e.recorded]
	case e.recorded:
		return "return start, end"
	}
	return "return -1, -1"
}

// result is the values of a match that ends at a position.
func (e *emitter) result(m *match, pos string) string {
	at := map[int]string{0: "0", 1: pos}
	for i, v := range m.slots {
		at[e.slots[i]] = e.value(i, v, pos)
	}
	var list []string
	for _, p := range e.positions() {
		list = append(list, at[p])
	}
	if len(list) == 2 {
		return strings.Join(list, ", ")
	}
	return e.array() + "{" + strings.Join(list, ", ") + "}, true"
}

func (e *emitter) value(slot int, v value, pos string) string {
	switch v {
	case here:
		return pos
	case none:
		return "-1"
	}
	return e.register(register{slot, int(v)})
}

// register is the name of the variable of a register.
func (e *emitter) register(r register) string {
	slot := e.slots[r.slot]
	name := "begin"
	if slot > 0 {
		g := slot / 2
		name = e.groups[g]
		if name == "" {
			name = "group" + strconv.Itoa(g)
		}
		if slot%2 == 1 {
			name += "End"
		}
	}
	if r.n > 0 {
		name += string(rune('A' + r.n))
	}
	return name
}

// stop is the statement that ends a search by an edge.
func (e *emitter) stop(x edge, pos string) string {
	switch {
	case x.accept == nil:
		return e.fail()
	case e.match:
		return "return true"
	}
	return "return " + e.result(x.accept, pos)
}

// enter is the statements of an edge that leads on, without those that change the state. op sets
// the registers.
func (e *emitter) enter(x edge, op string) []string {
	var lines []string
	if x.accept != nil {
		to := "start, end"
		if len(e.positions()) > 2 {
			to = "loc, ok"
		}
		lines = append(lines, to+" = "+e.result(x.accept, "i"))
	}
	var left, right []string
	for _, s := range x.set {
		left = append(left, e.register(s.reg))
		right = append(right, e.value(s.reg.slot, s.from, "i"))
	}
	if len(left) > 0 {
		lines = append(lines, strings.Join(left, ", ")+" "+op+" "+strings.Join(right, ", "))
	}
	return lines
}

// registers returns the registers that are set, and whether each is needed before.
func (e *emitter) registers() (all []register, initial map[register]bool) {
	seen := map[register]bool{}
	e.edges(func(x *edge) {
		for _, s := range x.set {
			seen[s.reg] = true
		}
	})
	live := e.live()
	initial = map[register]bool{}
	for _, q := range e.begin {
		if q >= 0 {
			for r := range live[q] {
				seen[r], initial[r] = true, true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(x, y register) int {
		return cmp.Or(x.slot-y.slot, x.n-y.n)
	}), initial
}

// declare declares registers before they are set.
func (e *emitter) declare(regs []register, initial map[register]bool) {
	var zero, minus []string
	for _, r := range regs {
		if initial[r] {
			minus = append(minus, e.register(r))
		} else {
			zero = append(zero, e.register(r))
		}
	}
	if len(zero) > 0 {
		e.line("var %s int", strings.Join(zero, ", "))
	}
	if len(minus) > 0 {
		e.line("%s := %s", strings.Join(minus, ", "), strings.Repeat("-1, ", len(minus)-1)+"-1")
	}
}

// A branch is the runes for which a state has the same edge.
type branch struct {
	set  set
	edge edge
}

// branches returns the branches of a state; the last one has the most runes. restart, if not nil,
// tells edges apart that are equal otherwise.
func (a *automaton) branches(q int, restart func(class int) bool) []branch {
	var list []branch
	byKey := map[string]int{}
	for class, s := range a.classes {
		x := a.states[q].next[class]
		key := x.key(nil)
		if restart != nil && restart(class) {
			key = "restart"
			x = edge{to: restarts}
		}
		n, ok := byKey[key]
		if !ok {
			byKey[key] = len(list)
			list = append(list, branch{s, x})
			continue
		}
		list[n].set = list[n].set.union(s)
	}
	slices.SortStableFunc(list, func(x, y branch) int {
		last := func(b branch) int {
			if b.set.contains(unicode.MaxRune) {
				return 1
			}
			return 0
		}
		return last(x) - last(y)
	})
	return list
}

// restarts marks an edge that does what the first state does.
const restarts = -2

// simple reports whether the first byte of a rune shows whether it is in the set.
func (s set) simple() bool { return s.ascii() || s.complement().isASCII() }

func (s set) isASCII() bool { return len(s) == 0 || s.ascii() }

// within returns the condition that a byte or rune is in a set; for a byte, the first one of a rune
// is enough if the set is simple.
func (e *emitter) within(s set, c string) string { return e.test(s, c, false) }

// without returns the negation of within.
func (e *emitter) without(s set, c string) string { return e.test(s, c, true) }

func (e *emitter) test(s set, c string, not bool) string {
	inverse := s.complement()
	switch {
	case len(inverse) == 0:
		return strconv.FormatBool(!not)
	case !s.ascii() && inverse.ascii():
		s, not = inverse, !not
	}
	expr := e.tables.test(s, c, not)
	if !s.ascii() || !s.tabled() || e.bytes || c != "c" {
		return expr
	}
	// A rune may be beyond the table.
	e.imports["unicode/utf8"] = true
	if not {
		return "(c >= utf8.RuneSelf || " + expr + ")"
	}
	return "c < utf8.RuneSelf && " + expr
}

// writeMachine writes the body of the function as a loop over the text and a switch of the state.
func (e *emitter) writeMachine() {
	e.depth = 1
	if e.recorded && len(e.positions()) == 2 {
		e.line("start, end = -1, -1")
	}
	if len(e.states) > 1 {
		e.writeBegin()
	}
	regs, initial := e.registers()
	e.declare(regs, initial)
	head := e.b.String()
	e.b.Reset()
	e.depth++
	e.writeStates()
	e.depth--
	body := e.b.String()
	e.b.Reset()
	e.b.WriteString(head)
	position := regexp.MustCompile(`\bi\b`).MatchString(body)
	char := regexp.MustCompile(`\bc\b`).MatchString(body)
	switch {
	case !e.bytes && e.isBytes():
		e.open("for i := %s; i < len(b);", e.at())
		e.line("c, size := %s(b[i:])", e.decode())
	case !e.bytes && e.from:
		e.open("for i, c := range s[at:]")
		e.line("i += at")
	case !e.bytes && position:
		e.open("for i, c := range s")
	case !e.bytes:
		e.open("for _, c := range s")
	case position || e.from:
		e.open("for i := %s; i < len(%s); i++", e.at(), e.text)
		if char {
			e.line("c := %s[i]", e.text)
		}
	case e.isBytes():
		e.open("for _, c := range b")
	default:
		e.open("for _, c := range []byte(s)")
	}
	e.b.WriteString(body)
	if !e.bytes && e.isBytes() {
		e.line("i += size")
	}
	e.close()
	e.writeEnd()
}

// writeStates writes what the states do with c.
func (e *emitter) writeStates() {
	if len(e.states) == 1 {
		e.writeBranches(0)
		return
	}
	samples := e.samples()
	e.line("switch state {")
	for q := range e.states {
		switch {
		case samples[q] != "":
			e.line("case %d: // after %s", q, strconv.Quote(samples[q]))
		case q == e.begin[atBegin]:
			e.line("case %d:", q)
		case q == e.begin[afterWord]:
			e.line("case %d: // after a letter", q)
		default:
			e.line("case %d: // not at the beginning", q)
		}
		e.depth++
		e.writeBranches(q)
		e.depth--
	}
	e.line("}")
}

// at is the position where a search begins.
func (e *emitter) at() string {
	if e.from {
		return "at"
	}
	return "0"
}

// writeBegin writes the choice of the first state.
func (e *emitter) writeBegin() {
	begin := e.begin
	if !e.from || begin[afterNewline] == begin[atBegin] && begin[afterWord] == begin[atBegin] &&
		begin[afterOther] == begin[atBegin] {
		e.line("state := %d", begin[atBegin])
		return
	}
	set := func(q int) {
		switch q {
		case -1:
			e.line("%s", e.fail())
		case max(begin[atBegin], 0):
		default:
			e.line("state = %d", q)
		}
	}
	e.line("state := %d", max(begin[atBegin], 0))
	if begin[afterNewline] == begin[afterOther] && begin[afterWord] == begin[afterOther] {
		e.open("if at > 0")
		set(begin[afterOther])
		e.close()
		return
	}
	e.line("switch {")
	e.line("case at == 0:")
	for c, cond := range []string{
		afterNewline: e.text + "[at-1] == '\\n'",
		afterWord:    e.within(wordSet(), e.text+"[at-1]"),
	} {
		if c != atBegin && begin[c] != begin[afterOther] {
			e.line("case %s:", cond)
			e.depth++
			set(begin[c])
			e.depth--
		}
	}
	if begin[afterOther] != begin[atBegin] {
		e.line("default:")
		e.depth++
		set(begin[afterOther])
		e.depth--
	}
	e.line("}")
}

// wordSet is \w.
func wordSet() set { return set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'} }

// writeBranches writes what a state does with c.
func (e *emitter) writeBranches(q int) {
	list := e.branches(q, nil)
	code := func(b branch) []string {
		if b.edge.to < 0 {
			return []string{e.stop(b.edge, "i")}
		}
		lines := e.enter(b.edge, "=")
		if b.edge.to != q {
			lines = append(lines, fmt.Sprintf("state = %d", b.edge.to))
		}
		return lines
	}
	write := func(b branch) bool {
		lines := code(b)
		for _, l := range lines {
			e.line("%s", l)
		}
		return len(lines) > 0
	}
	last := list[len(list)-1]
	switch {
	case len(list) == 1:
		write(last)
	case len(list) == 2 && len(code(last)) == 0:
		e.open("if %s", e.within(list[0].set, "c"))
		write(list[0])
		e.close()
	case len(list) == 2 && len(code(list[0])) == 0:
		e.open("if %s", e.without(list[0].set, "c"))
		write(last)
		e.close()
	case len(list) == 2 && last.edge.to < 0:
		e.open("if %s", e.without(list[0].set, "c"))
		write(last)
		e.close()
		write(list[0])
	case len(list) == 2 && list[0].edge.to < 0:
		e.open("if %s", e.within(list[0].set, "c"))
		write(list[0])
		e.close()
		write(last)
	default:
		e.writeSwitch(list, write)
	}
}

// writeSwitch writes branches as the cases of a switch.
func (e *emitter) writeSwitch(list []branch, write func(branch) bool) {
	values := !slices.ContainsFunc(list[:len(list)-1], func(b branch) bool { return b.set.size() > 4 })
	if values {
		e.line("switch c {")
	} else {
		e.line("switch {")
	}
	for i, b := range list {
		switch {
		case i == len(list)-1:
			before := e.b.String()
			e.line("default:")
			e.depth++
			if !write(b) {
				e.b.Reset()
				e.b.WriteString(before)
			}
			e.depth--
			continue
		case values:
			var quoted []string
			for j := 0; j < len(b.set); j += 2 {
				for r := b.set[j]; r <= b.set[j+1]; r++ {
					quoted = append(quoted, quoteRune(r))
				}
			}
			e.line("case %s:", strings.Join(quoted, ", "))
		default:
			e.line("case %s:", e.within(b.set, "c"))
		}
		e.depth++
		write(b)
		e.depth--
	}
	e.line("}")
}

// size is the number of runes in a set.
func (s set) size() int {
	n := 0
	for i := 0; i < len(s); i += 2 {
		n += int(s[i+1]-s[i]) + 1
	}
	return n
}

// writeEnd writes what happens at the end of the text.
func (e *emitter) writeEnd() {
	pos := "len(" + e.text + ")"
	var order []string
	states := map[string][]string{}
	for q, s := range e.states {
		code := e.stop(s.next[len(e.classes)], pos)
		if states[code] == nil {
			order = append(order, code)
		}
		states[code] = append(states[code], strconv.Itoa(q))
	}
	if len(order) == 1 {
		e.line("%s", order[0])
		return
	}
	if in := states["return true"]; e.match && len(in) <= 3 {
		e.line("return state == %s", strings.Join(in, " || state == "))
		return
	}
	// The end without a match is the last; there is one, or else the first.
	last := e.fail()
	if states[last] == nil {
		last = order[0]
	}
	if len(order) == 2 {
		code := order[0]
		if code == last {
			code = order[1]
		}
		if in := states[code]; len(in) == 1 {
			e.open("if state == %s", in[0])
			e.line("%s", code)
			e.close()
			e.line("%s", last)
			return
		}
	}
	e.line("switch state {")
	for _, code := range order {
		if code != last {
			e.line("case %s:", strings.Join(states[code], ", "))
			e.line("\t%s", code)
		}
	}
	e.line("}")
	e.line("%s", last)
}

// samples returns a text for each state that leads to it, as short as can be.
func (a *automaton) samples() []string {
	texts := make([]string, len(a.states))
	seen := make([]bool, len(a.states))
	var queue []int
	for _, q := range a.begin {
		if q >= 0 && !seen[q] {
			seen[q] = true
			queue = append(queue, q)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		q := queue[0]
		for class, s := range a.classes {
			if to := a.states[q].next[class].to; to >= 0 && !seen[to] {
				seen[to] = true
				texts[to] = texts[q] + string(s.sample())
				queue = append(queue, to)
			}
		}
	}
	return texts
}

// sample returns a rune of a set, a letter or a digit if possible.
func (s set) sample() rune {
	for _, want := range []set{{'a', 'z'}, {'0', '9'}, {'A', 'Z'}, {'!', '~'}} {
		for i := 0; i < len(s); i += 2 {
			if r := max(s[i], want[0]); r <= min(s[i+1], want[1]) {
				return r
			}
		}
	}
	r := s[len(s)-2]
	if !utf8.ValidRune(r) {
		return s[len(s)-1]
	}
	return r
}
