package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/fix"
)

// WriteFix renders what became of findings: what was kept with its proof, what was dropped with the
// reason, and the original against all that was kept.
func WriteFix(w io.Writer, s Style, r *fix.Result) error {
	t := &text{w: w}
	kept := keptFixes(r)
	t.line(s.paint(bold, fmt.Sprintf("%d of %s kept", len(kept), plural(len(r.Attempts), "rewrite", "rewrites"))), " in ", Clean(r.Module))
	for i := range r.Attempts {
		a := &r.Attempts[i]
		p := a.Finding.Places[0]
		t.line()
		mark := "dropped"
		if a.Kept() {
			mark = "kept"
		}
		loadWrap(t, s, "", s.paint(bold, mark+": "+a.Finding.Title), 3)
		t.line("   ", s.paint(cyan, middle(fmt.Sprintf("%s:%d", Clean(p.File), p.Line), s.room(3, 20))), "  ", Clean(a.Finding.Function))
		if a.Answers != nil && len(a.Answers.Functions) > 0 {
			loadWrap(t, s, "   ", fmt.Sprintf("old and new %s answered alike on %d inputs", strings.Join(a.Answers.Functions, ", "), a.Answers.Inputs), 3)
		}
		if a.Answers != nil {
			for _, not := range a.Answers.Not {
				loadWrap(t, s, "   ", "not compared: "+Clean(not), 3)
			}
		}
		if !a.Kept() {
			t.line("   at ", s.paint(bold, string(a.Stage)), ":")
			for line := range strings.Lines(a.Reason) {
				t.line("     ", cut(cleanSource(strings.TrimRight(line, "\n")), s.room(5, 40)))
			}
		}
		writeMeasured(t, s, a.Measured)
		if a.Kept() {
			for line := range strings.Lines(a.Diff) {
				writeDiffLine(t, s, strings.TrimRight(line, "\n"))
			}
		}
	}
	if r.Total != nil {
		t.line()
		t.line(s.paint(bold, "The original against all that was kept"))
		writeMeasured(t, s, r.Total)
	}
	writeFixSettings(t, s, r)
	return t.result()
}

func keptFixes(r *fix.Result) []*fix.Attempt {
	var kept []*fix.Attempt
	for i := range r.Attempts {
		if r.Attempts[i].Kept() {
			kept = append(kept, &r.Attempts[i])
		}
	}
	return kept
}

// measuredRows are the subjects and units that a comparison decided, or was about.
func measuredRows(m *fix.Measured) [][]string {
	var rows [][]string
	if m == nil || m.AB == nil {
		return nil
	}
	for _, s := range m.AB.Subjects {
		for i, u := range s.Units {
			if i > 0 && u.Verdict != ab.Better && u.Verdict != ab.Worse {
				continue
			}
			row := abRowOf(Clean(s.Name), len(u.Rounds[ab.A]), &s.Units[i])
			rows = append(rows, []string{row[0], u.Unit, row[1], row[2], row[3], "±" + row[4], row[7]})
		}
	}
	return rows
}

func writeMeasured(t *text, s Style, m *fix.Measured) {
	rows := measuredRows(m)
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range rows {
		line := "   " + left(row[0], widths[0]) + "  " + left(row[1], widths[1])
		for i := 2; i < len(row); i++ {
			line += "  " + right(row[i], widths[i])
		}
		t.line(cut(line, s.room(0, 40)))
	}
}

// WriteFixMarkdown renders the same as GitHub's Markdown.
func WriteFixMarkdown(w io.Writer, r *fix.Result) error {
	t := &text{w: w}
	t.line(fmt.Sprintf("## %d of %s kept in ", len(keptFixes(r)), plural(len(r.Attempts), "rewrite", "rewrites")), code(r.Module))
	table := func(m *fix.Measured) {
		rows := measuredRows(m)
		if len(rows) == 0 {
			return
		}
		t.line()
		t.line("| benchmark | unit | before | after | change | 95 % | is |")
		t.line("|---|---|--:|--:|--:|--:|---|")
		for _, row := range rows {
			t.line("| ", strings.ReplaceAll(strings.Join(row, " | "), "_", `\_`), " |")
		}
	}
	if r.Total != nil {
		t.line()
		t.line("The original against all that was kept:")
		table(r.Total)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		p := a.Finding.Places[0]
		t.line()
		if a.Kept() {
			t.line("### Kept: ", a.Finding.Title)
		} else {
			t.line("### Dropped: ", a.Finding.Title)
		}
		t.line()
		t.line(code(fmt.Sprintf("%s:%d", p.File, p.Line)), " in ", code(a.Finding.Function), ": ", a.Finding.Why, ".")
		if a.Answers != nil && len(a.Answers.Functions) > 0 {
			t.line()
			t.line(fmt.Sprintf("Old and new answered alike on %d inputs.", a.Answers.Inputs))
		}
		if !a.Kept() {
			t.line()
			t.line("Dropped at “", string(a.Stage), "”:")
			t.line()
			t.line(fence(a.Reason))
			for line := range strings.Lines(a.Reason) {
				t.line(strings.TrimRight(line, "\n"))
			}
			t.line(fence(a.Reason))
		}
		table(a.Measured)
		if a.Kept() {
			t.line()
			t.line(fence(a.Diff), "diff")
			for line := range strings.Lines(a.Diff) {
				t.line(strings.TrimRight(line, "\n"))
			}
			t.line(fence(a.Diff))
		}
	}
	writeFixSettingsMarkdown(t, r, table)
	return t.result()
}
