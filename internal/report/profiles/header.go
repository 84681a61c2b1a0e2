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

// each returns a number of each item.
func each[T any](items []T, number func(*T) int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := range items {
			if !yield(number(&items[i])) {
				return
			}
		}
	}
}

// writeHeader writes the facts about a profile: what and where, how much, filters.
func writeHeader(t *layout.Writer, s layout.Style, h documents.Header) {
	title := []string{h.SampleType.Type}
	if h.Profile != "" && h.Profile != h.SampleType.Type {
		title = []string{h.Profile + " (" + h.SampleType.Type + ")"}
	}
	if h.Program != "" {
		title = append(title, "of "+h.Program)
	}
	if h.Target != "" {
		title = append(title, "at "+h.Target)
	}
	if h.GoVersion != "" {
		title = append(title, "("+h.GoVersion+")")
	}
	name, rest := layout.Clean(h.Name), " · "+layout.Clean(strings.Join(title, " "))
	if s.Width > 0 {
		name = layout.CutMiddle(name, max(s.Width-layout.Columns(rest), 12))
		rest = layout.Cut(rest, s.Width-layout.Columns(name))
	}
	t.Line(s.Paint(layout.Bold, name), rest)

	total := unit.Of(h.Total, h.SampleType.Unit)
	facts := []string{"total " + h.Write(h.Total) + countNoun(h.SampleType, h.Total)}
	switch {
	case h.SampleType.Type == "samples":
	case h.Samples > 0:
		facts = append(facts, layout.Plural(int(h.Samples), "sample", "samples"))
	default:
		facts = append(facts, layout.Plural(h.Stacks, "stack", "stacks"))
	}
	if h.Duration > 0 {
		fact := unit.Duration(h.Duration)
		if unit.Kind(h.SampleType.Unit) == "time" && h.SampleType.Type == "cpu" {
			nanos, _ := total.Scale("ns")
			fact += fmt.Sprintf(" (%.2f cores busy)", nanos/float64(h.Duration))
		}
		facts = append(facts, fact)
	}
	if !h.Time.IsZero() {
		facts = append(facts, h.Time.Format("2006-01-02 15:04:05"))
	}
	if h.GOMAXPROCS > 0 {
		facts = append(facts, fmt.Sprintf("GOMAXPROCS %d", h.GOMAXPROCS))
	}
	line := facts[0]
	for _, f := range facts[1:] {
		if layout.Columns(line)+3+layout.Columns(f) > s.Remaining(0, 10) {
			break // the first facts matter most
		}
		line += " · " + f
	}
	t.Line(layout.Cut(layout.Clean(line), s.Remaining(0, 10)))
	if len(h.Base) > 0 {
		t.Line(layout.Cut(layout.Clean("minus "+strings.Join(h.Base, ", ")), s.Remaining(0, 10)))
	}
	if len(h.Filters) > 0 {
		t.Line(layout.Cut(layout.Clean("filtered by "+strings.Join(h.Filters, ", ")), s.Remaining(0, 10)))
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
	facts := []pages.Fact{}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, pages.Fact{Name: name, Value: value})
		}
	}
	add("program", h.Program)
	add("target", h.Target)
	if h.Duration > 0 {
		add("over", unit.Duration(h.Duration))
	}
	if h.Samples > 0 {
		add("samples", strconv.FormatInt(h.Samples, 10))
	}
	if !h.Time.IsZero() {
		add("taken", h.Time.UTC().Format(time.DateTime)+" UTC")
	}
	add("go", h.GoVersion)
	for _, f := range h.Filters {
		add("filter", f)
	}
	for _, b := range h.Base {
		add("base", b)
	}
	add("per request", h.PerRequest)
	return facts
}
