package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/whet-go/whet/unit"
)

// Of a line's callees and inlined lines the text shows the heaviest few that
// make up at least a hundredth of the line; the JSON document has them all.
const (
	listMost  = 4
	listShare = 100
)

// WriteList writes a List for people: per function the heading of go tool pprof
// -list, then one row per source line with flat, cum, the line's share of the
// total, its number and its text. Under a line that costs, rows that start with
// ⤷ show what was inlined into it and rows that start with → what it called.
func WriteList(w io.Writer, s Style, d *List) error {
	t := &listWriter{text: text{w: w}, s: s, h: &d.Header}
	t.line("Total: ", t.value(d.Header.Total), " ", Clean(d.Header.SampleType.Type))
	for i := range d.Functions {
		t.function(&d.Functions[i])
	}
	return t.result()
}

// MissingSource lists the files whose source was not found.
func (d *List) MissingSource() []string {
	var files []string
	for _, f := range d.Functions {
		if f.NoSource != "" && f.File != "" {
			files = append(files, f.File)
		}
	}
	return files
}

type listWriter struct {
	text
	s Style
	h *Header
}

// Columns of a row: flat, cum, share and line number, with the blanks between.
const (
	listCosts = "%10s %10s"
	listLead  = 10 + 1 + 10 + 1 + 7 + 1 + 6 + 2
)

func (t *listWriter) value(v int64) string { return t.h.write(v) }

// dot writes a value as go tool pprof does: a dot for zero.
func (t *listWriter) dot(v int64) string {
	if v == 0 {
		return "."
	}
	return t.value(v)
}

func (t *listWriter) function(f *ListFunction) {
	head, in := "ROUTINE ======================== "+Clean(f.Name), ""
	if f.File != "" {
		in = " in " + FitPath(f.File, t.s.room(columns(head)+4, 20))
	}
	t.line(t.s.paint(bold, head), in)
	t.line(fmt.Sprintf(listCosts, t.value(f.Flat), t.value(f.Cum)), " (flat, cum) ", unit.Percent(f.Cum, t.h.Total), " of total")
	switch {
	case f.NoSource != "":
		t.line("  no source text: ", Clean(f.NoSource))
	case f.Source != f.File:
		t.line("  source from ", Clean(f.Source))
	}
	if f.Stale {
		t.line(t.s.paint(gold, "  this is not the source that was compiled: the function does not begin where the profile says"))
	}
	for i := range f.Lines {
		l := &f.Lines[i]
		if l.Gap {
			t.line(blanks(listLead-3), t.s.paint(dim, "⋮"))
		}
		share, number := "", "?"
		if l.Cum != 0 {
			share = unit.Percent(l.Cum, t.h.Total)
		}
		if l.Line != 0 {
			number = fmt.Sprint(l.Line)
		}
		costs := fmt.Sprintf(listCosts+" %7s", t.dot(l.Flat), t.dot(l.Cum), share)
		code := cut(cleanSource(l.Text), t.s.room(listLead, 20))
		if l.Cum == 0 && l.Flat == 0 {
			t.line(costs, t.s.paint(dim, fmt.Sprintf(" %6s", number)), "  ", code)
		} else {
			t.line(t.s.paint(heat(unit.Share(l.Cum, t.h.Total)), costs), fmt.Sprintf(" %6s", number), "  ", code)
		}
		t.below(l.Cum, l.Inlined, l.Calls, 1)
	}
}

// below writes the rows under a place that costs whole.
func (t *listWriter) below(whole int64, inlined []ListInline, calls []ListCall, depth int) {
	indent := blanks(listLead - 22 + 2*depth) // from the end of cum on
	row := func(flat, cum, what string) {
		t.line(fmt.Sprintf(listCosts, flat, cum), " ", indent, t.s.paint(dim, cut(what, t.s.room(22+len(indent), 20))))
	}
	light := func(i int, cum int64) bool { return i == listMost || abs(cum) < abs(whole)/listShare }
	for i, in := range inlined {
		if light(i, in.Cum) {
			row("", "", "⤷ and "+plural(len(inlined)-i, "more inlined line", "more inlined lines"))
			break
		}
		what := fmt.Sprintf("⤷ %s %s:%d", ShortName(in.Function), Clean(baseName(in.File)), in.Line)
		if in.Text != "" {
			what += "  " + cleanSource(in.Text)
		}
		row(t.dot(in.Flat), t.dot(in.Cum), what)
		t.below(whole, in.Inlined, in.Calls, depth+1)
	}
	for i, c := range calls {
		if light(i, c.Cum) {
			row("", "", "→ and "+plural(len(calls)-i, "more function", "more functions"))
			break
		}
		what := "→ " + Clean(c.Function)
		if c.Injected {
			what = "preempted here (" + Clean(c.Function) + ")"
		}
		row("", t.value(c.Cum), what)
	}
}

// cleanSource makes a line of source safe to print; tabs stay as they are, four
// columns wide.
func cleanSource(s string) string {
	return Clean(strings.ReplaceAll(s, "\t", "    "))
}
