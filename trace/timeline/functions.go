package timeline

import (
	"context"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// FunctionGroup is the group of states that are functions that goroutines run: parts of processors
// have them instead of [index.Running].
const FunctionGroup = "function"

// Limits of splitting the parts of processors by function.
const (
	maxFunctions = 2000      // states; goroutines of others are running
	quickSpans   = 1_500_000 // the number of spans of a window, estimated, up to which it takes milliseconds
)

// functionState returns the state of running goroutines of a kind.
func (t *Timeline) functionState(kind uint32) int {
	if int(kind) < min(len(t.kinds), maxFunctions) {
		return t.active() + 1 + int(kind)
	}
	return int(index.Running)
}

// byFunction replaces the parts of processors by parts that have the time of each function instead
// of that of running. It leaves them unchanged where the window has too many spans, unless thorough
// is set.
func (t *Timeline) byFunction(ctx context.Context, w index.Window, procs []uint64, rows []RowSpans,
	thorough bool,
) error {
	if !slices.ContainsFunc(rows, func(r RowSpans) bool { return len(r.Parts) > 0 }) {
		return nil
	}
	share := float64(w.To-w.From) / float64(max(t.x.Info.Duration, 1))
	if !thorough && float64(t.x.Info.Spans)*share > quickSpans {
		return nil
	}
	kinds, err := t.kindsOf()
	if err != nil {
		return err
	}
	at := map[uint32]int{} // processor + 1: row
	sums := make([]map[step]time.Duration, len(rows))
	for i := range rows {
		if len(rows[i].Parts) > 0 {
			at[uint32(procs[i])+1], sums[i] = i, map[step]time.Duration{}
		}
	}
	width := max((w.To-w.From+int64(w.Width)-1)/int64(w.Width), 1)
	n := 0
	if err := t.x.Spans(w.From, w.To, func(s index.Span) bool {
		i, ok := at[s.With]
		if ok && onProcessor(s.Code) {
			state := int(s.Code)
			if s.Code == index.Running {
				state = t.functionState(kinds[s.Goroutine])
			}
			from, to := max(s.From, w.From), min(s.To, w.To)
			for from < to {
				number := (from - w.From) / width
				until := min(w.From+(number+1)*width, to)
				sums[i][step{number, state}] += time.Duration(until - from)
				from = until
			}
		}
		n++
		return n%4096 != 0 || ctx.Err() == nil
	}); err != nil {
		return err
	}
	for i, times := range sums {
		if times != nil {
			rows[i].Parts = stepParts(w, width, times)
		}
	}
	return ctx.Err()
}

// onProcessor reports whether a goroutine in this state has a processor, which its span names.
func onProcessor(code index.Code) bool {
	return code == index.Running || code == index.Assist || code == index.Syscall
}

// A step is a state in one of the equal parts of a window.
type step struct {
	number int64
	state  int
}

// stepParts returns the parts with these times.
func stepParts(w index.Window, width int64, times map[step]time.Duration) []Part {
	keys := make([]step, 0, len(times))
	for key := range times {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b step) int {
		if a.number != b.number {
			return int(a.number - b.number)
		}
		return a.state - b.state
	})
	var parts []Part
	for _, key := range keys {
		from := w.From + key.number*width
		if len(parts) == 0 || parts[len(parts)-1].From != from {
			parts = append(parts, Part{From: from, To: min(from+width, w.To)})
		}
		p := &parts[len(parts)-1]
		p.Times = append(p.Times, Time{key.state, times[key]})
	}
	return parts
}

// kindsOf returns the kind of each goroutine. It reads them once.
func (t *Timeline) kindsOf() ([]uint32, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.goroutineKinds == nil {
		kinds := make([]uint32, t.x.Info.Goroutines)
		if err := t.x.Goroutines(func(g *index.Goroutine) bool {
			if int(g.Index) < len(kinds) {
				kinds[g.Index] = g.Kind
			}
			return true
		}); err != nil {
			return nil, err
		}
		t.goroutineKinds = kinds
	}
	return t.goroutineKinds, nil
}
