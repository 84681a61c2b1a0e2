package timeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// What the stacks of a window are weighed by.
const (
	ByCPU  = "cpu"  // CPU samples: what ran
	ByWait = "wait" // time in which goroutines did not run, by where they stopped; runnable has no stack
)

// A StackQuery selects the stacks of a window.
type StackQuery struct {
	From, To int64    // nanoseconds since the start of the trace; To 0 means its end
	IDs      []string // of goroutines; empty means all
	By       string   // ByCPU or ByWait; "" means ByCPU
}

// A StackAnswer has the stacks of a window, for a flame graph.
type StackAnswer struct {
	By     string        `json:"by"`
	Total  int64         `json:"total"` // samples, or nanoseconds
	Frames []Frame       `json:"frames"`
	Stacks []StackWeight `json:"stacks"` // heaviest first
	// Partial is 1 if there are more spans, samples or stacks than the answer has.
	Partial int `json:"partial"`
}

// A Frame is a call.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Kind     string `json:"kind,omitempty"` // whose code it is: own, std or dep; "" is unknown
}

// MarkKinds lets frames say whose code they are: kind returns own, std or dep. It must be called before Frames
// and Stacks, and kind may be called concurrently. With nil, that is unknown.
func (t *Timeline) MarkKinds(kind func(stacks.Frame) string) { t.kind = kind }

// Frames returns the frames of a stack by its number in a span, leaf first; none for 0.
func (t *Timeline) Frames(n uint32) []Frame {
	stack := t.x.Stack(n)
	frames := make([]Frame, len(stack)) // never null
	for i, f := range stack {
		frames[i] = Frame{Function: f.Func, File: f.File, Line: f.Line}
		if t.kind != nil {
			frames[i].Kind = t.kind(f)
		}
	}
	return frames
}

// A StackWeight is a stack with its weight.
type StackWeight struct {
	Frames []int `json:"frames"` // numbers in Frames, leaf first
	State  int   `json:"state"`  // of the goroutines: index in Trace.States
	Value  int64 `json:"value"`
}

// maxWeights bounds the stacks of an answer; the lightest are left out, and Total includes them.
const maxWeights = 20_000

// Stacks returns the stacks of a window, each with its weight. Its error wraps [ErrQuery] if q is
// invalid.
func (t *Timeline) Stacks(ctx context.Context, q StackQuery) (StackAnswer, error) {
	w, err := t.window(q.From, q.To, 1)
	if err != nil {
		return StackAnswer{}, err
	}
	a := StackAnswer{By: cmp.Or(q.By, ByCPU), Frames: []Frame{}, Stacks: []StackWeight{}}
	type key struct {
		stack uint32
		state int
	}
	sums := map[key]int64{}
	switch a.By {
	case ByCPU:
		err = t.eachSample(ctx, q.IDs, w, &a.Partial, func(r *index.Record) {
			sums[key{r.Stack, int(index.Running)}]++
		})
	case ByWait:
		err = t.eachSpan(ctx, q.IDs, w, &a.Partial, func(s *index.Span) {
			if s.Code == index.Running || s.Code == index.Assist || s.Code == index.Unknown {
				return
			}
			stack := s.Stack
			if s.Code == index.Runnable {
				stack = 0 // that of the goroutine that woke it
			}
			sums[key{stack, int(s.Code)}] += min(s.To, w.To) - max(s.From, w.From)
		})
	default:
		return StackAnswer{}, badQuery("unknown weight %q (want %s or %s)", q.By, ByCPU, ByWait)
	}
	if err != nil {
		return StackAnswer{}, err
	}
	keys := make([]key, 0, len(sums))
	for k, v := range sums {
		a.Total += v
		if v > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.stack, b.stack), cmp.Compare(a.state, b.state))
	})
	if len(keys) > maxWeights {
		keys, a.Partial = keys[:maxWeights], 1
	}
	known := map[Frame]int{}
	for _, k := range keys {
		one := StackWeight{Frames: []int{}, State: k.state, Value: sums[k]}
		for _, frame := range t.Frames(k.stack) {
			at, ok := known[frame]
			if !ok {
				at = len(a.Frames)
				known[frame] = at
				a.Frames = append(a.Frames, frame)
			}
			one.Frames = append(one.Frames, at)
		}
		a.Stacks = append(a.Stacks, one)
	}
	return a, nil
}

// eachSample calls see with the CPU samples of goroutines in a window, or of all without IDs.
func (t *Timeline) eachSample(ctx context.Context, ids []string, w index.Window, partial *int,
	see func(*index.Record),
) error {
	at, err := t.goroutinesOf(ids)
	if err != nil {
		return err
	}
	n := 0
	return cmp.Or(t.x.Records(index.Samples, w.From, w.To, func(r *index.Record) bool {
		if n++; n > scannedSpans {
			*partial = 1
			return false
		}
		if _, ok := at[r.Goroutine-1]; ok && r.Goroutine > 0 || len(ids) == 0 {
			see(r)
		}
		return n%4096 != 0 || ctx.Err() == nil
	}), ctx.Err())
}
