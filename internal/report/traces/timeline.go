package traces

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/trace/timeline"
	"github.com/whet-go/whet/ui"
)

// TimelineSchema is the schema of TimelineDoc.
const TimelineSchema = "whet.timeline-window/1"

// TimelineMark is near the start of every page that WriteTimelinePage writes.
const TimelineMark = `<meta name="generator" content="whet trace timeline">`

// TimelinePageMax is the maximum size of a page of WriteTimelinePage, in bytes.
const TimelinePageMax = 5_000_000

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
}

// A TimelineFile is the document of whet trace timeline --json: what the page shows.
type TimelineFile struct {
	*TimelineDoc
	Warnings diag.Warnings `json:"warnings,omitempty"` // those of the trace
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
}

// A TimelineStack is a stack with the number that spans use.
type TimelineStack struct {
	Stack  uint32 `json:"stack"`
	Frames []int  `json:"frames"` // numbers in Frames, leaf first
}

// TimelineOptions configures NewTimeline.
type TimelineOptions struct {
	From, To int64 // the window; To 0 is the trace's end
	Width    int   // the resolution; 0 is 1000
	// Rows limits the goroutines, and at half as many each the requests, tasks and regions; 0 is
	// 40.
	Rows int
}

// Limits of a document.
const (
	timelineFixedRows = 256 // processors, threads, ranges
	timelineStacks    = 20_000
	timelineNamed     = 5_000
	timelineAsked     = 1000 // rows of one query
)

// NewTimeline queries a timeline for the rows that its page starts with, and their spans.
func NewTimeline(ctx context.Context, t *timeline.Timeline, o TimelineOptions) (*TimelineDoc, error) {
	d := &TimelineDoc{
		Schema: TimelineSchema, Trace: t.Trace(), From: o.From, To: o.To, Rows: []timeline.RowList{},
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
		q := timeline.RowQuery{Type: typ.Type, From: d.From, To: d.To, Order: "time", Limit: timelineFixedRows}
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
	for some := range slices.Chunk(ids, timelineAsked) {
		a, err := t.Spans(ctx, timeline.SpanQuery{From: d.From, To: d.To, Width: o.Width, IDs: some})
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
	d.addStacks(t)
	return d, d.addNames(t)
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
	d.Frames, d.Stacks = []TimelineFrame{}, []TimelineStack{}
	known := map[TimelineFrame]int{}
	for _, n := range most(count, timelineStacks) {
		stack := TimelineStack{Stack: n, Frames: []int{}}
		for _, f := range t.Stack(n) {
			frame := TimelineFrame{Function: layout.Clean(f.Func), File: layout.Clean(f.File), Line: f.Line}
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
	for _, n := range most(count, timelineNamed) {
		ids = append(ids, fmt.Sprintf("g%d", n))
	}
	for some := range slices.Chunk(ids, timelineAsked) {
		rows, err := t.Named(some)
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

// Resolutions of a page's window: higher ones are tried while they are expected to fit and add
// detail.
const (
	timelineFirstWidth = 2048
	timelineLeastWidth = 512
	timelineLastWidth  = 1 << 14 // the limit of a timeline's answers
)

// WriteTimelinePage writes a self-contained page of a window of a timeline: one HTML file of at
// most TimelinePageMax bytes that makes no request. It has as many rows, in as much detail, as fit.
func WriteTimelinePage(ctx context.Context, w io.Writer, t *timeline.Timeline, o TimelineOptions) error {
	room := TimelinePageMax - len(ui.TimelineJS()) - 10_000
	var best []byte
	name := ""
	for i, rows := range []int{200, 60, 20, 4} {
		last := 0
		for width := timelineFirstWidth; ; {
			o.Width, o.Rows = width, rows
			d, err := NewTimeline(ctx, t, o)
			if err != nil {
				return err
			}
			name = d.Trace.Name
			d.clip(pages.Clips[min(i, len(pages.Clips)-1)])
			packed, err := pack(d)
			if err != nil {
				return err
			}
			if len(packed) > room {
				if best != nil || width == timelineLeastWidth {
					break
				}
				width = timelineLeastWidth
				continue
			}
			best = packed
			if d.exact() || 2*len(packed) > room || len(packed) < last+last/8 || width == timelineLeastWidth ||
				width == timelineLastWidth {
				break
			}
			last = len(packed)
			width *= 2
		}
		if best != nil {
			break
		}
	}
	if best == nil {
		return fmt.Errorf("write page: %w", errTimelineSize)
	}
	return pages.WriteData(w, timelinePage(name, string(best)))
}

// clip shortens names to n bytes.
func (d *TimelineDoc) clip(n int) {
	rows := func(all []timeline.RowInfo) {
		for i := range all {
			all[i].Name, all[i].Kind = pages.Clip(all[i].Name, n), pages.Clip(all[i].Kind, n)
		}
	}
	rows(d.Named)
	for _, list := range d.Rows {
		rows(list.Rows)
	}
	for i := range d.Frames {
		f := &d.Frames[i]
		f.Function, f.File = pages.Clip(f.Function, n), pages.Clip(f.File, n)
	}
}

// errTimelineSize reports a window that is too large even with few rows.
var errTimelineSize = fmt.Errorf("the window does not fit into %d bytes", TimelinePageMax)

// exact reports whether all rows consist of spans, so that a higher resolution would add nothing.
func (d *TimelineDoc) exact() bool {
	return !slices.ContainsFunc(d.Spans.Rows, func(r timeline.RowSpans) bool { return len(r.Parts) > 0 })
}

// pack encodes a document for the page: JSON, gzip, base64.
func pack(d *TimelineDoc) ([]byte, error) {
	var b bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &b)
	z, err := gzip.NewWriterLevel(text, gzip.BestSpeed) // four times as fast, and a fifth larger
	if err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	if err := json.NewEncoder(z).Encode(d); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if err := text.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// timelinePage returns the page of a timeline with data or, without data, the one that queries its
// server.
func timelinePage(name, data string) pages.DataPage {
	return pages.DataPage{
		Mark: TimelineMark, ID: "whet-timeline", Title: name + " · whet timeline", Script: ui.TimelineJS(), Data: data,
		Served:  data == "",
		Without: "<code>whet trace summary</code> shows figures as text.",
	}
}

// TimelineServed returns the page of a timeline that queries the server it comes from, and its
// content security policy.
func TimelineServed(name string) (page []byte, policy string, err error) {
	p := timelinePage(name, "")
	var b bytes.Buffer
	err = pages.WriteData(&b, p)
	return b.Bytes(), p.Policy(), err
}
