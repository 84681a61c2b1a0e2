package regexpcode

import (
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// A Use is a call of a method of a compiled pattern.
type Use struct {
	Method string // of regexp.Regexp: "MatchString"
	// Template is the constant replacement of ReplaceAllString or ReplaceAll; nil if it is not
	// known. Other methods ignore it.
	Template *string
	// Limit is set if the maximum number of matches, an argument of FindAll and Split, may not be
	// negative.
	Limit bool
}

// Options name what is declared.
type Options struct {
	// Name is the name of the function that takes the place of the pattern, or a part of the
	// functions' names if there are several.
	Name string
	// Fresh returns an unused name that begins with base.
	Fresh func(base string) string
	// Table is the name of a variable that becomes a table of bytes if one is all that is needed; ""
	// if there is none.
	Table string
}

// A Strategy is the form of the code.
type Strategy int

// Strategies, the simplest first.
const (
	Sequence Strategy = iota // comparisons, one after the other
	Loop                     // a loop over the characters of a class
	Chain                    // loops and comparisons that consume the text from left to right
	Machine                  // a switch of the state, in a loop over the text
	Table                    // a loop that looks up the state in a table
)

// String returns the name of a strategy, such as "chain".
func (s Strategy) String() string {
	return []string{"sequence", "loop", "chain", "machine", "table"}[s]
}

// Code is declarations that do what some methods of a pattern do.
type Code struct {
	Text     string   // gofmt-ed declarations; begins with a comment
	Imports  []string // paths of packages that the text uses by their names
	Strategy Strategy
	Calls    []Call // in the order of the uses
	Table    string // the value of the variable Options.Table; "" if it is not a table
}

// A Call is what a call of a method becomes.
type Call struct {
	Func string
	// Args is the number of the method's arguments that are passed to the function, from the first
	// one.
	Args int
}

// Limits of what is written: longer code is less readable than the pattern.
const (
	maxLines     = 160 // of a function that searches
	maxSwitch    = 28  // states of a switch
	maxTable     = 64  // states of a table
	maxEntries   = 1024
	maxRegisters = 16 // other than the groups' own
)

// Compile returns Go code that does what methods of a pattern do. The error says in one sentence
// why there is none: the pattern is invalid, or the code would be too long or is not supported.
func Compile(pattern string, uses []Use, opts Options) (*Code, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if len(uses) == 0 {
		return nil, errors.New("no method is called")
	}
	p := &plan{pattern: pattern, re: re, parsed: parsed, opts: opts, uses: uses}
	return p.compile()
}

// A plan is what Compile works with.
type plan struct {
	pattern string
	re      *regexp.Regexp
	parsed  *syntax.Regexp // not simplified
	opts    Options
	uses    []Use
	groups  []string // variables of named groups
	text    strings.Builder
	core    string // the function that searches
	table   string // the value of Options.Table
	imports map[string]bool
	tables  *tables
	funcs   map[string]string // names, by key of the use
	used    Strategy
}

func (p *plan) compile() (*Code, error) {
	methods := make([]method, len(p.uses))
	for i, u := range p.uses {
		methods[i] = methodOf(u.Method)
		switch {
		case methods[i].kind == unsupported:
			return nil, errors.New("the method " + u.Method + " is not supported")
		case methods[i].kind == replaceTemplate && u.Template == nil:
			return nil, errors.New("the replacement is not constant, so $ may refer to groups")
		case methods[i].kind == splitText && u.Limit && minWidth(p.parsed) == 0:
			return nil, errors.New("the pattern matches the empty text, and Split has a limit")
		case methods[i].kind == splitText && p.pattern == "":
			return nil, errors.New("the pattern is empty")
		}
	}
	p.uses = slices.Clone(p.uses)
	for i := range p.uses {
		// One function is enough for calls with and without a limit.
		p.uses[i].Limit = slices.ContainsFunc(p.uses, func(u Use) bool { return u.Limit && u.Method == p.uses[i].Method })
	}
	p.imports = map[string]bool{}
	p.tables = &tables{fresh: func() string { return p.opts.Fresh(p.opts.Name + "Bytes") }}
	p.nameGroups()
	p.name()
	if len(p.distinct()) == 1 && methods[0] == (method{kind: matchOnly}) {
		if code, ok := p.sequence(); ok {
			return code, nil
		}
	}
	if code, ok := p.loop(methods); ok {
		return code, nil
	}
	// The functions of strings and those of bytes have their own searches.
	for _, isBytes := range []bool{false, true} {
		if err := p.search(methods, isBytes); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

// sequence returns the code of a function that only matches, if the pattern is simple enough.
func (p *plan) sequence() (*Code, bool) {
	s, ok := Parse(p.pattern)
	if !ok {
		return nil, false
	}
	if s, ok = s.Matcher(); !ok {
		return nil, false
	}
	c := matchCode(p.opts.Name, func() string { return p.opts.Fresh(p.opts.Name + "Rest") }, s, p.tables)
	p.text.WriteString(c.text)
	p.tables.decls = ""
	for _, path := range c.imports {
		p.imports[path] = true
	}
	p.used = Sequence
	code, err := p.finish()
	return code, err == nil
}

// loop returns the code of a function that replaces the runes of a class, or runs of them.
func (p *plan) loop(methods []method) (*Code, bool) {
	s, ok := Parse(p.pattern)
	if !ok || len(p.distinct()) != 1 || methods[0].bytes ||
		p.key(p.uses[0]) != p.key(Use{Method: "ReplaceAllLiteralString"}) {
		return nil, false
	}
	one, run, ok := s.replaced()
	if !ok {
		return nil, false
	}
	name := p.opts.Name
	if p.opts.Table != "" && tabled(one) && !strings.Contains(Locals(), " "+p.opts.Table+" ") {
		p.tables.made = map[string]string{string(one): p.opts.Table}
		p.table = tableValue(one)
		name = p.opts.Fresh("replace" + upper(name))
		p.funcs[p.key(p.uses[0])] = name
	}
	c := replaceCode(name, s, one, run, p.tables)
	p.text.WriteString(c.text)
	p.tables.decls = ""
	for _, path := range c.imports {
		p.imports[path] = true
	}
	p.used = Loop
	code, err := p.finish()
	return code, err == nil
}

// key identifies the function of a use.
func (p *plan) key(u Use) string {
	m := methodOf(u.Method)
	if m.kind == replaceTemplate && !strings.Contains(*u.Template, "$") {
		m.kind = replaceLiteral // one replacement is as good as another
	}
	key := fmt.Sprint(m, u.Limit)
	if m.kind == replaceTemplate {
		key += *u.Template
	}
	return key
}

// distinct returns one use for each function that is needed.
func (p *plan) distinct() []Use {
	seen := map[string]bool{}
	var list []Use
	for _, u := range p.uses {
		if key := p.key(u); !seen[key] {
			seen[key] = true
			list = append(list, u)
		}
	}
	return list
}

// nameGroups chooses variables for groups that have names.
func (p *plan) nameGroups() {
	p.groups = slices.Clone(p.re.SubexpNames())
	for i, name := range p.groups {
		if !token.IsIdentifier(name) || strings.HasPrefix(name, "group") ||
			strings.ToLower(name) != name || strings.Contains(name, "_") ||
			types.Universe.Lookup(name) != nil || strings.Contains(Locals(), " "+name+" ") ||
			slices.Contains([]string{"strings", "bytes", "utf8", "begin", "search"}, name) {
			p.groups[i] = ""
		}
	}
}

// Locals returns the names of variables in the code, each between blanks: declarations of these
// names are not visible in it.
func Locals() string {
	return " s b c i n at f start end loc ok all last size done out with parts tail none m state begin search "
}

// search writes the function that searches for the methods of strings, or those of bytes, and
// their functions.
func (p *plan) search(methods []method, isBytes bool) error {
	slots := []int(nil)
	from, needed := false, false
	var pieces [][]piece
	for i, m := range methods {
		var list []piece
		if m.kind == replaceTemplate && strings.Contains(*p.uses[i].Template, "$") {
			if list = expand(*p.uses[i].Template, p.re.SubexpNames()); list == nil {
				list = []piece{}
			}
		}
		pieces = append(pieces, list)
		if m.bytes != isBytes {
			continue
		}
		needed = true
		from = from || m.all
		if m.kind != matchOnly {
			slots = append(slots, 0)
		}
		if m.kind == findGroups || m.kind == findGroupsIndex {
			for g := 2; g < 2*p.re.NumSubexp()+2; g++ {
				slots = append(slots, g)
			}
		}
		for _, x := range list {
			if x.group > 0 {
				slots = append(slots, 2*x.group, 2*x.group+1)
			}
		}
	}
	if !needed {
		return nil
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)
	if isBytes {
		p.text.WriteByte('\n')
	}
	e, err := p.emitter(slots)
	if err != nil {
		return err
	}
	e.from = from
	if e.text = "s"; isBytes {
		e.text = "b"
	}
	if err := p.emit(e); err != nil {
		return err
	}
	core := p.core
	if e.Match {
		p.text.WriteString(core)
		return nil
	}
	written := map[string]bool{}
	for i, m := range methods {
		key := p.key(p.uses[i])
		if m.bytes != isBytes || written[key] {
			continue
		}
		written[key] = true
		w := &wrapper{
			emitter: e, use: p.uses[i], method: m, pattern: Quote(p.pattern),
			empty: minWidth(p.parsed) == 0, always: always(p.parsed, p.re.NumSubexp()), pieces: pieces[i],
		}
		e.b.Reset()
		w.write(p.funcs[key])
		p.text.WriteString("\n" + e.b.String())
	}
	p.text.WriteString(core)
	return nil
}

// emitter returns the emitter of a pattern's automaton for some slots; none if it only matches.
func (p *plan) emitter(slots []int) (*emitter, error) {
	a, err := automatonOf(p.parsed, slots)
	if err != nil {
		return nil, err
	}
	e := &emitter{Automaton: a, groups: p.groups, tables: p.tables, imports: p.imports}
	if !slices.ContainsFunc(a.Begin[:], func(q int) bool { return q >= 0 }) {
		return nil, errors.New("the pattern matches no text")
	}
	extra := 0
	regs, _ := e.registers()
	for _, r := range regs {
		if r.N > 0 {
			extra++
		}
	}
	if extra > maxRegisters {
		return nil, fmt.Errorf(
			"the pattern needs %d positions of groups that are not certain yet, more than %d", extra, maxRegisters)
	}
	a.Edges(func(x *automaton.Edge) { e.recorded = e.recorded || x.Accept != nil && x.To >= 0 })
	return e, nil
}

// automatonOf returns the smallest automaton of a pattern that is known to be valid.
func automatonOf(parsed *syntax.Regexp, slots []int) (*automaton.Automaton, error) {
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if cond := prog.StartCond(); slots != nil && cond != ^syntax.EmptyOp(0) && cond&syntax.EmptyBeginText != 0 {
		// The match begins at 0.
		slots = append([]int{}, slots[1:]...)
	}
	a, err := automaton.Build(prog, slots)
	if err != nil {
		return nil, err
	}
	a.Reduce()
	return a, nil
}

// name chooses the names of the functions that take the place of methods.
func (p *plan) name() {
	p.funcs = map[string]string{}
	list := p.distinct()
	for _, u := range list {
		name := p.opts.Name
		if len(list) > 1 {
			m := methodOf(u.Method)
			name = m.verb() + upper(p.opts.Name)
			if m.bytes {
				name += "Bytes"
			}
			name = p.opts.Fresh(name)
		}
		p.funcs[p.key(u)] = name
	}
}

// emit writes the function that searches, in the simplest form that is short enough.
func (p *plan) emit(e *emitter) error {
	e.name = p.opts.Name + "Index"
	if e.isBytes() {
		e.name = p.opts.Name + "BytesIndex"
	}
	if e.Match {
		e.name = p.funcs[p.key(Use{Method: map[bool]string{false: "MatchString", true: "Match"}[e.isBytes()]})]
	} else {
		e.name = p.opts.Fresh(e.name)
	}
	steps, searches, isChain := e.chain()
	lines := 0
	for _, s := range []Strategy{Chain, Machine, Table} {
		e.b.Reset()
		e.tables.decls, e.tables.made, e.tables.widest = "", nil, 0
		e.imports = map[string]bool{}
		switch {
		case s == Chain && isChain:
			e.writeChain(steps, searches)
		case s == Machine && len(e.States) <= maxSwitch:
			e.writeMachine()
		case s == Table && e.Match && e.Bytes && len(e.States) <= maxTable &&
			len(e.States)*(len(e.Classes)+1) <= maxEntries:
			e.writeTable(p.opts.Fresh)
		default:
			continue
		}
		if e.tables.widest > maxRanges {
			return fmt.Errorf("the pattern needs a class of %d ranges of characters, more than %d", e.tables.widest, maxRanges)
		}
		if n := strings.Count(e.b.String(), "\n"); n > maxLines {
			if lines == 0 || n < lines {
				lines = n
			}
			continue
		}
		body := e.b.String()
		p.core = p.comment(e) + "func " + e.name + e.signature() + " {\n" + body + "}\n" + e.tables.decls
		e.tables.decls, e.tables.made = "", nil
		maps.Copy(p.imports, e.imports)
		e.imports = p.imports
		p.used = max(p.used, s)
		return nil
	}
	if lines > maxLines {
		return fmt.Errorf("the pattern needs %d lines, more than %d", lines, maxLines)
	}
	return fmt.Errorf("the pattern needs %d states, more than %d", len(e.States), maxSwitch)
}

// comment is the comment of the function that searches.
func (p *plan) comment(e *emitter) string {
	pattern := Quote(p.pattern)
	whole := e.Begin[automaton.AfterOther] < 0
	switch {
	case e.Match && whole:
		return fmt.Sprintf("\n// %s reports whether %s matches %s.\n", e.name, e.text, pattern)
	case e.Match:
		return fmt.Sprintf("\n// %s reports whether %s contains a match of %s.\n", e.name, e.text, pattern)
	}
	text := fmt.Sprintf("// %s returns where the first match of %s in %s", e.name, pattern, e.text)
	if e.from {
		text += " begins and ends, from position at on"
	} else {
		text += " begins and ends"
	}
	if len(e.positions()) == 2 {
		return "\n" + text + "; -1 if there is none.\n"
	}
	return "\n" + text + ",\n// and its groups; -1 for groups that are not part of it.\n"
}

// finish returns the code.
func (p *plan) finish() (*Code, error) {
	text, err := format.Source([]byte(strings.TrimLeft(p.text.String(), "\n")))
	if err != nil {
		return nil, fmt.Errorf("format generated code: %w", err)
	}
	code := &Code{Text: string(text), Imports: slices.Sorted(maps.Keys(p.imports)), Strategy: p.used, Table: p.table}
	for _, u := range p.uses {
		call := Call{Func: p.funcs[p.key(u)], Args: 1}
		switch m := methodOf(u.Method); {
		case m.kind == replaceLiteral, m.kind == replaceFunc, u.Limit:
			call.Args = 2
		case m.kind == replaceTemplate && !strings.Contains(*u.Template, "$"):
			call.Args = 2
		}
		code.Calls = append(code.Calls, call)
	}
	return code, nil
}

// minWidth returns 0 if a pattern may match the empty text, and 1 if not.
func minWidth(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return 1
	case syntax.OpPlus, syntax.OpCapture:
		return minWidth(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min == 0 {
			return 0
		}
		return minWidth(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, minWidth(sub))
		}
		return n
	case syntax.OpAlternate:
		n := 1
		for _, sub := range re.Sub {
			n = min(n, minWidth(sub))
		}
		return n
	default:
		return 0
	}
}

// always returns which groups are part of every match, by number.
func always(re *syntax.Regexp, groups int) []bool {
	in := make([]bool, groups+1)
	in[0] = true
	var walk func(re *syntax.Regexp)
	walk = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpCapture:
			in[re.Cap] = true
		case syntax.OpConcat, syntax.OpPlus:
		case syntax.OpRepeat:
			if re.Min == 0 {
				return
			}
		default:
			return
		}
		for _, sub := range re.Sub {
			walk(sub)
		}
	}
	walk(re)
	return in
}
