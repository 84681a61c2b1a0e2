package profiles

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// Own is the own-code view: each sample is charged to its innermost own frame.
// Cost, Rest and Filtered sum to the profile's total.
type Own struct {
	Lines    []OwnLine `json:"lines"`  // heaviest first
	Hidden   int       `json:"hidden"` // lighter lines that were left out
	Cost     int64     `json:"cost"`   // of all own lines, hidden ones included
	Shown    int64     `json:"shown"`  // of Lines
	Share    float64   `json:"share"`  // Cost of Header.Total, 0 to 1
	Rest     []RestRow `json:"rest"`   // samples without an own frame, heaviest first
	RestCost int64     `json:"rest_cost"`
	Filtered int64     `json:"filtered"` // dropped by the filters
	Also     *Also     `json:"also,omitempty"`
}

// Also is a second profile of the same recording, charged to the same lines: what a line that uses
// CPU time allocates, and the reverse.
type Also struct {
	Profile    string            `json:"profile"` // its name in the recording
	SampleType profile.ValueType `json:"sample_type"`
	Total      int64             `json:"total"` // of all samples, own or not
	Cost       int64             `json:"cost"`  // of all own lines

	Report *profile.OwnReport `json:"-"`
}

// column returns the title of the profile's column.
func (a *Also) column() string {
	if a.Profile == "allocs" {
		return "alloc"
	}
	return a.Profile
}

// An OwnLine is a line of own code with its cost.
type OwnLine struct {
	Function string   `json:"function"`
	File     string   `json:"file"` // as in the profile
	Path     string   `json:"path"` // shortened
	Line     int      `json:"line"`
	Cost     int64    `json:"cost"`
	Self     int64    `json:"self"`  // the part of Cost spent in the line itself
	Share    float64  `json:"share"` // Cost of Header.Total, 0 to 1
	Callees  []Callee `json:"callees"`

	AlsoCost  int64   `json:"also_cost,omitempty"`
	AlsoShare float64 `json:"also_share,omitempty"` // AlsoCost of Also.Total
}

// A Callee is a function that an own line called.
type Callee struct {
	Function string  `json:"function"`
	Cost     int64   `json:"cost"`
	Share    float64 `json:"share"` // of Header.Total
}

// A RestRow is cost without own code, by purpose.
type RestRow struct {
	What  string   `json:"what"`
	Cost  int64    `json:"cost"`
	Share float64  `json:"share"`
	Roots []Callee `json:"roots"` // outermost functions
}

// NewOwn returns the own-code document of a view's n heaviest lines (0: all). Paths are shortened
// relative to dir if it is not empty. With also (nil: none), lines are chosen by the larger of
// their two shares.
func NewOwn(h Header, r *profile.OwnReport, also *Also, n int, dir string) Top {
	o := &Own{
		Lines: []OwnLine{}, Cost: r.Own, RestCost: r.Rest, Share: unit.Share(r.Own, h.Total),
		Rest: restRows(r.None, h.Total), Also: also,
	}
	short := shortPaths(r.Lines, dir, h.Main)
	chosen := chooseOwn(r, also, h.Total, n)
	for _, c := range chosen.lines {
		l := c.line
		line := OwnLine{
			Function: l.Function, File: l.File, Path: short(l.File), Line: l.Line,
			Cost: l.Cost, Self: l.Self, Share: unit.Share(l.Cost, h.Total), Callees: []Callee{},
			AlsoCost: c.also,
		}
		if also != nil {
			line.AlsoShare = unit.Share(c.also, also.Total)
		}
		for _, c := range l.Callees {
			line.Callees = append(line.Callees, Callee{c.Function, c.Cost, unit.Share(c.Cost, h.Total)})
		}
		o.Shown += l.Cost
		o.Lines = append(o.Lines, line)
	}
	o.Hidden = chosen.hidden
	if also != nil {
		also.Cost = also.Report.Own
	}
	// With a base, values cancel and the total counts them absolutely, so nothing can count as
	// filtered.
	if len(h.Base) == 0 {
		o.Filtered = max(h.Total-r.Own-r.Rest, 0)
	}
	return Top{Schema: TopSchema, Header: h, Own: o}
}

// ownChoice is the own lines to show, by cost, then by cost in the second profile.
type ownChoice struct {
	lines  []chosenLine
	hidden int // lighter ones
}

type chosenLine struct {
	line *profile.OwnLine
	also int64 // cost in the second profile
}

// chooseOwn joins the lines of both profiles and chooses the n heaviest (0: all) by the larger
// share.
func chooseOwn(r *profile.OwnReport, also *Also, total int64, n int) ownChoice {
	type place struct {
		function, file string
		line           int
	}
	// Rows of either report are lines; where there is no line, the function identifies the row.
	placeOf := func(l *profile.OwnLine) place {
		if l.File == "" || l.Line == 0 {
			return place{l.Function, l.File, l.Line}
		}
		return place{"", l.File, l.Line}
	}
	lines := make([]chosenLine, len(r.Lines))
	for i := range r.Lines {
		lines[i].line = &r.Lines[i]
	}
	if also != nil {
		index := make(map[place]int, len(lines))
		for i := range r.Lines {
			index[placeOf(&r.Lines[i])] = i
		}
		for _, l := range also.Report.Lines {
			if at, ok := index[placeOf(&l)]; ok {
				lines[at].also += l.Cost
			} else {
				lines = append(lines, chosenLine{&profile.OwnLine{Function: l.Function, File: l.File, Line: l.Line}, l.Cost})
			}
		}
		heaviest := func(c chosenLine) float64 {
			share, second := unit.Share(c.line.Cost, total), unit.Share(c.also, also.Total)
			return max(share, -share, second, -second)
		}
		slices.SortStableFunc(lines, func(a, b chosenLine) int { return cmp.Compare(heaviest(b), heaviest(a)) })
	}
	c := ownChoice{lines: lines}
	if n > 0 && len(lines) > n {
		c.hidden, c.lines = len(lines)-n, lines[:n]
	}
	slices.SortStableFunc(c.lines, func(a, b chosenLine) int {
		return cmp.Or(cmp.Compare(max(b.line.Cost, -b.line.Cost), max(a.line.Cost, -a.line.Cost)),
			cmp.Compare(b.also, a.also))
	})
	return c
}

// restRows groups the outermost functions of stacks without own code by purpose.
func restRows(none []profile.OwnCallee, total int64) []RestRow {
	index := map[string]int{}
	rows := []RestRow{}
	for _, c := range none {
		what := purpose(c.Function)
		i, ok := index[what]
		if !ok {
			i = len(rows)
			index[what] = i
			rows = append(rows, RestRow{What: what})
		}
		rows[i].Cost += c.Cost
		rows[i].Roots = append(rows[i].Roots, Callee{c.Function, c.Cost, unit.Share(c.Cost, total)})
	}
	for i := range rows {
		rows[i].Share = unit.Share(rows[i].Cost, total)
	}
	slices.SortStableFunc(rows, func(a, b RestRow) int {
		return cmp.Compare(max(b.Cost, -b.Cost), max(a.Cost, -a.Cost))
	})
	return rows
}

// purpose returns what a stack that starts at the given function is for.
func purpose(root string) string {
	switch goruntime.Of(root).Purpose {
	case goruntime.Collecting:
		return "garbage collector's own goroutines" // profile.Collection.Background
	case goruntime.Finalizers:
		return "finalizers and cleanups"
	case goruntime.Scheduling:
		return "goroutine scheduling"
	case goruntime.GrowingStacks:
		return "stack growth"
	case goruntime.OnSystemStack:
		return "runtime on the system stack"
	case goruntime.Outside:
		return "outside Go code"
	case goruntime.Starting:
		return "start-up"
	case goruntime.OfRuntime:
		return "runtime"
	case goruntime.NoPurpose:
	}
	switch pkg := profile.PackagePath(root); {
	case root == "":
		return "code without symbols"
	case strings.HasPrefix(root, "net/http.(*conn)."), strings.HasPrefix(root, "net/http.(*Server)."),
		strings.HasPrefix(root, "net/http.(*connReader)."), strings.HasPrefix(root, "net/http.(*http2serverConn)."),
		strings.HasPrefix(root, "net/http/internal/http2.(*serverConn)."):
		return "HTTP server: connections"
	case strings.HasPrefix(root, "net/http.(*persistConn)."), strings.HasPrefix(root, "net/http.(*Transport)."),
		strings.HasPrefix(root, "net/http.(*http2ClientConn)."), strings.HasPrefix(root,
			"net/http/internal/http2.(*ClientConn)."):
		return "HTTP client: connections"
	case pkg == "runtime/pprof" || pkg == "runtime/trace" || pkg == "net/http/pprof":
		return "profiling itself"
	case pkg == "testing":
		return "test framework"
	case goruntime.In(root):
		return "runtime"
	case pkg != "":
		return "goroutines of " + pkg
	}
	return layout.Clean(root)
}

// shortPaths returns a function that shortens the files of own lines: relative to dir if they are
// below it; relative to the main module (if not "") if the path has the module's version or comes
// from -trimpath; module@version/file in other modules; else without their common directory.
func shortPaths(lines []profile.OwnLine, dir, main string) func(string) string {
	inMain := func(file string) (string, bool) {
		if main == "" {
			return "", false
		}
		if head, rest, ok := profile.SplitVersion(file); ok {
			return rest, head == main || strings.HasSuffix(head, "/"+main)
		}
		return strings.CutPrefix(file, main+"/")
	}
	shared, started := "", false
	for _, l := range lines {
		if _, _, versioned := profile.SplitVersion(l.File); versioned || l.File == "" {
			continue
		}
		d := slashDir(l.File)
		if !started {
			shared, started = d, true
		}
		for shared != "" && d != shared && !strings.HasPrefix(d, shared+"/") {
			shared = slashDir(shared)
		}
	}
	return func(file string) string {
		if dir != "" && filepath.IsAbs(file) {
			if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
				return rel
			}
		}
		if rest, ok := inMain(file); ok {
			return rest
		}
		const moduleCache = "/pkg/mod/"
		if _, rest, ok := strings.Cut(strings.ReplaceAll(file, `\`, "/"), moduleCache); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(file, shared+"/"); ok && shared != "" {
			return rest
		}
		return file
	}
}

// slashDir returns the part of a path before its last slash, or "".
func slashDir(p string) string {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 0)]
}

// minCallee is the least part of a line's cost for which a callee is listed.
const minCallee = 0.01

// ownLayout has the widths of the own view's columns.
type ownLayout struct {
	also                        int // 0: no second profile
	cost, self, place, function int
	callees                     int // width for callees on the same line; 0: on the next line
}

const ownShareW = 7

// indent returns the column at which a line's file name starts.
func (l ownLayout) indent() int {
	n := ownShareW + 2 + l.cost + 2 + l.self + 2
	if l.also > 0 {
		n += l.also + 2
	}
	return n
}

func layoutOwn(s layout.Style, o *Own, total int64, value func(int64) string) ownLayout {
	l := ownLayout{
		cost: max(columnWidth("cost", value, each(o.Lines, func(l *OwnLine) int64 { return l.Cost })),
			layout.Columns(value(o.Cost)), layout.Columns(value(total))),
		self:  columnWidth("self", value, each(o.Lines, func(l *OwnLine) int64 { return l.Self })),
		place: layout.Columns("line"), function: layout.Columns("function"),
	}
	if o.Also != nil {
		l.also = max(ownShareW, layout.Columns(o.Also.column()))
	}
	for _, line := range o.Lines {
		l.place = max(l.place, layout.Columns(placeOf(line)))
		l.function = max(l.function, layout.Columns(layout.ShortName(line.Function)))
	}
	if s.Width <= 0 {
		l.callees = 1 << 20
		return l
	}
	// Callees get a column if the other columns leave enough width, else the next line.
	const minCallees, gap = 44, 2
	rest := max(s.Width-l.indent(), 30)
	if wide := rest - minCallees - 2*gap; wide >= 40 {
		l.place = min(l.place, max(wide*2/5, wide-l.function))
		l.function = min(l.function, wide-l.place)
		l.callees = rest - l.place - l.function - 2*gap
		return l
	}
	rest -= gap
	l.place = min(l.place, max(rest*2/5, rest-l.function))
	l.function = min(l.function, rest-l.place)
	return l
}

func placeOf(l OwnLine) string {
	if l.Path == "" {
		return "?"
	}
	return fmt.Sprintf("%s:%d", layout.Clean(l.Path), l.Line)
}

// fitPlace shortens "dir/file.go:12" to n columns and keeps the line number.
func fitPlace(l OwnLine, n int) string {
	place := placeOf(l)
	if layout.Columns(place) <= n {
		return place
	}
	number := fmt.Sprintf(":%d", l.Line)
	return layout.FitPath(l.Path, max(n-layout.Columns(number), 1)) + number
}

func writeOwn(t *layout.Writer, s layout.Style, h Header, o *Own) {
	own := "package main"
	if len(h.Own) > 0 {
		own = layout.Clean(strings.Join(h.Own, ", "))
	}
	t.Line(layout.Cut(fmt.Sprintf("own code: %s (from %s)", own, h.OwnFrom), s.Remaining(0, 10)))
	if a := o.Also; a != nil {
		t.Line(layout.Cut(fmt.Sprintf("%s: share of %s %s, of the same recording", a.column(),
			unit.Of(a.Total, a.SampleType.Unit), a.SampleType.Type), s.Remaining(0, 10)))
	}
	t.Line()

	value := h.Column(h.Total, each(o.Lines, func(l *OwnLine) int64 { return l.Cost }))
	lay := layoutOwn(s, o, h.Total, value)
	also := func(s string) string {
		if lay.also == 0 {
			return ""
		}
		return "  " + layout.Right(s, lay.also)
	}
	share := "share"
	head := ""
	if o.Also != nil {
		share = h.share()
		head = also(o.Also.column())
	}
	head = layout.Right(share, ownShareW) + head + "  " + layout.Right("cost", lay.cost) + "  " +
		layout.Right("self", lay.self) + "  " + layout.Left("line", lay.place) + "  " + layout.Left("function", lay.function)
	if lay.callees > 0 {
		head += "  what it called"
	}
	if len(o.Lines) > 0 {
		t.Line(s.Paint(layout.Dim, strings.TrimRight(head, " ")))
	} else {
		t.Line("no own code in these samples")
	}
	for _, l := range o.Lines {
		self := value(l.Self)
		if l.Self == 0 {
			self = "·"
		}
		callees, place := calleeList(l, h.Total), fitPlace(l, lay.place)
		var second layout.Painted
		if lay.also > 0 {
			second = s.Paint(layout.Heat(l.AlsoShare), also(percentOrDot(l.AlsoCost, o.Also.Total)))
		}
		cost := value(l.Cost)
		if l.Cost == 0 {
			cost = "·"
		}
		row := []any{
			s.Paint(layout.Heat(l.Share), layout.Right(percentOrDot(l.Cost, h.Total), ownShareW)), second,
			"  ", layout.Right(cost, lay.cost),
			"  ", layout.Right(self, lay.self),
			"  ", s.Paint(layout.Cyan, place), layout.Spaces(lay.place - layout.Columns(place)),
			"  ", layout.Left(layout.FitName(layout.ShortName(l.Function), lay.function), lay.function),
		}
		if lay.callees > 0 && callees != nil {
			row = append(row, "  ", s.Paint(layout.Dim, fitList(callees, lay.callees)))
		}
		t.Line(row...)
		if lay.callees == 0 && callees != nil {
			t.Line(layout.Spaces(lay.indent()), s.Paint(layout.Dim, "└ "+fitList(callees, s.Width-lay.indent()-2)))
		}
	}
	if o.Hidden > 0 {
		t.Line(s.Paint(layout.Dim, layout.Right(layout.ColumnPercent(o.Cost-o.Shown, h.Total), ownShareW)+also("")+"  "+
			layout.Right(value(o.Cost-o.Shown), lay.cost)+
			"  "+more(o.Hidden, "more line", "more lines", s.Remaining(ownShareW+layout.Columns(also(""))+2+lay.cost+2, 10))))
	}
	writeRest(t, s, h, o, value, lay.cost)
}

// share returns the title of the column of shares when a second profile has one too.
func (h Header) share() string {
	if h.Profile == "allocs" {
		return "alloc"
	}
	return h.Profile
}

func percentOrDot(part, total int64) string {
	if part == 0 {
		return "·"
	}
	return layout.ColumnPercent(part, total)
}

// maxCallees is the number of callees listed for a line.
const maxCallees = 3

// calleeList returns a line's heaviest callees with their shares; the last item counts the others.
func calleeList(l OwnLine, total int64) []string {
	var out []string
	for i, c := range l.Callees {
		if share := unit.Share(c.Cost, l.Cost); i >= maxCallees || share < minCallee && share > -minCallee {
			break
		}
		name := layout.ShortName(c.Function)
		if name == "" {
			name = "code without symbols"
		}
		out = append(out, name+" "+layout.ShortPercent(c.Cost, total))
	}
	return out
}

// fitList joins items to at most n columns and drops or shortens the last ones.
func fitList(items []string, n int) string {
	out := ""
	for i, item := range items {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		if layout.Columns(out)+layout.Columns(sep)+layout.Columns(item) <= n {
			out += sep + item
			continue
		}
		// A shortened name is still useful if enough of it remains.
		if name, share, ok := cutLast(item, " "); ok {
			if room := n - layout.Columns(out) - layout.Columns(sep) - layout.Columns(share) - 1; room >= 12 {
				out += sep + layout.FitName(name, room) + " " + share
			}
		}
		break
	}
	return out
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// maxRest is the number of rows for other cost.
const maxRest = 6

// writeRest writes the cost outside own code, so that the rows sum to the total.
func writeRest(t *layout.Writer, s layout.Style, h Header, o *Own, value func(int64) string, costW int) {
	t.Line()
	row := func(code layout.Color, cost int64, what, detail string) {
		room := s.Remaining(ownShareW+2+costW+2, 10)
		what = layout.Cut(what, room)
		if detail != "" {
			detail = "  " + detail
			if space := room - layout.Columns(what); layout.Columns(detail) > space {
				detail = layout.Cut(detail, space)
			}
		}
		t.Line(s.Paint(code, layout.Right(layout.ColumnPercent(cost, h.Total), ownShareW)), "  ",
			layout.Right(value(cost), costW), "  ", what, s.Paint(layout.Dim, detail))
	}
	row(layout.Bold, o.Cost, "own code", "")
	sum, other, others := o.Cost, int64(0), 0
	for i, r := range o.Rest {
		sum += r.Cost
		if i >= maxRest && len(o.Rest) > maxRest+1 {
			other, others = other+r.Cost, others+1
			continue
		}
		names := make([]string, 0, 2)
		for _, c := range r.Roots[:min(len(r.Roots), 2)] {
			if c.Function != "" && c.Function != r.What {
				names = append(names, layout.ShortName(c.Function))
			}
		}
		if len(r.Roots) > 2 {
			names = append(names, "…")
		}
		row("", r.Cost, r.What, strings.Join(names, ", "))
	}
	if others > 0 {
		row("", other, layout.Plural(others, "other kind of work", "other kinds of work"), "")
	}
	if o.Filtered > 0 {
		sum += o.Filtered
		row("", o.Filtered, "left out by the filters", "")
	}
	row(layout.Dim, sum, "total", "")
}
