package contention

import (
	"cmp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/trace/index"
)

// longestWait is the longest wait that histograms distinguish.
const longestWait = int64(time.Hour)

// An overlap is a wait for which the activity of the waker is determined.
type overlap struct {
	from, to int64
	detail   *detail
}

// A detail is what the second pass adds to a pair.
type detail struct {
	pair  *Pair
	hist  *hdrhistogram.Histogram
	doing map[Doing]int64 // by code and stack
}

// detail finds quantiles and the activity of wakers.
func (f *analysis) detail(pairs []*Pair) error {
	details := map[key]*detail{}
	wakers := map[uint32][]overlap{}
	for _, p := range pairs {
		d := &detail{pair: p, hist: hdrhistogram.New(1, longestWait, 2), doing: map[Doing]int64{}}
		details[key{p.Kind, p.Waiting, p.Waking, p.Open}] = d
		for _, w := range p.Longest {
			if w.Waker > 0 {
				wakers[w.Waker-1] = append(wakers[w.Waker-1], overlap{w.From, w.To, d})
			}
		}
	}
	if err := f.waits(func(w *wait) {
		if d := details[w.key]; d != nil {
			_ = d.hist.RecordValue(min(max(f.cut(w), 1), longestWait)) // is within its bounds
		}
	}); err != nil {
		return err
	}
	if err := f.x.Spans(f.o.From, f.o.To, func(s index.Span) bool {
		for _, o := range wakers[s.Goroutine] {
			if took := min(s.To, o.to) - max(s.From, o.from); took > 0 {
				at := Doing{Code: s.Code}
				if s.Code != index.Running && s.Code != index.Runnable {
					at.Stack = s.Stack
				}
				o.detail.doing[at] += took
			}
		}
		return true
	}); err != nil {
		return err
	}
	for _, d := range details {
		d.finish()
	}
	return nil
}

// finish stores the results in the pair.
func (d *detail) finish() {
	p := d.pair
	p.P50 = min(time.Duration(d.hist.ValueAtPercentile(50)), p.Max)
	p.P99 = min(time.Duration(d.hist.ValueAtPercentile(99)), p.Max)
	all := int64(0)
	for _, w := range p.Longest {
		all += length(w)
	}
	for at, took := range d.doing {
		at.Time, at.Share = time.Duration(took), float64(took)/float64(all)
		p.Meanwhile = append(p.Meanwhile, at)
	}
	slices.SortFunc(p.Meanwhile, func(a, b Doing) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Stack, b.Stack))
	})
}
