package traces

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/unit"
)

func quantileText(d *time.Duration) string {
	if d == nil {
		return "-"
	}
	return unit.Duration(*d)
}

// WriteSummary writes the document as text.
func WriteSummary(w io.Writer, style layout.Style, d documents.Summary) error {
	t := layout.NewWriter(w)
	title := fmt.Sprintf("trace of %s: %s, %s events, %d goroutines", layout.Clean(d.Name), unit.Duration(d.Duration),
		unit.Count(d.Events).Short(), d.Goroutines)
	t.Line(style.Paint(layout.Bold, title))
	if d.From != 0 || d.To != d.Duration {
		t.Line("of this, from " + unit.Duration(d.From) + " to " + unit.Duration(d.To))
	}
	if d.Damage != "" {
		t.Line(style.Paint(layout.Gold, "the rest is missing: "+layout.Clean(d.Damage)))
	}
	t.Line()
	var procs []string
	for _, p := range d.Procs {
		procs = append(procs, fmt.Sprintf("P%d %.0f%%", p.Number, 100*p.Share))
	}
	if len(procs) > 0 {
		writeWords(t, style, "processors busy  ", procs)
	}
	for _, m := range d.Metrics {
		span := metricValue(m.Name, m.Least)
		if m.Most != m.Least {
			span += " to " + metricValue(m.Name, m.Most)
		}
		t.Line(layout.Left(metricName(m.Name), 16), " ", span)
	}
	if c := d.Collector; c.Ran > 0 && c.Background+c.Assists > 0 {
		layout.Wrap(t, style, "",
			fmt.Sprintf(
				"garbage collection took %s of the time that goroutines were running, which is not their CPU time: %s in its "+
					"own goroutines, %s in goroutines that allocate (assists)",
				layout.SharePercent(c.Share), layout.SharePercent(unit.Share(int64(c.Background), int64(c.Ran))),
				layout.SharePercent(unit.Share(int64(c.Assists), int64(c.Ran)))), 0)
	}
	writeRanges(t, style, "collector and pauses", d.Ranges)
	writeRanges(t, style, "tasks", d.Tasks)
	writeRanges(t, style, "regions", d.Regions)
	if len(d.Logs) > 0 {
		t.Line()
		var logs []string
		for _, l := range d.Logs {
			logs = append(logs, fmt.Sprintf("%s %s", layout.Clean(cmp.Or(l.Category, "(no category)")),
				unit.Count(l.Count).Short()))
		}
		writeWords(t, style, "messages  ", logs)
	}
	if len(d.Kinds) > 1 || d.Hidden > 0 {
		t.Line()
		t.Line(style.Paint(layout.Bold, "all goroutines (runnable: waiting for a CPU)"))
		writeStates(t, style, d.All)
	}
	for _, k := range d.Kinds {
		t.Line()
		name := layout.Clean(k.Function)
		if name == "" {
			name = "(no stack)"
		}
		head := fmt.Sprintf("%d x ", k.Goroutines)
		t.Line(style.Paint(layout.Bold, head+layout.FitName(name, style.Remaining(len(head), 20))))
		writeStates(t, style, k.States)
	}
	layout.More(t, style, "", d.Hidden, "more kind of goroutines", "more kinds of goroutines")
	return t.Result()
}

// writeStates writes a table of states.
func writeStates(t *layout.Writer, style layout.Style, states []documents.State) {
	writeHead(t, "state")
	for _, s := range states {
		color := layout.Heat(s.Share)
		if s.Waiting { // only the time on a CPU, or waiting for one, matters
			color = ""
		}
		share := style.Paint(color, layout.Right(fmt.Sprintf("%.1f%%", 100*s.Share), 7))
		r := documents.Range{Count: s.Count, Total: s.Total, P50: s.P50, P99: s.P99, Max: s.Max}
		writeTimes(t, cmp.Or(s.State, "(no reason recorded)"), share, &r)
	}
}

// writeTimes writes a row of a table: how often something was, and how long.
func writeTimes(t *layout.Writer, name string, share layout.Painted, r *documents.Range) {
	timesRow(t, layout.Clean(name), unit.Count(r.Count).Short(), unit.Duration(r.Total), share, quantileText(r.P50),
		quantileText(r.P99), unit.Duration(r.Max))
}

// writeHead writes the heading of a table of writeTimes.
func writeHead(t *layout.Writer, what string) {
	timesRow(t, what, "times", "total", layout.Painted{}, "p50", "p99", "max")
}

func timesRow(t *layout.Writer, name, count, total string, share layout.Painted, p50, p99, most string) {
	t.Line("  ", layout.Left(layout.Cut(name, 26), 26), layout.Right(count, 8), layout.Right(total, 10),
		layout.Spaces(7-share.Width()), share, layout.Right(p50, 9), layout.Right(p99, 9), layout.Right(most, 9))
}

// writeRanges writes a table of ranges.
func writeRanges(t *layout.Writer, style layout.Style, what string, ranges []documents.Range) {
	if len(ranges) == 0 {
		return
	}
	t.Line()
	t.Line(style.Paint(layout.Bold, what))
	writeHead(t, "")
	for i := range ranges {
		writeTimes(t, ranges[i].Name, layout.Painted{}, &ranges[i])
	}
}

// writeWords writes words after a title and wraps them.
func writeWords(t *layout.Writer, style layout.Style, title string, words []string) {
	line := title
	for _, word := range words {
		if style.Width > 0 && layout.Columns(line)+2+layout.Columns(word) > style.Width && line != title {
			t.Line(line)
			line = layout.Spaces(layout.Columns(title))
		}
		line += word + "  "
	}
	t.Line(line)
}

// metricName shortens the runtime's name of a metric.
func metricName(name string) string {
	switch name {
	case "/memory/classes/heap/objects:bytes":
		return "heap"
	case "/gc/heap/goal:bytes":
		return "heap goal"
	case "/sched/gomaxprocs:threads":
		return "GOMAXPROCS"
	}
	return layout.Clean(name)
}

func metricValue(name string, v uint64) string {
	if strings.HasSuffix(name, ":bytes") {
		return unit.Of(int64(v), "bytes").String()
	}
	return fmt.Sprint(v)
}
