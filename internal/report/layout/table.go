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
	HeadColor Color
	Color     func(row int) Color // of the last cell; nil for none
}

// Width returns the number of columns that the table needs.
func (b *Table) Width() int {
	total := b.Indent
	for i, w := range b.widths() {
		total += w
		if i > 0 {
			total += 2
		}
	}
	return total
}

func (b *Table) widths() []int {
	widths := make([]int, len(b.Align))
	for _, row := range slices.Concat([][]string{b.Head}, b.Rows) {
		for i, cell := range row {
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	return widths
}

// Write writes the table as lines that fit the style.
func (b *Table) Write(t *Writer, s Style) {
	if len(b.Rows) == 0 {
		return
	}
	widths := b.widths()
	if b.Least > 0 {
		rest := b.Indent
		for i, w := range widths {
			if i != b.Wide {
				rest += w + 2
			}
		}
		widths[b.Wide] = min(widths[b.Wide], s.Remaining(rest, b.Least))
	}
	if b.Head != nil {
		before, last := b.line(b.Head, widths)
		t.Line(s.Paint(b.HeadColor, strings.TrimRight(before+last, " ")))
	}
	for i, row := range b.Rows {
		if b.Least > 0 && b.Fit != nil {
			row = slices.Clone(row)
			row[b.Wide] = b.Fit(i, widths[b.Wide])
		}
		before, last := b.line(row, widths)
		if b.Clip > 0 {
			t.Line(Cut(before+last, s.Remaining(0, b.Clip)))
			continue
		}
		color := Color("")
		if b.Color != nil {
			color = b.Color(i)
		}
		t.Line(before, s.Paint(color, last))
	}
}

// line returns a row up to its last cell, and that cell.
func (b *Table) line(row []string, widths []int) (before, last string) {
	line := Spaces(b.Indent)
	for i, cell := range row {
		if b.Least > 0 && i == b.Wide {
			cell = CutMiddle(cell, widths[i])
		}
		right := b.Align[i] == 'r'
		if i == len(row)-1 {
			if right {
				cell = Right(cell, widths[i])
			}
			return line, cell
		}
		if right {
			cell = Right(cell, widths[i])
		} else {
			cell = Left(cell, widths[i])
		}
		line += cell + "  "
	}
	return line, ""
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
