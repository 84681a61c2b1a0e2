package findings

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/layout"
)

// WriteFix writes the outcome of findings: the original against all kept rewrites, the kept ones
// with their proofs, the dropped ones with the reasons, settings, and what was not tried.
func WriteFix(w io.Writer, s layout.Style, r *fix.Result) error {
	t := layout.NewWriter(w)
	t.Line(s.Paint(layout.Bold, fixHeadline(r)), " in ", layout.Clean(r.Module))
	for _, note := range fixNotes(r) {
		layout.Wrap(t, s, "", note, 0)
	}
	for _, x := range fixTotals(r) {
		t.Line()
		t.Line(s.Paint(layout.Bold, x.Title))
		writeRows(t, s, totalRows(x.Measured))
	}
	for _, a := range keptFixes(r) {
		writeAttempt(t, s, a)
	}
	for _, a := range droppedFixes(r) {
		writeAttempt(t, s, a)
	}
	writeFixSettings(t, s, r)
	if needing := needingFixes(r); len(needing) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Bold, "Not tried: needs a manual step"))
		for _, a := range needing {
			writePlace(t, s, &a.Finding)
			layout.Wrap(t, s, "     ", a.Finding.Title+": "+layout.Clean(a.Reason), 5)
		}
	}
	if len(r.Untried) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Bold, "Without a rewrite"))
		for _, u := range r.Untried[:min(len(r.Untried), maxUntried)] {
			t.Line("   ", s.Paint(layout.Cyan, layout.CutMiddle(untriedPlace(&u), s.Remaining(3, 20))), "  ",
				layout.Clean(u.Function))
			layout.Wrap(t, s, "     ", untriedWords(&u), 5)
		}
		if more := len(r.Untried) - maxUntried; more > 0 {
			t.Line(fmt.Sprintf("   and %d more: --json lists them", more))
		}
	}
	return t.Result()
}

// maxUntried is the number of lines without a rewrite that are listed.
const maxUntried = 20

// fixHeadline describes how many rewrites were kept, in how many rounds.
func fixHeadline(r *fix.Result) string {
	line := fmt.Sprintf("%d of %s kept", len(keptFixes(r)), layout.Plural(len(r.Attempts), "rewrite", "rewrites"))
	if r.Rounds > 1 {
		line += fmt.Sprintf(" in %d passes", r.Rounds)
	}
	return line
}

// fixNotes returns what to know before the figures.
func fixNotes(r *fix.Result) []string {
	var notes []string
	if r.Interrupted {
		notes = append(notes, "Interrupted: not everything was tried, and there is no comparison in total.")
	}
	if len(r.Failing) > 0 {
		notes = append(notes, "Tests that already failed, and were ignored: "+
			layout.Clean(strings.Join(r.Failing, ", "))+".")
	}
	if len(r.Flaky) > 0 {
		notes = append(notes, "Flaky tests, which were ignored: "+layout.Clean(strings.Join(r.Flaky, ", "))+".")
	}
	for _, b := range r.Broken {
		reason, _, _ := strings.Cut(b.Reason, "\n")
		notes = append(notes, "Does not build, and was skipped: "+layout.Clean(b.Package)+" ("+layout.Clean(reason)+").")
	}
	return notes
}

// A fixTotal is a comparison of the original with all kept rewrites.
type fixTotal struct {
	Title    string
	Measured *fix.Measured
}

func fixTotals(r *fix.Result) []fixTotal {
	var totals []fixTotal
	for _, x := range []fixTotal{ // what users see comes first
		{"The original against everything kept, as a service under load", r.Service},
		{"The original against everything kept", r.Total},
		{"The original against everything kept, with the settings below", r.WithSettings},
	} {
		if x.Measured != nil && x.Measured.AB != nil {
			totals = append(totals, x)
		}
	}
	return totals
}

// writeAttempt writes the outcome of a rewrite.
func writeAttempt(t *layout.Writer, s layout.Style, a *fix.Attempt) {
	t.Line()
	mark := "dropped"
	if a.Kept() {
		mark = "kept"
	}
	layout.Wrap(t, s, "", s.Paint(layout.Bold, mark+": "+a.Finding.Title), 3)
	writePlace(t, s, &a.Finding)
	if !a.Kept() {
		t.Line("   at ", s.Paint(layout.Bold, string(a.Stage)), ":")
		for line := range strings.Lines(a.Reason) {
			layout.Wrap(t, s, "     ", layout.CleanSource(strings.TrimRight(line, "\n")), 5)
		}
		if a.Hint != "" {
			layout.Wrap(t, s, "     hint: ", layout.Clean(a.Hint), 5)
		}
		writeAside(t, s, a)
		writeAnswers(t, s, a)
		writeRows(t, s, measuredRows(a.Measured))
		return
	}
	layout.Wrap(t, s, "   ", layout.Clean(a.Finding.Why), 3)
	for _, line := range proofLines(a) {
		layout.Wrap(t, s, "   ", line, 3)
	}
	writeRows(t, s, measuredRows(a.Measured))
	layout.WriteDiff(t, s, a.Diff, 5)
}

// writeAside writes the losses that do not count.
func writeAside(t *layout.Writer, s layout.Style, a *fix.Attempt) {
	for _, loss := range a.Aside {
		layout.Wrap(t, s, "     slower: ", layout.Clean(loss), 5)
	}
}

func writePlace(t *layout.Writer, s layout.Style, x *find.Finding) {
	t.Line("   ", s.Paint(layout.Cyan, layout.CutMiddle(layout.Clean(x.Where()), s.Remaining(3, 20))), "  ",
		layout.Clean(x.Function))
}

// proofLines describe the cost without a kept rewrite, and its proof, without a full stop.
func proofLines(a *fix.Attempt) []string {
	var lines []string
	if len(a.Finding.Evidence) > 0 {
		lines = append(lines, "saves at most "+savingText(&a.Finding))
	}
	if waits := lineWaitsText(a.Finding.Waits); waits != "" {
		lines = append(lines, waits)
	}
	if a.Round > 1 {
		lines = append(lines, fmt.Sprintf("found in pass %d, in code that earlier rewrites changed", a.Round))
	}
	if a.Together > 0 {
		lines = append(lines, fmt.Sprintf("kept together with %s: alone, each gain is too small to measure",
			layout.Plural(a.Together, "other", "others")))
	}
	if a.Tested > 0 {
		line := "builds; vet reports nothing new; the tests of " + layout.Plural(a.Tested, "package", "packages") + " pass"
		if a.Ignored > 0 {
			line += fmt.Sprintf(", except for %d that already failed or are flaky", a.Ignored)
		}
		lines = append(lines, line)
	}
	if a.Answers != nil {
		if len(a.Answers.Functions) > 0 {
			lines = append(lines, fmt.Sprintf("old and new %s returned the same results for %d inputs",
				layout.Clean(strings.Join(a.Answers.Functions, ", ")), a.Answers.Inputs))
		}
		for _, not := range a.Answers.Not {
			lines = append(lines, "not compared: "+layout.Clean(not))
		}
	}
	if a.Measured != nil && a.Measured.Written != "" {
		lines = append(lines,
			"no benchmark of the module runs the line: measured by a generated one, with generated inputs")
		for _, path := range a.Measured.Paths {
			lines = append(lines, layout.Clean(path))
		}
	}
	if len(a.Open) > 0 {
		lines = append(lines, "undecided because of noise: "+layout.Clean(strings.Join(a.Open, "; ")))
	}
	for _, loss := range a.Aside {
		lines = append(lines, "slower: "+layout.Clean(loss))
	}
	return lines
}

func untriedPlace(u *fix.Untried) string {
	if u.Line == 0 {
		return layout.Clean(u.File)
	}
	return fmt.Sprintf("%s:%d", layout.Clean(u.File), u.Line)
}

// untriedWords describes the cost and why nothing was tried.
func untriedWords(u *fix.Untried) string {
	words := u.Reason
	if u.Title != "" {
		words = u.Title + ": " + words
	}
	if u.Waiting != nil {
		return hotLineText(u.Waiting) + ": " + layout.Clean(words)
	}
	return layout.SharePercent(u.Share) + "  " + layout.Clean(words)
}

// keptFixes returns the proven rewrites.
func keptFixes(r *fix.Result) []*fix.Attempt {
	return fixesThat(r, func(a *fix.Attempt) bool { return a.Kept() })
}

// droppedFixes returns the rewrites that were tried but not proven.
func droppedFixes(r *fix.Result) []*fix.Attempt {
	return fixesThat(r, func(a *fix.Attempt) bool { return !a.Kept() && a.Stage != fix.StageNeeds })
}

// needingFixes returns the rewrites that need a step that whet does not take.
func needingFixes(r *fix.Result) []*fix.Attempt {
	return fixesThat(r, func(a *fix.Attempt) bool { return a.Stage == fix.StageNeeds })
}

func fixesThat(r *fix.Result, want func(*fix.Attempt) bool) []*fix.Attempt {
	var list []*fix.Attempt
	for i := range r.Attempts {
		if want(&r.Attempts[i]) {
			list = append(list, &r.Attempts[i])
		}
	}
	return list
}

// measuredRows returns the subjects and units that a comparison decided, or was for: name, unit,
// before, after, change, half width, verdict.
func measuredRows(m *fix.Measured) [][]string {
	return rowsOf(m, func(i int, u *ab.Unit) bool {
		return i == 0 || u.Verdict == ab.Better || u.Verdict == ab.Worse
	})
}

// totalRows always includes time, bytes and allocations of each subject, with the factor of the
// gain.
func totalRows(m *fix.Measured) [][]string {
	rows := rowsOf(m, func(i int, u *ab.Unit) bool {
		return i == 0 || u.Verdict == ab.Better || u.Verdict == ab.Worse || u.Unit == "B/op" || u.Unit == "allocs/op"
	})
	i := 0
	for _, s := range m.AB.Subjects {
		for _, u := range s.Units {
			if i < len(rows) && rows[i][0] == layout.Clean(s.Name) && rows[i][1] == u.Unit {
				if times := timesLess(&u); times != "" {
					rows[i][len(rows[i])-1] += ", " + times
				}
				i++
			}
		}
	}
	return rows
}

// timesLess formats a gain as a factor, "8.4x"; "" if there is none, or hardly any.
func timesLess(u *ab.Unit) string {
	factor := 1 / float64(u.Ratio)
	if u.Better == bench.Higher {
		factor = float64(u.Ratio)
	}
	if u.Verdict != ab.Better || math.IsInf(factor, 0) || math.IsNaN(factor) || factor < 1.1 {
		return ""
	}
	return fmt.Sprintf("%.1fx", factor)
}

func rowsOf(m *fix.Measured, show func(i int, u *ab.Unit) bool) [][]string {
	var rows [][]string
	if m == nil || m.AB == nil {
		return nil
	}
	for _, s := range m.AB.Subjects {
		for i := range s.Units {
			u := &s.Units[i]
			if !show(i, u) {
				continue
			}
			row := benchmarks.ABRowOf(layout.Clean(s.Name), len(u.Rounds[ab.A]), u)
			half := row[4]
			if half != "" {
				half = "±" + half
			}
			rows = append(rows, []string{row[0], u.Unit, row[1], row[2], row[3], half, row[7]})
		}
		if s.Error != "" {
			rows = append(rows, []string{
				layout.Clean(s.Name), "", "", "", "", "",
				layout.Clean("not fully measured: " + s.Error),
			})
		}
	}
	return rows
}

func writeMeasured(t *layout.Writer, s layout.Style, m *fix.Measured) {
	writeRows(t, s, measuredRows(m))
}

// rowsTable returns the table of measuredRows and totalRows.
func rowsTable(rows [][]string) *layout.Table {
	return &layout.Table{
		Head: []string{"benchmark", "unit", "before", "after", "change", "95%", "verdict"}, Rows: rows,
		Align: "llrrrrl",
	}
}

// writeRows writes rows without a heading, cut at the end.
func writeRows(t *layout.Writer, s layout.Style, rows [][]string) {
	table := rowsTable(rows)
	table.Head, table.Indent, table.Clip = nil, 3, 40
	table.Write(t, s)
}

func markdownRows(t *layout.Writer, rows [][]string) {
	if len(rows) > 0 {
		t.Line()
		rowsTable(rows).WriteMarkdown(t)
	}
}
