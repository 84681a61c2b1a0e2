package benchmarks

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/report/layout"
)

// benchTable is a table of a comparison as text cells. Every row has the columns of all sides, with
// or without results.
type benchTable struct {
	sides []string   // headings over the columns, one for each side
	head  []string   // of all columns; the first is for names of benchmarks
	rows  [][]string // as long as head
	notes []string   // the notes that the last column refers to, from 1
}

// The columns of a side in a benchTable; the first side has only values.
const (
	benchValues  = 2 // center, range
	benchChanges = 4 // change, p, q, n
)

// benchStart returns the first column of a side.
func benchStart(side int) int {
	if side == 0 {
		return 1
	}
	return 1 + benchValues + (side-1)*(benchValues+benchChanges)
}

func tableOfBenchmarks(t *bench.Table) benchTable {
	out := benchTable{head: []string{"benchmark"}}
	for i, c := range t.Columns {
		out.sides = append(out.sides, layout.Clean(c.Name))
		out.head = append(out.head, layout.Clean(t.Unit), "±")
		if i > 0 {
			out.head = append(out.head, "change", "p", "q", "n")
		}
	}
	out.head = append(out.head, "") // notes
	class := benchunit.ClassOf(t.Unit)
	number := map[string]int{}
	refer := func(row []string, warnings []string) {
		var refs []string
		for _, w := range warnings {
			if number[w] == 0 {
				out.notes = append(out.notes, w)
				number[w] = len(out.notes)
			}
			if ref := strconv.Itoa(number[w]); !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
		if last := len(row) - 1; len(refs) > 0 {
			row[last] = "[" + strings.Join(refs, ",") + "]"
		}
	}
	for _, r := range t.Rows {
		row := make([]string, len(out.head))
		row[0] = layout.Clean(r.Name)
		scale := benchunit.CommonScale(centersOf(r), class)
		var warnings bench.Warnings
		for i, c := range r.Cells {
			if c == nil {
				continue
			}
			at := benchStart(i)
			row[at], row[at+1] = scale.Format(float64(c.Center)), c.Range
			warnings = append(warnings, c.Warnings...)
			if d := c.Change; d != nil {
				n := strconv.Itoa(c.N)
				if d.BaseN != c.N {
					n = fmt.Sprintf("%d+%d", d.BaseN, c.N)
				}
				copy(row[at+benchValues:], []string{d.Text, fmt.Sprintf("%.3f", d.P), fmt.Sprintf("%.3f", d.Adjusted), n})
				warnings = append(warnings, d.Warnings...)
			}
		}
		refer(row, warnings.Texts())
		out.rows = append(out.rows, row)
	}
	if len(t.Rows) > 1 {
		row := make([]string, len(out.head))
		row[0] = "geomean"
		var warnings bench.Warnings
		for i, m := range t.Geomean {
			if m.Center != nil {
				row[benchStart(i)] = benchunit.Scale(float64(*m.Center), class)
			}
			if i > 0 {
				row[benchStart(i)+benchValues] = "?"
				if m.Delta != nil {
					row[benchStart(i)+benchValues] = fmt.Sprintf("%+.2f%%", float64(*m.Delta)*100)
				}
			}
			warnings = append(warnings, m.Warnings...)
		}
		refer(row, warnings.Texts())
		out.rows = append(out.rows, row)
	}
	return out
}

// benchChanged lists the fields of a table's configuration that differ from the table before it.
func benchChanged(tables []bench.Table, at int) []bench.Field {
	var out []bench.Field
	for _, f := range tables[at].Config {
		if f.Value != "" && (at == 0 || !slices.Contains(tables[at-1].Config, f)) {
			out = append(out, f)
		}
	}
	return out
}

// WriteComparison writes a comparison of benchmarks as aligned text: the columns of benchstat, and
// q, the p value adjusted for the number of comparisons in the table.
func WriteComparison(w io.Writer, s layout.Style, c *bench.Comparison) error {
	t := layout.NewWriter(w)
	compared := false
	for i := range c.Tables {
		table := &c.Tables[i]
		if i > 0 {
			t.Line()
		}
		for _, f := range benchChanged(c.Tables, i) {
			t.Line(s.Paint(layout.Dim, layout.Clean(f.Key+": "+f.Value)))
		}
		writeBenchTable(t, s, table)
		compared = compared || len(table.Columns) > 1
	}
	if compared {
		t.Line()
		layout.Wrap(t, s, "",
			fmt.Sprintf(
				"~ means no significant change (p > %v). q is p adjusted for the number of comparisons in the table: at most "+
					"%v%% of the changes with q <= %v are expected to be chance.", c.Alpha, percentOf(c.Alpha), c.Alpha), 0)
	}
	return t.Result()
}

// percentOf formats a share in percent without the noise of binary fractions.
func percentOf(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) }

func writeBenchTable(t *layout.Writer, s layout.Style, table *bench.Table) {
	b := tableOfBenchmarks(table)
	b.head[0] = ""
	grid := layout.Table{
		Head: b.head, Rows: b.rows, Align: "l" + strings.Repeat("r", len(b.head)-1), Least: 12,
		Color: func(row, column int) layout.Color {
			switch cell := b.rows[row][column]; {
			case b.head[column] != "change" || cell == "":
				return ""
			case cell == "~":
				return layout.Dim
			default:
				return layout.Bold
			}
		},
	}
	for _, name := range b.head {
		grid.Gaps = append(grid.Gaps, gapBefore(name))
	}
	widths := grid.Widths(s)
	// The names of sides are centered over their columns.
	line := ""
	for i, name := range b.sides {
		at, end := 0, widths[0]
		for k := 1; k < len(widths)-1 && k < benchStart(i+1); k++ {
			if k == benchStart(i) {
				at = end + grid.Gaps[k]
			}
			end += grid.Gaps[k] + widths[k]
		}
		name = layout.CutMiddle(name, end-at)
		line = layout.Left(line, at+(end-at-layout.Columns(name))/2) + name
	}
	t.Line(s.Paint(layout.Bold, line))
	grid.Write(t, s)
	for i, note := range b.notes {
		layout.Wrap(t, s, fmt.Sprintf("[%d] ", i+1), layout.Clean(note), 4)
	}
	for _, line := range benchUnpaired(table) {
		layout.Wrap(t, s, "", layout.Clean(line), 2)
	}
}

// gapBefore returns the blanks before a column.
func gapBefore(name string) int {
	if name == "±" {
		return 1
	}
	return 2
}

// benchUnpaired lists the benchmarks that some sides lack, a line for each combination of sides.
func benchUnpaired(t *bench.Table) []string {
	names := map[string][]string{}
	var order []string
	for _, u := range t.Unpaired {
		sides := strings.Join(u.In, ", ")
		if len(names[sides]) == 0 {
			order = append(order, sides)
		}
		names[sides] = append(names[sides], u.Row)
	}
	var out []string
	for _, sides := range order {
		out = append(out, "only in "+sides+": "+strings.Join(names[sides], ", "))
	}
	return out
}

// WriteMarkdown writes a comparison of benchmarks as GitHub's Markdown.
func WriteMarkdown(w io.Writer, c *bench.Comparison) error {
	t := layout.NewWriter(w)
	for i := range c.Tables {
		table := &c.Tables[i]
		b := tableOfBenchmarks(table)
		if i > 0 {
			t.Line()
		}
		for _, f := range benchChanged(c.Tables, i) {
			t.Line("- ", layout.EscapeMarkdown(layout.Clean(f.Key+": "+f.Value)))
		}
		t.Line()
		head := slices.Clone(b.head)
		for i, side := range b.sides {
			head[benchStart(i)] = side + " " + head[benchStart(i)]
		}
		grid := layout.Table{Head: head, Rows: b.rows, Align: "l" + strings.Repeat("r", len(head)-1)}
		grid.WriteMarkdown(t)
		t.Line()
		for i, note := range b.notes {
			t.Line("- ", layout.EscapeMarkdown(fmt.Sprintf("[%d] %s", i+1, layout.Clean(note))))
		}
		for _, line := range benchUnpaired(table) {
			t.Line("- ", layout.EscapeMarkdown(layout.Clean(line)))
		}
	}
	return t.Result()
}
