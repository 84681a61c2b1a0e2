package server

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/trace/timeline"
)

// A spanAnswer is [timeline.SpanAnswer] as it is written: for the description of the API, because methods write
// spans and parts as lists of numbers.
type spanAnswer struct {
	From  int64      `json:"from"`
	To    int64      `json:"to"`
	Width int        `json:"width"`
	Rows  []rowSpans `json:"rows"`
}

// rowSpans are a row's spans, [timeline.Span], and parts, [timeline.Part].
type rowSpans struct {
	ID    string    `json:"id"`
	Spans [][]int64 `json:"spans,omitempty"`
	Parts [][]int64 `json:"parts,omitempty"`
}

// Routes returns the operations about the timelines of source, below [Base]. about are the parameters that source
// reads.
func Routes(source Source, about ...openapi.Param) []Route {
	window := []openapi.Param{
		{Name: "from", About: "start of the window, in nanoseconds since that of the trace; 0 if absent", Type: "integer"},
		{Name: "to", About: "end of the window; that of the trace if absent", Type: "integer"},
	}
	width := openapi.Param{Name: "width", About: "columns that the window is drawn in, 1 to 10000", Type: "integer"}
	ids := openapi.Param{Name: "ids", About: "IDs of rows, as /timeline/rows lists them, separated by commas"}
	needed := ids
	needed.Required = true
	limit := openapi.Param{Name: "limit", About: "at most so many, 1 to 1000; 100 if absent", Type: "integer"}
	get := func(path, id, summary string, doc any, answer answer, params ...openapi.Param) Route {
		return Route{openapi.Operation{
			Method: http.MethodGet, Path: "/timeline/" + path, ID: id, Summary: summary, Answer: doc,
			Params: slices.Concat(about, params),
		}, answer.of(source)}
	}
	return []Route{
		get("trace", "timelineTrace", "What a trace has: its length, states, types of rows and metrics",
			timeline.Trace{}, (*api).trace),
		get("rows", "timelineRows", "The rows of a type, or those with IDs", timeline.RowList{}, (*api).rows,
			append(window, openapi.Param{Name: "type", About: "goroutine, proc, thread, request, …: those of the trace"},
				openapi.Param{Name: "match", About: "a Go regular expression of the name or the kind"},
				openapi.Param{Name: "order", About: "their order", Enum: []string{timeline.ByTime, timeline.Busy, timeline.Long}},
				openapi.Param{Name: "skip", About: "leave out so many", Type: "integer"}, limit, ids)...),
		get("spans", "timelineSpans", "What rows do in a window: spans as from, to, state, stack and what it is with; "+
			"parts, of columns with many, as from, to, and pairs of a state and its time",
			spanAnswer{}, (*api).spans, append(window, width, needed)...),
		get("metric", "timelineMetric", "The values of a metric in a window", []timeline.Point{}, (*api).metric,
			append(window, width, openapi.Param{
				Name: "name", About: "a name of the list that /timeline/trace has", Required: true,
			})...),
		get("stacks", "timelineStacks", "The heaviest stacks of rows in a window", timeline.StackAnswer{}, (*api).stacks,
			append(window, ids, openapi.Param{
				Name: "by", About: "what counts", Enum: []string{timeline.ByCPU, timeline.ByWait},
			})...),
		get("frames", "timelineFrames", "The frames of stacks by their numbers, in order, each leaf first",
			[][]timeline.Frame{}, (*api).frames, openapi.Param{
				Name: "ids", About: "numbers of stacks, as spans have them, separated by commas", Required: true,
			}),
		get("marks", "timelineMarks", "Regions, messages and CPU samples of goroutines in a window",
			timeline.MarkAnswer{}, (*api).marks, append(window, width, ids)...),
		get("stays", "timelineStays", "How long goroutines stay in a state in a window", timeline.StayAnswer{},
			(*api).stays, append(window, ids, limit, openapi.Param{
				Name: "state", About: "an index in the list of states; -1 for all", Type: "integer",
			})...),
		get("classes", "timelineClasses", "The classes of requests, and what slow ones wait for", []timeline.ClassInfo{},
			(*api).classes),
		get("utilization", "timelineUtilization", "The least share of CPU time that the program had, not the collector",
			timeline.UtilizationAnswer{}, (*api).utilization),
	}
}

// An answer computes the answer to a request from its parameters.
type answer func(a *api, ctx context.Context, p *params) (any, error)

// of returns the handler that answers about the timelines of source.
func (f answer) of(source Source) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return &diag.Error{Op: "read the query", Err: err, Kind: diag.Usage}
		}
		t, release, err := source(r)
		if err != nil {
			return err
		}
		defer release()
		doc, err := f(&api{t, t.Trace().Duration}, r.Context(), &params{values: values})
		if err != nil {
			return err
		}
		return write(w, doc)
	}
}

// api answers queries about a timeline.
type api struct {
	t        *timeline.Timeline
	duration int64
}

func (a *api) trace(context.Context, *params) (any, error) { return a.t.Trace(), nil }

func (a *api) rows(ctx context.Context, p *params) (any, error) {
	if ids := p.ids(); ids != nil || p.err != nil {
		if p.err != nil {
			return nil, p.err
		}
		rows, err := a.t.RowsByID(ids)
		if err != nil {
			return nil, err
		}
		return timeline.RowList{Total: len(rows), Rows: rows}, nil
	}
	q := timeline.RowQuery{Type: p.text("type"), Order: p.text("order")}
	q.From, q.To = p.window(a.duration)
	q.Skip = int(p.number("skip", 0, 1<<31, 0))
	q.Limit = int(p.number("limit", 1, maxRows, 100))
	if match := p.text("match"); match != "" {
		var err error
		if q.Match, err = regexp.Compile(match); err != nil {
			p.fail("match", err.Error())
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Rows(ctx, q)
}

func (a *api) spans(ctx context.Context, p *params) (any, error) {
	q := timeline.SpanQuery{Width: int(p.number("width", 1, maxWidth, 1000)), IDs: p.ids()}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	if len(q.IDs) == 0 {
		p.fail("ids", "missing")
		return nil, p.err
	}
	return a.t.Spans(ctx, q)
}

func (a *api) metric(_ context.Context, p *params) (any, error) {
	name, width := p.text("name"), int(p.number("width", 1, maxWidth, 1000))
	from, to := p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Metric(name, from, to, width)
}

// frames answers with the stacks of these numbers, in order.
func (a *api) frames(_ context.Context, p *params) (any, error) {
	ids := p.ids()
	if p.err == nil && len(ids) == 0 {
		p.fail("ids", "missing")
	}
	all := make([][]timeline.Frame, len(ids))
	for i, id := range ids {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			p.fail("ids", strconv.Quote(id[:min(len(id), 20)])+" is not the number of a stack")
			break
		}
		all[i] = a.t.Frames(uint32(n))
	}
	return all, p.err
}

func (a *api) marks(ctx context.Context, p *params) (any, error) {
	q := timeline.MarkQuery{Width: int(p.number("width", 1, maxWidth, 1000)), IDs: p.ids()}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Marks(ctx, q)
}

func (a *api) stays(ctx context.Context, p *params) (any, error) {
	q := timeline.StayQuery{
		IDs: p.ids(), State: int(p.number("state", -1, 1<<16, -1)), Limit: int(p.number("limit", 1, maxRows, 100)),
	}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Stays(ctx, q)
}

func (a *api) stacks(ctx context.Context, p *params) (any, error) {
	q := timeline.StackQuery{IDs: p.ids(), By: p.text("by")}
	q.From, q.To = p.window(a.duration)
	if p.err != nil {
		return nil, p.err
	}
	return a.t.Stacks(ctx, q)
}

func (a *api) classes(context.Context, *params) (any, error) { return a.t.Classes() }

func (a *api) utilization(ctx context.Context, _ *params) (any, error) {
	return a.t.Utilization(ctx)
}
