package report

import (
	"io"
	"strings"

	"github.com/whet-go/whet/fix"
)

// WriteFixMarkdown renders what WriteFix does as GitHub's Markdown.
func WriteFixMarkdown(w io.Writer, r *fix.Result) error {
	t := &text{w: w}
	t.line("## ", fixHeadline(r), " in ", code(r.Module))
	for _, note := range fixNotes(r) {
		t.line()
		t.line(said(note))
	}
	for _, x := range fixTotals(r) {
		t.line()
		t.line(x.Title, ":")
		markdownRows(t, totalRows(x.Measured))
	}
	for _, a := range keptFixes(r) {
		markdownAttempt(t, a)
	}
	for _, a := range droppedFixes(r) {
		markdownAttempt(t, a)
	}
	writeFixSettingsMarkdown(t, r, func(m *fix.Measured) { markdownRows(t, measuredRows(m)) })
	if needing := needingFixes(r); len(needing) > 0 {
		t.line()
		t.line("### Not tried without you")
		t.line()
		for _, a := range needing {
			t.line("- ", code(a.Finding.Where()), " in ", code(a.Finding.Function), ": ", said(a.Finding.Title), "; ", said(a.Reason))
		}
	}
	if len(r.Untried) > 0 {
		t.line()
		t.line("### Without a rewrite")
		t.line()
		for i := range r.Untried {
			u := &r.Untried[i]
			t.line("- ", code(untriedPlace(u)), " in ", code(u.Function), ": ", said(untriedWords(u)))
		}
	}
	return t.result()
}

func markdownAttempt(t *text, a *fix.Attempt) {
	t.line()
	if a.Kept() {
		t.line("### Kept: ", said(a.Finding.Title))
	} else {
		t.line("### Dropped: ", said(a.Finding.Title))
	}
	t.line()
	t.line(code(a.Finding.Where()), " in ", code(a.Finding.Function), ": ", said(a.Finding.Why), ".")
	if !a.Kept() {
		t.line()
		t.line("Dropped at “", string(a.Stage), "”:")
		t.line()
		markdownFence(t, "", a.Reason)
		markdownRows(t, measuredRows(a.Measured))
		return
	}
	t.line()
	for _, line := range proofLines(a) {
		t.line("- ", said(line))
	}
	markdownRows(t, measuredRows(a.Measured))
	t.line()
	markdownFence(t, "diff", a.Diff)
}

func markdownFence(t *text, language, body string) {
	t.line(fence(body), language)
	for line := range strings.Lines(body) {
		t.line(cleanTabs(strings.TrimRight(line, "\n")))
	}
	t.line(fence(body))
}

// cleanTabs is Clean that leaves tabs as they are: a diff is copied.
func cleanTabs(line string) string {
	parts := strings.Split(line, "\t")
	for i, part := range parts {
		parts[i] = Clean(part)
	}
	return strings.Join(parts, "\t")
}

func markdownRows(t *text, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	t.line()
	t.line("| benchmark | unit | before | after | change | 95 % | is |")
	t.line("|---|---|--:|--:|--:|--:|---|")
	for _, row := range rows {
		line := "|"
		for _, cell := range row {
			line += " " + said(cell) + " |"
		}
		t.line(line)
	}
}

// said is foreign text as Markdown.
func said(s string) string { return markdownText(Clean(s)) }
