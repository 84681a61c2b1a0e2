package findings

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/internal/report/layout"
)

// noteSteps is the number of a note's reasons in text; JSON has all.
const noteSteps = 4

// WriteNotes writes the compiler's notes by line.
func WriteNotes(w io.Writer, s layout.Style, r *lines.Result) error {
	t := layout.NewWriter(w)
	all, parts := 0, []string{}
	for _, c := range r.Notes {
		all += c.Notes
		parts = append(parts, fmt.Sprintf("%s %d", c.Kind, c.Notes))
	}
	layout.Wrap(t, s, "", layout.Join(s.Paint(layout.Bold, layout.Plural(all, "note", "notes")), " on ",
		layout.Plural(r.Found, "line", "lines"), " of ", layout.Clean(r.Module), ": ", strings.Join(parts, ", ")), 0)
	parts = nil
	for _, x := range r.Totals {
		parts = append(parts, fmt.Sprintf("%s %s", costName(x.Cost), totalText(x)))
	}
	if len(parts) > 0 {
		layout.Wrap(t, s, "", "profiles: "+strings.Join(parts, ", "), 0)
	}
	for i := range r.Lines {
		writeNotedLine(t, s, r, &r.Lines[i])
	}
	layout.More(t, s, "", r.Found-len(r.Lines), "more line", "more lines")
	if n := len(r.Stale); n > 0 {
		t.Line()
		layout.Wrap(t, s, "", layout.Plural(n, "function has", "functions have")+
			" changed since the recording: their lines have no cost here (--json lists them)", 0)
	}
	return t.Result()
}

func writeNotedLine(t *layout.Writer, s layout.Style, r *lines.Result, l *lines.Line) {
	t.Line()
	head := s.Paint(layout.Cyan, layout.CutMiddle(fmt.Sprintf("%s:%d", layout.Clean(l.File), l.Line), s.Remaining(0, 20)))
	if len(l.Evidence) > 0 {
		head = layout.Join(head, "  ", evidenceText(l.Evidence))
	}
	t.Line(head)
	t.Line("  ", layout.Cut(layout.CleanSource(strings.TrimSpace(l.Code)), s.Remaining(2, 20)))
	for _, n := range l.Notes {
		text := noteText(n.Note)
		for _, at := range n.Inlined {
			text += fmt.Sprintf(", inlined from %s:%d", layout.Clean(inlinedFile(r.Dir, at.File)), at.Line)
		}
		layout.Wrap(t, s, "  "+layout.Left(string(n.Group), 6)+"  "+layout.Right(fmt.Sprint(n.Column), 3)+": ", text, 15)
		for _, step := range n.Through[:min(len(n.Through), noteSteps)] {
			t.Line(layout.Spaces(15), s.Paint(layout.Dim,
				layout.Cut(fmt.Sprintf("%s (line %d)", layout.Clean(step.Message), step.Line), s.Remaining(15, 20))))
		}
		if more := len(n.Through) - noteSteps; more > 0 {
			t.Line(layout.Spaces(15),
				s.Paint(layout.Dim, fmt.Sprintf("and %s, in --json", layout.Plural(more, "step", "steps"))))
		}
	}
}

// inlinedFile returns a file's name relative to the module if it is below it, else its directory
// and base name.
func inlinedFile(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	file = filepath.ToSlash(file)
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
