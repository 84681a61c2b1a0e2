package timeline

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A SpanQuery selects rows and a window.
type SpanQuery struct {
	From, To int64    // nanoseconds since the start of the trace; To 0 means its end
	Width    int      // pixels
	IDs      []string // of [RowInfo], at most 1000
	// Thorough has the parts of processors by function in any window, which takes longer in one
	// with many spans: it reads them all.
	Thorough bool
}

// A SpanAnswer is what rows do in a window.
type SpanAnswer struct {
	From  int64      `json:"from"`
	To    int64      `json:"to"`
	Width int        `json:"width"`
	Rows  []RowSpans `json:"rows"` // in the order of the IDs
}

// RowSpans is what a row does: spans or, if there are too many to distinguish, parts, in order of
// time. Gaps between them mean that the row does not exist or is idle.
//
// Spans are not cut at the ends of the window; those of requests and tasks are cut at their own
// ends. Parts of processors have the time of each function that they run (see [FunctionGroup])
// unless the window has too many spans. Spans of a row do not overlap, except those of ranges and
// regions, of which several may be active at a time. In JSON a span is the array [from, to, state,
// stack, with], a part [from, to, state, time, …].
type RowSpans struct {
	ID    string `json:"id"`
	Spans []Span `json:"spans,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// A Span is an interval that a row spends in one state.
type Span struct {
	From, To int64  // nanoseconds since the start of the trace
	State    int    // index in Trace.States
	Stack    uint32 // for [Timeline.Stack]: where it began; 0 means none
	// With is the number of the related object + 1; 0 means none. For running goroutines it is the
	// processor; for runnable ones, the goroutine that made them so; for processors, ranges and
	// regions, the goroutine; for threads, the processor. The number of a goroutine is the one in
	// its ID.
	With uint32
}

// A Part is an interval with the time spent in each state. It is not cut at the ends of the window:
// it extends beyond them by at most the interval that was summed. The sum of the times may be less
// than its length, if the row is idle in between, or more, for ranges and regions.
type Part struct {
	From, To int64
	Times    []Time
}

// A Time is the total time in one state.
type Time struct {
	State int // index in Trace.States
	Time  time.Duration
}

// MarshalJSON writes a span as an array.
func (s Span) MarshalJSON() ([]byte, error) { return s.append(nil), nil }

// MarshalJSON writes a part as an array.
func (p Part) MarshalJSON() ([]byte, error) { return p.append(nil), nil }

func (s *Span) append(b []byte) []byte {
	return append(appendInts(append(b, '['), s.From, s.To, int64(s.State), int64(s.Stack), int64(s.With)), ']')
}

func (p *Part) append(b []byte) []byte {
	b = appendInts(append(b, '['), p.From, p.To)
	for _, s := range p.Times {
		b = appendInts(append(b, ','), int64(s.State), int64(s.Time))
	}
	return append(b, ']')
}

func appendInts(b []byte, values ...int64) []byte {
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	return b
}

// MarshalJSON writes a row in one piece: an answer may have a hundred thousand spans.
func (r RowSpans) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 32+40*len(r.Spans)+64*len(r.Parts)), `{"id":`...)
	b = strconv.AppendQuote(b, r.ID)
	if len(r.Spans) > 0 {
		b = append(b, `,"spans":[`...)
		for i := range r.Spans {
			b = append(r.Spans[i].append(b), ',')
		}
		b[len(b)-1] = ']'
	}
	if len(r.Parts) > 0 {
		b = append(b, `,"parts":[`...)
		for i := range r.Parts {
			b = append(r.Parts[i].append(b), ',')
		}
		b[len(b)-1] = ']'
	}
	return append(b, '}'), nil
}

// Spans returns what rows do in a window. For a window of any length, it reads at most a few
// hundred blocks of the index for all rows together, and one or two more for each row. Its error
// wraps [ErrQuery] if q is invalid.
func (t *Timeline) Spans(ctx context.Context, q SpanQuery) (SpanAnswer, error) {
	w, err := t.window(q.From, q.To, q.Width)
	if err != nil {
		return SpanAnswer{}, err
	}
	byType, err := ask(q.IDs)
	if err != nil {
		return SpanAnswer{}, err
	}
	answer := SpanAnswer{From: w.From, To: w.To, Width: w.Width, Rows: make([]RowSpans, len(q.IDs))}
	for of, a := range byType {
		if err := ctx.Err(); err != nil {
			return SpanAnswer{}, err
		}
		rows, err := t.rows(ctx, of, w, a.numbers)
		if err == nil && of == Proc {
			err = t.byFunction(ctx, w, a.numbers, rows, q.Thorough)
		}
		if err != nil {
			return SpanAnswer{}, err
		}
		for i, row := range rows {
			for _, at := range a.at[a.numbers[i]] {
				answer.Rows[at] = RowSpans{ID: q.IDs[at], Spans: row.Spans, Parts: row.Parts}
			}
		}
	}
	return answer, nil
}

// rows returns the rows of a type with these numbers.
func (t *Timeline) rows(ctx context.Context, of string, w index.Window, numbers []uint64) ([]RowSpans, error) {
	if of == Request || of == Task {
		return t.cuts(ctx, of, w, numbers)
	}
	small, err := t.indexes(of, numbers)
	if err != nil {
		return nil, err
	}
	var rows []index.Row
	switch of {
	case Proc:
		rows, err = t.x.ProcRows(w, small)
	case Thread:
		rows, err = t.x.ThreadRows(w, small)
	case Goroutine:
		rows, err = t.x.Rows(w, small)
	case Range, Region:
		rows, err = t.x.NamedRows(stream(of), w, small)
	}
	all := make([]RowSpans, len(rows))
	for i := range rows {
		all[i] = t.row(of, &rows[i])
	}
	return all, err
}

// row converts a row of the index.
func (t *Timeline) row(of string, r *index.Row) RowSpans {
	state := func(code index.Code) int {
		if of == Proc || of == Goroutine {
			return min(int(code), t.active()-1)
		}
		return t.active()
	}
	row := RowSpans{Spans: make([]Span, 0, len(r.Spans)), Parts: make([]Part, 0, len(r.Parts))}
	for _, s := range r.Spans {
		one := Span{From: s.From, To: s.To, State: state(s.Code), Stack: s.Stack, With: s.With}
		if of == Proc {
			one.With = s.Goroutine + 1
		}
		row.Spans = append(row.Spans, one)
	}
	for _, p := range r.Parts {
		one := Part{From: p.From, To: p.To, Times: make([]Time, len(p.Times))}
		for i, s := range p.Times {
			one.Times[i] = Time{state(s.Code), s.Time}
		}
		row.Parts = append(row.Parts, one)
	}
	return row
}

// cuts returns rows of requests or tasks.
func (t *Timeline) cuts(ctx context.Context, of string, w index.Window, numbers []uint64) ([]RowSpans, error) {
	all, err := t.entries(of, numbers)
	if err != nil {
		return nil, err
	}
	rows := make([]RowSpans, len(all))
	for i, e := range all {
		if rows[i], err = t.cut(ctx, w, e); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// cut returns what the goroutine of a request or task does in it, within the window. It is a single
// span if that is too short to be seen, or if there is no goroutine.
func (t *Timeline) cut(ctx context.Context, w index.Window, e entry) (RowSpans, error) {
	from, to := e.from, e.to
	if to < w.From || from > w.To {
		return RowSpans{}, ctx.Err()
	}
	pixel := (w.To - w.From) / int64(w.Width)
	if e.of == 0 || to-from < pixel {
		return RowSpans{Spans: []Span{{From: from, To: to, State: t.active(), With: e.of}}}, ctx.Err()
	}
	inner := index.Window{From: max(from, w.From), To: min(to, w.To)}
	inner.Width = int(min((inner.To-inner.From)/max(pixel, 1)+1, int64(w.Width)))
	rows, err := t.x.Rows(inner, []uint32{e.of - 1})
	if err != nil {
		return RowSpans{}, err
	}
	row := t.row(Goroutine, &rows[0])
	kept := row.Spans[:0]
	for _, s := range row.Spans {
		if s.From, s.To = max(s.From, from), min(s.To, to); s.To > s.From {
			kept = append(kept, s)
		}
	}
	row.Spans = kept
	for i := range row.Parts {
		row.Parts[i].cut(from, to)
	}
	row.Parts = slices.DeleteFunc(row.Parts, func(p Part) bool { return p.To <= p.From })
	return row, ctx.Err()
}

// cut cuts a part, assuming that its times are spread over it evenly.
func (p *Part) cut(from, to int64) {
	whole := p.To - p.From
	p.From, p.To = max(p.From, from), min(p.To, to)
	if left := p.To - p.From; left < whole {
		for i := range p.Times {
			p.Times[i].Time = time.Duration(float64(p.Times[i].Time) * float64(max(left, 0)) / float64(whole))
		}
	}
}
