package automaton

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// An Automaton is a deterministic automaton that does what package regexp does for a pattern: it
// finds the leftmost match that the alternatives' order prefers, and the positions of its groups.
//
// It reads one rune at a time, with invalid UTF-8 as U+FFFD of width one. An edge is taken at the
// position of the rune that is read, before the rune is consumed: a match that the edge accepts
// ends there, and registers set to the position hold where that rune begins. So assertions such as
// \b and $ know both of their sides.
type Automaton struct {
	Classes []Set // disjoint, and all runes together
	States  []State
	Begin   [contexts]int // the first state, by what is before the position where the search begins
	Slots   []int         // group positions that registers hold, as indexes of FindSubmatchIndex
	Match   bool          // it only reports whether there is a match; no slots
	Bytes   bool          // it may read bytes instead of runes: all of 0x80 and above are of one class
	Prefix  string        // what each match begins with
}

// A State has an edge for each class, and the last one for the end of the text.
type State struct{ Next []Edge }

// An Edge leads to a state, or ends the search.
type Edge struct {
	To     int // -1: stop
	Accept *Match
	Set    []Assign // at the same time, after a match is accepted
}

// A Match is the values of the automaton's slots for a match that ends at the position.
type Match struct{ Slots []Value }

// An Assign sets a register.
type Assign struct {
	Reg  Register
	From Value
}

// A Register holds a position of a slot for some of the ways that are tried at once. All are -1 at
// the beginning.
type Register struct {
	Slot int // index in Automaton.Slots
	N    int
}

// A Value is the number of a register of the same slot, or one of the constants.
type Value int

// Values that are not in a register.
const (
	Here Value = -1 // the position
	None Value = -2 // -1
)

// What is before a position, for assertions.
const (
	AtBegin = iota
	AfterNewline
	AfterWord
	AfterOther
	contexts
)

// Limits of automata, before they are minimized.
const (
	maxStates  = 400
	maxThreads = 80 // of one state
	maxClasses = 60
	maxProgram = 1200 // instructions
)

// A builder makes an automaton by the subset construction: a state is the ordered list of what the
// threads of regexp's simulation would be. The registers of a state have canonical numbers, so
// that there are finitely many states.
type builder struct {
	*Automaton
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
	regs []Value
}

type info struct {
	context   int
	searching bool // no match yet, and one may begin at a later position
}

// A kind is what assertions need to know about a class.
type kind struct{ newline, word, end bool }

// Build makes the automaton of a program. slots are those of the groups that are needed; without
// them, it only reports whether there is a match.
func Build(prog *syntax.Prog, slots []int) (*Automaton, error) {
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("the pattern needs %d instructions, more than %d", len(prog.Inst), maxProgram)
	}
	b := &builder{
		Automaton: &Automaton{Slots: slots, Match: slots == nil},
		prog:      prog,
		index:     map[string]int{},
		seen:      make([]int, len(prog.Inst)),
	}
	b.Prefix, _ = prog.Prefix()
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
		b.Begin[c] = b.state(nil, info{b.context(c), !b.anchored || c == AtBegin})
	}
	for q := 0; q < len(b.States); q++ {
		if len(b.States) > maxStates {
			return nil, fmt.Errorf("the pattern needs more than %d states", maxStates)
		}
		next := make([]Edge, len(b.kinds))
		for class := range next {
			next[class] = b.step(q, class)
		}
		b.States[q].Next = next
		if len(b.threads[q]) > maxThreads {
			return nil, fmt.Errorf("the pattern needs more than %d ways to be tried at once", maxThreads)
		}
	}
	return b.Automaton, nil
}

// context returns a context that assertions of the program tell apart.
func (b *builder) context(c int) int {
	if c == AfterNewline && !b.lines || c == AfterWord && !b.words {
		return AfterOther
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
			class = len(b.Classes)
			byKey[string(key)] = class
			b.Classes = append(b.Classes, nil)
			b.kinds = append(b.kinds, k)
		}
		b.Classes[class] = b.Classes[class].add(lo, hi)
	}
	if len(b.Classes) > maxClasses {
		return fmt.Errorf("the pattern needs %d classes of characters, more than %d", len(b.Classes), maxClasses)
	}
	b.kinds = append(b.kinds, kind{end: true})
	return nil
}

// state returns the number of a state.
func (b *builder) state(threads []thread, in info) int {
	if b.Match {
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
		n = len(b.States)
		b.index[string(key)] = n
		b.States = append(b.States, State{})
		b.threads = append(b.threads, threads)
		b.infos = append(b.infos, in)
	}
	return n
}

// holds returns the assertions that hold between a context and a class.
func (b *builder) holds(context int, next kind) syntax.EmptyOp {
	var op syntax.EmptyOp
	if context == AtBegin {
		op |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if context == AfterNewline {
		op |= syntax.EmptyBeginLine
	}
	if next.end {
		op |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	if next.newline {
		op |= syntax.EmptyEndLine
	}
	if (context == AfterWord) != next.word {
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
	accept  *Match
}

// step returns the edge of a state for a class.
func (b *builder) step(q, class int) Edge {
	in, next := b.infos[q], b.kinds[class]
	b.steps++
	c := &closure{builder: b, class: class, ops: b.holds(in.context, next), outSeen: map[int]bool{}}
	for _, t := range b.threads[q] {
		if c.accept == nil {
			c.follow(t.pc, t.regs)
		}
	}
	if in.searching && c.accept == nil {
		fresh := make([]Value, len(b.Slots))
		for i, slot := range b.Slots {
			if fresh[i] = None; b.anchored {
				fresh[i] = 0 // registers are -1 at the beginning
			}
			if slot == 0 {
				fresh[i] = Here
			}
		}
		c.follow(b.prog.Start, fresh)
	}
	after := info{context: b.context(AfterOther), searching: in.searching && c.accept == nil && !b.anchored}
	switch {
	case next.newline:
		after.context = b.context(AfterNewline)
	case next.word:
		after.context = b.context(AfterWord)
	}
	e := Edge{To: -1, Accept: c.accept}
	if next.end || b.Match && e.Accept != nil || len(c.out) == 0 && !after.searching {
		return e
	}
	e.Set = b.number(c.out)
	e.To = b.state(c.out, after)
	return e
}

// number gives registers their canonical numbers: those of a slot are numbered in the order of
// the threads. It returns what sets them.
func (b *builder) number(threads []thread) []Assign {
	var set []Assign
	for i := range b.Slots {
		known := map[Value]Value{}
		for _, t := range threads {
			from := t.regs[i]
			n, ok := known[from]
			if !ok {
				n = Value(len(known))
				known[from] = n
				if from != n {
					set = append(set, Assign{Register{i, int(n)}, from})
				}
			}
			t.regs[i] = n
		}
	}
	return set
}

// follow follows one thread, in the order of preference, until it has matched.
func (c *closure) follow(pc int, regs []Value) {
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
		if i := slices.Index(c.Slots, int(x.Arg)); i >= 0 {
			regs = slices.Clone(regs)
			regs[i] = Here
		}
		c.follow(int(x.Out), regs)
	case syntax.InstMatch:
		c.accept = &Match{slices.Clone(regs)}
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		if c.class == len(c.Classes) || c.outSeen[int(x.Out)] || !matches(x, c.Classes[c.class][0]) {
			return
		}
		c.outSeen[int(x.Out)] = true
		c.out = append(c.out, thread{int(x.Out), slices.Clone(regs)})
	case syntax.InstFail:
	}
}

// Find returns the values of the automaton's slots and the end of the first match that begins at
// at or later, as the code does that is generated from the automaton.
func (a *Automaton) Find(s string, at int) (slots []int, end int, ok bool) {
	regs := map[Register]int{}
	get := func(slot int, v Value, pos int) int {
		switch v {
		case Here:
			return pos
		case None:
			return -1
		}
		if pos, ok := regs[Register{slot, int(v)}]; ok {
			return pos
		}
		return -1
	}
	q := a.Begin[contextOf(s, at)]
	for i := at; q >= 0; {
		class, size := a.Class(s[i:])
		e := a.States[q].Next[class]
		if e.Accept != nil {
			slots, end, ok = make([]int, len(a.Slots)), i, true
			for j, v := range e.Accept.Slots {
				slots[j] = get(j, v, i)
			}
		}
		vals := make([]int, len(e.Set))
		for j, s := range e.Set {
			vals[j] = get(s.Reg.Slot, s.From, i)
		}
		for j, s := range e.Set {
			regs[s.Reg] = vals[j]
		}
		q = e.To
		i += size
	}
	return slots, end, ok
}

// contextOf returns what is before a position.
func contextOf(s string, at int) int {
	switch {
	case at == 0:
		return AtBegin
	case s[at-1] == '\n':
		return AfterNewline
	case syntax.IsWordChar(rune(s[at-1])):
		return AfterWord
	}
	return AfterOther
}

// Class returns the class of what a text begins with, and its width.
func (a *Automaton) Class(s string) (class, size int) {
	if s == "" {
		return len(a.Classes), 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if a.Bytes && r >= utf8.RuneSelf {
		size = 1
		r = unicode.MaxRune // the class of all bytes that are not ASCII
	}
	for i, c := range a.Classes {
		if c.Contains(r) {
			return i, size
		}
	}
	panic("classes do not cover all runes")
}
