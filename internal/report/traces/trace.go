package traces

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// SummarySchema is the schema of TraceSummary.
const SummarySchema = "whet.trace-summary/2"

// Summary is the document of whet trace summary.
type Summary struct {
	Schema     string        `json:"schema"`
	Name       string        `json:"name"`
	Duration   time.Duration `json:"duration_ns"` // of the whole trace
	From       time.Duration `json:"from_ns"`     // start of the part that is summarized
	To         time.Duration `json:"to_ns"`
	Events     int64         `json:"events"` // of the whole trace
	Goroutines int64         `json:"goroutines"`
	Samples    int64         `json:"cpu_samples"`

	Procs     []Proc    `json:"procs"`
	Collector Collector `json:"collector"`
	All       []State   `json:"all"` // of all goroutines: runnable is the scheduling latency
	Kinds     []Kind    `json:"kinds"`
	Hidden    int       `json:"hidden"` // kinds left out because of -n
	Ranges    []Range   `json:"ranges"`
	Tasks     []Range   `json:"tasks"`
	Regions   []Range   `json:"regions"`
	Logs      []Log     `json:"logs"`
	Metrics   []Metric  `json:"metrics"`
	Damage    string    `json:"damage,omitempty"`
	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A Proc is a processor.
type Proc struct {
	Number int           `json:"proc"`
	Busy   time.Duration `json:"busy_ns"`
	Share  float64       `json:"share"`
}

// A Kind is the goroutines with the same start function.
type Kind struct {
	Function   string        `json:"function"`
	Goroutines int64         `json:"goroutines"`
	Time       time.Duration `json:"time_ns"` // for which they existed, in total
	States     []State       `json:"states"`
}

// A State is what goroutines of a kind did in one state, or for one wait reason.
type State struct {
	State   string         `json:"state"`
	Waiting bool           `json:"waiting,omitempty"`
	Count   int64          `json:"count"`
	Total   time.Duration  `json:"total_ns"`
	Share   float64        `json:"share"`  // of the kind's time
	P50     *time.Duration `json:"p50_ns"` // null if unknown
	P99     *time.Duration `json:"p99_ns"`
	Max     time.Duration  `json:"max_ns"`
}

// A Collector is garbage collection's part of the time that goroutines ran.
type Collector struct {
	Ran        time.Duration `json:"ran_ns"`
	Background time.Duration `json:"background_ns"`
	Assists    time.Duration `json:"assists_ns"`
	Share      float64       `json:"share"` // of Ran
}

// A Range is all ranges, tasks or regions with the same name.
type Range struct {
	Name  string         `json:"name"`
	Count int64          `json:"count"`
	Total time.Duration  `json:"total_ns"`
	P50   *time.Duration `json:"p50_ns"` // null if unknown
	P99   *time.Duration `json:"p99_ns"`
	Max   time.Duration  `json:"max_ns"`
}

// A Log is the user's messages of one category.
type Log struct {
	Category string `json:"category"`
	Count    int64  `json:"count"`
}

// A Metric is a metric of the runtime.
type Metric struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Least uint64 `json:"least"`
	Most  uint64 `json:"most"`
}

// NewSummary returns the document of a summary with at most n kinds; 0 is all.
func NewSummary(name string, s *summary.Summary, duration time.Duration, n int) Summary {
	d := Summary{
		Schema: SummarySchema, Name: name, Duration: duration, From: s.From, To: s.To, Events: s.Events,
		Goroutines: s.Goroutines, Samples: s.Samples, Damage: s.Damage,
		Procs: []Proc{}, Kinds: []Kind{}, Ranges: traceRanges(s.Ranges), Tasks: traceRanges(s.Tasks),
		Regions: traceRanges(s.Regions), Logs: []Log{}, Metrics: []Metric{}, All: traceStates(s.All.Stays, s.All.Time),
	}
	c := s.Collector()
	d.Collector = Collector{c.Ran, c.Background, c.Assists, unit.Share(int64(c.Background+c.Assists), int64(c.Ran))}
	for _, l := range s.Logs {
		d.Logs = append(d.Logs, Log(l))
	}
	for _, p := range s.Procs {
		d.Procs = append(d.Procs, Proc{p.Number, p.Busy, unit.Share(int64(p.Busy), int64(s.To-s.From))})
	}
	kinds := s.Kinds
	if n > 0 && len(kinds) > n {
		d.Hidden = len(kinds) - n
		kinds = kinds[:n]
	}
	for _, k := range kinds {
		d.Kinds = append(d.Kinds, Kind{
			Function: k.Name, Goroutines: k.Goroutines, Time: k.Time,
			States: traceStates(k.Stays, k.Time),
		})
	}
	for _, m := range s.Metrics {
		d.Metrics = append(d.Metrics, Metric{m.Name, m.Count, m.First, m.Last, m.Least, m.Most})
	}
	return d
}

// traceStates returns stays as states, with their shares of a time.
func traceStates(stays []summary.Stay, of time.Duration) []State {
	list := []State{}
	for _, stay := range stays {
		list = append(list, State{
			State: stay.Name, Waiting: stay.Code >= index.Waiting, Count: stay.Count, Total: stay.Total,
			Share: unit.Share(int64(stay.Total), int64(of)), P50: quantile(stay.P50, stay.Max), P99: quantile(stay.P99,
				stay.Max), Max: stay.Max,
		})
	}
	return list
}

// quantile returns a quantile of durations up to a largest; nil if unknown, which the engines
// represent as 0.
func quantile(d, largest time.Duration) *time.Duration {
	if d == 0 && largest > 0 {
		return nil
	}
	return &d
}

func quantileText(d *time.Duration) string {
	if d == nil {
		return "-"
	}
	return unit.Duration(*d)
}

func traceRanges(ranges []summary.Range) []Range {
	list := []Range{}
	for _, r := range ranges {
		list = append(list, Range{r.Name, r.Count, r.Total, quantile(r.P50, r.Max), quantile(r.P99, r.Max), r.Max})
	}
	return list
}

// An Index is the document of whet trace index.
type Index struct {
	index.Info
	Warnings diag.Warnings `json:"warnings,omitempty"` // those of the trace
}

// WriteSummary writes the document as text.
func WriteSummary(w io.Writer, style layout.Style, d Summary) error {
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
	if d.Hidden > 0 {
		t.Line()
		t.Line(layout.Plural(d.Hidden, "more kind", "more kinds"), " of goroutines (-n 0 shows all)")
	}
	return t.Result()
}

// writeStates writes a table of states.
func writeStates(t *layout.Writer, style layout.Style, states []State) {
	writeHead(t, "state")
	for _, s := range states {
		share := style.Paint(heatOf(s), layout.Right(fmt.Sprintf("%.1f%%", 100*s.Share), 7))
		writeTimes(t, cmp.Or(s.State, "(no reason recorded)"), s.Count, s.Total, share, s.P50, s.P99, s.Max)
	}
}

// writeTimes writes a row of a table: how often something was, and how long.
func writeTimes(
	t *layout.Writer, name string, count int64, total time.Duration, share layout.Painted, p50, p99 *time.Duration,
	most time.Duration,
) {
	timesRow(t, layout.Clean(name), unit.Count(count).Short(), unit.Duration(total), share, quantileText(p50),
		quantileText(p99), unit.Duration(most))
}

// writeHead writes the heading of a table of writeTimes.
func writeHead(t *layout.Writer, what string) {
	timesRow(t, what, "times", "total", layout.Painted{}, "p50", "p99", "max")
}

func timesRow(t *layout.Writer, name, count, total string, share layout.Painted, p50, p99, most string) {
	t.Line("  ", layout.Left(layout.Cut(name, 26), 26), layout.Right(count, 8), layout.Right(total, 10),
		layout.Spaces(7-share.Width()), share, layout.Right(p50, 9), layout.Right(p99, 9), layout.Right(most, 9))
}

// heatOf returns the color of what matters: the time on a CPU, or waiting for one.
func heatOf(s State) layout.Color {
	if s.Waiting {
		return ""
	}
	return layout.Heat(s.Share)
}

// writeRanges writes a table of ranges.
func writeRanges(t *layout.Writer, style layout.Style, what string, ranges []Range) {
	if len(ranges) == 0 {
		return
	}
	t.Line()
	t.Line(style.Paint(layout.Bold, what))
	writeHead(t, "")
	for _, r := range ranges {
		writeRange(t, r.Name, r)
	}
}

// writeRange writes a row of a table of ranges.
func writeRange(t *layout.Writer, name string, r Range) {
	writeTimes(t, name, r.Count, r.Total, layout.Painted{}, r.P50, r.P99, r.Max)
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
