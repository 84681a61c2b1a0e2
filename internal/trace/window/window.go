package window

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/trace/timeline"
)

// Schema is the schema of TimelineDoc.
const Schema = "whet.timeline-window/2"

// TimelineDoc is the data of the first view of a timeline's window: rows of each type, their spans,
// metrics of the heap, and the stacks and goroutines that these refer to. Times are nanoseconds
// since the trace's start.
type TimelineDoc struct {
	Schema  string              `json:"schema"`
	Trace   timeline.Trace      `json:"trace"`
	From    int64               `json:"from"`
	To      int64               `json:"to"`
	Rows    []timeline.RowList  `json:"rows"`
	Named   []timeline.RowInfo  `json:"named"` // goroutines that spans refer to and that have no row
	Spans   timeline.SpanAnswer `json:"spans"`
	Metrics []TimelineMetric    `json:"metrics"`
	Frames  []TimelineFrame     `json:"frames"`
	Stacks  []TimelineStack     `json:"stacks"`
	// Marks are those of the goroutines in Rows; Weights are of all goroutines, by CPU samples and
	// by waits.
	Marks       timeline.MarkAnswer        `json:"marks"`
	Weights     []timeline.StackAnswer     `json:"weights"`
	Classes     []timeline.ClassInfo       `json:"classes"`
	Utilization timeline.UtilizationAnswer `json:"utilization"`
}

// A TimelineMetric is a metric of the runtime, over the window.
type TimelineMetric struct {
	Name   string           `json:"name"`
	Points []timeline.Point `json:"points"`
}

// A TimelineFrame is one call in stacks.
type TimelineFrame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Kind     string `json:"kind,omitempty"` // whose code it is, as timeline.Frame has it
}

// A TimelineStack is a stack with the number that spans use.
type TimelineStack struct {
	Stack  uint32 `json:"stack"`
	Frames []int  `json:"frames"` // numbers in Frames, leaf first
}

// Options configures New.
type Options struct {
	From, To int64 // the window; To 0 is the trace's end
	Width    int   // the resolution; 0 is 1000
	// Rows limits the goroutines, and at half as many each the requests, tasks and regions; 0 is
	// 40.
	Rows int
}

// Limits of a document.
const (
	fixedRows  = 256 // processors, threads, ranges
	maxStacks  = 20_000
	maxNamed   = 5_000
	maxQueried = 1000 // rows of one query
)

// New queries a timeline for the rows that its page starts with, and their spans.
func New(ctx context.Context, t *timeline.Timeline, o Options) (*TimelineDoc, error) {
	d := &TimelineDoc{
		Schema: Schema, Trace: t.Trace(), From: o.From, To: o.To, Rows: []timeline.RowList{},
		Metrics: []TimelineMetric{},
	}
	if d.To == 0 {
		d.To = d.Trace.Duration
	}
	if o.Width == 0 {
		o.Width = 1000
	}
	if o.Rows == 0 {
		o.Rows = 40
	}
	var ids []string
	for i, typ := range d.Trace.Types {
		q := timeline.RowQuery{Type: typ.Type, From: d.From, To: d.To, Order: "time", Limit: fixedRows}
		switch typ.Type {
		case "goroutine":
			q.Order, q.Limit = "busy", o.Rows
		case "request", "task", "region":
			q.Order, q.Limit = "long", max(o.Rows/2, 1)
		}
		list, err := t.Rows(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("list rows of type %q: %w", typ.Type, err)
		}
		d.Trace.Types[i].Count = int64(list.Total)
		d.Rows = append(d.Rows, list)
		for _, r := range list.Rows {
			ids = append(ids, r.ID)
		}
	}
	d.Spans = timeline.SpanAnswer{From: d.From, To: d.To, Width: o.Width, Rows: []timeline.RowSpans{}}
	for some := range slices.Chunk(ids, maxQueried) {
		a, err := t.Spans(ctx, timeline.SpanQuery{From: d.From, To: d.To, Width: o.Width, IDs: some, Thorough: true})
		if err != nil {
			return nil, fmt.Errorf("read spans: %w", err)
		}
		d.Spans.Rows = append(d.Spans.Rows, a.Rows...)
	}
	for _, name := range d.Trace.Metrics {
		if !strings.Contains(name, "heap") {
			continue
		}
		points, err := t.Metric(name, d.From, d.To, min(o.Width, 1000))
		if err != nil {
			return nil, fmt.Errorf("read metric %q: %w", name, err)
		}
		d.Metrics = append(d.Metrics, TimelineMetric{name, points})
	}
	if err := d.addDetails(ctx, t, o); err != nil {
		return nil, err
	}
	d.addStacks(t)
	return d, d.addNames(t)
}

// pageWeights is the number of stacks that a document has weights of.
const pageWeights = 2000

// addDetails adds what the program recorded of the goroutines, the weights of stacks, the classes of
// requests, and the utilization.
func (d *TimelineDoc) addDetails(ctx context.Context, t *timeline.Timeline, o Options) (err error) {
	var ids []string
	for _, list := range d.Rows {
		if list.Type == timeline.Goroutine {
			for _, r := range list.Rows {
				ids = append(ids, r.ID)
			}
		}
	}
	q := timeline.MarkQuery{From: d.From, To: d.To, Width: min(o.Width, 2000), IDs: ids}
	if d.Marks, err = t.Marks(ctx, q); err != nil {
		return fmt.Errorf("read marks: %w", err)
	}
	for _, by := range []string{timeline.ByCPU, timeline.ByWait} {
		w, err := t.Stacks(ctx, timeline.StackQuery{From: d.From, To: d.To, By: by})
		if err != nil {
			return fmt.Errorf("add up stacks: %w", err)
		}
		if len(w.Stacks) > pageWeights {
			w.Stacks, w.Partial = w.Stacks[:pageWeights], 1
		}
		d.Weights = append(d.Weights, w)
	}
	if d.Classes, err = t.Classes(); err != nil {
		return fmt.Errorf("find requests: %w", err)
	}
	if d.Utilization, err = t.Utilization(ctx); err != nil {
		return fmt.Errorf("determine utilization: %w", err)
	}
	return nil
}

// addStacks adds the stacks of spans, the most frequent first, up to the limit.
func (d *TimelineDoc) addStacks(t *timeline.Timeline) {
	count := map[uint32]int{}
	for _, r := range d.Spans.Rows {
		for _, s := range r.Spans {
			if s.Stack > 0 {
				count[s.Stack]++
			}
		}
	}
	for _, r := range d.Marks.Rows {
		for _, s := range r.Samples {
			count[uint32(s[1])]++
		}
		for i := range r.Logs {
			count[r.Logs[i].Stack]++
		}
	}
	delete(count, 0)
	d.Frames, d.Stacks = []TimelineFrame{}, []TimelineStack{}
	known := map[TimelineFrame]int{}
	for _, n := range most(count, maxStacks) {
		stack := TimelineStack{Stack: n, Frames: []int{}}
		for _, f := range t.Frames(n) {
			frame := TimelineFrame(f)
			at, ok := known[frame]
			if !ok {
				at = len(d.Frames)
				known[frame] = at
				d.Frames = append(d.Frames, frame)
			}
			stack.Frames = append(stack.Frames, at)
		}
		d.Stacks = append(d.Stacks, stack)
	}
}

// addNames adds the goroutines that spans refer to: those that run on a processor, and those that
// woke others.
func (d *TimelineDoc) addNames(t *timeline.Timeline) error {
	d.Named = []timeline.RowInfo{}
	count := map[uint32]int{}
	for _, r := range d.Spans.Rows {
		// Spans of goroutines have a processor, unless they are runnable.
		always := strings.HasPrefix(r.ID, "p") || strings.HasPrefix(r.ID, "c") || strings.HasPrefix(r.ID, "u")
		for _, s := range r.Spans {
			if s.With > 0 && !strings.HasPrefix(r.ID, "m") && (always || d.Trace.States[s.State].Group == "runnable") {
				count[s.With-1]++
			}
		}
	}
	var ids []string
	for _, n := range most(count, maxNamed) {
		ids = append(ids, fmt.Sprintf("g%d", n))
	}
	for some := range slices.Chunk(ids, maxQueried) {
		rows, err := t.RowsByID(some)
		if err != nil {
			return fmt.Errorf("name goroutines: %w", err)
		}
		d.Named = append(d.Named, rows...)
	}
	return nil
}

// most returns the keys with the largest counts, in order.
func most(count map[uint32]int, n int) []uint32 {
	keys := make([]uint32, 0, len(count))
	for k := range count {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b uint32) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return int(int64(a) - int64(b))
	})
	return keys[:min(n, len(keys))]
}

// Exact reports whether all rows consist of spans, so that a higher resolution would add nothing.
func (d *TimelineDoc) Exact() bool {
	return !slices.ContainsFunc(d.Spans.Rows, func(r timeline.RowSpans) bool { return len(r.Parts) > 0 })
}
