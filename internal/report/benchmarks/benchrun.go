package benchmarks

import (
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// WriteRun writes the summary, a line for each benchmark, and how it was measured.
func WriteRun(w io.Writer, s layout.Style, d *rounds.Result) error {
	t := layout.NewWriter(w)
	for first := 0; first < len(d.Summary.Tables); {
		// A unit has a table; tables of the same configuration are merged.
		last := first + 1
		for last < len(d.Summary.Tables) && slices.Equal(d.Summary.Tables[last].Config, d.Summary.Tables[first].Config) {
			last++
		}
		if first > 0 {
			t.Line()
		}
		for _, f := range benchChanged(d.Summary.Tables, first) {
			t.Line(s.Paint(layout.Dim, layout.Clean(f.Key+": "+f.Value)))
		}
		writeBenchUnits(t, s, d.Summary.Tables[first:last])
		first = last
	}
	count := 0
	for _, b := range d.Benchmarks {
		count += len(b.Rounds)
	}
	t.Line()
	share := ""
	if d.Elapsed > 0 && d.Inside > 0 {
		share = fmt.Sprintf(", %.0f%% of it in benchmarks", 100*float64(d.Inside)/float64(d.Elapsed))
	}
	line := fmt.Sprintf("%s of %s in %s%s", layout.Plural(count, "round", "rounds"), layout.Plural(len(d.Benchmarks),
		"benchmark", "benchmarks"), unit.Duration(d.Elapsed.Round(10*time.Millisecond)), share)
	if d.Interrupted {
		line += "; interrupted"
	}
	layout.Wrap(t, s, "", line, 0)
	return t.Result()
}

// benchUnit is two columns of a table: the medians of a unit and their ranges.
type benchUnit struct {
	name   string
	values []string // of each row; "" if missing
	ranges []string
}

// writeBenchUnits writes tables that differ only in the unit as one, or as several if the width is
// too small for all units.
func writeBenchUnits(t *layout.Writer, s layout.Style, tables []bench.Table) {
	var names []string // of rows
	for i := range tables {
		for _, r := range tables[i].Rows {
			if !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	var notes []string
	units := make([]benchUnit, len(tables))
	for i := range tables {
		units[i] = benchUnitOf(&tables[i], names, &notes)
	}
	if len(names) > 1 {
		names = append(names, "geomean")
	}
	for i := range names {
		names[i] = layout.Clean(names[i])
	}
	for len(units) > 0 {
		table := layout.Table{Head: []string{""}, Align: "l", Gaps: []int{0}, Least: 12}
		for _, name := range names {
			table.Rows = append(table.Rows, []string{name})
		}
		fit := 0
		for _, u := range units {
			next := table // with two more columns
			next.Head = append(slices.Clone(table.Head), u.name, "±")
			next.Align += "rr"
			next.Gaps = append(slices.Clone(table.Gaps), 2, 1)
			next.Rows = slices.Clone(table.Rows)
			for i := range next.Rows {
				next.Rows[i] = append(slices.Clone(next.Rows[i]), u.values[i], u.ranges[i])
			}
			next.HeadColor = layout.Bold
			if widths := next.Widths(layout.Style{}); fit > 0 && s.Width > 0 &&
				next.Width()-widths[0]+min(widths[0], 16) > s.Width {
				break
			}
			table, fit = next, fit+1
		}
		table.Write(t, s)
		if units = units[fit:]; len(units) > 0 {
			t.Line()
		}
	}
	for _, note := range notes {
		layout.Wrap(t, s, "", layout.Clean(note), 2)
	}
}

// benchUnitOf returns the cells of a table for the rows of the given names, and one more for their
// geometric mean if there are several.
func benchUnitOf(table *bench.Table, names []string, notes *[]string) benchUnit {
	u := benchUnit{name: layout.Clean(table.Unit)}
	class := benchunit.ClassOf(table.Unit)
	for _, name := range names {
		center, around := "", ""
		if i := slices.IndexFunc(table.Rows, func(r bench.Row) bool { return r.Name == name }); i >= 0 {
			c := table.Rows[i].Cells[0]
			center, around = benchunit.Scale(float64(c.Center), class), c.Range
			for _, w := range c.Warnings.Texts() {
				if !slices.Contains(*notes, w) {
					*notes = append(*notes, w)
				}
			}
		}
		u.values, u.ranges = append(u.values, center), append(u.ranges, around)
	}
	mean := ""
	if m := table.Geomean[0].Center; m != nil && len(table.Rows) == len(names) {
		mean = benchunit.Scale(float64(*m), class)
	}
	u.values, u.ranges = append(u.values, mean), append(u.ranges, "")
	return u
}
