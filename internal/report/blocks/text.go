package blocks

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
)

// sectionIndent is the number of columns by which the blocks of a section are indented. It is the
// width of a number before a heading.
const sectionIndent = 3

// leastColumns is the width below which names are not shortened.
const leastColumns = 20

// Write writes the document as lines that fit the style.
func (d *Document) Write(w io.Writer, s layout.Style) error {
	t := &textWriter{Writer: layout.NewWriter(w), s: s}
	if len(d.Title) > 0 {
		t.wrap(t.inline(d.Title, layout.Bold, 0), 0, 0)
	}
	t.blocks(d.Blocks, 0)
	return t.Result()
}

// A textWriter writes blocks as lines of a terminal.
type textWriter struct {
	*layout.Writer
	s layout.Style
}

// blocks writes blocks with an empty line around each section and group.
func (t *textWriter) blocks(list []Block, indent int) {
	separated := false // the block before needs an empty line after it
	for _, b := range list {
		around := false
		switch b := b.(type) {
		case Section:
			if b.Fold {
				continue
			}
			around = true
		case Group:
			around = true
		}
		if around || separated {
			t.Line()
		}
		separated = around
		b.text(t, indent)
	}
}

// wrap writes a text with the indent, and more of it on the lines after the first.
func (t *textWriter) wrap(text any, indent, hang int) {
	layout.Wrap(t.Writer, t.s, layout.Spaces(indent), text, indent+hang)
}

// inline returns a text in a base color, with names that fit a line after the indent.
func (t *textWriter) inline(text Text, base layout.Color, indent int) layout.Painted {
	parts := make([]any, len(text))
	for i, span := range text {
		parts[i] = span.paint(t.s, base, t.s.Remaining(indent, leastColumns))
	}
	return layout.Join(parts...)
}

func (s Plain) paint(style layout.Style, base layout.Color, _ int) layout.Painted {
	return style.Paint(base, layout.Clean(string(s)))
}

func (s Strong) paint(style layout.Style, _ layout.Color, _ int) layout.Painted {
	return style.Paint(layout.Bold, layout.Clean(string(s)))
}

func (s Dim) paint(style layout.Style, base layout.Color, _ int) layout.Painted {
	if base != "" {
		return style.Paint("", layout.Clean(string(s)))
	}
	return style.Paint(layout.Dim, layout.Clean(string(s)))
}

func (s Name) paint(style layout.Style, base layout.Color, width int) layout.Painted {
	if base == "" {
		base = layout.Cyan
	}
	return style.Paint(base, layout.CutMiddle(layout.Clean(string(s)), width))
}

func (s Command) paint(style layout.Style, base layout.Color, _ int) layout.Painted {
	return style.Paint(base, "`"+layout.Clean(string(s))+"`")
}

func (Break) paint(layout.Style, layout.Color, int) layout.Painted { return layout.Join(" ") }

func (b Section) text(t *textWriter, indent int) {
	if b.Brief {
		return
	}
	title := t.inline(b.Title, layout.Bold, indent+sectionIndent)
	for _, badge := range b.Badges {
		title = layout.Join(title, " (", layout.Clean(badge), ")")
	}
	t.wrap(title, indent, sectionIndent)
	t.blocks(b.Blocks, indent+sectionIndent)
}

func (b Group) text(t *textWriter, indent int) { t.blocks(b, indent) }

func (b Pair) text(t *textWriter, indent int) {
	t.blocks(b.First, indent)
	t.blocks(b.Second, indent)
}

func (b Prose) text(t *textWriter, indent int) { t.wrap(t.inline(Text(b), "", indent), indent, 0) }

func (b Note) text(t *textWriter, indent int) {
	t.wrap(t.inline(Text(b), layout.Dim, indent), indent, 0)
}

func (b List) text(t *textWriter, indent int) {
	for _, item := range b {
		for i, line := range item.lines() {
			if i == 0 {
				t.wrap(t.inline(line, "", indent), indent, 2)
			} else {
				t.wrap(t.inline(line, "", indent+2), indent+2, 2)
			}
		}
	}
}

func (b Diff) text(t *textWriter, indent int) {
	for _, line := range diffLines(string(b)) {
		color := map[string]layout.Color{
			"add": layout.Cyan, "del": layout.Red, "at": layout.Dim, "file": layout.Bold,
		}[line.Kind]
		t.Line(layout.Spaces(indent+2), t.s.Paint(color, layout.CleanSource(line.Text)))
	}
}

func (b Code) text(t *textWriter, indent int) {
	for line := range strings.Lines(string(b)) {
		t.Line(layout.Spaces(indent+2), layout.CleanSource(strings.TrimRight(line, "\n")))
	}
}

func (b Output) text(t *textWriter, indent int) {
	for line := range strings.Lines(string(b)) {
		t.wrap(layout.CleanSource(strings.TrimRight(line, "\n")), indent+2, 0)
	}
}

func (b Bar) text(*textWriter, int) {}

func (b Table) text(t *textWriter, indent int) {
	table := b.clean()
	table.Indent = indent
	if b.Marks != nil {
		table.Color = func(row, column int) layout.Color {
			if column < len(b.Align)-1 {
				return ""
			}
			return map[Mark]layout.Color{Good: layout.Cyan, Bad: layout.Red, "": layout.Dim}[b.mark(row)]
		}
	}
	if len(b.Over) > 0 {
		t.over(b.Over, &table)
		table.Head[0] = ""
	}
	table.Write(t.Writer, t.s)
	for i, note := range b.Notes {
		layout.Wrap(t.Writer, t.s, fmt.Sprintf("%s[%d] ", layout.Spaces(indent), i+1), layout.Clean(note), indent+4)
	}
}

// over writes headings, each centered over its columns.
func (t *textWriter) over(headings []Heading, table *layout.Table) {
	widths := table.Widths(t.s)
	line := layout.Spaces(table.Indent)
	for i, h := range headings {
		end := len(widths) - 1 // the last column has no heading
		if i+1 < len(headings) {
			end = headings[i+1].Column
		}
		from, to := table.Span(widths, h.Column, end)
		name := layout.CutMiddle(layout.Clean(h.Text), to-from)
		line = layout.Left(line, from+(to-from-layout.Columns(name))/2) + name
	}
	t.Line(t.s.Paint(layout.Bold, line))
}

// clean returns the table with cells that are safe to print.
func (b *Table) clean() layout.Table {
	clean := func(cells []string) []string {
		out := slices.Clone(cells) // nil stays nil
		for i := range out {
			out[i] = layout.Clean(out[i])
		}
		return out
	}
	table := b.Table
	table.Head, table.Rows = clean(table.Head), slices.Clone(table.Rows)
	for i := range table.Rows {
		table.Rows[i] = clean(table.Rows[i])
	}
	return table
}

func (b Location) text(t *textWriter, indent int) { t.location(b, layout.Spaces(indent), indent) }

// location writes a location after a lead of some columns.
func (t *textWriter) location(b Location, lead string, columns int) {
	where := layout.CutMiddle(layout.Clean(b.Where), t.s.Remaining(columns, leastColumns))
	t.Line(lead, t.s.Paint(layout.Cyan, where), "  ", layout.Clean(b.Function))
}

func (b Entries) text(t *textWriter, indent int) {
	shown := b.List
	if b.Most > 0 {
		shown = shown[:min(len(shown), b.Most)]
	}
	wide := 0
	for _, e := range shown {
		wide = max(wide, layout.Columns(e.Share))
	}
	below := indent + 2
	if wide > 0 {
		below += wide
	}
	for _, e := range shown {
		lead, columns := layout.Spaces(indent), indent
		if wide > 0 {
			lead, columns = lead+layout.Right(layout.Clean(e.Share), wide)+"  ", below
		}
		t.location(e.Location, lead, columns)
		if e.Code != "" {
			code := layout.CleanSource(strings.TrimSpace(e.Code))
			t.Line(layout.Spaces(below), layout.Cut(code, t.s.Remaining(below, leastColumns)))
		}
		if e.Text != "" {
			t.wrap(layout.Clean(e.Text), below, 0)
		}
	}
	if more := len(b.List) - len(shown); more > 0 {
		t.Line(layout.Spaces(indent), fmt.Sprintf("and %d more, in --json", more))
	}
}
