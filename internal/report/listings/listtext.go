package listings

import (
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// The text shows only the heaviest callees and inlined lines that have at least a hundredth of the
// line's cost; the JSON document has all.
const (
	listMost  = 4
	listShare = 100
)

// WriteList writes a List as text: per function the heading of go tool pprof -list, then a row per
// source line with flat, cum, the line's share of the total, its number and its text. Under a line
// with cost, rows with ⤷ show what is inlined into it and rows with → what it called.
func WriteList(w io.Writer, s layout.Style, d *documents.List) error {
	t := &listWriter{newCostWriter(w, s, &d.Header)}
	for i := range d.Functions {
		t.function(&d.Functions[i])
	}
	return t.Result()
}

type listWriter struct{ *costWriter }

// A costWriter writes costs of a profile.
type costWriter struct {
	*layout.Writer
	s layout.Style
	h *documents.Header
}

// newCostWriter returns a writer that has written the total.
func newCostWriter(w io.Writer, s layout.Style, h *documents.Header) *costWriter {
	t := &costWriter{layout.NewWriter(w), s, h}
	t.Line("Total: ", t.value(h.Total), " ", layout.Clean(h.SampleType.Type))
	return t
}

// Columns of a row: flat, cum, share and line number, with the blanks between them.
const (
	listCosts = "%10s %10s"
	listLead  = 10 + 1 + 10 + 1 + 7 + 1 + 6 + 2
)

func (t *costWriter) value(v int64) string { return t.h.Write(v) }

// dot formats a value as go tool pprof does: a dot for zero.
func (t *costWriter) dot(v int64) string {
	if v == 0 {
		return "."
	}
	return t.value(v)
}

func (t *listWriter) function(f *listing.ListFunction) {
	head, in := "ROUTINE ======================== "+layout.Clean(f.Name), ""
	if f.File != "" {
		in = " in " + layout.FitPath(f.File, t.s.Remaining(layout.Columns(head)+4, 20))
	}
	t.Line(t.s.Paint(layout.Bold, head), in)
	t.Line(fmt.Sprintf(listCosts, t.value(f.Flat), t.value(f.Cum)), " (flat, cum) ", unit.Percent(f.Cum, t.h.Total),
		" of total")
	switch {
	case f.NoSource != "":
		t.Line("  no source text: ", layout.Clean(f.NoSource))
	case f.Source != f.File:
		t.Line("  source from ", layout.Clean(f.Source))
	}
	if f.Stale {
		t.Line(t.s.Paint(layout.Gold,
			"  this is not the source that was compiled: the function does not start at the line in the profile"))
	}
	for i := range f.Lines {
		l := &f.Lines[i]
		if l.Gap {
			t.Line(layout.Spaces(listLead-3), t.s.Paint(layout.Dim, "⋮"))
		}
		share, number := "", "?"
		if l.Cum != 0 {
			share = unit.Percent(l.Cum, t.h.Total)
		}
		if l.Line != 0 {
			number = fmt.Sprint(l.Line)
		}
		costs := fmt.Sprintf(listCosts+" %7s", t.dot(l.Flat), t.dot(l.Cum), share)
		code := layout.Cut(layout.CleanSource(l.Text), t.s.Remaining(listLead, 20))
		if l.Cum == 0 && l.Flat == 0 {
			t.Line(costs, t.s.Paint(layout.Dim, fmt.Sprintf(" %6s", number)), "  ", code)
		} else {
			t.Line(t.s.Paint(layout.Heat(unit.Share(l.Cum, t.h.Total)), costs), fmt.Sprintf(" %6s", number), "  ", code)
		}
		t.below(l.Cum, l.Inlined, l.Calls, 1)
	}
}

// below writes the rows under a line whose cost is whole.
func (t *listWriter) below(whole int64, inlined []listing.ListInline, calls []listing.ListCall, depth int) {
	indent := layout.Spaces(listLead - 22 + 2*depth) // starting at the end of cum
	row := func(flat, cum, what string) {
		t.Line(fmt.Sprintf(listCosts, flat, cum), " ", indent,
			t.s.Paint(layout.Dim, layout.Cut(what, t.s.Remaining(22+len(indent), 20))))
	}
	light := func(i int, cum int64) bool { return i == listMost || max(cum, -cum) < max(whole, -whole)/listShare }
	for i, in := range inlined {
		if light(i, in.Cum) {
			row("", "", "⤷ and "+layout.Plural(len(inlined)-i, "more inlined line", "more inlined lines"))
			break
		}
		what := fmt.Sprintf("⤷ %s %s:%d", layout.ShortName(in.Function), layout.Clean(layout.BaseName(in.File)), in.Line)
		if in.Text != "" {
			what += "  " + layout.CleanSource(in.Text)
		}
		row(t.dot(in.Flat), t.dot(in.Cum), what)
		t.below(whole, in.Inlined, in.Calls, depth+1)
	}
	for i, c := range calls {
		if light(i, c.Cum) {
			row("", "", "→ and "+layout.Plural(len(calls)-i, "more function", "more functions"))
			break
		}
		what := "→ " + layout.Clean(c.Function)
		if c.Injected {
			what = "preempted here (" + layout.Clean(c.Function) + ")"
		}
		row("", t.value(c.Cum), what)
	}
}
