package index

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Window is a part of the trace to draw, in nanoseconds since the start of the trace.
type Window struct {
	From, To int64
	// Width is the number of distinguishable positions from left to right: pixels.
	Width int
}

// A Row is what a goroutine, processor, thread or name does in a window: spans or, if there are too
// many to distinguish, parts with the time in each state. Spans are not cut at the ends of the
// window; parts extend beyond them by at most the tile that they are summed in.
type Row struct {
	Spans []Span
	Parts []Part
}

// A Part is an interval with the time spent in each state.
type Part struct {
	From, To int64
	Times    []Sum
}

func (w Window) check() error {
	if w.Width < 1 || w.To < w.From {
		return fmt.Errorf("invalid window from %d to %d of width %d (want an end after the start, and a positive width)",
			w.From, w.To, w.Width)
	}
	return nil
}

// limits bound what is read for a window.
type limits struct {
	slices    int // beyond it, sums are read for goroutines: of tiles, and of slices
	few       int // slices read for goroutines with spans in few slices of a wider window
	tiles     int // tiles read for goroutines
	sliceCost int // how many tiles take as long to read as the sums of a slice
	procs     int // slices whose spans are read for processors
	blocks    int // blocks of a stream that are read; beyond it, sums are used
}

// usualLimits returns the limits with which a query takes about 20 ms at most.
func usualLimits() limits {
	return limits{slices: 72, few: 48, tiles: 1000, sliceCost: 5, procs: 80, blocks: 96}
}

// step returns the time that one position of the window represents.
func (w Window) step() int64 { return max((w.To-w.From+int64(w.Width)-1)/int64(w.Width), 1) }

// spansEach is how many spans there may be per position.
const spansEach = 2

// A gatherer makes a row from spans that come in any order and may overlap.
type gatherer struct {
	w     Window
	spans []Span
	dense *density // when there are too many
}

func (g *gatherer) add(s Span) {
	if g.dense == nil && len(g.spans) < spansEach*g.w.Width {
		g.spans = append(g.spans, s)
		return
	}
	g.toParts()
	g.dense.add(s.Code, s.From, s.To)
}

// toParts switches to parts.
func (g *gatherer) toParts() {
	if g.dense != nil {
		return
	}
	g.dense = newDensity(g.w)
	for _, s := range g.spans {
		g.dense.add(s.Code, s.From, s.To)
	}
	g.spans = nil
}

func (g *gatherer) row() Row {
	if g.dense != nil {
		return Row{Parts: g.dense.parts()}
	}
	slices.SortFunc(g.spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return Row{Spans: g.spans}
}

// density is time by state, in steps of a window.
type density struct {
	w     Window
	step  int64
	n     int
	codes []*stepTimes
}

// stepTimes is the time in one state.
type stepTimes struct {
	code  Code
	parts []float64 // within each step
	whole []int     // how many more spans fill this step than the one before
}

func newDensity(w Window) *density {
	step := w.step()
	return &density{w: w, step: step, n: int(max((w.To-w.From+step-1)/step, 1))}
}

func (d *density) of(code Code) *stepTimes {
	for _, s := range d.codes {
		if s.code == code {
			return s
		}
	}
	s := &stepTimes{code: code, parts: make([]float64, d.n), whole: make([]int, d.n+1)}
	d.codes = append(d.codes, s)
	return s
}

// add adds the part of a span that is in the window.
func (d *density) add(code Code, from, to int64) {
	from, to = max(from, d.w.From)-d.w.From, min(to, d.w.To)-d.w.From
	if to <= from {
		return
	}
	s := d.of(code)
	first, last := int(from/d.step), int((to-1)/d.step)
	if first == last {
		s.parts[first] += float64(to - from)
		return
	}
	s.parts[first] += float64(int64(first+1)*d.step - from)
	s.parts[last] += float64(to - int64(last)*d.step)
	s.whole[first+1]++
	s.whole[last]--
}

// spread distributes a time evenly between two times.
func (d *density) spread(code Code, from, to int64, took time.Duration) {
	per := float64(took) / float64(max(to-from, 1))
	to = max(to, from+1)
	from, to = max(from, d.w.From)-d.w.From, min(to, d.w.To)-d.w.From
	s := d.of(code)
	for from < to {
		i := int(from / d.step)
		until := min(int64(i+1)*d.step, to)
		s.parts[i] += per * float64(until-from)
		from = until
	}
}

func (d *density) parts() []Part {
	var parts []Part
	whole := make([]int, len(d.codes))
	for i := range d.n {
		p := Part{From: d.w.From + int64(i)*d.step}
		p.To = min(p.From+d.step, d.w.To)
		for k, s := range d.codes {
			whole[k] += s.whole[i]
			if t := s.parts[i] + float64(whole[k])*float64(p.To-p.From); t >= 0.5 {
				p.Times = append(p.Times, Sum{Code: s.code, Time: time.Duration(t + 0.5)})
			}
		}
		if len(p.Times) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}
