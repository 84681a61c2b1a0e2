package regexpcode

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// An automaton is a deterministic automaton that does what package regexp does for a pattern: it
// finds the leftmost match that the alternatives' order prefers, and the positions of its groups.
//
// It reads one rune at a time, with invalid UTF-8 as U+FFFD of width one. An edge is taken at the
// position of the rune that is read, before the rune is consumed: a match that the edge accepts
// ends there, and registers set to the position hold where that rune begins. So assertions such as
// \b and $ know both of their sides.
type automaton struct {
	classes []set // disjoint, and all runes together
	states  []state
	begin   [contexts]int // the first state, by what is before the position where the search begins
	slots   []int         // group positions that registers hold, as indexes of FindSubmatchIndex
	match   bool          // it only reports whether there is a match; no slots
	bytes   bool          // it may read bytes instead of runes: all of 0x80 and above are of one class
	always  []bool        // groups that are part of every match, by number
}

// A state has an edge for each class, and the last one for the end of the text.
type state struct{ next []edge }

// An edge leads to a state, or ends the search.
type edge struct {
	to     int // -1: stop
	accept *match
	set    []assign // at the same time, after a match is accepted
}

// A match is the values of the automaton's slots for a match that ends at the position.
type match struct{ slots []value }

// An assign sets a register.
type assign struct {
	reg  register
	from value
}

// A register holds a position of a slot for some of the ways that are tried at once. All are -1 at
// the beginning.
type register struct {
	slot int // index in automaton.slots
	n    int
}

// A value is the number of a register of the same slot, or one of the constants.
type value int

const (
	here value = -1 // the position
	none value = -2 // -1
)

// What is before a position, for assertions.
const (
	atBegin = iota
	afterNewline
	afterWord
	afterOther
	contexts
)

// Limits of automata, before they are minimized.
const (
	maxStates  = 400
	maxThreads = 80 // of one state
	maxClasses = 60
	maxProgram = 1200 // instructions
)

// A tooLarge is the reason why a pattern has no automaton.
type tooLarge struct{ what string }

func (e tooLarge) Error() string { return "the pattern needs " + e.what }

// A builder makes an automaton by the subset construction: a state is the ordered list of what the
// threads of regexp's simulation would be. The registers of a state have canonical numbers, so
// that there are finitely many states.
type builder struct {
	*automaton
	prog     *syntax.Prog
	anchored bool // a match begins at the beginning of the text
	lines    bool // (?m)^ is used
	words    bool // \b or \B is used
	kinds    []kind
	index    map[string]int
	threads  [][]thread
	infos    []info
	seen     []int // by instruction: the number of the step that visited it last
	steps    int
}

// A thread is a place in the program, and the registers of its slots.
type thread struct {
	pc   int
	regs []value
}

type info struct {
	context   int
	searching bool // no match yet, and one may begin at a later position
}

// A kind is what assertions need to know about a class.
type kind struct{ newline, word, end bool }

// build makes the automaton of a program. slots are those of the groups that are needed; without
// them, it only reports whether there is a match.
func build(prog *syntax.Prog, slots []int) (*automaton, error) {
	if len(prog.Inst) > maxProgram {
		return nil, tooLarge{fmt.Sprintf("%d instructions, more than %d", len(prog.Inst), maxProgram)}
	}
	b := &builder{
		automaton: &automaton{slots: slots, match: slots == nil},
		prog:      prog,
		index:     map[string]int{},
		seen:      make([]int, len(prog.Inst)),
	}
	cond := prog.StartCond()
	b.anchored = cond != ^syntax.EmptyOp(0) && cond&syntax.EmptyBeginText != 0
	for i := range prog.Inst {
		if x := &prog.Inst[i]; x.Op == syntax.InstEmptyWidth {
			b.lines = b.lines || syntax.EmptyOp(x.Arg)&syntax.EmptyBeginLine != 0
			b.words = b.words || syntax.EmptyOp(x.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
		}
	}
	if err := b.partition(); err != nil {
		return nil, err
	}
	for c := range contexts {
		b.begin[c] = b.state(nil, info{b.context(c), !b.anchored || c == atBegin})
	}
	for q := 0; q < len(b.states); q++ {
		if len(b.states) > maxStates {
			return nil, tooLarge{fmt.Sprintf("more than %d states", maxStates)}
		}
		next := make([]edge, len(b.kinds))
		for class := range next {
			next[class] = b.step(q, class)
		}
		b.states[q].next = next
		if len(b.threads[q]) > maxThreads {
			return nil, tooLarge{fmt.Sprintf("more than %d ways to be tried at once", maxThreads)}
		}
	}
	return b.automaton, nil
}

// context returns a context that assertions of the program tell apart.
func (b *builder) context(c int) int {
	if c == afterNewline && !b.lines || c == afterWord && !b.words {
		return afterOther
	}
	return c
}

// matches reports whether an instruction consumes a rune.
func matches(x *syntax.Inst, r rune) bool {
	switch x.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return x.MatchRune(r)
	default:
		return false
	}
}

// partition finds the classes: runes of a class are the same to all instructions.
func (b *builder) partition() error {
	bounds := []rune{0}
	cut := func(lo, hi rune) { bounds = append(bounds, lo, hi+1) }
	for i := range b.prog.Inst {
		x := &b.prog.Inst[i]
		switch x.Op {
		case syntax.InstRuneAnyNotNL:
			cut('\n', '\n')
		case syntax.InstRune, syntax.InstRune1:
			if len(x.Rune) == 1 {
				cut(x.Rune[0], x.Rune[0])
				for r := unicode.SimpleFold(x.Rune[0]); r != x.Rune[0]; r = unicode.SimpleFold(r) {
					cut(r, r)
				}
				continue
			}
			for j := 0; j < len(x.Rune); j += 2 {
				cut(x.Rune[j], x.Rune[j+1])
			}
		case syntax.InstEmptyWidth:
			cut('\n', '\n')
			if b.words {
				cut('0', '9')
				cut('A', 'Z')
				cut('_', '_')
				cut('a', 'z')
			}
		default:
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	byKey := map[string]int{}
	for i, lo := range bounds {
		if lo > unicode.MaxRune {
			break
		}
		hi := rune(unicode.MaxRune)
		if i+1 < len(bounds) {
			hi = bounds[i+1] - 1
		}
		k := kind{newline: lo == '\n', word: b.words && syntax.IsWordChar(lo)}
		key := fmt.Append(nil, k)
		for j := range b.prog.Inst {
			if matches(&b.prog.Inst[j], lo) {
				key = append(key, byte(j), byte(j>>8))
			}
		}
		class, ok := byKey[string(key)]
		if !ok {
			class = len(b.classes)
			byKey[string(key)] = class
			b.classes = append(b.classes, nil)
			b.kinds = append(b.kinds, k)
		}
		b.classes[class] = b.classes[class].add(lo, hi)
	}
	if len(b.classes) > maxClasses {
		return tooLarge{fmt.Sprintf("%d classes of characters, more than %d", len(b.classes), maxClasses)}
	}
	b.kinds = append(b.kinds, kind{end: true})
	return nil
}

// add adds a range that follows those of the set.
func (s set) add(lo, hi rune) set {
	if n := len(s); n > 0 && s[n-1] == lo-1 {
		s[n-1] = hi
		return s
	}
	return append(s, lo, hi)
}

// state returns the number of a state.
func (b *builder) state(threads []thread, in info) int {
	if b.match {
		// Only the set of places counts.
		slices.SortFunc(threads, func(x, y thread) int { return x.pc - y.pc })
	}
	key := []byte{byte(in.context)}
	if in.searching {
		key[0] |= 0x80
	}
	for _, t := range threads {
		key = append(key, byte(t.pc), byte(t.pc>>8))
		for _, r := range t.regs {
			key = append(key, byte(r))
		}
	}
	n, ok := b.index[string(key)]
	if !ok {
		n = len(b.states)
		b.index[string(key)] = n
		b.states = append(b.states, state{})
		b.threads = append(b.threads, threads)
		b.infos = append(b.infos, in)
	}
	return n
}

// holds returns the assertions that hold between a context and a class.
func (b *builder) holds(context int, next kind) syntax.EmptyOp {
	var op syntax.EmptyOp
	if context == atBegin {
		op |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if context == afterNewline {
		op |= syntax.EmptyBeginLine
	}
	if next.end {
		op |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	if next.newline {
		op |= syntax.EmptyEndLine
	}
	if (context == afterWord) != next.word {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

// A closure follows a state's threads through instructions that consume nothing.
type closure struct {
	*builder
	class   int
	ops     syntax.EmptyOp
	out     []thread
	outSeen map[int]bool
	accept  *match
}

// step returns the edge of a state for a class.
func (b *builder) step(q, class int) edge {
	in, next := b.infos[q], b.kinds[class]
	b.steps++
	c := &closure{builder: b, class: class, ops: b.holds(in.context, next), outSeen: map[int]bool{}}
	for _, t := range b.threads[q] {
		if c.accept == nil {
			c.follow(t.pc, t.regs)
		}
	}
	if in.searching && c.accept == nil {
		fresh := make([]value, len(b.slots))
		for i, slot := range b.slots {
			if fresh[i] = none; b.anchored {
				fresh[i] = 0 // registers are -1 at the beginning
			}
			if slot == 0 {
				fresh[i] = here
			}
		}
		c.follow(b.prog.Start, fresh)
	}
	after := info{context: b.context(afterOther), searching: in.searching && c.accept == nil && !b.anchored}
	switch {
	case next.newline:
		after.context = b.context(afterNewline)
	case next.word:
		after.context = b.context(afterWord)
	}
	e := edge{to: -1, accept: c.accept}
	if next.end || b.match && e.accept != nil || len(c.out) == 0 && !after.searching {
		return e
	}
	e.set = b.number(c.out)
	e.to = b.state(c.out, after)
	return e
}

// number gives registers their canonical numbers: those of a slot are numbered in the order of
// the threads. It returns what sets them.
func (b *builder) number(threads []thread) []assign {
	var set []assign
	for i := range b.slots {
		known := map[value]value{}
		for _, t := range threads {
			from := t.regs[i]
			n, ok := known[from]
			if !ok {
				n = value(len(known))
				known[from] = n
				if from != n {
					set = append(set, assign{register{i, int(n)}, from})
				}
			}
			t.regs[i] = n
		}
	}
	return set
}

// follow follows one thread, in the order of preference, until it has matched.
func (c *closure) follow(pc int, regs []value) {
	if c.seen[pc] == c.steps {
		return
	}
	c.seen[pc] = c.steps
	x := &c.prog.Inst[pc]
	switch x.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		c.follow(int(x.Out), regs)
		if c.accept == nil {
			c.follow(int(x.Arg), regs)
		}
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(x.Arg)&^c.ops == 0 {
			c.follow(int(x.Out), regs)
		}
	case syntax.InstNop:
		c.follow(int(x.Out), regs)
	case syntax.InstCapture:
		if i := slices.Index(c.slots, int(x.Arg)); i >= 0 {
			regs = slices.Clone(regs)
			regs[i] = here
		}
		c.follow(int(x.Out), regs)
	case syntax.InstMatch:
		c.accept = &match{slices.Clone(regs)}
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		if c.class == len(c.classes) || c.outSeen[int(x.Out)] || !matches(x, c.classes[c.class][0]) {
			return
		}
		c.outSeen[int(x.Out)] = true
		c.out = append(c.out, thread{int(x.Out), slices.Clone(regs)})
	case syntax.InstFail:
	}
}

// find returns the values of the automaton's slots and the end of the first match that begins at
// at or later, as the code does that is generated from the automaton.
func (a *automaton) find(s string, at int) (slots []int, end int, ok bool) {
	regs := map[register]int{}
	get := func(slot int, v value, pos int) int {
		switch v {
		case here:
			return pos
		case none:
			return -1
		}
		if pos, ok := regs[register{slot, int(v)}]; ok {
			return pos
		}
		return -1
	}
	q := a.begin[contextOf(s, at)]
	for i := at; q >= 0; {
		class, size := a.class(s[i:])
		e := a.states[q].next[class]
		if e.accept != nil {
			slots, end, ok = make([]int, len(a.slots)), i, true
			for j, v := range e.accept.slots {
				slots[j] = get(j, v, i)
			}
		}
		vals := make([]int, len(e.set))
		for j, s := range e.set {
			vals[j] = get(s.reg.slot, s.from, i)
		}
		for j, s := range e.set {
			regs[s.reg] = vals[j]
		}
		q = e.to
		i += size
	}
	return slots, end, ok
}

// contextOf returns what is before a position.
func contextOf(s string, at int) int {
	switch {
	case at == 0:
		return atBegin
	case s[at-1] == '\n':
		return afterNewline
	case syntax.IsWordChar(rune(s[at-1])):
		return afterWord
	}
	return afterOther
}

// class returns the class of what a text begins with, and its width.
func (a *automaton) class(s string) (class, size int) {
	if s == "" {
		return len(a.classes), 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if a.bytes && r >= utf8.RuneSelf {
		size = 1
		r = unicode.MaxRune // the class of all bytes that are not ASCII
	}
	for i, c := range a.classes {
		if c.contains(r) {
			return i, size
		}
	}
	panic("classes do not cover all runes")
}

func (s set) contains(r rune) bool {
	for i := 0; i < len(s); i += 2 {
		if s[i] <= r && r <= s[i+1] {
			return true
		}
	}
	return false
}
