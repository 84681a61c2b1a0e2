package index

import (
	"fmt"
	"slices"
	"sort"
	"time"
)

// A Window is a part of the trace that is drawn, in nanoseconds since the trace's begin.
type Window struct {
	From, To int64
	// Width is how many things can be told apart from left to right: pixels.
	Width int
}

// A Row is what a goroutine or processor does in a window: spans, or, where there are more than can
// be told apart, parts of the time with how much of each state.
type Row struct {
	Spans []Span
	Parts []Part
}

// A Part is some time with how much of it is spent in what state.
type Part struct {
	From, To int64
	Times    []Sum
}

// Limits of what is read for a window.
const (
	exactSlices = 256 // for rows of goroutines: more are read as tiles
	exactProcs  = 64  // for all processors: each span of a slice is looked at
)

func (w Window) check() error {
	if w.Width < 1 || w.To < w.From {
		return fmt.Errorf("window from %d to %d of width %d: want an end after the begin, and a width", w.From, w.To, w.Width)
	}
	return nil
}

// Rows are those of goroutines in a window, in the order in which these are asked for.
func (x *Index) Rows(w Window, goroutines []uint32) ([]Row, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	q := &query{x: x, w: w, rows: map[uint32]*building{}}
	asked := slices.Clone(goroutines)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	for _, index := range asked {
		g, err := x.Goroutine(index)
		if err != nil {
			return nil, err
		}
		q.rows[index] = &building{g: g}
	}
	if err := q.read(asked); err != nil {
		return nil, err
	}
	rows := make([]Row, len(goroutines))
	for i, index := range goroutines {
		rows[i] = q.rows[index].row(w)
	}
	return rows, nil
}

// A query is one answer that is made.
type query struct {
	x    *Index
	w    Window
	rows map[uint32]*building
	buf  []byte
	runs []run
}

// A building row.
type building struct {
	g     *Goroutine
	spans []Span
	parts []Part
}

// read reads what a window needs for some goroutines, in ascending order.
func (q *query) read(asked []uint32) error {
	first, last := q.x.slicesOf(q.w.From, q.w.To)
	after := last
	if last-first > exactSlices {
		level := q.x.above[0]
		for n := 0; n < len(q.x.above); n++ {
			level = q.x.above[n]
			if count(level, q.w) <= max(exactSlices, q.w.Width) {
				break
			}
		}
		end, err := q.tiles(level, asked)
		if err != nil {
			return err
		}
		after = sort.Search(len(q.x.slices), func(i int) bool { return q.x.slices[i].From >= end })
		first = after
	}
	// What is asked of each slice: all that have spans there, and the first after the window, where a
	// span ends that reaches beyond it.
	want := map[int][]uint32{}
	for _, index := range asked {
		for _, s := range from(q.rows[index].g.slices, uint32(first)) {
			want[int(s)] = append(want[int(s)], index)
			if int(s) >= after {
				break
			}
		}
	}
	numbers := make([]int, 0, len(want))
	for n := range want {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if err := q.slice(n, want[n]); err != nil {
			return err
		}
	}
	return nil
}

// from are the numbers of an ascending list that are at least n.
func from(list []uint32, n uint32) []uint32 {
	i, _ := slices.BinarySearch(list, n)
	return list[i:]
}

func count(tiles []tile, w Window) int {
	first := sort.Search(len(tiles), func(i int) bool { return tiles[i].To >= w.From })
	last := sort.Search(len(tiles), func(i int) bool { return tiles[i].From > w.To })
	return last - first
}

// tiles reads parts for the goroutines from a level, and returns where it ends.
func (q *query) tiles(level []tile, asked []uint32) (end int64, err error) {
	first := sort.Search(len(level), func(i int) bool { return level[i].To >= q.w.From })
	for _, t := range level[first:] {
		if t.From > q.w.To {
			break
		}
		end = t.To
		if q.buf, err = read(q.x.file, t.ref, q.buf); err != nil {
			return 0, err
		}
		ok := eachRow(q.buf, t.To, asked, func(r row) {
			b := q.rows[r.g]
			p := Part{To: r.end, Times: make([]Sum, 0, len(r.sums))}
			took := int64(0)
			for _, s := range r.sums {
				took += s.time
				p.Times = append(p.Times, Sum{s.code, time.Duration(s.time)})
			}
			p.From = p.To - took
			b.parts = append(b.parts, p)
		})
		if !ok {
			return 0, ErrDamaged
		}
	}
	return end, nil
}

// slice reads spans of the goroutines from a slice.
func (q *query) slice(n int, want []uint32) (err error) {
	t := q.x.slices[n]
	if q.buf, err = read(q.x.file, t.ref, q.buf); err != nil {
		return err
	}
	var ok bool
	if q.runs, ok = directory(q.buf, want, q.runs); !ok {
		return ErrDamaged
	}
	for _, r := range q.runs {
		b := q.rows[r.g]
		ok := r.each(t.From, func(s Span) bool {
			if s.From > q.w.To {
				return false
			}
			if s.To >= q.w.From {
				b.spans = append(b.spans, s)
			}
			return true
		})
		if !ok {
			return ErrDamaged
		}
	}
	return nil
}

// row makes a row of what was read: parts of spans, where there are too many of these.
func (b *building) row(w Window) Row {
	parts := b.parts
	spans := b.spans
	if len(parts) == 0 && len(spans) <= spansEach*w.Width {
		return Row{Spans: spans}
	}
	// A bucket is one part of the width, and at least one span: spans are not cut.
	step := max((w.To-w.From)/int64(w.Width), 1)
	for len(spans) > 0 {
		p := Part{From: spans[0].From}
		until := max(p.From, w.From) + step
		for len(spans) > 0 && (len(p.Times) == 0 || spans[0].To <= until) {
			p.add(spans[0].Code, time.Duration(spans[0].To-spans[0].From))
			p.To = spans[0].To
			spans = spans[1:]
		}
		parts = append(parts, p)
	}
	return Row{Parts: parts}
}

// spansEach is how many spans there may be for each thing that can be told apart.
const spansEach = 2

func (p *Part) add(code Code, took time.Duration) {
	for i := range p.Times {
		if p.Times[i].Code == code {
			p.Times[i].Time += took
			return
		}
	}
	p.Times = append(p.Times, Sum{code, took})
}

// Spans calls yield with all spans that overlap a window, goroutine by goroutine within the slices,
// until it returns false. Spans that reach beyond the window come too. Within a goroutine they are in
// order.
func (x *Index) Spans(from, to int64, yield func(Span) bool) error {
	var buf []byte
	var runs []run
	first := sort.Search(len(x.slices), func(i int) bool { return x.slices[i].To >= from })
	for _, t := range x.slices[first:] {
		var err error
		if buf, err = read(x.file, t.ref, buf); err != nil {
			return err
		}
		var ok bool
		if runs, ok = directory(buf, nil, runs); !ok {
			return ErrDamaged
		}
		for _, r := range runs {
			more := true
			if !r.each(t.From, func(s Span) bool {
				if s.From <= to && s.To >= from {
					more = yield(s)
				}
				return more && s.From <= to
			}) {
				return ErrDamaged
			}
			if !more {
				return nil
			}
		}
	}
	return nil
}
