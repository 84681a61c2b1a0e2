package profiles

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// Scale returns one unit for columns of the given values.
func Scale(h *documents.Header, total int64, values func(yield func(int64) bool)) string {
	if h.Unit != "" {
		return h.Unit
	}
	return layout.ScaleFor(h.SampleType.Unit, total, values)
}

// column returns a function that formats the values of columns, all in one unit.
func column(h *documents.Header, total int64, values iter.Seq[int64]) func(int64) string {
	to := Scale(h, total, values)
	return func(v int64) string { return layout.ColumnValue(v, h.SampleType.Unit, to) }
}

// columnWidth returns the width of a column of formatted values, at least that of its heading.
func columnWidth(head string, format func(int64) string, values iter.Seq[int64]) int {
	width := layout.Columns(head)
	for v := range values {
		width = max(width, layout.Columns(format(v)))
	}
	return width
}

// writeHeader writes the facts about a profile: what and where, how much, filters.
func writeHeader(t *layout.Writer, s layout.Style, h documents.Header) {
	title := layout.Facts{h.SampleType.Type}
	if h.Profile != "" && h.Profile != h.SampleType.Type {
		title[0] = h.Profile + " (" + h.SampleType.Type + ")"
	}
	title.If(h.Program != "", "of %s", h.Program)
	title.If(h.Target != "", "at %s", h.Target)
	title.If(h.GoVersion != "", "(%s)", h.GoVersion)
	name, rest := layout.Clean(h.Name), " · "+layout.Clean(strings.Join(title, " "))
	if s.Width > 0 {
		name = layout.CutMiddle(name, max(s.Width-layout.Columns(rest), 12))
		rest = layout.Cut(rest, s.Width-layout.Columns(name))
	}
	t.Line(s.Paint(layout.Bold, name), rest)

	facts := layout.Facts{"total " + h.Write(h.Total) + countNoun(h.SampleType, h.Total)}
	switch {
	case h.SampleType.Type == "samples":
	case h.Samples > 0:
		facts = append(facts, layout.Plural(int(h.Samples), "sample", "samples"))
	default:
		facts = append(facts, layout.Plural(h.Stacks, "stack", "stacks"))
	}
	busy := ""
	if h.Duration > 0 && unit.Kind(h.SampleType.Unit) == "time" && h.SampleType.Type == "cpu" {
		nanos, _ := unit.Of(h.Total, h.SampleType.Unit).Scale("ns")
		busy = fmt.Sprintf(" (%.2f cores busy)", nanos/float64(h.Duration))
	}
	facts.If(h.Duration > 0, "%s%s", unit.Duration(h.Duration), busy)
	facts.If(!h.Time.IsZero(), "%s", h.Time.Format(time.DateTime))
	facts.If(h.GOMAXPROCS > 0, "GOMAXPROCS %d", h.GOMAXPROCS)
	line := facts[0]
	for _, f := range facts[1:] {
		if layout.Columns(line)+3+layout.Columns(f) > s.Remaining(0, 10) {
			break // the first facts matter most
		}
		line += " · " + f
	}
	lines := layout.Facts{line}
	lines.If(len(h.Base) > 0, "minus %s", strings.Join(h.Base, ", "))
	lines.If(len(h.Filters) > 0, "filtered by %s", strings.Join(h.Filters, ", "))
	for _, line := range lines {
		t.Line(layout.Cut(layout.Clean(line), s.Remaining(0, 10)))
	}
}

// countNoun returns the noun for a bare count of n.
func countNoun(typ profile.ValueType, n int64) string {
	if unit.Kind(typ.Unit) != "count" {
		return ""
	}
	noun := strings.ReplaceAll(typ.Type, "_", " ")
	if noun == "threadcreate" {
		noun = "thread"
	}
	noun = strings.TrimSuffix(noun, "s")
	if n != 1 {
		noun += "s"
	}
	return " " + noun
}

// FlameFacts returns the facts below the title of a flame graph page.
func FlameFacts(h documents.Header) []pages.Fact {
	facts := pages.Facts{}
	facts.Add("program", h.Program)
	facts.Add("target", h.Target)
	if h.Duration > 0 {
		facts.Add("over", unit.Duration(h.Duration))
	}
	if h.Samples > 0 {
		facts.Add("samples", strconv.FormatInt(h.Samples, 10))
	}
	if !h.Time.IsZero() {
		facts.Add("taken", h.Time.UTC().Format(time.DateTime)+" UTC")
	}
	facts.Add("go", h.GoVersion)
	for _, f := range h.Filters {
		facts.Add("filter", f)
	}
	for _, b := range h.Base {
		facts.Add("base", b)
	}
	facts.Add("per request", h.PerRequest)
	return facts
}
