package regexpcode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// A step is a state of an automaton whose states follow one another: the text is consumed from
// left to right, and what does not fit ends the search, or begins it again at the same position.
type step struct {
	q        int
	loop     automaton.Set // what the state consumes before the step
	exit     automaton.Set // what leads to the next step; nil if nothing does
	edge     automaton.Edge
	optional bool // without it, the next step does the same
	rest     []branch
	end      automaton.Edge
}

// chain returns the steps of an automaton, and whether it has this form.
func (e *emitter) chain() (steps []step, searches, ok bool) {
	q0 := e.Begin[automaton.AtBegin]
	for _, q := range e.Begin {
		if q >= 0 && q != q0 {
			return nil, false, false
		}
	}
	if q0 < 0 {
		return nil, false, false
	}
	end := len(e.Classes)
	// A search consumes what does not begin a match.
	searches = slices.ContainsFunc(e.States[q0].Next, func(x automaton.Edge) bool { return x.To == q0 }) &&
		e.States[q0].Next[end].Accept == nil
	seen := map[int]bool{}
	for q := q0; ; {
		if seen[q] {
			return nil, false, false
		}
		seen[q] = true
		s := step{q: q, end: e.States[q].Next[end]}
		var restart func(class int) bool
		if searches && q != q0 {
			restart = func(class int) bool {
				x := e.States[q].Next[class]
				return x.To >= 0 && x.Key(nil) == e.States[q0].Next[class].Key(nil)
			}
		}
		var exits []branch
		for _, b := range e.branches(q, restart) {
			switch {
			case b.edge.To == q && b.edge.Accept == nil && len(b.edge.Set) == 0:
				s.loop = b.set
			case b.edge.To < 0:
				s.rest = append(s.rest, b)
			default:
				exits = append(exits, b)
			}
		}
		if len(exits) == 0 {
			return append(steps, s), searches, true
		}
		if len(exits) > 1 {
			i := e.optional(q, exits)
			if i < 0 || s.loop != nil {
				return nil, false, false
			}
			exits, s.optional = exits[i:i+1], true
		}
		s.exit, s.edge = exits[0].set, exits[0].edge
		steps = append(steps, s)
		q = s.edge.To
	}
}

// optional returns the branch without which a state does the same as the one that follows, or -1.
func (e *emitter) optional(q int, exits []branch) int {
	return slices.IndexFunc(exits, func(b branch) bool {
		for class := range len(e.Classes) + 1 {
			if class < len(e.Classes) && b.set.Contains(e.Classes[class][0]) {
				continue
			}
			if e.States[q].Next[class].Key(nil) != e.States[b.edge.To].Next[class].Key(nil) {
				return false
			}
		}
		return b.edge.To != q
	})
}

// writeChain writes the body of the function as the steps of a chain.
func (e *emitter) writeChain(steps []step, searches bool) {
	c := &chainer{emitter: e, searches: searches, declared: map[automaton.Register]bool{}}
	e.depth = 1
	if e.recorded && len(e.positions()) == 2 {
		e.line("start, end = -1, -1")
	}
	if e.from && e.Begin[automaton.AfterOther] < 0 {
		e.open("if at > 0")
		e.line("%s", e.fail())
		e.close()
	}
	head := e.b.String()
	e.b.Reset()
	again := slices.ContainsFunc(steps, func(s step) bool {
		return slices.ContainsFunc(s.rest, func(b branch) bool { return b.edge.To == restarts })
	})
	if again {
		// A label is written if it is needed.
		e.b.WriteString(searchLabel)
		e.open("for")
	}
	c.predeclare(steps)
	for i := 0; i < len(steps); {
		i += c.write(steps[i:])
	}
	if again {
		e.close()
	}
	body := e.b.String()
	if !c.labeled {
		body = strings.TrimPrefix(body, searchLabel)
	}
	e.b.Reset()
	e.b.WriteString(head)
	if names(body, "i") {
		e.line("i := %s", e.at())
	}
	e.b.WriteString(body)
}

const searchLabel = "search:\n"

// A chainer writes a chain.
type chainer struct {
	*emitter
	searches bool
	inner    bool // in a loop in the search
	labeled  bool // the search's label is used
	decoded  bool // c is declared
	sized    bool // size is declared
	declared map[automaton.Register]bool
}

// predeclare declares registers that are set in a block, or read without being set.
func (c *chainer) predeclare(steps []step) {
	_, initial := c.registers()
	all := map[automaton.Register]bool{}
	for r := range initial {
		all[r] = true
	}
	for _, s := range steps {
		if s.optional {
			for _, x := range s.edge.Set {
				all[x.Reg] = true
			}
		}
	}
	var regs []automaton.Register
	for r := range all {
		regs = append(regs, r)
		c.declared[r] = true
	}
	slices.SortFunc(regs, func(x, y automaton.Register) int { return strings.Compare(c.register(x), c.register(y)) })
	c.declare(regs, initial)
}

// action is the statement for runes that do not fit.
func (c *chainer) action(x automaton.Edge) string {
	if x.To != restarts {
		return c.stop(x, "i")
	}
	if c.inner {
		c.labeled = true
		return "continue search"
	}
	return "continue"
}

// actions are those of the branches of a step and of the end of the text: only one if they are
// the same.
func (c *chainer) actions(s step) (rest []string, end string) {
	for _, b := range s.rest {
		rest = append(rest, c.action(b.edge))
	}
	end = c.action(s.end)
	if c.searches && s.end.Accept == nil && len(rest) == 1 && s.rest[0].edge.To == restarts {
		end = rest[0]
	}
	return rest, end
}

// uniform reports whether all that does not fit, and the end of the text, have the same action.
func (c *chainer) uniform(s step) bool {
	rest, end := c.actions(s)
	return !slices.ContainsFunc(rest, func(a string) bool { return a != end })
}

// plain reports whether a step consumes one rune and does nothing else.
func (c *chainer) plain(s step) bool {
	return s.loop == nil && s.exit != nil && !s.optional && s.edge.Accept == nil && c.uniform(s)
}

// same reports whether two plain steps do the same.
func (c *chainer) same(s, t step) bool {
	_, x := c.actions(s)
	_, y := c.actions(t)
	return x == y && len(s.rest) == len(t.rest)
}

// write writes the first of some steps, and those that it can write together with it. It returns
// their number.
func (c *chainer) write(steps []step) int {
	s := steps[0]
	if c.searches && s.q == c.Begin[automaton.AtBegin] {
		if n := c.writeIndex(steps); n > 0 {
			return n
		}
	}
	if n, text := c.literal(steps); n > 1 {
		_, end := c.actions(s)
		c.open("if %s", c.noPrefix(text))
		c.line("%s", end)
		c.close()
		c.assign(s.edge)
		c.line("i += len(%s)", strconv.Quote(text))
		return n
	}
	n := 1
	if c.plain(s) {
		for n < len(steps) && c.plain(steps[n]) && slices.Equal(steps[n].exit, s.exit) &&
			len(steps[n].edge.Set) == 0 && c.same(s, steps[n]) {
			n++
		}
	}
	if n > 2 {
		c.assign(s.edge)
		c.open("for n := 0; n < %d; n++", n)
		c.inner = true
		decoded, sized := c.decoded, c.sized
		c.step(step{exit: s.exit, rest: s.rest, end: s.end})
		c.decoded, c.sized = decoded, sized
		c.inner = false
		c.close()
		return n
	}
	c.step(s)
	return 1
}

// oneByte reports whether a rune of a set is consumed by consuming a byte.
func (c *chainer) oneByte(s automaton.Set) bool { return s.ASCII() || c.Bytes }

// literal returns the text of the first steps, if they consume a literal. If it is not there, it
// does not matter how much of it is.
func (c *chainer) literal(steps []step) (n int, text string) {
	for n < len(steps) && c.plain(steps[n]) && (c.Match || steps[n].end.Accept == nil) &&
		(item{steps[n].exit, 1, 1}).plain() &&
		(n == 0 || len(steps[n].edge.Set) == 0 && c.same(steps[0], steps[n])) {
		text += string(steps[n].exit[0])
		n++
	}
	return n, text
}

// noPrefix is the condition that the text does not continue with a literal.
func (c *chainer) noPrefix(text string) string {
	return "!" + c.function("HasPrefix") + "(" + c.text + "[i:], " + c.quoted(text) + ")"
}

// writeIndex writes the search for what a match begins with.
func (c *chainer) writeIndex(steps []step) int {
	s := steps[0]
	if len(s.rest) > 0 || s.optional || s.exit == nil || s.loop == nil || s.edge.Accept != nil {
		return 0
	}
	if !(item{s.exit, 1, 1}).plain() {
		return 0
	}
	n, text := 1, string(s.exit[0])
	if m, more := c.literal(steps[1:]); m > 0 && len(steps[1].edge.Set) == 0 {
		if _, end := c.actions(steps[1]); end == "continue" {
			n, text = n+m, text+more
		}
	}
	if len(text) == 1 {
		c.line("n := %s(%s[i:], %s)", c.function("IndexByte"), c.text, quoteRune(s.exit[0]))
	} else {
		c.line("n := %s(%s[i:], %s)", c.function("Index"), c.text, c.quoted(text))
	}
	c.open("if n < 0")
	c.line("%s", c.fail())
	c.close()
	c.line("i += n")
	c.assign(s.edge)
	if len(text) == 1 {
		c.line("i++")
	} else {
		c.line("i += len(%s)", strconv.Quote(text))
	}
	return n
}

// assign writes what an edge accepts and sets, and declares what it can.
func (c *chainer) assign(x automaton.Edge) {
	op := "="
	for _, s := range x.Set {
		if !c.declared[s.Reg] {
			op = ":="
		}
		c.declared[s.Reg] = true
	}
	for _, l := range c.enter(x, op) {
		c.line("%s", l)
	}
}

// step writes one step.
func (c *chainer) step(s step) {
	decode := s.exit != nil && !s.exit.Simple() && (s.optional || len(s.rest) > 0)
	for _, b := range s.rest {
		decode = decode || len(s.rest) > 1 && !b.set.Simple()
	}
	char := c.text + "[i]"
	if s.loop != nil {
		if s.loop.Simple() {
			c.open("for i < len(%s) && %s", c.text, operand(c.within(s.loop, char)))
			c.line("i++")
		} else {
			c.open("for i < len(%s)", c.text)
			c.line("c, size := %s(%s[i:])", c.decode(), c.text)
			c.open("if %s", c.without(s.loop, "c"))
			c.line("break")
			c.close()
			c.line("i += size")
		}
		c.close()
	}
	if decode {
		op, size := "=", "_"
		if s.exit != nil && !c.oneByte(s.exit) {
			size = "size"
		}
		if !c.decoded || size == "size" && !c.sized {
			op = ":="
		}
		c.decoded, c.sized = true, c.sized || size == "size"
		c.line("c, %s %s %s(%s[i:])", size, op, c.decode(), c.text)
		char = "c"
	}
	if s.optional {
		cond := "i < len(" + c.text + ")"
		if x := c.within(s.exit, char); x != "true" {
			cond += " && " + operand(x)
		}
		c.open("if %s", cond)
		c.assign(s.edge)
		sized := c.sized
		c.advance(s.exit, decode)
		c.sized = sized
		c.close()
		return
	}
	c.misfits(s, char)
	if s.exit == nil {
		return
	}
	c.assign(s.edge)
	c.advance(s.exit, decode)
}

// misfits writes what happens to runes that are not consumed, and at the end of the text.
func (c *chainer) misfits(s step, char string) {
	rest, end := c.actions(s)
	atEnd := "i == len(" + c.text + ")"
	switch {
	case s.exit == nil && c.uniform(s):
		c.line("%s", end)
	case s.exit == nil && c.Match && len(rest) == 1 && rest[0] != "continue":
		c.line("return i %s len(%s)", map[bool]string{true: "==", false: "<"}[end == "return true"], c.text)
	case s.exit == nil:
		c.open("if %s", atEnd)
		c.line("%s", end)
		c.close()
		for i, b := range s.rest {
			if i == len(s.rest)-1 {
				c.line("%s", rest[i])
				continue
			}
			c.open("if %s", c.within(b.set, char))
			c.line("%s", rest[i])
			c.close()
		}
	case len(rest) == 0:
		c.open("if %s", atEnd)
		c.line("%s", end)
		c.close()
	case c.uniform(s):
		c.open("if %s || %s", atEnd, c.without(s.exit, char))
		c.line("%s", end)
		c.close()
	default:
		c.open("if %s", atEnd)
		c.line("%s", end)
		c.close()
		for i, b := range s.rest {
			if len(s.rest) == 1 {
				c.open("if %s", c.without(s.exit, char))
			} else {
				c.open("if %s", c.within(b.set, char))
			}
			c.line("%s", rest[i])
			c.close()
		}
	}
}

// advance consumes a rune of a set.
func (c *chainer) advance(s automaton.Set, decoded bool) {
	switch {
	case c.oneByte(s):
		c.line("i++")
	case decoded:
		c.line("i += size")
	default:
		op := "="
		if !c.sized {
			op, c.sized = ":=", true
		}
		c.line("_, size %s %s(%s[i:])", op, c.decode(), c.text)
		c.line("i += size")
	}
}

// operand returns a condition as an operand of &&.
func operand(cond string) string {
	if strings.Contains(cond, " || ") && !strings.HasPrefix(cond, "!(") {
		return "(" + cond + ")"
	}
	return cond
}
