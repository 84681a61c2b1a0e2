package indexer

import (
	"slices"
	"time"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// sliceSpans is how many spans a slice has: as many as are read for a row that needs one of them,
// and at least a quarter of a millisecond's work of a loaded server.
const sliceSpans = 8192

// sumsFrom is how many spans a goroutine must have in a slice for its sums to be written too; fewer
// are summed on demand.
const sumsFrom = 16

// A pending span is in a slice that is not written yet.
type pending struct {
	from, to int64
	next     int32 // of the same goroutine
	stack    uint32
	with     uint32
	code     model.Code
}

// sliceWriter encodes slices.
type sliceWriter struct {
	spans []pending
	buf   []byte
	runs  []byte
	times [model.MaxCodes]int64
	used  [model.MaxCodes]bool
	rows  []indexfile.Row
	arena []model.Sum
}

// encode writes the pending spans of goroutines, which are in the order of their indexes. from is
// when the slice begins. The result and the rows are valid until the next call.
func (w *sliceWriter) encode(gs []*goroutine, from int64) []byte {
	w.buf, w.runs, w.rows, w.arena = w.buf[:0], w.runs[:0], w.rows[:0], w.arena[:0]
	last := int64(-1)
	for _, g := range gs {
		at := len(w.runs)
		n := w.run(g, from)
		w.buf = indexfile.AppendEntry(w.buf, int64(g.index)-last, n, n >= sumsFrom, len(w.runs)-at)
		last = int64(g.index)
	}
	w.buf = append(indexfile.EndEntries(w.buf), w.runs...)
	return w.buf
}

// run writes the spans of a goroutine, and adds its row.
func (w *sliceWriter) run(g *goroutine, from int64) int {
	n := 0
	begin := len(w.arena)
	for i := g.head; i >= 0; i = w.spans[i].next {
		s := &w.spans[i]
		if !w.used[s.code] {
			w.used[s.code] = true
			w.arena = append(w.arena, model.Sum{Code: s.code})
		}
		w.times[s.code] += s.to - s.from
		n++
	}
	sums := w.arena[begin:len(w.arena):len(w.arena)]
	for i := range sums {
		code := sums[i].Code
		sums[i].Time = time.Duration(w.times[code])
		w.times[code], w.used[code] = 0, false
	}
	w.rows = append(w.rows, indexfile.Row{
		Goroutine: g.index, Born: g.begin >= from, Died: g.died, End: w.spans[g.tail].to, Sums: sums,
	})
	if n >= sumsFrom {
		w.runs = indexfile.AppendSums(w.runs, sums)
	}
	w.runs = indexfile.AppendBegin(w.runs, from-w.spans[g.head].from)
	for i := g.head; i >= 0; i = w.spans[i].next {
		s := &w.spans[i]
		w.runs = indexfile.AppendSpan(w.runs, s.code, s.to-s.from, s.stack, s.with)
	}
	return n
}

// byIndex sorts goroutines.
func byIndex(gs []*goroutine) {
	slices.SortFunc(gs, func(a, b *goroutine) int { return int(int64(a.index) - int64(b.index)) })
}
