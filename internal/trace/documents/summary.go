package documents

import (
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// SummarySchema is the schema of Summary.
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

	Procs     []Proc           `json:"procs"`
	Collector Collector        `json:"collector"`
	All       []State          `json:"all"` // of all goroutines: runnable is the scheduling latency
	Kinds     []Kind           `json:"kinds"`
	Hidden    int              `json:"hidden"` // kinds left out because of -n
	Ranges    []Range          `json:"ranges"`
	Tasks     []Range          `json:"tasks"`
	Regions   []Range          `json:"regions"`
	Logs      []summary.Log    `json:"logs"`
	Metrics   []summary.Metric `json:"metrics"`
	Damage    string           `json:"damage,omitempty"`
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

// NewSummary returns the document of a summary with at most n kinds; 0 is all.
func NewSummary(name string, s *summary.Summary, duration time.Duration, n int) Summary {
	d := Summary{
		Schema: SummarySchema, Name: name, Duration: duration, From: s.From, To: s.To, Events: s.Events,
		Goroutines: s.Goroutines, Samples: s.Samples, Damage: s.Damage,
		Procs: []Proc{}, Kinds: []Kind{}, Ranges: rangesOf(s.Ranges), Tasks: rangesOf(s.Tasks),
		Regions: rangesOf(s.Regions), Logs: append([]summary.Log{}, s.Logs...),
		Metrics: append([]summary.Metric{}, s.Metrics...), All: statesOf(s.All.Stays, s.All.Time),
	}
	c := s.Collector()
	d.Collector = Collector{c.Ran, c.Background, c.Assists, unit.Share(int64(c.Background+c.Assists), int64(c.Ran))}
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
			States: statesOf(k.Stays, k.Time),
		})
	}
	return d
}

// statesOf returns stays as states, with their shares of a time.
func statesOf(stays []summary.Stay, of time.Duration) []State {
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

func rangesOf(ranges []summary.Range) []Range {
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
