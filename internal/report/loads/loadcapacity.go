package loads

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/load/charts"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/unit"
)

// WriteCapacity writes the search for a capacity: the answer, latency by rate with the knee, and
// all runs.
func WriteCapacity(w io.Writer, s layout.Style, r *capacity.Result) error {
	t := layout.NewWriter(w)
	t.Line(s.Paint(layout.Bold, layout.CutMiddle(layout.Clean(capacityTitle(r)), s.Remaining(0, 20))))
	layout.Wrap(t, s, "", layout.Clean(fmt.Sprintf("%s · %s · %s · %s in %s",
		layout.Plural(r.Connections, "connection", "connections"), r.Protocol, r.Engine,
		layout.Plural(len(r.Steps), "run", "runs"), unit.Duration(r.Elapsed.Round(time.Millisecond)))), 0)
	t.Line()
	code := layout.Bold
	if r.Rate == 0 {
		code = layout.Bold + layout.Red
	}
	layout.Wrap(t, s, layout.Join(s.Paint(code, CapacityAnswer(r)), " "), layout.Clean(capacityWhy(r)), 2)
	if text := kneeText(r); text != "" {
		layout.Wrap(t, s, "", text, 2)
	}
	layout.Warnings(t, s, "warning: ", r.Warnings)
	if knee := charts.NewKnee(r); len(knee.Points) > 0 {
		t.Line()
		kneePlot(t, s, knee)
	}
	t.Line()
	capacitySteps(t, s, r)
	return t.Result()
}

func capacityTitle(r *capacity.Result) string {
	name := Targets(&load.Result{Targets: r.Targets})
	return "capacity of " + name + " for " + r.SLO.String()
}

// CapacityAnswer summarizes the outcome of a search.
func CapacityAnswer(r *capacity.Result) string {
	switch {
	case r.Rate == 0 && r.Limit == capacity.LimitServer:
		return "no rate meets the objective:"
	case r.Rate == 0:
		return "no rate was found that meets the objective:"
	case r.High == 0 || r.Limit == capacity.LimitGenerator:
		return PerSecond(r.Rate) + " or more:"
	}
	return fmt.Sprintf("%s, below %s:", PerSecond(r.Rate), PerSecond(r.High))
}

// capacityWhy describes what ends the rates that hold, and how certain that is.
func capacityWhy(r *capacity.Result) string {
	why := layout.Facts{r.Why}
	why.If(r.Interrupted, "; interrupted")
	why.If(!r.Confirmed, "; not confirmed by repeated runs")
	return why.String()
}

// kneeText describes the knee; "" without one.
func kneeText(r *capacity.Result) string {
	k := r.Knee
	if k == nil {
		return ""
	}
	return fmt.Sprintf("knee: from %s on latency rises faster than the rate (%s there is %s)", PerSecond(k.Rate), k.Metric,
		unit.Duration(k.Latency))
}

// kneePlot draws the latency at each rate as a bar on a logarithmic scale.
func kneePlot(t *layout.Writer, s layout.Style, k *charts.Knee) {
	low, high := time.Duration(0), time.Duration(0)
	for _, p := range k.Points {
		if p.Value > 0 && (low == 0 || p.Value < low) {
			low = p.Value
		}
		high = max(high, p.Value)
	}
	title := k.Metric + " by rate, on a logarithmic scale"
	if k.Limit > 0 {
		title += "; objective: below " + unit.Duration(k.Limit)
	}
	t.Line(s.Paint(layout.Bold, layout.Clean(title)))
	low /= 2 // so that the smallest bar is visible
	const mark = 2
	room := min(s.Remaining(0, 40), 80) - 12 - 11 - mark
	scale := func(d time.Duration) float64 {
		if d <= 0 || high <= low {
			return 0
		}
		return max(logRatio(d, low)/logRatio(high, low), 0)
	}
	for _, p := range k.Points {
		sign, code := "✓ ", layout.Color("")
		if !p.Held {
			sign, code = "✗ ", layout.Red
		}
		t.Line(layout.Right(PerSecond(p.Rate), 10), layout.Right(unit.Duration(p.Value), 10), " ",
			s.Paint(code, sign+bar(scale(p.Value), room)))
	}
}

// stepTable returns the table of runs.
func stepTable(r *capacity.Result) pages.Table {
	table := pages.Table{Caption: "Runs", Columns: []string{
		"run", "kind", "rate", "sent", "p50", "p99", "p99.9", "max", "failed", "verdict", "why",
	}}
	for i, step := range r.Steps {
		rate := "closed"
		if step.Requested > 0 {
			rate = PerSecond(step.Requested)
		}
		l := step.Latency
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(i + 1), step.Kind, rate, PerSecond(step.Achieved), unit.Duration(l.P50), unit.Duration(l.P99),
			unit.Duration(l.P999), unit.Duration(l.Max), unit.FormatPercent(step.Errors * 100), string(step.Verdict), step.Why,
		})
	}
	return table
}

// capacitySteps writes the table of runs without p99.9 and max, and why each ended below it.
func capacitySteps(t *layout.Writer, s layout.Style, r *capacity.Result) {
	narrow := func(cells []string) []string { return pages.CleanAll(slices.Concat(cells[:6], cells[8:10])) }
	steps := stepTable(r)
	table := layout.Table{
		Head: narrow(steps.Columns), Align: "llrrrrrl", HeadColor: layout.Bold, BelowAt: 1,
		Below: func(row int) layout.Painted { return layout.Join(layout.Clean(r.Steps[row].Why)) },
		Color: func(row, column int) layout.Color {
			if column == 7 && r.Steps[row].Verdict == capacity.Missed {
				return layout.Red
			}
			return ""
		},
	}
	for _, cells := range steps.Rows {
		table.Rows = append(table.Rows, narrow(cells))
	}
	table.Write(t, s)
}

// CapacityPage returns the page of a search.
func CapacityPage(r *capacity.Result) Page {
	notes := layout.Facts{CapacityAnswer(r) + " " + capacityWhy(r)}
	notes.If(r.Knee != nil, "%s", kneeText(r))
	return Page{
		Title: capacityTitle(r), Knee: charts.NewKnee(r), Tables: []pages.Table{stepTable(r)},
		Notes: append(notes, r.Warnings.Texts()...),
	}
}
