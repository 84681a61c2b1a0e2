package findings

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/pgo"
	"github.com/whet-go/whet/unit"
)

// pgoRows is the number of rows in a section of the text; JSON has all.
const pgoRows = 10

// pgoFrame is the growth of a stack frame, in bytes, below which it is not reported.
const pgoFrame = 256

// A pgoTable is a table of the report as text cells. The last column takes the remaining width; a
// cell of it is cut, unless a function fits it.
type pgoTable struct {
	title string
	head  []string
	rows  [][]string
	fit   []func(n int) string // per row, the last cell in n columns; nil: it is in rows
	notes []string
}

// add adds a row whose last cell is fit's.
func (t *pgoTable) add(fit func(n int) string, cells ...string) {
	t.rows = append(t.rows, append(cells, fit(1<<20)))
	t.fit = append(t.fit, fit)
}

// grid returns the cells of the table: figures first, names last.
func (t *pgoTable) grid() *layout.Table {
	last := len(t.head) - 1
	grid := &layout.Table{
		Head: t.head, Rows: t.rows, Align: strings.Repeat("r", last) + "l", Wide: last, Least: 20, Indent: 2,
		HeadColor: layout.Dim,
	}
	if t.fit != nil {
		grid.Fit = func(row, n int) string { return t.fit[row](n) }
	}
	return grid
}

// WritePGO writes the effect of a profile on a program, the verdict last.
func WritePGO(w io.Writer, s layout.Style, r *pgo.Result) error {
	t := layout.NewWriter(w)
	title, about := pgoTitle(r)
	t.Line(s.Paint(layout.Bold, layout.CutMiddle(title, s.Remaining(0, 20))))
	layout.Wrap(t, s, "", about, 0)
	for _, table := range pgoTables(r) {
		t.Line()
		layout.Wrap(t, s, "", s.Paint(layout.Bold, table.title), 2)
		table.grid().Write(t, s)
		for _, note := range table.notes {
			layout.Wrap(t, s, "  ", note, 2)
		}
	}
	t.Line()
	for _, line := range pgoVerdict(r) {
		layout.Wrap(t, s, "", line, 2)
	}
	return t.Result()
}

// WritePGOMarkdown writes the same as GitHub's Markdown.
func WritePGOMarkdown(w io.Writer, r *pgo.Result) error {
	t := layout.NewWriter(w)
	title, about := pgoTitle(r)
	t.Line("## PGO: ", layout.EscapeMarkdown(title))
	t.Line()
	t.Line(layout.EscapeMarkdown(about))
	for _, table := range pgoTables(r) {
		t.Line()
		t.Line("### ", layout.EscapeMarkdown(table.title))
		t.Line()
		table.grid().WriteMarkdown(t)
		if len(table.rows) > 0 && len(table.notes) > 0 {
			t.Line()
		}
		for _, note := range table.notes {
			t.Line("- ", layout.EscapeMarkdown(note))
		}
	}
	for _, line := range pgoVerdict(r) {
		t.Line()
		t.Line(layout.EscapeMarkdown(line))
	}
	return t.Result()
}

// pgoTitle describes what was built with what.
func pgoTitle(r *pgo.Result) (title, about string) {
	title = r.Target.Main
	if title == "" {
		title = r.Target.Module + " (library)"
	}
	p := r.Profile
	of := "a program"
	if p.Bench {
		of = "benchmarks"
	}
	about = "profile of " + of
	if p.Samples > 0 {
		about += ": " + layout.Plural(int(p.Samples), "sample", "samples")
	}
	if p.Duration > 0 {
		about += " in " + unit.Duration(p.Duration)
	}
	if !p.Time.IsZero() {
		about += ", " + p.Time.UTC().Format(time.DateOnly)
	}
	return layout.Clean(title), fmt.Sprintf("%s; %s, %s of them hot; %s for the compiler (%s)", about,
		layout.Plural(p.Calls, "call", "calls"), unit.Count(p.Hot), unit.Bytes(p.Bytes), layout.Clean(r.Target.GoVersion))
}

// pgoTables returns the sections of the report.
func pgoTables(r *pgo.Result) []pgoTable {
	tables := []pgoTable{pgoStale(r), pgoBuilds(r), pgoCalls(r), pgoFrames(r)}
	// A library has no size, and most programs have no frames that grew.
	for _, i := range []int{3, 1} {
		if len(tables[i].rows) == 0 {
			tables = slices.Delete(tables, i, i+1)
		}
	}
	if r.Comparison != nil {
		tables = append(tables, pgoComparison(r))
	}
	return tables
}

// pgoStale describes how much of the profile is about code that no longer exists.
func pgoStale(r *pgo.Result) pgoTable {
	st := &r.Stale
	t := pgoTable{
		title: fmt.Sprintf("Stale: %s of the profile's calls of own code, %s of all",
			unit.Percent(st.OwnStale, st.Own), unit.Percent(st.Stale, st.Total)),
		head: []string{"weight", "function"},
	}
	if st.Own == 0 {
		t.title = fmt.Sprintf("Stale: %s of the profile's calls, none of them in own code",
			unit.Percent(st.Stale, st.Total))
	}
	own := slices.SortedStableFunc(slices.Values(st.Functions), func(a, b pgo.StaleFunction) int {
		return cmp.Compare(boolRank(b.Own), boolRank(a.Own))
	})
	for _, f := range own[:min(len(own), pgoRows)] {
		is := " is gone"
		if !f.Gone && len(f.Calls) > 0 {
			c := f.Calls[0]
			is = fmt.Sprintf(" has no call of %s on line +%d", layout.ShortName(c.Callee), c.Offset)
			if more := len(f.Calls) - 1; more > 0 {
				is += fmt.Sprintf(", and %d more", more)
			}
		}
		text := layout.Clean(layout.ShortName(f.Function) + is)
		t.add(func(n int) string { return layout.Cut(text, n) }, unit.Percent(f.Weight, st.Total))
	}
	if more := len(own) - pgoRows; more > 0 {
		t.notes = append(t.notes, layout.Plural(more, "more function", "more functions")+" (--json has all)")
	}
	if st.GoVersion != "" {
		t.notes = append(t.notes, "recorded with "+layout.Clean(st.GoVersion))
	}
	if n := len(st.Modules); n > 0 {
		t.notes = append(t.notes, layout.Plural(n, "dependency has", "dependencies have")+" another version: "+
			layout.Clean(strings.Join(st.Modules[:min(n, 3)], "; ")))
	}
	return t
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pgoBuilds compares the builds.
func pgoBuilds(r *pgo.Result) pgoTable {
	t := pgoTable{title: "Build", head: []string{"-pgo=off", "with profile", "change", ""}}
	add := func(name string, a, b int64, format func(int64) string) {
		if a > 0 && b > 0 {
			t.rows = append(t.rows, []string{format(a), format(b), layout.SignedPercent(float64(b)/float64(a) - 1), name})
		}
	}
	duration := func(n int64) string { return unit.Duration(time.Duration(n)) }
	add("size of the program", r.A.Size, r.B.Size, func(n int64) string { return unit.Bytes(n).String() })
	add("CPU time to build it", int64(r.A.CPU), int64(r.B.CPU), duration)
	if r.A.Wall > 0 {
		add("elapsed time to build it", int64(r.A.Wall), int64(r.B.Wall), duration)
		t.notes = append(t.notes,
			"All packages were compiled again for each build; the build cache avoids that until the profile changes. "+
				"On a busy machine, compare CPU time.")
	}
	return t
}

// pgoCalls lists the calls that the compiler handles differently.
func pgoCalls(r *pgo.Result) pgoTable {
	counts := map[pgo.Change]int{}
	own, weighed := 0, int64(0)
	for _, c := range r.Changes {
		counts[c.Change]++
		if c.Own {
			own++
		}
		if c.Change != pgo.NotInlined {
			weighed += c.Weight
		}
	}
	t := pgoTable{
		title: fmt.Sprintf("Calls: %d newly inlined, %d devirtualized, %d no longer inlined; %d of own code",
			counts[pgo.Inlined], counts[pgo.Devirtualized], counts[pgo.NotInlined], own),
		head: []string{"weight", "is now", "call"},
	}
	for _, c := range r.Changes[:min(len(r.Changes), pgoRows)] {
		t.add(func(n int) string { return pgoCall(&c, n) }, unit.Percent(c.Weight, r.Stale.Total), c.Change.String())
	}
	if more := len(r.Changes) - pgoRows; more > 0 {
		t.notes = append(t.notes, layout.Plural(more, "more call", "more calls")+" (--json has all)")
	}
	if weighed > 0 {
		t.notes = append(t.notes, "Calls newly inlined or devirtualized have "+unit.Percent(weighed, r.Stale.Total)+
			" of the profile's calls by weight.")
	}
	return t
}

// pgoCall describes a call in n columns: caller, callee, and the line if it fits.
func pgoCall(c *pgo.ChangedCall, n int) string {
	const arrow = " → "
	at := fmt.Sprintf("  %s:%d", layout.Clean(filepath.Base(c.File)), c.Line)
	caller, callee := layout.Clean(layout.ShortName(c.Caller)), layout.Clean(layout.ShortName(c.Callee))
	room := n - layout.Columns(arrow)
	if layout.Columns(caller)+layout.Columns(callee)+layout.Columns(at) <= room {
		return caller + arrow + callee + at
	}
	// The shorter name leaves its columns to the other.
	half := room / 2
	switch {
	case layout.Columns(caller) < half:
		callee = layout.FitName(callee, room-layout.Columns(caller))
	case layout.Columns(callee) < half:
		caller = layout.FitName(caller, room-layout.Columns(callee))
	default:
		caller, callee = layout.FitName(caller, half), layout.FitName(callee, room-half)
	}
	return caller + arrow + callee
}

// pgoFrames lists stack frames that grew by pgoFrame or more.
func pgoFrames(r *pgo.Result) pgoTable {
	t := pgoTable{
		title: "Stack: frames that grew, with what was inlined into them",
		head:  []string{"-pgo=off", "with profile", "function"},
	}
	for _, f := range r.Frames {
		if f.After-f.Before >= pgoFrame && len(t.rows) < pgoRows {
			t.rows = append(t.rows, []string{
				unit.Bytes(f.Before).String(), unit.Bytes(f.After).String(),
				layout.Clean(layout.ShortName(f.Function)),
			})
		}
	}
	return t
}

// pgoComparison lists the deciding unit of each benchmark, and other units if they differ.
func pgoComparison(r *pgo.Result) pgoTable {
	c := r.Comparison
	t := pgoTable{
		title: fmt.Sprintf("Comparison: %s, %s", c.Unit, c.Plan),
		head: []string{
			"-pgo=off", "with profile", "change", fmt.Sprintf("%.4g%% interval", c.Confidence*100), "verdict", "",
		},
	}
	for _, sub := range c.Subjects {
		if sub.Error != "" {
			t.notes = append(t.notes, layout.Clean(sub.Name+": "+sub.Error))
		}
		for _, u := range sub.Units {
			differs := u.Verdict == ab.Better || u.Verdict == ab.Worse
			if u.Unit != c.Unit && !differs {
				continue
			}
			name := layout.Clean(sub.Name)
			if u.Unit != c.Unit {
				name = "  " + layout.Clean(u.Unit)
			}
			class := benchunit.ClassOf(u.Unit)
			scale := benchunit.CommonScale([]float64{float64(u.A.Median), float64(u.B.Median)}, class)
			t.rows = append(t.rows, []string{
				scale.Format(float64(u.A.Median)), scale.Format(float64(u.B.Median)),
				ratioChange(float64(u.Ratio)), ratioInterval(float64(u.Low), float64(u.High)), string(u.Verdict), name,
			})
		}
	}
	if g := r.Gain; g != nil && g.Of > 1 {
		t.rows = append(t.rows, []string{
			"", "", ratioChange(float64(g.Ratio)),
			ratioInterval(float64(g.Low), float64(g.High)), "", fmt.Sprintf("geometric mean of %d", g.Of),
		})
	}
	for _, w := range c.Warnings {
		t.notes = append(t.notes, layout.Clean(w))
	}
	return t
}

func ratioChange(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return "?"
	}
	return layout.SignedPercent(ratio - 1)
}

func ratioInterval(low, high float64) string {
	if math.IsNaN(low) || math.IsNaN(high) || low <= 0 || math.IsInf(high, 0) {
		return "not known"
	}
	return layout.SignedPercent(low-1) + " to " + layout.SignedPercent(high-1)
}

// pgoVerdict describes whether it pays and what was done.
func pgoVerdict(r *pgo.Result) []string {
	verdict := "It does not pay off: "
	switch {
	case r.Comparison == nil:
		verdict = "Not compared: "
	case r.Pays:
		verdict = "It pays off: "
	}
	verdict += layout.Clean(r.Why)
	if g := r.Gain; g != nil {
		verdict += fmt.Sprintf(" (%s, %s)", ratioChange(float64(g.Ratio)), ratioInterval(float64(g.Low), float64(g.High)))
	}
	lines := []string{verdict + "."}
	if r.Target.Existing >= 0 {
		there := "There is already a %s of %s, which builds use by default."
		if r.Written != "" {
			there = "The existing %s of %s is replaced."
		}
		lines = append(lines, fmt.Sprintf(there+" The baseline was built with -pgo=off.", pgo.DefaultName,
			unit.Bytes(r.Target.Existing)))
	}
	switch {
	case r.Written != "":
		lines = append(lines,
			fmt.Sprintf("Wrote %s (%s bytes). Builds of the package use it from now on: commit it.",
				layout.Clean(r.Written), strconv.FormatInt(r.Profile.Bytes, 10)))
	case r.Pays && r.Target.Main == "":
		lines = append(lines, "Nothing was written: a library is optimized with the profiles of the programs that use it.")
	default:
		lines = append(lines, "Nothing was written.")
	}
	return lines
}
