package layout

import (
	"slices"
	"strings"
)

// A Table is rows of text cells that are written as lines of a terminal or as Markdown. It is the
// one place that computes the widths of columns. Cells must be clean.
type Table struct {
	Head []string // nil for a table without a heading
	Rows [][]string
	// Align has a letter for each column: l or r.
	Align string
	// Wide is the column that gets the width that the others leave, but at least Least columns; a
	// cell that is longer is cut in its middle. If Least is 0, no column gives way.
	Wide, Least int
	// Fit returns the wide cell of a row in n columns; nil cuts the cell.
	Fit func(row, n int) string

	// Clip, if above 0, cuts rows at the end of the style's width, at no less than so many columns.
	Clip int

	Indent    int
	Gaps      []int // blanks before each column but the first; nil means 2
	Min       []int // least widths of the first columns
	HeadColor Color
	Color     func(row, column int) Color // of a cell; nil for none

	// Below is text under a row, from the column BelowAt on; nil for none.
	Below   func(row int) Painted
	BelowAt int
	// Foot is a last row, for what is left out. Its last cell extends over the columns that remain.
	Foot []string
}

// SameWidths gives the columns of all tables the widths of the widest.
func SameWidths(tables ...*Table) {
	var widths []int
	for _, b := range tables {
		for i, w := range b.widths() {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], w)
		}
	}
	for _, b := range tables {
		b.Min = widths
	}
}

// gap returns the blanks before a column.
func (b *Table) gap(column int) int {
	switch {
	case column == 0:
		return 0
	case b.Gaps == nil:
		return 2
	default:
		return b.Gaps[column]
	}
}

// Width returns the number of columns that the table needs.
func (b *Table) Width() int {
	total := b.Indent
	for i, w := range b.widths() {
		total += b.gap(i) + w
	}
	return total
}

func (b *Table) widths() []int {
	widths := make([]int, len(b.Align))
	copy(widths, b.Min)
	for _, row := range slices.Concat([][]string{b.Head, b.Foot[:max(len(b.Foot)-1, 0)]}, b.Rows) {
		for i, cell := range row {
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	return widths
}

// Widths returns the widths of the columns in a table that fits the style.
func (b *Table) Widths(s Style) []int {
	widths := b.widths()
	if b.Least > 0 {
		widths[b.Wide] = min(widths[b.Wide], s.Remaining(b.Width()-widths[b.Wide], b.Least))
	}
	return widths
}

// Remove removes a column, which is neither the first nor the wide one.
func (b *Table) Remove(column int) {
	without := func(cells []string) []string {
		if column < len(cells) {
			return slices.Delete(slices.Clone(cells), column, column+1)
		}
		return cells
	}
	b.Head, b.Foot, b.Align = without(b.Head), without(b.Foot), b.Align[:column]+b.Align[column+1:]
	for i, row := range b.Rows {
		b.Rows[i] = without(row)
	}
	if b.Gaps != nil {
		b.Gaps = slices.Delete(slices.Clone(b.Gaps), column, column+1)
	}
	if column < len(b.Min) {
		b.Min = slices.Delete(slices.Clone(b.Min), column, column+1)
	}
}

// Split divides the table into as few as fit the style. Each has the first column, of which 16 columns
// suffice, and some of the others, of which n each stay together.
func (b *Table) Split(s Style, n int) (parts []Table) {
	widths := b.widths()
	for from := 1; from < len(widths); {
		to, used := from, b.Indent+min(widths[0], 16)
		for ; to < len(widths); to += n {
			for i := to; i < to+n; i++ {
				used += b.gap(i) + widths[i]
			}
			if to > from && s.Width > 0 && used > s.Width {
				break
			}
		}
		part := *b
		columns := func(cells []string) []string { return slices.Concat(cells[:1], cells[from:to]) }
		part.Head, part.Align, part.Rows = columns(b.Head), b.Align[:1]+b.Align[from:to], nil
		part.Gaps = slices.Concat(b.Gaps[:1], b.Gaps[from:to])
		for _, row := range b.Rows {
			part.Rows = append(part.Rows, columns(row))
		}
		parts, from = append(parts, part), to
	}
	return parts
}

// Span returns where the columns from one to the one before another begin and end, with these widths.
func (b *Table) Span(widths []int, from, before int) (begin, end int) {
	end = b.Indent
	for i := range before {
		if i == from {
			begin = end + b.gap(i)
		}
		end += b.gap(i) + widths[i]
	}
	return begin, end
}

// Write writes the table as lines that fit the style.
func (b *Table) Write(t *Writer, s Style) {
	if len(b.Rows) == 0 {
		return
	}
	widths := b.Widths(s)
	if b.Head != nil {
		head := ""
		for _, cell := range b.line(b.Head, widths) {
			head += cell
		}
		t.Line(s.Paint(b.HeadColor, strings.TrimRight(head, " ")))
	}
	for i, row := range b.Rows {
		if b.Least > 0 && b.Fit != nil {
			row = slices.Clone(row)
			row[b.Wide] = b.Fit(i, widths[b.Wide])
		}
		cells := b.line(row, widths)
		if b.Clip > 0 {
			t.Line(Cut(strings.Join(cells, ""), s.Remaining(0, b.Clip)))
			continue
		}
		line := make([]any, len(cells))
		for column, cell := range cells {
			line[column] = cell
			if b.Color != nil && strings.TrimSpace(cell) != "" {
				line[column] = s.Paint(b.Color(i, column), cell)
			}
		}
		t.Line(line...)
		if b.Below != nil && b.Below(i).Width() > 0 {
			indent, _ := b.Span(widths, b.BelowAt, b.BelowAt+1)
			Wrap(t, s, Spaces(indent), b.Below(i), indent)
		}
	}
	if last := len(b.Foot) - 1; last > 0 {
		begin, _ := b.Span(widths, last, last+1)
		cells := b.line(b.Foot[:last], widths)
		t.Line(s.Paint(Dim, strings.Join(cells, "")+Spaces(b.gap(last))+Cut(b.Foot[last], s.Remaining(begin, 10))))
	}
}

// line returns the cells of a row, each as wide as its column and with the blanks before it.
func (b *Table) line(row []string, widths []int) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		if b.Least > 0 && i == b.Wide {
			cell = CutMiddle(cell, widths[i])
		}
		switch {
		case b.Align[i] == 'r':
			cell = Right(cell, widths[i])
		case i < len(b.Align)-1:
			cell = Left(cell, widths[i])
		}
		cells[i] = Spaces(b.gap(i)) + cell
	}
	cells[0] = Spaces(b.Indent) + cells[0]
	return cells
}

// WriteMarkdown writes the table as GitHub's Markdown.
func (b *Table) WriteMarkdown(t *Writer) {
	if len(b.Rows) == 0 {
		return
	}
	row := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, cell := range cells {
			escaped[i] = EscapeMarkdown(Clean(cell))
		}
		t.Line("| ", strings.Join(escaped, " | "), " |")
	}
	row(b.Head)
	rule := "|"
	for _, align := range b.Align {
		if align == 'r' {
			rule += "--:|"
		} else {
			rule += "---|"
		}
	}
	t.Line(rule)
	for _, cells := range b.Rows {
		row(cells)
	}
}
