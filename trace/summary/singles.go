package summary

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Goroutine is a goroutine in a window.
type Goroutine struct {
	ID       int64  // the runtime's number
	Function string // the function that it runs; "" if no stack shows it
	// Place is where its go statement is, as with [ByCreation]; empty if unknown.
	Place    stacks.Frame
	From, To time.Duration // when it existed, since the start of the trace: cut at the window's ends
	Old      bool          // older than the trace
	Ended    bool          // within the trace
	Stays    []Stay        // longest total first; without quantiles and longest spans
}

// Goroutines returns the first n goroutines of a window in the order o.Order, and the number of
// others; n == 0 means all. It needs memory for n goroutines, and 8 bytes for each goroutine of the
// trace.
func Goroutines(x *index.Index, n int, o Options) (list []Goroutine, others int, err error) {
	o.window(x)
	most, others, err := first(x, n, o)
	if err != nil {
		return nil, 0, err
	}
	made, err := creations(x, o.Own)
	if err != nil {
		return nil, 0, err
	}
	sums := make(map[uint32]map[index.Code]*Stay, len(most))
	for _, one := range most {
		sums[one.index] = map[index.Code]*Stay{}
	}
	if err := each(x, o.From, o.To, func(span *index.Span, took time.Duration) {
		stays := sums[span.Goroutine]
		if stays == nil {
			return
		}
		s := stays[span.Code]
		if s == nil {
			s = &Stay{Code: span.Code, Name: x.Code(span.Code)}
			stays[span.Code] = s
		}
		s.Count++
		s.Total += took
	}); err != nil {
		return nil, 0, err
	}
	for _, one := range most {
		g, err := x.Goroutine(one.index)
		if err != nil {
			return nil, 0, err
		}
		single := Goroutine{
			ID: g.ID, Function: x.Kinds()[g.Kind].Name, Place: made(g).frame, Old: g.Old, Ended: g.Ended,
			From: time.Duration(max(g.From, o.From)), To: time.Duration(min(g.To, o.To)),
		}
		for _, s := range sums[one.index] {
			single.Stays = append(single.Stays, *s)
		}
		slices.SortFunc(single.Stays, func(a, b Stay) int {
			return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Code, b.Code))
		})
		list = append(list, single)
	}
	return list, others, nil
}

// A ranked goroutine has its value in the order.
type ranked struct {
	index uint32
	time  int64
}

func byRank(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.index, b.index))
}

// lowest is a heap with the last one in the order on top.
type lowest []ranked

func (l lowest) Len() int           { return len(l) }
func (l lowest) Less(i, j int) bool { return byRank(l[i], l[j]) > 0 }
func (l lowest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *lowest) Push(v any)        { *l = append(*l, v.(ranked)) }
func (l *lowest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// first returns the first n goroutines, and the number of others.
func first(x *index.Index, n int, o Options) (list []ranked, others int, err error) {
	times := make([]int64, x.Info.Goroutines)
	if o.Order != ByLife {
		if err := each(x, o.From, o.To, func(span *index.Span, took time.Duration) {
			if o.Order.counts(span.Code) {
				times[span.Goroutine] += int64(took)
			}
		}); err != nil {
			return nil, 0, err
		}
	}
	top := lowest{}
	err = x.Goroutines(func(g *index.Goroutine) bool {
		if g.From > o.To || g.To < o.From || !o.chosen(x, g) {
			return true
		}
		one := ranked{g.Index, times[g.Index]}
		if o.Order == ByLife {
			one.time = min(g.To, o.To) - max(g.From, o.From)
		}
		switch {
		case n == 0 || len(top) < n:
			heap.Push(&top, one)
		case byRank(one, top[0]) < 0:
			top[0] = one
			heap.Fix(&top, 0)
			others++
		default:
			others++
		}
		return true
	})
	slices.SortFunc(top, byRank)
	return top, others, err
}
