package loads

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/load/charts"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

// The maximum number of targets in tables: one screen of text, and a list that can be scrolled on a
// page.
const (
	loadTextTargets = 20
	loadPageTargets = 1000
)

// targetColumns returns the columns of the table of targets after the name.
func targetColumns() []string { return []string{"requests", "rate", "p50", "p99", "max", "failed"} }

// targetCells returns the cells of a target in these columns.
func targetCells(t *load.TargetResult) []string {
	cells := []string{unit.Count(t.Requests).String(), PerSecond(t.Rate), "-", "-", "-", "-"}
	if t.Responses > 0 {
		cells[2], cells[3], cells[4] = unit.Duration(t.Latency.P50), unit.Duration(t.Latency.P99),
			unit.Duration(t.Latency.Max)
	}
	if n := t.Failed(); n > 0 {
		cells[5] = fmt.Sprintf("%d (%s)", n, unit.Percent(n, t.Requests))
	}
	return cells
}

// targetLabel returns the name of a target, with the number of targets that share it.
func targetLabel(t *load.TargetResult) string {
	label := layout.Clean(t.Label())
	if t.Targets > 1 {
		label += fmt.Sprintf(" (%d)", t.Targets)
	}
	return label
}

// loadPerTarget writes the table of targets if there are several.
func loadPerTarget(t *layout.Writer, s layout.Style, r *load.Result) {
	if len(r.PerTarget) < 2 {
		return
	}
	rows := charts.BusiestTargets(r.PerTarget, loadTextTargets)
	grid := [][]string{append([]string{"target"}, targetColumns()...)}
	for i := range rows {
		grid = append(grid, append([]string{targetLabel(&rows[i])}, targetCells(&rows[i])...))
	}
	t.Line()
	writeGrid(t, s, grid)
	if more := len(r.PerTarget) - len(rows); more > 0 {
		t.Line(s.Paint(layout.Dim, fmt.Sprintf("%s took less time in total: --json and --html have them",
			layout.Plural(more, "more target", "more targets"))))
	}
}

// phaseColumns returns the columns of the table of phases after the name.
func phaseColumns() []string { return []string{"min", "mean", "stddev", "p50", "p99", "max"} }

// phaseGrid returns the rows of the table of phases; nil without phases.
func phaseGrid(r *load.Result) [][]string {
	p := r.Phases
	if p == nil {
		return nil
	}
	var grid [][]string
	for _, phase := range []struct {
		name string
		l    *load.Latency
	}{{"connect", p.Connect}, {"TLS", p.TLS}, {"first byte", &p.FirstByte}, {"transfer", &p.Transfer}} {
		if l := phase.l; l != nil {
			row := []string{phase.name}
			for _, d := range []time.Duration{l.Min, l.Mean, l.StdDev, l.P50, l.P99, l.Max} {
				row = append(row, unit.Duration(d))
			}
			grid = append(grid, row)
		}
	}
	return grid
}

// loadPhases writes the table of phases.
func loadPhases(t *layout.Writer, s layout.Style, r *load.Result) {
	grid := phaseGrid(r)
	if grid == nil {
		return
	}
	t.Line()
	writeGrid(t, s, slices.Concat([][]string{append([]string{"phase"}, phaseColumns()...)}, grid))
}

// writeGrid writes rows of cells. The first row is the heading, and the first column gets the width
// that the others leave.
func writeGrid(t *layout.Writer, s layout.Style, grid [][]string) {
	table := layout.Table{
		Head: grid[0], Rows: grid[1:], Align: "l" + strings.Repeat("r", len(grid[0])-1), Least: 12,
		HeadColor: layout.Bold,
	}
	table.Write(t, s)
}

// loadTables returns the tables on a page of one run.
func loadTables(r *load.Result) []pages.Table {
	var out []pages.Table
	if grid := phaseGrid(r); grid != nil {
		out = append(out, pages.Table{Caption: "Phases", Columns: append([]string{"phase"}, phaseColumns()...), Rows: grid})
	}
	if len(r.PerTarget) > 1 {
		rows := charts.BusiestTargets(r.PerTarget, loadPageTargets)
		table := pages.Table{Caption: "Targets", Columns: append([]string{"target"}, targetColumns()...)}
		if len(rows) < len(r.PerTarget) {
			table.Caption = fmt.Sprintf("The %d of %d targets whose answers took the most time in total", len(rows),
				len(r.PerTarget))
		}
		for i := range rows {
			table.Rows = append(table.Rows, append([]string{targetLabel(&rows[i])}, targetCells(&rows[i])...))
		}
		out = append(out, table)
	}
	return out
}
