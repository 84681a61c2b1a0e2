package listing

import (
	"cmp"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
)

// ErrNoMatch means that a regular expression matches no function with cost.
var ErrNoMatch = errors.New("no function with cost matches")

// A SourceFunc returns the lines of a file, named as in the profile, and where it was found.
type SourceFunc func(file string) (lines []string, where string, err error)

// ListOptions configure List.
type ListOptions struct {
	// Match selects functions by name, as in go tool pprof -list.
	Match *regexp.Regexp

	// Source returns the text of files; nil means no text.
	Source SourceFunc

	// Context, when positive or zero, keeps only that many lines around each line with cost;
	// negative shows from a function's first line to a few lines after the last one with cost.
	Context int
}

// A ListFunction is one function in one file.
type ListFunction struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	// Flat and Cum are those of the function, as in whet top: a sample counts once even if the
	// function is on its stack several times. (go tool pprof -list prints the sum of the lines'
	// Cum, which counts recursion twice.)
	Flat int64 `json:"flat"`
	Cum  int64 `json:"cum"`
	// Source is where the text was found. If it is empty, NoSource explains why, and Lines has only
	// the lines with cost.
	Source   string `json:"source,omitempty"`
	NoSource string `json:"no_source,omitempty"`
	// Stale means that the text is not what was compiled: the function does not start at the line
	// in the profile. (Not every stale text is detected.)
	Stale bool       `json:"stale,omitempty"`
	Lines []ListLine `json:"lines"`
}

// A ListLine is one line of source. Flat and Cum are those of go tool pprof -list: a sample counts
// once per line.
type ListLine struct {
	Line    int          `json:"line"` // 0 if the profile does not have the line
	Flat    int64        `json:"flat"`
	Cum     int64        `json:"cum"`
	Text    string       `json:"text"`
	Gap     bool         `json:"gap,omitempty"`     // lines before this one are left out
	Calls   []ListCall   `json:"calls,omitempty"`   // what it called, heaviest first
	Inlined []ListInline `json:"inlined,omitempty"` // what is inlined into it, heaviest first
}

// A ListCall is a function called from a line. A sample counts once.
type ListCall struct {
	Function string `json:"function"`
	Cum      int64  `json:"cum"`

	// Injected marks a call that the line does not contain: the goroutine was preempted there.
	// (Flat does not include it, as in go tool pprof.)
	Injected bool `json:"injected,omitempty"`
}

// A ListInline is a line of a function that the compiler inlined into the line above it.
type ListInline struct {
	Function string       `json:"function"`
	File     string       `json:"file,omitempty"`
	Line     int          `json:"line"`
	Text     string       `json:"text,omitempty"`
	Flat     int64        `json:"flat"`
	Cum      int64        `json:"cum"`
	Calls    []ListCall   `json:"calls,omitempty"`
	Inlined  []ListInline `json:"inlined,omitempty"`
}

// List annotates the source of the matching functions, heaviest first. The view must be bound by
// line. It returns ErrNoMatch if no function with cost matches.
func List(v *profile.View, opt ListOptions) ([]ListFunction, error) {
	l := &lister{
		v: v, opt: opt,
		sites: make([]*listSite, v.NumNodes()),
		names: make([]uint32, v.NumNodes()),
		ids:   make(map[string]uint32),
		texts: make(map[string]*listText), places: make(map[profile.Node]uint32),
	}
	if !l.choose() {
		return nil, ErrNoMatch
	}
	l.charge()
	var functions []ListFunction
	starts := startLines(v.Profile())
	for _, f := range l.functions {
		functions = append(functions, l.report(f, starts[functionKey{f.name, f.file}]))
	}
	slices.SortStableFunc(functions, func(a, b ListFunction) int {
		return cmp.Or(cmp.Compare(abs(b.Cum), abs(a.Cum)), cmp.Compare(abs(b.Flat), abs(a.Flat)),
			strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File))
	})
	return functions, nil
}

// A lister gathers the cost of matching functions in one pass over the stacks.
type lister struct {
	v         *profile.View
	opt       ListOptions
	functions []*listFunction
	sites     []*listSite // by node id; nil for nodes that do not match
	names     []uint32    // by node id: 1 + index of its function name in nameOf, 0 not looked up yet
	nameOf    []string
	ids       map[string]uint32 // inverse of names
	texts     map[string]*listText
	places    map[profile.Node]uint32 // of inlined generic code
	inlines   int                     // listSites of inlined places
}

// maxInlines bounds the inlined lines that a list shows below the lines that contain them; other
// inlined lines only count in Cum.
const maxInlines = 200_000

type functionKey struct{ name, file string }

type listFunction struct {
	name, file string
	flat, cum  int64
	seen       int // last sample counted in cum
	sites      []*listSite
	byLine     map[int]*listSite
}

// A listSite is a line with cost: of a matching function, or inlined into one, directly or not.
type listSite struct {
	node      profile.Node
	function  *listFunction // nil for inlined places
	flat, cum int64
	seen      int
	calls     map[uint32]*listCallee // by function name
	inlined   map[uint32]*listSite   // by node id
}

type listCallee struct {
	cum  int64
	seen int
}

// choose creates a site for each node whose function matches and reports whether there is any.
func (l *lister) choose() bool {
	byKey := make(map[functionKey]*listFunction)
	for _, n := range l.v.Nodes(true) {
		name := profile.Generic(n.Name)
		if n.Name == "" || !l.opt.Match.MatchString(n.Name) && !l.opt.Match.MatchString(name) {
			continue
		}
		// All instantiations of a generic function have the same source.
		key := functionKey{name, n.File}
		f := byKey[key]
		if f == nil {
			f = &listFunction{name: name, file: n.File, byLine: make(map[int]*listSite)}
			byKey[key] = f
			l.functions = append(l.functions, f)
		}
		s := f.byLine[n.Line]
		if s == nil {
			s = &listSite{node: n.Node, function: f}
			f.byLine[n.Line] = s
			f.sites = append(f.sites, s)
		}
		s.flat += n.Flat
		f.flat += n.Flat
		l.sites[n.ID] = s
	}
	return len(l.functions) > 0
}

// charge makes one pass over the stacks. Samples are numbered from 1, so that the zero value of
// seen means never.
func (l *lister) charge() {
	sample := 0
	for s := range l.v.Stacks() {
		sample++
		for i, id := range s.Nodes {
			site := l.sites[id]
			if site == nil {
				continue
			}
			if f := site.function; f.seen != sample {
				f.seen = sample
				f.cum += s.Value
			}
			if site.seen != sample {
				site.seen = sample
				site.cum += s.Value
			}
			l.below(site, s, i, sample)
		}
	}
}

// below charges what frame i of s leads to: the frames inlined into it, then the call that the
// innermost of them makes.
func (l *lister) below(site *listSite, s profile.Stack, i, sample int) {
	for i--; i >= 0; i-- {
		id := s.Nodes[i]
		if s.Locs[i] != s.Locs[i+1] || s.Lines[i] >= s.Lines[i+1] {
			name := l.name(id)
			c := site.calls[name]
			if c == nil {
				c = new(listCallee)
				if site.calls == nil {
					site.calls = make(map[uint32]*listCallee)
				}
				site.calls[name] = c
			}
			if c.seen != sample {
				c.seen = sample
				c.cum += s.Value
			}
			return
		}
		id = l.place(id)
		in := site.inlined[id]
		if in == nil {
			// Each line of an inlined function has the lines inlined into it below it.
			if l.inlines++; l.inlines > maxInlines {
				return
			}
			in = &listSite{node: l.v.Node(id)}
			in.node.Name = profile.Generic(in.node.Name)
			if site.inlined == nil {
				site.inlined = make(map[uint32]*listSite)
			}
			site.inlined[id] = in
		}
		if in.seen != sample {
			in.seen = sample
			in.cum += s.Value
		}
		if i == 0 {
			in.flat += s.Value
		}
		site = in
	}
}

// place returns the node that represents all nodes that differ only in the type arguments of their
// function.
func (l *lister) place(id uint32) uint32 {
	n := l.v.Node(id)
	if !strings.Contains(n.Name, "[") {
		return id
	}
	n.Name = profile.Generic(n.Name)
	if first, ok := l.places[n]; ok {
		return first
	}
	l.places[n] = id
	return id
}

// name numbers the function name of a node.
func (l *lister) name(id uint32) uint32 {
	if l.names[id] == 0 {
		n := l.v.Node(id)
		name := n.Name
		if name == "" {
			name = nodes.FrameName(n)
		}
		name = profile.Generic(name)
		num, ok := l.ids[name]
		if !ok {
			l.nameOf = append(l.nameOf, name)
			num = uint32(len(l.nameOf))
			l.ids[name] = num
		}
		l.names[id] = num
	}
	return l.names[id]
}

// report lays out one function; start is its first line, 0 if unknown.
func (l *lister) report(f *listFunction, start int) ListFunction {
	r := ListFunction{Name: f.name, File: f.file, Flat: f.flat, Cum: f.cum}
	slices.SortFunc(f.sites, func(a, b *listSite) int { return cmp.Compare(a.node.Line, b.node.Line) })
	byLine := f.byLine
	text := l.text(f.file)
	if text.Err != nil {
		r.NoSource = text.Err.Error()
		for _, s := range f.sites {
			r.Lines = append(r.Lines, l.line(s, ""))
		}
		return r
	}
	r.Source = text.where
	r.Stale = start > 0 && stale(f.name, f.file, text.line(start))

	const margin = 5 // as in go tool pprof
	first, last := f.sites[0].node.Line, f.sites[len(f.sites)-1].node.Line
	if s := byLine[0]; s != nil {
		r.Lines = append(r.Lines, l.line(s, ""))
		if len(f.sites) > 1 {
			first = f.sites[1].node.Line
		}
	}
	switch {
	case start == 0:
		first = max(1, first-margin)
	case start < first:
		first = start
	}
	shown := 0 // the last line shown
	for n := first; n <= last+margin && n <= max(len(text.Lines), last); n++ {
		line := ListLine{Line: n, Text: text.line(n)}
		if s := byLine[n]; s != nil {
			line = l.line(s, line.Text)
		} else if n < start || l.opt.Context >= 0 && !near(byLine, n, l.opt.Context) {
			continue
		}
		line.Gap = shown != 0 && n != shown+1
		shown = n
		r.Lines = append(r.Lines, line)
		if n >= last && line.Text == "}" {
			break // gofmt's end of a top-level function
		}
	}
	return r
}

// stale reports whether line cannot be the first line of the Go function name in file. Wrappers by
// the compiler start at the statement that needs them.
func stale(name, file, line string) bool {
	if !strings.HasSuffix(file, ".go") || strings.Contains(name, "wrap") || strings.HasSuffix(name, "-fm") {
		return false
	}
	return !strings.Contains(line, "func") && !strings.HasSuffix(name, ".init")
}

// near reports whether a line with cost is at most context lines from n.
func near(byLine map[int]*listSite, n, context int) bool {
	for d := 1; d <= context; d++ {
		if byLine[n-d] != nil || byLine[n+d] != nil {
			return true
		}
	}
	return false
}

func (l *lister) line(s *listSite, text string) ListLine {
	return ListLine{
		Line: s.node.Line, Flat: s.flat, Cum: s.cum, Text: text,
		Calls: l.calls(s), Inlined: l.inlined(s),
	}
}

func (l *lister) calls(s *listSite) []ListCall {
	var calls []ListCall
	for name, c := range s.calls {
		if c.cum != 0 {
			calls = append(calls, ListCall{l.nameOf[name-1], c.cum, profile.IsInjected(l.nameOf[name-1])})
		}
	}
	slices.SortFunc(calls, func(a, b ListCall) int {
		return cmp.Or(cmp.Compare(abs(b.Cum), abs(a.Cum)), strings.Compare(a.Function, b.Function))
	})
	return calls
}

func (l *lister) inlined(s *listSite) []ListInline {
	var in []ListInline
	for _, c := range s.inlined {
		if c.cum == 0 && c.flat == 0 {
			continue
		}
		x := ListInline{
			Function: c.node.Name, File: c.node.File, Line: c.node.Line, Flat: c.flat, Cum: c.cum,
			Calls: l.calls(c), Inlined: l.inlined(c),
		}
		if t := l.text(c.node.File); t.Err == nil {
			x.Text = strings.TrimSpace(t.line(c.node.Line))
		}
		in = append(in, x)
	}
	slices.SortFunc(in, func(a, b ListInline) int {
		return cmp.Or(cmp.Compare(abs(b.Cum), abs(a.Cum)), strings.Compare(a.Function, b.Function),
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return in
}

// A listText is a source file by lines.
type listText struct {
	Lines []string
	where string
	Err   error
}

// line returns line n (from 1), or "".
func (t *listText) line(n int) string {
	if n < 1 || n > len(t.Lines) {
		return ""
	}
	return t.Lines[n-1]
}

var errNoSource = errors.New("source not found")

func (l *lister) text(file string) *listText {
	t := l.texts[file]
	if t == nil {
		t = ReadLines(l.opt.Source, file)
		l.texts[file] = t
	}
	return t
}

// ReadLines reads a source file by lines.
func ReadLines(source SourceFunc, file string) *listText {
	switch {
	case file == "":
		return &listText{Err: errors.New("the profile does not name its file")}
	case source == nil:
		return &listText{Err: errNoSource}
	}
	lines, where, err := source(file)
	return &listText{lines, where, err}
}

// startLines returns the first line of each function for which the profile has it. It cleans file
// names as the engine cleans those of nodes.
func startLines(p *profile.Profile) map[functionKey]int {
	m := make(map[functionKey]int)
	for _, f := range p.Functions {
		if f.StartLine <= 0 {
			continue
		}
		for _, file := range []string{f.File, path.Clean(f.File)} {
			key := functionKey{profile.Generic(f.Name), file}
			if old := m[key]; old == 0 || int(f.StartLine) < old {
				m[key] = int(f.StartLine)
			}
		}
	}
	return m
}

func abs(x int64) int64 { return max(x, -x) }
