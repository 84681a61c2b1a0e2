package recordings

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WriteGoroutines writes the document as text. A group has up to four lines: what its goroutines
// do, where, who started them, and what is wrong.
func WriteGoroutines(w io.Writer, s layout.Style, d goroutines.Report) error {
	t := layout.NewWriter(w)
	goroutineHead(t, s, &d)
	if len(d.Groups) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Dim, counts(&d, "count", "change")+layout.Left("waits for", 25)+"longest wait"))
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		goroutineGroup(t, s, g, counts(&d, strconv.FormatInt(g.Count, 10), signedCount(g.Delta)))
	}
	if d.Hidden > 0 {
		t.Line(s.Paint(layout.Dim,
			fmt.Sprintf("%8d  in %s %s", d.Left, layout.Plural(d.Hidden, "more group", "more groups"), layout.ShowAll)))
	}
	goroutineCreators(t, s, &d)
	goroutineNotes(t, s, &d)
	return t.Result()
}

// counts returns the first columns of a row: a number and, if there is an earlier one, its change.
func counts(d *goroutines.Report, count, change string) string {
	if d.Earlier == "" {
		return layout.Right(count, 8) + "  "
	}
	return layout.Right(count, 8) + layout.Right(change, 9) + "  "
}

func goroutineHead(t *layout.Writer, s layout.Style, d *goroutines.Report) {
	head := layout.Plural(int(d.Total), "goroutine", "goroutines")
	if d.Earlier != "" {
		change := "±0"
		if d.Total != d.EarlierTotal {
			change = fmt.Sprintf("%+d", d.Total-d.EarlierTotal)
		}
		head += fmt.Sprintf(", %s since %s (%d)", change, layout.Clean(d.Earlier), d.EarlierTotal)
	}
	t.Line(s.Paint(layout.Bold, layout.Cut(head, s.Remaining(0, 40))))
	from := layout.Facts{layout.Clean(d.Name) + ": " + layout.Clean(d.Kind)}
	from.If(d.TraceDuration > 0, ", execution trace of %v", d.TraceDuration.Round(100*time.Millisecond))
	from.If(d.Leaks && !strings.HasPrefix(d.Kind, "goroutineleak"), ", goroutineleak profile")
	t.Line(s.Paint(layout.Dim, layout.Cut(from.String(), s.Remaining(0, 40))))
	if d.Reason != "" {
		t.Line(layout.Cut(layout.Clean(d.Reason), s.Remaining(0, 40)))
	}
	if len(d.Filters) > 0 {
		t.Line(s.Paint(layout.Dim, layout.Cut(fmt.Sprintf("%s (leaves out %d)", layout.Clean(strings.Join(d.Filters, " ")),
			d.Filtered), s.Remaining(0, 40))))
	}
}

func goroutineGroup(t *layout.Writer, s layout.Style, g *goroutines.ReportGroup, count string) {
	indent := layout.Spaces(layout.Columns(count))
	reason := cmp.Or(layout.Clean(g.Reason), "unknown")
	var mark layout.Painted
	switch g.Verdict {
	case "leak":
		mark = s.Paint(layout.Bold+layout.Red, "LEAK")
	case "suspect":
		mark = s.Paint(layout.Gold, "suspect")
	}
	t.Line(count, layout.Left(layout.Cut(reason, 24), 24), " ", layout.Left(longestWait(g), 22), mark)

	at, style := placeOf(g)
	t.Line(indent, layout.FrameText(s, layout.Frame(at), style, layout.Columns(indent)))
	switch {
	case g.Creator != nil:
		note := creatorNote(g.CreatorFrom)
		t.Line(indent, s.Paint(layout.Dim, "by "),
			layout.FrameText(s, layout.Frame(*g.Creator), "", layout.Columns(indent)+3+layout.Columns(note)),
			s.Paint(layout.Dim, note))
	case len(g.Stack) > 0 && g.Stack[len(g.Stack)-1].Func == "main.main":
	default:
		t.Line(indent, s.Paint(layout.Dim, "by: unknown"))
	}
	if len(g.Labels) > 0 {
		var labels []string
		for _, l := range g.Labels[:min(len(g.Labels), 3)] {
			labels = append(labels, layout.Clean(l.Key)+"="+layout.Clean(l.Value))
		}
		t.Line(indent, s.Paint(layout.Dim,
			layout.Cut("labels "+strings.Join(labels, ", "), s.Remaining(layout.Columns(indent), 30))))
	}
	if g.Why != "" {
		layout.Paragraph(t, s, layout.Gold, indent, layout.Clean(g.Why))
	}
}

// signedCount formats a growth; a dot is none.
func signedCount(n int64) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprintf("%+d", n)
}

// placeOf returns the most informative frame of the group: the innermost own one, else the outermost,
// which identifies a library's goroutine better than the frame in which it waits.
func placeOf(g *goroutines.ReportGroup) (goroutines.Frame, layout.Color) {
	switch {
	case g.Own != nil:
		return *g.Own, layout.Bold + layout.Cyan
	case len(g.Stack) > 0:
		return g.Stack[len(g.Stack)-1], ""
	}
	if g.Reason == "runnable" {
		return goroutines.Frame{Func: "(no stack: has not run yet)"}, layout.Dim
	}
	return goroutines.Frame{Func: "(no stack)"}, layout.Dim
}

// longestWait describes the longest wait and where that is known from.
func longestWait(g *goroutines.ReportGroup) string {
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

// creatorNote marks inferred creators.
func creatorNote(from string) string {
	switch from {
	case "dump", "trace":
		return ""
	case "trace of others":
		return "  (as others)"
	}
	return "  (inferred)"
}

// shownCreators limits the table of creators in text; JSON has all.
const shownCreators = 10

func goroutineCreators(t *layout.Writer, s layout.Style, d *goroutines.Report) {
	if len(d.Creators) == 0 {
		return
	}
	t.Line()
	t.Line(s.Paint(layout.Dim, counts(d, "count", "change")+"started by"))
	shown := d.Creators[:min(len(d.Creators), shownCreators)]
	for _, c := range shown {
		line, leaked := counts(d, strconv.FormatInt(c.Count, 10), signedCount(c.Delta)), ""
		if c.Leaked > 0 {
			leaked = fmt.Sprintf("  %d leaked", c.Leaked)
		}
		name := s.Paint(layout.Dim, "unknown, or the main goroutine")
		if c.Creator != nil {
			style := layout.Color("")
			if c.Own {
				style = layout.Bold + layout.Cyan
			}
			name = layout.FrameText(s, layout.Frame{Func: c.Creator.Func}, style,
				layout.Columns(line)+layout.Columns(leaked))
		}
		t.Line(line, name, s.Paint(layout.Bold+layout.Red, leaked))
	}
	left := int64(0)
	for _, c := range d.Creators[len(shown):] {
		left += c.Count
	}
	if n := len(d.Creators) - len(shown); n > 0 {
		t.Line(s.Paint(layout.Dim, fmt.Sprintf("%8d  by %d more", left, n)))
	}
}

// goroutineNotes lists the data that would add to the report.
func goroutineNotes(t *layout.Writer, s layout.Style, d *goroutines.Report) {
	unknown, suspects, byName, others := false, false, false, false
	for i := range d.Groups {
		unknown = unknown || d.Groups[i].Wait == 0
		suspects = suspects || d.Groups[i].Verdict == "suspect"
		if d.Groups[i].Creator != nil {
			note := creatorNote(d.Groups[i].CreatorFrom)
			byName = byName || note == "  (inferred)"
			others = others || note == "  (as others)"
		}
	}
	var notes layout.Facts
	notes.If(byName, "inferred: from the name of the function that the goroutine runs")
	notes.If(others, "as others: older than the trace, in which only this function starts such goroutines")
	notes.If(unknown && d.TraceDuration == 0 && !strings.Contains(d.Kind, "dump"),
		"how long they wait: not recorded; the execution trace of whet record shows it")
	notes.If(suspects && !d.Leaks, "to prove that a suspect leaks, build with Go 1.27 (or Go 1.26 and "+
		"GOEXPERIMENT=goroutineleakprofile), which has a goroutineleak profile")
	if len(notes) > 0 {
		t.Line()
	}
	for _, n := range notes {
		layout.Paragraph(t, s, layout.Dim, "- ", n)
	}
}
