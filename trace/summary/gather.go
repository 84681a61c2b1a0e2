package summary

import (
	"cmp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/trace/index"
)

// longest is the longest span that histograms distinguish.
const longest = time.Hour

// maxHists bounds the number of histograms, which take about 40 KB each.
const maxHists = 2000

// A staySum is a stay while it is summed.
type staySum struct {
	Stay
	hist *hdrhistogram.Histogram // nil beyond maxHists
}

// add counts a span; hists is the number of histograms.
func (a *staySum) add(took time.Duration, hists *int) {
	if a.Count == 0 && *hists < maxHists {
		a.hist = hdrhistogram.New(1, int64(longest), 2)
		*hists++
	}
	a.Count++
	a.Total += took
	a.Max = max(a.Max, took)
	if a.hist != nil {
		_ = a.hist.RecordValue(min(max(int64(took), 1), int64(longest))) // is within its bounds
	}
}

func (a *staySum) quantiles() (p50, p99 time.Duration) {
	if a.hist == nil {
		return 0, 0
	}
	return min(time.Duration(a.hist.ValueAtPercentile(50)), a.Max), min(time.Duration(a.hist.ValueAtPercentile(99)), a.Max)
}

// A group is some goroutines while they are summed.
type group struct {
	goroutines, created, ended int64
	time                       time.Duration
	longest                    Lifetime
	stays                      map[index.Code]*staySum
	ranges                     map[uint32]*staySum // by name
}

// goroutine counts a goroutine that existed in a window.
func (g *group) goroutine(one *index.Goroutine, from, to int64) {
	g.goroutines++
	life := time.Duration(min(one.To, to) - max(one.From, from))
	g.time += life
	if !one.Old && one.From >= from && one.From <= to {
		g.created++
	}
	if one.Ended && one.To >= from && one.To <= to {
		g.ended++
	}
	if g.goroutines == 1 || life > g.longest.Life {
		g.longest = Lifetime{one.ID, life}
	}
}

// merge adds another group. Quantiles are known only where they cover all of it.
func (g *group) merge(o *group) {
	g.goroutines += o.goroutines
	g.time += o.time
	if g.stays == nil {
		g.stays = map[index.Code]*staySum{}
	}
	for code, more := range o.stays {
		a := g.stays[code]
		if a == nil {
			a = &staySum{Stay: Stay{Code: code, Name: more.Name}, hist: hdrhistogram.New(1, int64(longest), 2)}
			g.stays[code] = a
		}
		a.Count += more.Count
		a.Total += more.Total
		a.Max = max(a.Max, more.Max)
		if more.hist == nil {
			a.hist = nil
		}
		if a.hist != nil {
			a.hist.Merge(more.hist)
		}
	}
}

func (g *group) kind(name string) Kind {
	k := Kind{Name: name, Goroutines: g.goroutines, Time: g.time}
	for _, a := range g.stays {
		a.P50, a.P99 = a.quantiles()
		k.Stays = append(k.Stays, a.Stay)
	}
	slices.SortFunc(k.Stays, func(a, b Stay) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Code, b.Code))
	})
	return k
}

// gather sums what goroutines did in a window, each in its group; those with a nil group do not
// count. busy is how long processors were busy with them, by their numbers + 1.
func gather(
	x *index.Index, from, to int64, groupOf func(*index.Goroutine) *group,
) (busy map[uint32]time.Duration, err error) {
	of := make([]*group, x.Info.Goroutines)
	if err := x.Goroutines(func(g *index.Goroutine) bool {
		if g.From <= to && g.To >= from {
			if one := groupOf(g); one != nil {
				of[g.Index] = one
				one.goroutine(g, from, to)
			}
		}
		return true
	}); err != nil {
		return nil, err
	}
	busy = map[uint32]time.Duration{}
	hists := 0
	return busy, each(x, from, to, func(span *index.Span, took time.Duration) {
		one := of[span.Goroutine]
		if one == nil {
			return
		}
		if one.stays == nil {
			one.stays = map[index.Code]*staySum{}
		}
		a := one.stays[span.Code]
		if a == nil {
			a = &staySum{Stay: Stay{Code: span.Code, Name: x.Code(span.Code)}}
			one.stays[span.Code] = a
		}
		a.add(took, &hists)
		if span.Code == index.Running || span.Code == index.Assist {
			busy[span.With] += took
		}
	})
}

// each calls yield with all spans in a window, and the time of each within it.
func each(x *index.Index, from, to int64, yield func(span *index.Span, took time.Duration)) error {
	return x.Spans(from, to, func(span index.Span) bool {
		yield(&span, time.Duration(min(span.To, to)-max(span.From, from)))
		return true
	})
}
