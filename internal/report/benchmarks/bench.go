package benchmarks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// benchValues is the number of columns of a side before its change: center and range.
const benchValues = 2

// tableOfBenchmarks returns a table of a comparison. Every row has the columns of all sides, with or
// without results, and one that refers to the notes.
func tableOfBenchmarks(t *bench.Table) blocks.Table {
	out := blocks.Table{Table: layout.Table{Head: []string{"benchmark"}, Align: "l", Gaps: []int{0}, Least: 12}}
	column := func(name string, gap int) {
		out.Head, out.Align, out.Gaps = append(out.Head, name), out.Align+"r", append(out.Gaps, gap)
	}
	for i, c := range t.Columns {
		out.Over = append(out.Over, blocks.Heading{Text: c.Name, Column: len(out.Head)})
		column(t.Unit, 2)
		column("±", 1)
		if i > 0 {
			for _, name := range []string{"change", "p", "q", "n"} {
				column(name, 2)
			}
		}
	}
	column("", 2) // references to notes
	out.Color = func(row, column int) layout.Color {
		switch cell := out.Rows[row][column]; {
		case out.Head[column] != "change" || cell == "":
			return ""
		case cell == "~":
			return layout.Dim
		default:
			return layout.Bold
		}
	}
	class := benchunit.ClassOf(t.Unit)
	number := map[string]int{}
	refer := func(row []string, warnings []string) {
		var refs []string
		for _, w := range warnings {
			if number[w] == 0 {
				out.Notes = append(out.Notes, w)
				number[w] = len(out.Notes)
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
		row := make([]string, len(out.Head))
		row[0] = r.Name
		scale := benchunit.CommonScale(centersOf(r), class)
		var warnings bench.Warnings
		for i, c := range r.Cells {
			if c == nil {
				continue
			}
			at := out.Over[i].Column
			row[at], row[at+1] = scale.Format(float64(c.Center)), shortRange(c)
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
		out.Rows = append(out.Rows, row)
	}
	if len(t.Rows) > 1 {
		row := make([]string, len(out.Head))
		row[0] = "geomean"
		var warnings bench.Warnings
		for i, m := range t.Geomean {
			if m.Center != nil {
				row[out.Over[i].Column] = benchunit.Scale(float64(*m.Center), class)
			}
			if i > 0 {
				row[out.Over[i].Column+benchValues] = "?"
				if m.Delta != nil {
					row[out.Over[i].Column+benchValues] = fmt.Sprintf("%+.2f%%", float64(*m.Delta)*100)
				}
			}
			warnings = append(warnings, m.Warnings...)
		}
		refer(row, warnings.Texts())
		out.Rows = append(out.Rows, row)
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

// Comparison returns the report of a comparison of benchmarks: the columns of benchstat, and q, the p
// value adjusted for the number of comparisons in the table.
func Comparison(c *bench.Comparison) *blocks.Document {
	d := &blocks.Document{}
	compared := false
	for i := range c.Tables {
		table := &c.Tables[i]
		var config blocks.List
		for _, f := range benchChanged(c.Tables, i) {
			config = append(config, blocks.Text{blocks.Dim(f.Key + ": " + f.Value)})
		}
		part := []blocks.Block{config, tableOfBenchmarks(table), blocks.Items(benchUnpaired(table)...)}
		if i > 0 {
			part = []blocks.Block{blocks.Group(part)}
		}
		d.Blocks = append(d.Blocks, part...)
		compared = compared || len(table.Columns) > 1
	}
	if compared {
		d.Blocks = append(d.Blocks, blocks.Group{blocks.Prose{blocks.Plain(fmt.Sprintf(
			"~ means no significant change (p > %v). q is p adjusted for the number of comparisons in the table: at most "+
				"%v%% of the changes with q <= %v are expected to be chance.", c.Alpha, percentOf(c.Alpha), c.Alpha))}})
	}
	return d
}

// percentOf formats a share in percent without the noise of binary fractions.
func percentOf(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) }

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
