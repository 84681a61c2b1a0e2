package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/unit"
)

// WriteGoroutines writes the document for people. A group is up to four lines: what
// its goroutines do, where, who started them, and what is wrong with it.
func WriteGoroutines(w io.Writer, s Style, d Goroutines) error {
	t := &text{w: w}
	goroutineHead(t, s, &d)
	grown := d.Earlier != ""
	if len(d.Groups) > 0 {
		t.line()
		head := right("count", 8)
		if grown {
			head += right("change", 9)
		}
		t.line(s.paint(dim, head+"  "+left("waits for", 25)+"longest wait"))
	}
	for i := range d.Groups {
		d.Groups[i].write(t, s, grown)
	}
	if d.Hidden > 0 {
		t.line(s.paint(dim, fmt.Sprintf("%8d  in %s (-n 0 shows all)", d.Left, plural(d.Hidden, "more group", "more groups"))))
	}
	goroutineCreators(t, s, &d, grown)
	goroutineNotes(t, s, &d)
	return t.result()
}

func goroutineHead(t *text, s Style, d *Goroutines) {
	head := plural(int(d.Total), "goroutine", "goroutines")
	if d.Earlier != "" {
		change := "±0"
		if d.Total != d.EarlierTotal {
			change = fmt.Sprintf("%+d", d.Total-d.EarlierTotal)
		}
		head += fmt.Sprintf(", %s since the %d of %s", change, d.EarlierTotal, Clean(d.Earlier))
	}
	t.line(s.paint(bold, cut(head, s.room(0, 40))))
	from := Clean(d.Name) + ": " + Clean(d.Kind)
	if d.TraceDuration > 0 {
		from += fmt.Sprintf(", execution trace of %v", d.TraceDuration.Round(100*time.Millisecond))
	}
	if d.Leaks && !strings.HasPrefix(d.Kind, "goroutineleak") {
		from += ", goroutineleak profile"
	}
	t.line(s.paint(dim, cut(from, s.room(0, 40))))
	if d.Reason != "" {
		t.line(cut(Clean(d.Reason), s.room(0, 40)))
	}
	if len(d.Filters) > 0 {
		t.line(s.paint(dim, cut(fmt.Sprintf("%s (leaves out %d)", Clean(strings.Join(d.Filters, " ")), d.Filtered), s.room(0, 40))))
	}
}

func (g *GoroutineGroup) write(t *text, s Style, grown bool) {
	count := right(strconv.FormatInt(g.Count, 10), 8)
	if grown {
		count += right(signedCount(g.Delta), 9)
	}
	indent := blanks(columns(count) + 2)
	reason := Clean(g.Reason)
	if reason == "" {
		reason = "unknown"
	}
	var mark painted
	switch g.Verdict {
	case "leak":
		mark = s.paint(bold+red, "LEAK")
	case "suspect":
		mark = s.paint(gold, "suspect")
	}
	t.line(count, "  ", left(cut(reason, 24), 24), " ", left(g.wait(), 22), mark)

	at, style := g.place()
	t.line(indent, s.place(at, style, columns(indent)))
	switch {
	case g.Creator != nil:
		note := creatorNote(g.CreatorFrom)
		t.line(indent, s.paint(dim, "by "), s.place(*g.Creator, "", columns(indent)+3+columns(note)), s.paint(dim, note))
	case len(g.Stack) > 0 && g.Stack[len(g.Stack)-1].Name == "main.main":
	default:
		t.line(indent, s.paint(dim, "by: unknown"))
	}
	if len(g.Labels) > 0 {
		var labels []string
		for _, l := range g.Labels[:min(len(g.Labels), 3)] {
			labels = append(labels, Clean(l.Key)+"="+Clean(l.Value))
		}
		t.line(indent, s.paint(dim, cut("labels "+strings.Join(labels, ", "), s.room(columns(indent), 30))))
	}
	if g.Why != "" {
		for _, l := range wrap(g.Why, s.room(columns(indent), 40)) {
			t.line(indent, s.paint(gold, l))
		}
	}
}

// signedCount writes a growth; a dot is none.
func signedCount(n int64) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprintf("%+d", n)
}

// place is the frame that says most about the group: the innermost own one, else
// where it started, which names a library's goroutine better than where it waits.
func (g *GoroutineGroup) place() (Frame, string) {
	switch {
	case g.Own != nil:
		return *g.Own, bold + cyan
	case len(g.Stack) > 0:
		return g.Stack[len(g.Stack)-1], ""
	}
	if g.Reason == "runnable" {
		return Frame{Name: "(no stack: has not run yet)"}, dim
	}
	return Frame{Name: "(no stack)"}, dim
}

// place writes a frame after used columns.
func (s Style) place(f Frame, style string, used int) painted {
	at := ""
	if f.File != "" {
		at = "  " + FitPath(f.File, s.room(used+24, 16))
		if i := strings.LastIndexByte(at, '/'); s.Width > 0 && columns(f.Name)+columns(at)+used+6 > s.Width && i >= 0 {
			at = "  " + at[i+1:]
		}
		if f.Line > 0 {
			at += ":" + strconv.Itoa(f.Line)
		}
	}
	return s.paint(style, FitName(f.Name, s.room(used+columns(at), 20))) + s.paint(dim, at)
}

// wait says the longest wait and what told it.
func (g *GoroutineGroup) wait() string {
	if g.Wait == 0 {
		return ""
	}
	v := unit.Duration(g.Wait.Round(max(g.Wait/100, time.Nanosecond)))
	if g.Wait >= time.Minute {
		v = strconv.FormatInt(int64(g.Wait/time.Minute), 10) + " min"
	}
	if g.WaitAtLeast {
		v = "≥ " + v
	}
	return v + " (" + g.WaitFrom + ")"
}

// creatorNote marks creators that were inferred.
func creatorNote(from string) string {
	switch from {
	case "dump", "trace":
		return ""
	case "trace of others":
		return "  as others of it"
	}
	return "  by its name"
}

// shownCreators bounds the table of creators for people; JSON has all.
const shownCreators = 10

func goroutineCreators(t *text, s Style, d *Goroutines, grown bool) {
	if len(d.Creators) == 0 {
		return
	}
	t.line()
	head := right("count", 8)
	if grown {
		head += right("change", 9)
	}
	t.line(s.paint(dim, head+"  started by"))
	left := int64(0)
	for i, c := range d.Creators {
		if i >= shownCreators {
			left += c.Count
			continue
		}
		line := right(strconv.FormatInt(c.Count, 10), 8)
		if grown {
			line += right(signedCount(c.Delta), 9)
		}
		leaked := ""
		if c.Leaked > 0 {
			leaked = fmt.Sprintf("  %d leaked", c.Leaked)
		}
		used := columns(line) + 2 + columns(leaked)
		name := s.paint(dim, "unknown, or main itself")
		if c.Creator != nil {
			style := ""
			if c.Own {
				style = bold + cyan
			}
			name = s.place(Frame{Name: c.Creator.Name}, style, used)
		}
		t.line(line, "  ", name, s.paint(bold+red, leaked))
	}
	if n := len(d.Creators) - shownCreators; n > 0 {
		t.line(s.paint(dim, fmt.Sprintf("%8d  by %d more", left, n)))
	}
}

// goroutineNotes says what more would tell.
func goroutineNotes(t *text, s Style, d *Goroutines) {
	unknown, suspects, byName, others := false, false, false, false
	for i := range d.Groups {
		unknown = unknown || d.Groups[i].Wait == 0
		suspects = suspects || d.Groups[i].Verdict == "suspect"
		if d.Groups[i].Creator != nil {
			note := creatorNote(d.Groups[i].CreatorFrom)
			byName = byName || note == "  by its name"
			others = others || note == "  as others of it"
		}
	}
	var notes []string
	if byName {
		notes = append(notes, "by its name: the creator is inferred from the name of the function that the goroutine runs")
	}
	if others {
		notes = append(notes, "as others of it: they are older than the trace, which saw only this function start such goroutines")
	}
	if unknown && d.TraceDuration == 0 && !strings.Contains(d.Kind, "dump") {
		notes = append(notes, "how long they wait: whet record takes an execution trace, which tells")
	}
	if suspects && !d.Leaks {
		notes = append(notes, "whether a suspect leaks: a service built with Go 1.27 (Go 1.26: GOEXPERIMENT=goroutineleakprofile) offers a profile that proves it")
	}
	if len(notes) > 0 {
		t.line()
	}
	for _, n := range notes {
		for i, l := range wrap(n, s.room(2, 40)) {
			prefix := "  "
			if i == 0 {
				prefix = "- "
			}
			t.line(s.paint(dim, prefix+l))
		}
	}
}

// wrap breaks s into lines of at most n columns, at blanks.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(Clean(s)) {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) > n:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
