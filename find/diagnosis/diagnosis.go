package diagnosis

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/whet-go/whet/find/notes"
)

// A Resource is what a profile counts, by the name of the cost in results of package find. The zero
// value is any but allocated bytes.
type Resource string

// Memory is allocated bytes.
const Memory Resource = "alloc_space"

// MinShare is the share of a profile's total from which on every own line has a diagnosis.
const MinShare = 0.02

// An Input is what is known about a line in one profile. Shares are of the profile's total.
type Input struct {
	Resource Resource
	// Costs are the line's samples by kind, as Class and Around determine it; Own is what the line
	// spends itself.
	Costs map[Kind]float64
	// Hints are the line's CPU samples by kind; nil if there are none. They are used for allocated
	// bytes, whose profiles omit the runtime's functions.
	Hints map[Kind]float64

	Code  string       // the source of the line
	Notes []notes.Note // the compiler's, on the line and on the function around it

	Findings []Finding // on the line
	// Candidates are the numbers of the unproven rewrites of the line: C3.
	Candidates []string
	Claimed    float64  // what these are charged with, on this line
	Rules      []string // names of the rules that ran

	Test bool // the line is in a test or benchmark of the module
	// Unchecked is why no rule analyzed the line; "" if they did.
	Unchecked string
}

// A Finding is a rule's finding on a line.
type Finding struct {
	ID      string
	Fix     bool   // it has a rewrite
	Setting bool   // it has a setting of the build or the run
	NoFix   string // why there is no rewrite
}

// A Line is a line of the module with its diagnoses.
type Line struct {
	File     string `json:"file"` // relative to the module, with slashes
	Line     int    `json:"line"`
	Function string `json:"function"`       // around it, as written in Go source; "" outside functions
	Test     bool   `json:"test,omitempty"` // it is in a test or benchmark of the module
	// Findings are the IDs of the findings about the line.
	Findings []string `json:"findings,omitempty"`
	// Costs has a diagnosis for each profile of which the line has MinShare or more.
	Costs []Diagnosis `json:"costs"`
}

// On returns the entry of a line, or nil if there is none.
func On(lines []Line, file string, line int) *Line {
	i := slices.IndexFunc(lines, func(l Line) bool { return l.File == file && l.Line == line })
	if i < 0 {
		return nil
	}
	return &lines[i]
}

// A Diagnosis is what kind of cost a line has in one profile. Shares are of the profile's total.
type Diagnosis struct {
	Cost  Resource `json:"cost"`
	Kind  Kind     `json:"kind"`
	Share float64  `json:"share"`          // of this kind
	Line  float64  `json:"line"`           // of the line
	Also  []Part   `json:"also,omitempty"` // other kinds with at least a tenth of the line, the largest first

	// Saves is what a change of this line can save at most: the share of the kind, or 0 for test
	// code, which the program does not run.
	Saves float64 `json:"saves_at_most"`

	Text string `json:"text"` // what the line does, and the compiler's notes that explain it
	// Rewrite is set if a finding on the line has one. Why explains why there is a rewrite or none,
	// in one sentence.
	Rewrite bool   `json:"rewrite"`
	Why     string `json:"why"`
	// Considered are the rules that are about the kind and ran.
	Considered []string `json:"considered,omitempty"`
}

// A Part is a kind of cost with its share of the profile's total.
type Part struct {
	Kind  Kind    `json:"kind"`
	Share float64 `json:"share"`
}

// Of returns the diagnosis of a line. It is about Own, with a share of 0, if the line has no costs.
func Of(l Input) Diagnosis {
	costs := l.parts()
	d := Diagnosis{Cost: l.Resource, Kind: costs[0].Kind, Share: costs[0].Share}
	for _, p := range costs {
		d.Line += p.Share
	}
	for _, p := range costs[1:] {
		if p.Share >= d.Line/10 {
			d.Also = append(d.Also, p)
		}
	}
	d.Saves = d.Share
	if l.Test {
		d.Saves = 0
	}
	about := known(d.Kind)
	d.Text = about.what
	if n := l.explained(d.Kind); n != "" {
		d.Text += "; " + n
	}
	for _, rule := range about.rule {
		if slices.Contains(l.Rules, rule) {
			d.Considered = append(d.Considered, rule)
		}
	}
	d.Rewrite = !l.Test && slices.ContainsFunc(l.Findings, func(f Finding) bool { return f.Fix })
	d.Why = l.why(about, &d)
	if len(l.Candidates) > 0 && !l.Test {
		d.Why = "a candidate is in " + strings.Join(l.Candidates, " and ") + "; " + d.Why
	}
	return d
}

// parts returns the costs of a line by kind, the largest first: at least one.
func (l *Input) parts() []Part {
	byKind := map[Kind]float64{}
	for _, k := range slices.Sorted(maps.Keys(l.Costs)) {
		share := l.Costs[k]
		if l.Resource == Memory && (k == Own || k == Allocation) {
			k = l.allocates()
		}
		byKind[k] += share
	}
	var parts []Part
	for k, share := range byKind {
		parts = append(parts, Part{k, share})
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Kind, b.Kind))
	})
	if len(parts) == 0 {
		return []Part{{Kind: Own}}
	}
	return parts
}

// allocates returns the kind of what a line allocates itself: what the CPU profile shows, if that is
// clear, then what the compiler or the source says.
func (l *Input) allocates() Kind {
	whole := 0.0
	var most Part
	for _, k := range []Kind{SliceGrowth, MapGrowth, Concatenation, Conversion, Interface} {
		whole += l.Hints[k]
		if l.Hints[k] > most.Share {
			most = Part{k, l.Hints[k]}
		}
	}
	if most.Share > (whole+l.Hints[Allocation])/2 {
		return most.Kind
	}
	if k := l.escapes(); k != "" {
		return k
	}
	return allocating(l.Code)
}

// escapes returns the kind of what escapes on the line, by the compiler's notes; "" if nothing does.
func (l *Input) escapes() Kind {
	found := Kind("")
	for _, n := range l.Notes {
		if what, ok := escaping(n); ok {
			k := allocating(what)
			switch {
			case k == Allocation && boxed(n):
				k = Interface
			case k == Allocation || k == Escape:
				return Escape
			}
			found = cmp.Or(found, k)
		}
	}
	return found
}

// escaping returns the expression that escapes according to a note.
func escaping(n notes.Note) (what string, ok bool) {
	if n.Kind != "escape" && n.Kind != "escapes" || len(n.Inlined) > 0 {
		return "", false
	}
	return strings.CutSuffix(n.Message, " escapes to heap")
}

// boxed reports whether a note is about a value that is put into an interface, as an operand of a
// variadic call.
func boxed(n notes.Note) bool {
	return slices.ContainsFunc(n.Through, func(s notes.Step) bool {
		return strings.Contains(s.Message, "(interface-converted)") ||
			strings.Contains(s.Message, "... argument (slice-literal-element)")
	})
}

// A form is how source looks that allocates.
type form struct {
	kind Kind
	re   *regexp.Regexp
}

// forms returns the forms of source that allocate. The first match decides.
var forms = sync.OnceValue(func() []form { //nolint:gochecknoglobals // it is built once and only read
	return []form{
		{SliceGrowth, regexp.MustCompile(`\bappend\(`)},
		{Conversion, regexp.MustCompile(`^(string|\[\](byte|rune))\(`)},
		{Concatenation, regexp.MustCompile(`("|\w|\)|\]) \+ ("|\w)|\+= "`)},
		{Escape, regexp.MustCompile(`\bmake\(|\bnew\(|&[\w.]+(\[[^\]]*\])?\{|\bfunc literal|\bfunc\(`)},
		{Conversion, regexp.MustCompile(`\b(string|\[\](byte|rune))\(`)},
		{MapGrowth, regexp.MustCompile(`\w\[[^\]]+\](\.\w+)? ?([-+*|]?=[^=]|\+\+|--)`)},
	}
})

// allocating returns the kind of an allocation by the source of a line or an expression.
func allocating(code string) Kind {
	for _, f := range forms() {
		if f.re.MatchString(code) {
			return f.kind
		}
	}
	return Allocation
}

// explained returns the compiler's notes that explain a kind of cost, as a clause; "" if none does.
func (l *Input) explained(k Kind) string {
	switch k {
	case Escape, Allocation, Interface, Conversion, Concatenation, SliceGrowth, MapGrowth, Formatting:
		for _, n := range l.Notes {
			if what, ok := escaping(n); ok {
				return "the compiler: " + what + " escapes to the heap" + reason(n)
			}
		}
	case Own, Copying, Comparison:
		checks := 0
		for _, n := range l.Notes {
			if (n.Kind == "isInBounds" || n.Kind == "isSliceInBounds") && len(n.Inlined) == 0 {
				checks++
			}
		}
		if checks == 1 {
			return "the compiler keeps a bounds check on it"
		}
		if checks > 1 {
			return "the compiler keeps bounds checks on it"
		}
	default:
	}
	return ""
}

// reason returns why a value escapes: the last step of the compiler's explanation.
func reason(n notes.Note) string {
	for _, s := range slices.Backward(n.Through) {
		from, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(s.Message, "escflow:")), "from ")
		if !ok {
			continue
		}
		open := strings.LastIndex(from, " (")
		if open < 0 {
			return ", by " + from
		}
		how := strings.TrimSuffix(from[open+2:], ")")
		if how == "spill" {
			return ""
		}
		return ", by " + from[:open] + " (" + how + ")"
	}
	return ""
}

// why explains why there is or is no rewrite.
func (l *Input) why(about cause, d *Diagnosis) string {
	switch {
	case l.Test:
		return "a change of test code makes the tests faster, not the program"
	case l.Unchecked != "":
		return "no rewrite: the rules do not analyze the line, because " + l.Unchecked
	}
	found := foundText(l.Findings)
	if found != "" && l.Claimed >= d.Line/2 {
		return found
	}
	rest := "no rewrite: "
	if found != "" {
		rest = found + "; no rewrite of the rest: "
	}
	switch len(d.Considered) {
	case 0:
		if len(about.rule) > 0 {
			return rest + "the rules about " + string(about.kind) + " did not run: " + strings.Join(about.rule, ", ")
		}
		return rest + "no rule is about " + string(about.kind) + ": " + about.why
	case 1:
		return rest + "the rule " + d.Considered[0] + " does not match: " + singular(about.why)
	}
	last := len(d.Considered) - 1
	return rest + "the rules " + strings.Join(d.Considered[:last], ", ") + " and " + d.Considered[last] +
		" do not match: " + plural(about.why)
}

// singular and plural make the clause of a cause agree with the number of rules that ran.
func singular(why string) string { return agree(why, "they need ", "it needs ") }

func plural(why string) string { return agree(why, "it needs ", "they need ") }

func agree(why, from, to string) string {
	if rest, ok := strings.CutPrefix(why, from); ok {
		return to + rest
	}
	return why
}

// foundText describes the findings on a line; "" if there are none.
func foundText(found []Finding) string {
	var with, settings, without []string
	reason := ""
	for _, f := range found {
		switch {
		case f.Fix:
			with = append(with, f.ID)
		case f.Setting:
			settings = append(settings, f.ID)
		default:
			without = append(without, f.ID)
			reason = cmp.Or(reason, f.NoFix)
		}
	}
	var parts []string
	if len(with) > 0 {
		parts = append(parts, "a rewrite is in "+strings.Join(with, ", "))
	}
	if len(settings) > 0 {
		parts = append(parts, "a setting is in "+strings.Join(settings, ", "))
	}
	if len(without) > 0 && len(with) == 0 {
		text := "no rewrite is safe by its form alone, as " + strings.Join(without, ", ") + " explains"
		if reason != "" {
			text = "no rewrite in " + strings.Join(without, ", ") + ": " + reason
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
