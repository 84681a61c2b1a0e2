package regexpcode

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// An emitter writes the function that runs an automaton.
type emitter struct {
	*automaton.Automaton
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
	for _, s := range e.Slots {
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
	case e.Match:
		return "(" + in + ") bool"
	case len(e.positions()) == 2:
		return "(" + in + ") (start, end int)"
	}
	return "(" + in + ") (loc " + e.array() + ", ok bool)"
}

// fail is the statement that ends a search without a further match.
func (e *emitter) fail() string {
	switch {
	case e.Match:
		return "return false"
	case len(e.positions()) > 2:
		return "return loc, " + map[bool]string{false: "false", true: "ok"}[e.recorded]
	case e.recorded:
		return "return start, end"
	}
	return "return -1, -1"
}

// result is the values of a match that ends at a position.
func (e *emitter) result(m *automaton.Match, pos string) string {
	at := map[int]string{0: "0", 1: pos}
	for i, v := range m.Slots {
		at[e.Slots[i]] = e.value(i, v, pos)
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

func (e *emitter) value(slot int, v automaton.Value, pos string) string {
	switch v {
	case automaton.Here:
		return pos
	case automaton.None:
		return "-1"
	}
	return e.register(automaton.Register{Slot: slot, N: int(v)})
}

// register is the name of the variable of a register.
func (e *emitter) register(r automaton.Register) string {
	slot := e.Slots[r.Slot]
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
	if r.N > 0 {
		name += string(rune('A' + r.N))
	}
	return name
}

// stop is the statement that ends a search by an edge.
func (e *emitter) stop(x automaton.Edge, pos string) string {
	switch {
	case x.Accept == nil:
		return e.fail()
	case e.Match:
		return "return true"
	}
	return "return " + e.result(x.Accept, pos)
}

// enter is the statements of an edge that leads on, without those that change the state. op sets
// the registers.
func (e *emitter) enter(x automaton.Edge, op string) []string {
	var lines []string
	if x.Accept != nil {
		to := "start, end"
		if len(e.positions()) > 2 {
			to = "loc, ok"
		}
		lines = append(lines, to+" = "+e.result(x.Accept, "i"))
	}
	var left, right []string
	for _, s := range x.Set {
		left = append(left, e.register(s.Reg))
		right = append(right, e.value(s.Reg.Slot, s.From, "i"))
	}
	if len(left) > 0 {
		lines = append(lines, strings.Join(left, ", ")+" "+op+" "+strings.Join(right, ", "))
	}
	return lines
}

// registers returns the registers that are set, and whether each is needed before.
func (e *emitter) registers() (all []automaton.Register, initial map[automaton.Register]bool) {
	seen := map[automaton.Register]bool{}
	e.Edges(func(x *automaton.Edge) {
		for _, s := range x.Set {
			seen[s.Reg] = true
		}
	})
	live := e.Live()
	initial = map[automaton.Register]bool{}
	for _, q := range e.Begin {
		if q >= 0 {
			for r := range live[q] {
				seen[r], initial[r] = true, true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(x, y automaton.Register) int {
		return cmp.Or(x.Slot-y.Slot, x.N-y.N)
	}), initial
}

// declare declares registers before they are set.
func (e *emitter) declare(regs []automaton.Register, initial map[automaton.Register]bool) {
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
	set  automaton.Set
	edge automaton.Edge
}

// branches returns the branches of a state; the last one has the most runes. restart, if not nil,
// tells edges apart that are equal otherwise.
func (e *emitter) branches(q int, restart func(class int) bool) []branch {
	var list []branch
	byKey := map[string]int{}
	for class, s := range e.Classes {
		x := e.States[q].Next[class]
		key := x.Key(nil)
		if restart != nil && restart(class) {
			key = "restart"
			x = automaton.Edge{To: restarts}
		}
		n, ok := byKey[key]
		if !ok {
			byKey[key] = len(list)
			list = append(list, branch{s, x})
			continue
		}
		list[n].set = list[n].set.Union(s)
	}
	slices.SortStableFunc(list, func(x, y branch) int {
		last := func(b branch) int {
			if b.set.Contains(unicode.MaxRune) {
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

// within returns the condition that a byte or rune is in a set; for a byte, the first one of a rune
// is enough if the set is simple.
func (e *emitter) within(s automaton.Set, c string) string { return e.test(s, c, false) }

// without returns the negation of within.
func (e *emitter) without(s automaton.Set, c string) string { return e.test(s, c, true) }

func (e *emitter) test(s automaton.Set, c string, not bool) string {
	inverse := s.Complement()
	switch {
	case len(inverse) == 0:
		return strconv.FormatBool(!not)
	case !s.ASCII() && inverse.ASCII():
		s, not = inverse, !not
	}
	expr := e.tables.test(s, c, not)
	if !s.ASCII() || !tabled(s) || e.Bytes || c != "c" {
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
	if len(e.States) > 1 {
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
	position, char := names(body, "i"), names(body, "c")
	switch {
	case !e.Bytes && e.isBytes():
		e.open("for i := %s; i < len(b);", e.at())
		e.line("c, size := %s(b[i:])", e.decode())
	case !e.Bytes && e.from:
		e.open("for i, c := range s[at:]")
		e.line("i += at")
	case !e.Bytes && position:
		e.open("for i, c := range s")
	case !e.Bytes:
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
	if !e.Bytes && e.isBytes() {
		e.line("i += size")
	}
	e.close()
	e.writeEnd()
}

// names reports whether Go code contains an identifier.
func names(code, name string) bool {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), []byte(code), nil, 0)
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF || tok == token.IDENT && text == name {
			return tok == token.IDENT
		}
	}
}

// writeStates writes what the states do with c.
func (e *emitter) writeStates() {
	if len(e.States) == 1 {
		e.writeBranches(0)
		return
	}
	samples := e.Samples()
	e.line("switch state {")
	for q := range e.States {
		switch {
		case samples[q] != "":
			e.line("case %d: // after %s", q, strconv.Quote(samples[q]))
		case q == e.Begin[automaton.AtBegin]:
			e.line("case %d:", q)
		case q == e.Begin[automaton.AfterWord]:
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
	begin := e.Begin
	other := begin[automaton.AfterOther]
	alike := begin[automaton.AfterNewline] == other && begin[automaton.AfterWord] == other
	if !e.from || alike && begin[automaton.AtBegin] == other {
		e.line("state := %d", begin[automaton.AtBegin])
		return
	}
	set := func(q int) {
		switch q {
		case -1:
			e.line("%s", e.fail())
		case max(begin[automaton.AtBegin], 0):
		default:
			e.line("state = %d", q)
		}
	}
	e.line("state := %d", max(begin[automaton.AtBegin], 0))
	if alike {
		e.open("if at > 0")
		set(begin[automaton.AfterOther])
		e.close()
		return
	}
	e.line("switch {")
	e.line("case at == 0:")
	for c, cond := range []string{
		automaton.AfterNewline: e.text + "[at-1] == '\\n'",
		automaton.AfterWord:    e.within(wordSet(), e.text+"[at-1]"),
	} {
		if c != automaton.AtBegin && begin[c] != begin[automaton.AfterOther] {
			e.line("case %s:", cond)
			e.depth++
			set(begin[c])
			e.depth--
		}
	}
	if begin[automaton.AfterOther] != begin[automaton.AtBegin] {
		e.line("default:")
		e.depth++
		set(begin[automaton.AfterOther])
		e.depth--
	}
	e.line("}")
}

// wordSet is \w.
func wordSet() automaton.Set { return automaton.Set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'} }

// writeBranches writes what a state does with c.
func (e *emitter) writeBranches(q int) {
	list := e.branches(q, nil)
	if e.skips(q, list) {
		list = list[:1]
		if len(e.Prefix) == 1 {
			e.line("n := %s(%s[i:], %s)", e.function("IndexByte"), e.text, quoteRune(rune(e.Prefix[0])))
		} else {
			e.line("n := %s(%s[i:], %s)", e.function("Index"), e.text, e.quoted(e.Prefix))
		}
		e.open("if n < 0")
		e.line("%s", e.fail())
		e.close()
		e.line("i += n")
	}
	code := func(b branch) []string {
		if b.edge.To < 0 {
			return []string{e.stop(b.edge, "i")}
		}
		lines := e.enter(b.edge, "=")
		if b.edge.To != q {
			lines = append(lines, fmt.Sprintf("state = %d", b.edge.To))
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
	case len(list) == 2 && last.edge.To < 0:
		e.open("if %s", e.without(list[0].set, "c"))
		write(last)
		e.close()
		write(list[0])
	case len(list) == 2 && list[0].edge.To < 0:
		e.open("if %s", e.within(list[0].set, "c"))
		write(list[0])
		e.close()
		write(last)
	default:
		e.writeSwitch(list, write)
	}
}

// skips reports whether a state waits for the text that each match begins with.
func (e *emitter) skips(q int, list []branch) bool {
	for _, first := range e.Begin {
		if first != q {
			return false
		}
	}
	if !e.Bytes || e.Prefix == "" || len(list) != 2 {
		return false
	}
	stay := list[1].edge
	return list[0].set.ASCII() && stay.To == q && stay.Accept == nil && len(stay.Set) == 0 &&
		e.States[q].Next[len(e.Classes)].Accept == nil &&
		list[0].set.Size() == 1 && list[0].set[0] == rune(e.Prefix[0])
}

// writeSwitch writes branches as the cases of a switch.
func (e *emitter) writeSwitch(list []branch, write func(branch) bool) {
	values := !slices.ContainsFunc(list[:len(list)-1], func(b branch) bool { return b.set.Size() > 4 })
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

// writeEnd writes what happens at the end of the text.
func (e *emitter) writeEnd() {
	pos := "len(" + e.text + ")"
	var order []string
	states := map[string][]string{}
	for q, s := range e.States {
		code := e.stop(s.Next[len(e.Classes)], pos)
		if states[code] == nil {
			order = append(order, code)
		}
		states[code] = append(states[code], strconv.Itoa(q))
	}
	if len(order) == 1 {
		e.line("%s", order[0])
		return
	}
	if in := states["return true"]; e.Match && len(in) <= 3 {
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
