package timeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/whet-go/whet/trace/index"
)

// A MarkQuery selects goroutines and a window.
type MarkQuery struct {
	From, To int64    // nanoseconds since the start of the trace; To 0 means its end
	Width    int      // pixels
	IDs      []string // of goroutines, at most 1000
}

// A MarkAnswer has what the program itself recorded of goroutines in a window, and their CPU
// samples.
type MarkAnswer struct {
	From  int64    `json:"from"`
	To    int64    `json:"to"`
	Names []string `json:"names"` // of regions
	// Partial is 1 if the window has more than can be drawn: a shorter one has the rest.
	Partial int       `json:"partial"`
	Rows    []MarkRow `json:"rows"` // in the order of the IDs
}

// A MarkRow is what is known of one goroutine.
type MarkRow struct {
	ID string `json:"id"`
	// Regions are arrays [from, to, number in Names, depth]: depth 0 is not within another one.
	Regions [][]int64 `json:"regions"`
	Logs    []LogMark `json:"logs"`
	// Samples are arrays [at, stack] for [Timeline.Stack].
	Samples [][]int64 `json:"samples"`
}

// A LogMark is a message of runtime/trace.Log.
type LogMark struct {
	At       int64  `json:"at"`
	Category string `json:"category"`
	Text     string `json:"text"`
	Stack    uint32 `json:"stack"`
}

// Limits of an answer.
const (
	scannedRecords = 300_000 // of each stream
	marksEach      = 2       // regions or samples per pixel of a row
	maxLogs        = 500     // of a row
	maxLogText     = 500     // bytes of a message
)

// goroutinesOf returns the indexes of goroutines by ID, and the position of each in the list.
func (t *Timeline) goroutinesOf(ids []string) (map[uint32]int, error) {
	at := map[uint32]int{}
	if len(ids) > maxIDs {
		return nil, badQuery("%d rows requested; the limit is %d", len(ids), maxIDs)
	}
	for i, id := range ids {
		of, n, err := parseID(id)
		if err != nil {
			return nil, err
		}
		if of.name != Goroutine || n >= uint64(t.x.Info.Goroutines) {
			return nil, badQuery("row %q: not a goroutine of the trace", id)
		}
		at[uint32(n)] = i
	}
	return at, nil
}

// Marks returns the regions and messages of runtime/trace, and the CPU samples, of goroutines in a
// window. Its error wraps [ErrQuery] if q is invalid.
func (t *Timeline) Marks(ctx context.Context, q MarkQuery) (MarkAnswer, error) {
	w, err := t.window(q.From, q.To, q.Width)
	if err != nil {
		return MarkAnswer{}, err
	}
	at, err := t.goroutinesOf(q.IDs)
	if err != nil {
		return MarkAnswer{}, err
	}
	a := MarkAnswer{From: w.From, To: w.To, Names: []string{}, Rows: make([]MarkRow, len(q.IDs))}
	for i, id := range q.IDs {
		a.Rows[i] = MarkRow{ID: id, Regions: [][]int64{}, Logs: []LogMark{}, Samples: [][]int64{}}
	}
	names := map[uint32]int64{}
	for stream, add := range map[index.Stream]func(row *MarkRow, r *index.Record) bool{
		index.Regions: func(row *MarkRow, r *index.Record) bool {
			n, ok := names[r.Name]
			if !ok {
				n = int64(len(a.Names))
				names[r.Name] = n
				a.Names = append(a.Names, t.x.Name(r.Name))
			}
			row.Regions = append(row.Regions, []int64{r.From, r.To, n, 0})
			return len(row.Regions) < marksEach*w.Width
		},
		index.Logs: func(row *MarkRow, r *index.Record) bool {
			text := r.Text[:min(len(r.Text), maxLogText)]
			row.Logs = append(row.Logs, LogMark{r.To, t.x.Name(r.Name), text, r.Stack})
			return len(row.Logs) < maxLogs
		},
		index.Samples: func(row *MarkRow, r *index.Record) bool {
			row.Samples = append(row.Samples, []int64{r.To, int64(r.Stack)})
			return len(row.Samples) < marksEach*w.Width
		},
	} {
		full := map[int]bool{}
		n := 0
		if err := t.x.Records(stream, w.From, w.To, func(r *index.Record) bool {
			if n++; n > scannedRecords {
				a.Partial = 1
				return false
			}
			i, ok := at[r.Goroutine-1]
			if ok && r.Goroutine > 0 {
				if full[i] {
					a.Partial = 1
				} else {
					full[i] = !add(&a.Rows[i], r)
				}
			}
			return n%4096 != 0 || ctx.Err() == nil
		}); err != nil {
			return MarkAnswer{}, err
		}
	}
	for i := range a.Rows {
		nest(a.Rows[i].Regions)
	}
	return a, ctx.Err()
}

// nest sorts regions by their begin, outer ones first, and sets how deep each is within others.
func nest(regions [][]int64) {
	slices.SortFunc(regions, func(a, b []int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	var open []int64 // ends
	for _, r := range regions {
		for len(open) > 0 && open[len(open)-1] <= r[0] && r[1] > r[0] {
			open = open[:len(open)-1]
		}
		r[3] = int64(len(open))
		open = append(open, r[1])
	}
}
