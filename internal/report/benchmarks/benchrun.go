package benchmarks

import (
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
	var line layout.Facts
	line.Add("%s of %s in %s", layout.Plural(count, "round", "rounds"),
		layout.Plural(len(d.Benchmarks), "benchmark", "benchmarks"), unit.Duration(d.Elapsed.Round(10*time.Millisecond)))
	line.If(d.Elapsed > 0 && d.Inside > 0, ", %.0f%% of it in benchmarks", 100*float64(d.Inside)/float64(d.Elapsed))
	line.If(d.Interrupted, "; interrupted")
	layout.Wrap(t, s, "", line.String(), 0)
	return t.Result()
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
	all := layout.Table{Head: []string{""}, Align: "l", Gaps: []int{0}, Least: 12, HeadColor: layout.Bold}
	for _, name := range names {
		all.Rows = append(all.Rows, []string{layout.Clean(name)})
	}
	if len(names) > 1 {
		all.Rows = append(all.Rows, []string{"geomean"})
	}
	var notes []string
	for i := range tables {
		table := &tables[i]
		class := benchunit.ClassOf(table.Unit)
		all.Head, all.Align = append(all.Head, layout.Clean(table.Unit), "±"), all.Align+"rr"
		all.Gaps = append(all.Gaps, 2, 1)
		for row := range all.Rows {
			center, around := "", ""
			if row == len(names) {
				if m := table.Geomean[0].Center; m != nil && len(table.Rows) == len(names) {
					center = benchunit.Scale(float64(*m), class)
				}
			} else if k := slices.IndexFunc(table.Rows, func(r bench.Row) bool { return r.Name == names[row] }); k >= 0 {
				c := table.Rows[k].Cells[0]
				center, around = benchunit.Scale(float64(c.Center), class), c.Range
				notes = appendNew(notes, c.Warnings.Texts()...)
			}
			all.Rows[row] = append(all.Rows[row], center, around)
		}
	}
	for i, part := range all.Split(s, 2) {
		if i > 0 {
			t.Line()
		}
		part.Write(t, s)
	}
	for _, note := range notes {
		layout.Wrap(t, s, "", note, 2)
	}
}
