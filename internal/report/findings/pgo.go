package findings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/pgo"
	"github.com/whet-go/whet/unit"
)

// pgoRows is the number of rows in a section of the text; JSON has all.
const pgoRows = 10

// pgoFrame is the growth of a stack frame, in bytes, below which it is not reported.
const pgoFrame = 256

// PGO returns the report of the effect of a profile on a program, the verdict last.
func PGO(r *pgo.Result) *blocks.Document {
	main := r.Target.Main
	if main == "" {
		main = r.Target.Module + " (library)"
	}
	d := &blocks.Document{
		Title:  blocks.Text{blocks.Plain("PGO: "), blocks.Name(main)},
		Blocks: []blocks.Block{blocks.Prose{blocks.Plain(pgoProfile(r))}, pgoStale(r)},
	}
	d.AddSection(pgoBuilds(r)) // a library has no size
	d.Blocks = append(d.Blocks, pgoCalls(r))
	d.AddSection(pgoFrames(r)) // most programs have no frames that grew
	if r.Comparison != nil {
		d.Blocks = append(d.Blocks, pgoComparison(r))
	}
	d.Add("", "Verdict", blocks.Items(pgoVerdict(r)...))
	return d
}

// pgoSection returns a section of the report: a table with figures first and names last, and notes.
// It has no blocks if there are neither.
func pgoSection(title string, table layout.Table, notes []string) blocks.Section {
	s := blocks.Section{Title: blocks.Text{blocks.Plain(title)}}
	if len(table.Rows) > 0 {
		table.Wide, table.Least, table.HeadColor = len(table.Head)-1, 20, layout.Dim
		table.Align = strings.Repeat("r", table.Wide) + "l"
		s.Blocks = append(s.Blocks, blocks.Table{Table: table})
	}
	if len(notes) > 0 {
		s.Blocks = append(s.Blocks, blocks.Items(notes...))
	}
	return s
}

// pgoProfile describes the profile and the compiler.
func pgoProfile(r *pgo.Result) string {
	p := r.Profile
	about := layout.Facts{"profile of a program"}
	if p.Bench {
		about[0] = "profile of benchmarks"
	}
	about.If(p.Samples > 0, ": %s", layout.Plural(int(p.Samples), "sample", "samples"))
	about.If(p.Duration > 0, " in %s", unit.Duration(p.Duration))
	about.If(!p.Time.IsZero(), ", %s", p.Time.UTC().Format(time.DateOnly))
	return fmt.Sprintf("%s; %s, %s of them hot; %s for the compiler (%s)", about,
		layout.Plural(p.Calls, "call", "calls"), unit.Count(p.Hot), unit.Bytes(p.Bytes), r.Target.GoVersion)
}

// pgoStale describes how much of the profile is about code that no longer exists.
func pgoStale(r *pgo.Result) blocks.Section {
	st := &r.Stale
	title := fmt.Sprintf("Stale: %s of the profile's calls of own code, %s of all",
		unit.Percent(st.OwnStale, st.Own), unit.Percent(st.Stale, st.Total))
	t := layout.Table{Head: []string{"weight", "function"}}
	if st.Own == 0 {
		title = fmt.Sprintf("Stale: %s of the profile's calls, none of them in own code",
			unit.Percent(st.Stale, st.Total))
	}
	ownFirst := slices.SortedStableFunc(slices.Values(st.Functions), func(a, b pgo.StaleFunction) int {
		switch {
		case a.Own == b.Own:
			return 0
		case a.Own:
			return -1
		default:
			return 1
		}
	})
	for _, f := range ownFirst[:min(len(ownFirst), pgoRows)] {
		is := " is gone"
		if !f.Gone && len(f.Calls) > 0 {
			c := f.Calls[0]
			is = fmt.Sprintf(" does not call %s on line +%d", layout.ShortName(c.Callee), c.Offset)
			if more := len(f.Calls) - 1; more > 0 {
				is += fmt.Sprintf(", and %d more", more)
			}
		}
		t.Rows = append(t.Rows, []string{unit.Percent(f.Weight, st.Total), layout.ShortName(f.Function) + is})
	}
	t.Fit = func(row, n int) string { return layout.Cut(t.Rows[row][1], n) }
	var notes layout.Facts
	more, n := len(ownFirst)-pgoRows, len(st.Modules)
	notes.If(more > 0, "%s (--json has all)", layout.Plural(more, "more function", "more functions"))
	notes.If(st.GoVersion != "", "recorded with %s", st.GoVersion)
	notes.If(n > 0, "%s another version: %s", layout.Plural(n, "dependency has", "dependencies have"),
		strings.Join(st.Modules[:min(n, 3)], "; "))
	return pgoSection(title, t, notes)
}

// pgoBuilds compares the builds.
func pgoBuilds(r *pgo.Result) blocks.Section {
	var notes []string
	t := layout.Table{Head: []string{"-pgo=off", "with profile", "change", ""}}
	add := func(name string, a, b int64, format func(int64) string) {
		if a > 0 && b > 0 {
			t.Rows = append(t.Rows, []string{format(a), format(b), layout.SignedPercent(float64(b)/float64(a) - 1), name})
		}
	}
	duration := func(n int64) string { return unit.Duration(time.Duration(n)) }
	add("size of the program", r.A.Size, r.B.Size, func(n int64) string { return unit.Bytes(n).String() })
	add("CPU time to build it", int64(r.A.CPU), int64(r.B.CPU), duration)
	if r.A.Wall > 0 {
		add("elapsed time to build it", int64(r.A.Wall), int64(r.B.Wall), duration)
		notes = append(notes,
			"All packages were compiled again for each build; the build cache avoids that until the profile changes. "+
				"On a busy machine, compare CPU time.")
	}
	return pgoSection("Build", t, notes)
}

// pgoCalls lists the calls that the compiler handles differently.
func pgoCalls(r *pgo.Result) blocks.Section {
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
	title := fmt.Sprintf("Calls: %d newly inlined, %d devirtualized, %d no longer inlined; %d of own code",
		counts[pgo.Inlined], counts[pgo.Devirtualized], counts[pgo.NotInlined], own)
	t := layout.Table{
		Head: []string{"weight", "is now", "call"},
		Fit:  func(row, n int) string { return pgoCall(&r.Changes[row], n) },
	}
	for _, c := range r.Changes[:min(len(r.Changes), pgoRows)] {
		t.Rows = append(t.Rows, []string{unit.Percent(c.Weight, r.Stale.Total), c.Change.String(), pgoCall(&c, 1<<20)})
	}
	var notes layout.Facts
	more := len(r.Changes) - pgoRows
	notes.If(more > 0, "%s (--json has all)", layout.Plural(more, "more call", "more calls"))
	notes.If(weighed > 0, "Calls newly inlined or devirtualized have %s of the profile's calls by weight.",
		unit.Percent(weighed, r.Stale.Total))
	return pgoSection(title, t, notes)
}

// pgoCall describes a call in n columns: caller, callee, and the line if it fits.
func pgoCall(c *pgo.ChangedCall, n int) string {
	const arrow = " → "
	at := fmt.Sprintf("  %s:%d", layout.Clean(filepath.Base(c.File)), c.Line)
	caller, callee := layout.ShortName(c.Caller), layout.ShortName(c.Callee)
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
func pgoFrames(r *pgo.Result) blocks.Section {
	t := layout.Table{Head: []string{"-pgo=off", "with profile", "function"}}
	for _, f := range r.Frames {
		if f.After-f.Before >= pgoFrame && len(t.Rows) < pgoRows {
			t.Rows = append(t.Rows, []string{
				unit.Bytes(f.Before).String(), unit.Bytes(f.After).String(),
				layout.ShortName(f.Function),
			})
		}
	}
	return pgoSection("Stack: frames that grew, with what was inlined into them", t, nil)
}

// pgoComparison lists the deciding unit of each benchmark, and other units if they differ.
func pgoComparison(r *pgo.Result) blocks.Section {
	c := r.Comparison
	t := layout.Table{
		Head: []string{"-pgo=off", "with profile", "change", fmt.Sprintf("%.4g%% interval", c.Confidence*100), "verdict", ""},
	}
	var notes []string
	for _, sub := range c.Subjects {
		if sub.Error != "" {
			notes = append(notes, sub.Name+": "+sub.Error)
		}
		for _, u := range sub.Units {
			differs := u.Verdict == ab.Better || u.Verdict == ab.Worse
			if u.Unit != c.Unit && !differs {
				continue
			}
			name := sub.Name
			if u.Unit != c.Unit {
				name = "  " + u.Unit
			}
			a, b := benchmarks.Medians(&u)
			t.Rows = append(t.Rows, []string{
				a, b, ratioChange(float64(u.Ratio)), ratioInterval(float64(u.Low), float64(u.High)), string(u.Verdict), name,
			})
		}
	}
	if g := r.Gain; g != nil && g.Of > 1 {
		t.Rows = append(t.Rows, []string{
			"", "", ratioChange(float64(g.Ratio)),
			ratioInterval(float64(g.Low), float64(g.High)), "", fmt.Sprintf("geomean of %d", g.Of),
		})
	}
	notes = append(notes, c.Warnings.Texts()...)
	return pgoSection(fmt.Sprintf("Comparison: %s, %s", c.Unit, c.Plan), t, notes)
}

func ratioChange(ratio float64) string {
	if !benchmarks.IsFinite(ratio) {
		return "?"
	}
	return layout.SignedPercent(ratio - 1)
}

func ratioInterval(low, high float64) string {
	if !benchmarks.IsFinite(low) || !benchmarks.IsFinite(high) || low <= 0 {
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
	verdict += r.Why
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
				r.Written, strconv.FormatInt(r.Profile.Bytes, 10)))
	case r.Pays && r.Target.Main == "":
		lines = append(lines, "Nothing was written: a library is optimized with the profiles of the programs that use it.")
	default:
		lines = append(lines, "Nothing was written.")
	}
	return lines
}
