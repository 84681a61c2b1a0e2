package report

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/whet-go/whet/find/lines"
)

// noteSteps is how many of the reasons of a note the text shows; JSON has all.
const noteSteps = 4

// WriteNotes renders what the compiler says of lines.
func WriteNotes(w io.Writer, s Style, r *lines.Result) error {
	t := &text{w: w}
	all, parts := 0, []string{}
	for _, c := range r.Notes {
		all += c.Notes
		parts = append(parts, fmt.Sprintf("%s %d", c.Kind, c.Notes))
	}
	loadWrap(t, s, "", rich(s.paint(bold, plural(all, "note", "notes")), " on ", plural(r.Found, "line", "lines"), " of ", Clean(r.Module), ": ", strings.Join(parts, ", ")), 0)
	parts = nil
	for _, x := range r.Totals {
		parts = append(parts, fmt.Sprintf("%s %s", costName(x.Cost), totalText(x)))
	}
	if len(parts) > 0 {
		loadWrap(t, s, "", "profiles: "+strings.Join(parts, ", "), 0)
	}
	for i := range r.Lines {
		writeNotedLine(t, s, r, &r.Lines[i])
	}
	if n := r.Found - len(r.Lines); n > 0 {
		t.line()
		t.line(plural(n, "more line", "more lines"), " (-n 0 shows all)")
	}
	if n := len(r.Stale); n > 0 {
		t.line()
		loadWrap(t, s, "", plural(n, "function has", "functions have")+" changed since the recording: their lines have no cost here (--json lists them)", 0)
	}
	return t.result()
}

func writeNotedLine(t *text, s Style, r *lines.Result, l *lines.Line) {
	t.line()
	head := s.paint(cyan, middle(fmt.Sprintf("%s:%d", Clean(l.File), l.Line), s.room(0, 20)))
	if len(l.Evidence) > 0 {
		head = rich(head, "  ", evidenceText(l.Evidence))
	}
	t.line(head)
	t.line("  ", cut(cleanSource(strings.TrimSpace(l.Code)), s.room(2, 20)))
	for _, n := range l.Notes {
		text := noteText(n.Note)
		for _, at := range n.Inlined {
			text += fmt.Sprintf(", inlined from %s:%d", Clean(inlinedFile(r.Dir, at.File)), at.Line)
		}
		loadWrap(t, s, "  "+left(string(n.Group), 6)+"  "+right(fmt.Sprint(n.Column), 3)+": ", text, 15)
		for _, step := range n.Through[:min(len(n.Through), noteSteps)] {
			t.line(blanks(15), s.paint(dim, cut(fmt.Sprintf("%s (line %d)", Clean(step.Message), step.Line), s.room(15, 20))))
		}
		if more := len(n.Through) - noteSteps; more > 0 {
			t.line(blanks(15), s.paint(dim, fmt.Sprintf("and %s, in --json", plural(more, "step", "steps"))))
		}
	}
}

// inlinedFile names a file relative to the module if it is of it, and else by its directory and base name.
func inlinedFile(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	file = filepath.ToSlash(file)
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
