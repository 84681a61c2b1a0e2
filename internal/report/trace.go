package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// TraceSummarySchema is the schema of TraceSummary.
const TraceSummarySchema = "whet.trace-summary/1"

// TraceSummary is what whet trace summary shows.
type TraceSummary struct {
	Schema     string        `json:"schema"`
	Name       string        `json:"name"`
	Duration   time.Duration `json:"duration_ns"` // of the whole trace
	From       time.Duration `json:"from_ns"`     // of what is summarised
	To         time.Duration `json:"to_ns"`
	Events     int64         `json:"events"` // of the whole trace
	Goroutines int64         `json:"goroutines"`
	Samples    int64         `json:"cpu_samples"`

	Procs     []TraceProc    `json:"procs"`
	Collector TraceCollector `json:"collector"`
	All       []TraceState   `json:"all"` // of all goroutines: runnable is the scheduling latency
	Kinds     []TraceKind    `json:"kinds"`
	Hidden    int            `json:"hidden"` // kinds left out because of -n
	Ranges    []TraceRange   `json:"ranges"`
	Tasks     []TraceRange   `json:"tasks"`
	Regions   []TraceRange   `json:"regions"`
	Logs      []TraceLog     `json:"logs"`
	Metrics   []TraceMetric  `json:"metrics"`
	Damage    string         `json:"damage,omitempty"`
}

// A TraceProc is a processor.
type TraceProc struct {
	Number int           `json:"proc"`
	Busy   time.Duration `json:"busy_ns"`
	Share  float64       `json:"share"`
}

// A TraceKind is the goroutines that run one function.
type TraceKind struct {
	Function   string        `json:"function"`
	Goroutines int64         `json:"goroutines"`
	Time       time.Duration `json:"time_ns"` // that they were there, together
	States     []TraceState  `json:"states"`
}

// A TraceState is what goroutines of a kind did in one state, or for one reason to wait.
type TraceState struct {
	State   string         `json:"state"`
	Waiting bool           `json:"waiting,omitempty"`
	Count   int64          `json:"count"`
	Total   time.Duration  `json:"total_ns"`
	Share   float64        `json:"share"`  // of the kind's time
	P50     *time.Duration `json:"p50_ns"` // null: not known
	P99     *time.Duration `json:"p99_ns"`
	Max     time.Duration  `json:"max_ns"`
}

// A TraceCollector is what garbage collection took of the time that goroutines ran.
type TraceCollector struct {
	Ran        time.Duration `json:"ran_ns"`
	Background time.Duration `json:"background_ns"`
	Assists    time.Duration `json:"assists_ns"`
	Share      float64       `json:"share"` // of Ran
}

// A TraceRange is all ranges, tasks or regions of one name.
type TraceRange struct {
	Name  string         `json:"name"`
	Count int64          `json:"count"`
	Total time.Duration  `json:"total_ns"`
	P50   *time.Duration `json:"p50_ns"` // null: not known
	P99   *time.Duration `json:"p99_ns"`
	Max   time.Duration  `json:"max_ns"`
}

// A TraceLog is the user's messages of one category.
type TraceLog struct {
	Category string `json:"category"`
	Count    int64  `json:"count"`
}

// A TraceMetric is one of the runtime's.
type TraceMetric struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Least uint64 `json:"least"`
	Most  uint64 `json:"most"`
}

// NewTraceSummary makes the document of a summary, with at most n kinds; 0 is all.
func NewTraceSummary(name string, s *summary.Summary, duration time.Duration, n int) TraceSummary {
	d := TraceSummary{
		Schema: TraceSummarySchema, Name: name, Duration: duration, From: s.From, To: s.To, Events: s.Events,
		Goroutines: s.Goroutines, Samples: s.Samples, Damage: s.Damage,
		Procs: []TraceProc{}, Kinds: []TraceKind{}, Ranges: traceRanges(s.Ranges), Tasks: traceRanges(s.Tasks),
		Regions: traceRanges(s.Regions), Logs: []TraceLog{}, Metrics: []TraceMetric{}, All: traceStates(s.All.Stays, s.All.Time),
	}
	c := s.Collector()
	d.Collector = TraceCollector{c.Ran, c.Background, c.Assists, unit.Share(int64(c.Background+c.Assists), int64(c.Ran))}
	for _, l := range s.Logs {
		d.Logs = append(d.Logs, TraceLog(l))
	}
	for _, p := range s.Procs {
		d.Procs = append(d.Procs, TraceProc{p.Number, p.Busy, unit.Share(int64(p.Busy), int64(s.To-s.From))})
	}
	kinds := s.Kinds
	if n > 0 && len(kinds) > n {
		d.Hidden = len(kinds) - n
		kinds = kinds[:n]
	}
	for _, k := range kinds {
		d.Kinds = append(d.Kinds, TraceKind{Function: k.Name, Goroutines: k.Goroutines, Time: k.Time, States: traceStates(k.Stays, k.Time)})
	}
	for _, m := range s.Metrics {
		d.Metrics = append(d.Metrics, TraceMetric{m.Name, m.Count, m.First, m.Last, m.Least, m.Most})
	}
	return d
}

// traceStates are stays, with their shares of a time.
func traceStates(stays []summary.Stay, of time.Duration) []TraceState {
	list := []TraceState{}
	for _, stay := range stays {
		list = append(list, TraceState{
			State: stay.Name, Waiting: stay.Code >= index.Waiting, Count: stay.Count, Total: stay.Total,
			Share: unit.Share(int64(stay.Total), int64(of)), P50: quantile(stay.P50, stay.Max), P99: quantile(stay.P99, stay.Max), Max: stay.Max,
		})
	}
	return list
}

// quantile is one of durations up to a largest; nil when it is not known, which the engines have as 0.
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

func traceRanges(ranges []summary.Range) []TraceRange {
	list := []TraceRange{}
	for _, r := range ranges {
		list = append(list, TraceRange{r.Name, r.Count, r.Total, quantile(r.P50, r.Max), quantile(r.P99, r.Max), r.Max})
	}
	return list
}

// WriteTraceSummary writes the document as text.
func WriteTraceSummary(w io.Writer, style Style, d TraceSummary) error {
	t := &text{w: w}
	title := fmt.Sprintf("trace of %s: %s, %s events, %d goroutines", Clean(d.Name), unit.Duration(d.Duration), unit.Count(d.Events).Short(), d.Goroutines)
	t.line(style.paint(bold, title))
	if d.From != 0 || d.To != d.Duration {
		t.line("of it from " + unit.Duration(d.From) + " to " + unit.Duration(d.To))
	}
	if d.Damage != "" {
		t.line(style.paint(gold, "what follows is missing: "+Clean(d.Damage)))
	}
	t.line()
	var procs []string
	for _, p := range d.Procs {
		procs = append(procs, fmt.Sprintf("P%d %.0f%%", p.Number, 100*p.Share))
	}
	if len(procs) > 0 {
		t.wrapped("processors busy  ", procs, style)
	}
	for _, m := range d.Metrics {
		t.line(left(metricName(m.Name), 16), " ", metricValue(m.Name, m.Least), " to ", metricValue(m.Name, m.Most))
	}
	if c := d.Collector; c.Ran > 0 && c.Background+c.Assists > 0 {
		loadWrap(t, style, "", fmt.Sprintf("garbage collection took %s of the time that goroutines were running, which is not their CPU time: %s in its own goroutines, %s in goroutines that allocate (assists)",
			sharePercent(c.Share), sharePercent(unit.Share(int64(c.Background), int64(c.Ran))), sharePercent(unit.Share(int64(c.Assists), int64(c.Ran)))), 0)
	}
	t.ranges(style, "collector and stops", d.Ranges)
	t.ranges(style, "tasks", d.Tasks)
	t.ranges(style, "regions", d.Regions)
	if len(d.Logs) > 0 {
		t.line()
		var logs []string
		for _, l := range d.Logs {
			logs = append(logs, fmt.Sprintf("%s %s", Clean(cmp.Or(l.Category, "(no category)")), unit.Count(l.Count).Short()))
		}
		t.wrapped("messages  ", logs, style)
	}
	if len(d.Kinds) > 1 || d.Hidden > 0 {
		t.line()
		t.line(style.paint(bold, "all goroutines (runnable: waiting for a processor)"))
		t.states(style, d.All)
	}
	for _, k := range d.Kinds {
		t.line()
		name := Clean(k.Function)
		if name == "" {
			name = "(no stack told)"
		}
		head := fmt.Sprintf("%d x ", k.Goroutines)
		t.line(style.paint(bold, head+FitName(name, style.room(len(head), 20))))
		t.states(style, k.States)
	}
	if d.Hidden > 0 {
		t.line()
		t.line(fmt.Sprintf("%d more kinds of goroutines (-n 0 shows all)", d.Hidden))
	}
	return t.result()
}

// states writes a table of states.
func (t *text) states(style Style, states []TraceState) {
	t.line(traceHead("state"))
	for _, s := range states {
		name := s.State
		if name == "" {
			name = "(reason not told)"
		}
		t.line(
			"  ", left(cut(Clean(name), 26), 26), right(unit.Count(s.Count).Short(), 8), right(unit.Duration(s.Total), 10),
			style.paint(heatOf(s), right(fmt.Sprintf("%.1f%%", 100*s.Share), 7)),
			right(quantileText(s.P50), 9), right(quantileText(s.P99), 9), right(unit.Duration(s.Max), 9),
		)
	}
}

// heatOf is the colour of what costs: the time on a processor, or waiting for one.
func heatOf(s TraceState) string {
	if s.Waiting {
		return ""
	}
	return heat(s.Share)
}

func traceHead(what string) string {
	return "  " + left(what, 26) + right("times", 8) + right("together", 10) + right("", 7) + right("p50", 9) + right("p99", 9) + right("max", 9)
}

// ranges writes a table of ranges.
func (t *text) ranges(style Style, what string, ranges []TraceRange) {
	if len(ranges) == 0 {
		return
	}
	t.line()
	t.line(style.paint(bold, what))
	t.line(traceHead(""))
	for _, r := range ranges {
		t.line(
			"  ", left(cut(Clean(r.Name), 26), 26), right(unit.Count(r.Count).Short(), 8), right(unit.Duration(r.Total), 10), blanks(7),
			right(quantileText(r.P50), 9), right(quantileText(r.P99), 9), right(unit.Duration(r.Max), 9),
		)
	}
}

// wrapped writes words after a title, in as many lines as it takes.
func (t *text) wrapped(title string, words []string, style Style) {
	line := title
	for _, word := range words {
		if style.Width > 0 && columns(line)+2+columns(word) > style.Width && line != title {
			t.line(line)
			line = blanks(columns(title))
		}
		line += word + "  "
	}
	t.line(line)
}

// metricName is short for the runtime's name of a metric.
func metricName(name string) string {
	switch name {
	case "/memory/classes/heap/objects:bytes":
		return "heap"
	case "/gc/heap/goal:bytes":
		return "heap's goal"
	case "/sched/gomaxprocs:threads":
		return "GOMAXPROCS"
	}
	return Clean(name)
}

func metricValue(name string, v uint64) string {
	if strings.HasSuffix(name, ":bytes") {
		return unit.Of(int64(v), "bytes").String()
	}
	return fmt.Sprint(v)
}
