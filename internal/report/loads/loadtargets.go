package loads

import (
	"fmt"
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

// targetTable returns the table of the busiest targets, at most some; nil unless there are several.
func targetTable(r *load.Result, most int) *pages.Table {
	if len(r.PerTarget) < 2 {
		return nil
	}
	rows := charts.BusiestTargets(r.PerTarget, most)
	table := &pages.Table{
		Caption: "Targets", Columns: []string{"target", "requests", "rate", "p50", "p99", "max", "failed"},
	}
	if len(rows) < len(r.PerTarget) {
		table.Caption = fmt.Sprintf("The %d of %d targets whose answers took the most time in total", len(rows),
			len(r.PerTarget))
	}
	for i := range rows {
		t := &rows[i]
		cells := []string{layout.Clean(t.Label()), unit.Count(t.Requests).String(), PerSecond(t.Rate), "-", "-", "-", "-"}
		if t.Targets > 1 { // that share the label
			cells[0] += fmt.Sprintf(" (%d)", t.Targets)
		}
		if l := &t.Latency; t.Responses > 0 {
			cells[3], cells[4], cells[5] = unit.Duration(l.P50), unit.Duration(l.P99), unit.Duration(l.Max)
		}
		if n := t.Failed(); n > 0 {
			cells[6] = fmt.Sprintf("%d (%s)", n, unit.Percent(n, t.Requests))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}

// phaseTable returns the table of phases; nil without phases.
func phaseTable(r *load.Result) *pages.Table {
	p := r.Phases
	if p == nil {
		return nil
	}
	table := &pages.Table{Caption: "Phases", Columns: []string{"phase", "min", "mean", "stddev", "p50", "p99", "max"}}
	for _, phase := range []struct {
		name string
		l    *load.Latency
	}{{"connect", p.Connect}, {"TLS", p.TLS}, {"first byte", &p.FirstByte}, {"transfer", &p.Transfer}} {
		if l := phase.l; l != nil {
			row := []string{phase.name}
			for _, d := range []time.Duration{l.Min, l.Mean, l.StdDev, l.P50, l.P99, l.Max} {
				row = append(row, unit.Duration(d))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

// writeTable writes a table without its caption. The first column gets the width that the others leave.
func writeTable(t *layout.Writer, s layout.Style, p *pages.Table) {
	table := layout.Table{
		Head: p.Columns, Rows: p.Rows, Align: "l" + strings.Repeat("r", len(p.Columns)-1), Least: 12,
		HeadColor: layout.Bold,
	}
	table.Write(t, s)
}
