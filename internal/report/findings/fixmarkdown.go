package findings

import (
	"io"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/layout"
)

// WriteFixMarkdown writes the same as WriteFix as GitHub's Markdown.
func WriteFixMarkdown(w io.Writer, r *fix.Result) error {
	t := layout.NewWriter(w)
	t.Line("## ", fixHeadline(r), " in ", layout.CodeSpan(r.Module))
	for _, note := range fixNotes(r) {
		t.Line()
		t.Line(escaped(note))
	}
	for _, x := range fixTotals(r) {
		t.Line()
		t.Line(x.Title, ":")
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
		t.Line()
		t.Line("### Not tried: needs a manual step")
		t.Line()
		for _, a := range needing {
			t.Line("- ", foundAt(&a.Finding), ": ", escaped(a.Finding.Title), "; ", escaped(a.Reason))
		}
	}
	if len(r.Untried) > 0 {
		t.Line()
		t.Line("### Without a rewrite")
		t.Line()
		for i := range r.Untried {
			u := &r.Untried[i]
			t.Line("- ", layout.CodeSpan(untriedPlace(u)), " in ", layout.CodeSpan(u.Function), ": ", escaped(untriedWords(u)))
		}
	}
	return t.Result()
}

// foundAt names the place and the function of a finding.
func foundAt(x *find.Finding) string {
	return layout.CodeSpan(x.Where()) + " in " + layout.CodeSpan(x.Function)
}

func markdownAttempt(t *layout.Writer, a *fix.Attempt) {
	t.Line()
	if a.Kept() {
		t.Line("### Kept: ", escaped(a.Finding.Title))
	} else {
		t.Line("### Dropped: ", escaped(a.Finding.Title))
	}
	t.Line()
	t.Line(foundAt(&a.Finding), ": ", escaped(a.Finding.Why), ".")
	if !a.Kept() {
		t.Line()
		t.Line("Dropped at “", string(a.Stage), "”:")
		t.Line()
		layout.WriteFence(t, "", a.Reason)
		if a.Hint != "" {
			t.Line()
			t.Line("Hint: ", escaped(a.Hint), ".")
		}
		for _, loss := range a.Aside {
			t.Line()
			t.Line("Slower: ", escaped(loss), ".")
		}
		markdownRows(t, measuredRows(a.Measured))
		return
	}
	t.Line()
	for _, line := range proofLines(a) {
		t.Line("- ", escaped(line))
	}
	markdownRows(t, measuredRows(a.Measured))
	t.Line()
	layout.WriteFence(t, "diff", a.Diff)
}

// escaped returns foreign text as Markdown.
func escaped(s string) string { return layout.EscapeMarkdown(layout.Clean(s)) }
