package index

import (
	"cmp"
	"maps"
	"slices"

	"github.com/whet-go/whet/internal/trace/indexfile"
)

// Rows returns the rows of goroutines in a window, in the given order.
func (x *Index) Rows(w Window, goroutines []uint32) ([]Row, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	asked := slices.Clone(goroutines)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	q := &query{x: x, w: w, rows: make(map[uint32]*rowBuilder, len(asked))}
	first, last := overlapping(x.tables.Slices, w.From, w.To)
	if err := x.eachRecord(asked, func(_ int, g *Goroutine, posting indexfile.Posting) error {
		own := g.own()
		var ok bool
		if own.slices, ok = posting.Within(first, last); !ok {
			return ErrDamaged
		}
		q.rows[g.Index] = &rowBuilder{g: own, w: w, step: w.step()}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := q.read(asked, first, last); err != nil {
		return nil, err
	}
	rows := make([]Row, len(goroutines))
	for i, index := range goroutines {
		rows[i] = q.rows[index].row()
	}
	return rows, nil
}

// A query is one query in progress.
type query struct {
	x    *Index
	w    Window
	rows map[uint32]*rowBuilder
	buf  []byte
	runs []indexfile.Run
}

// read reads what the rows of some goroutines, in ascending order, need for a window that overlaps
// some slices.
func (q *query) read(asked []uint32, first, last int) error {
	if last-first <= q.x.limits.slices {
		return q.exact(asked, first, last)
	}
	few, many := q.split(asked, first, last)
	if err := q.exact(few, first, last); err != nil || len(many) == 0 {
		return err
	}
	end := 0
	for _, p := range q.x.cover(q.w, q.x.limits.tiles, q.x.limits.sliceCost) {
		end = p.end()
		var err error
		if p.level == 0 {
			err = q.slice(p.tile, many, true)
		} else {
			err = q.tile(p.tile, many)
		}
		if err != nil {
			return err
		}
	}
	return q.exact(many, end, end)
}

// split separates goroutines with spans in few of the slices, which can be read one by one, from
// the others. Both are in ascending order.
func (q *query) split(asked []uint32, first, last int) (few, many []uint32) {
	inside := func(index uint32) []uint32 {
		list := from(q.rows[index].g.slices, uint32(first))
		return list[:len(list)-len(from(list, uint32(last)))]
	}
	order := slices.Clone(asked)
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(len(inside(a)), len(inside(b))) })
	read := map[uint32]bool{}
	for i, index := range order {
		for _, n := range inside(index) {
			read[n] = true
		}
		if len(read) > q.x.limits.few {
			few, many = order[:i], order[i:]
			slices.Sort(few)
			slices.Sort(many)
			return few, many
		}
	}
	return asked, nil
}

// exact reads the spans of the goroutines in some slices and in the first slice after them, where a
// span ends that extends beyond the window.
func (q *query) exact(asked []uint32, first, last int) error {
	want := map[uint32][]uint32{}
	for _, index := range asked {
		for _, n := range from(q.rows[index].g.slices, uint32(first)) {
			want[n] = append(want[n], index)
			if int(n) >= last {
				break
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(want)) {
		if int(n) >= len(q.x.tables.Slices) {
			return ErrDamaged
		}
		if err := q.slice(&q.x.tables.Slices[n], want[n], false); err != nil {
			return err
		}
	}
	return nil
}

// from returns the numbers of an ascending list that are at least n.
func from(list []uint32, n uint32) []uint32 {
	i, _ := slices.BinarySearch(list, n)
	return list[i:]
}

// tile reads parts for the goroutines from a tile.
func (q *query) tile(t *indexfile.Tile, asked []uint32) (err error) {
	if q.buf, err = q.x.read(t.Ref, q.buf); err != nil {
		return err
	}
	if !indexfile.EachRow(q.buf, t.To, asked, func(r indexfile.Row) bool {
		b := q.rows[r.Goroutine]
		b.toParts()
		for _, s := range r.Sums {
			b.sum(s.Code, s.Time)
		}
		b.part(r.Begin(), r.End)
		return true
	}) {
		return ErrDamaged
	}
	return nil
}

// slice reads spans of the goroutines from a slice, or the sums of those that have many.
func (q *query) slice(t *indexfile.Tile, want []uint32, sums bool) (err error) {
	if q.buf, err = q.x.read(t.Ref, q.buf); err != nil {
		return err
	}
	var ok bool
	if q.runs, ok = indexfile.Directory(q.buf, want, q.runs); !ok {
		return ErrDamaged
	}
	for _, r := range q.runs {
		b := q.rows[r.Goroutine]
		if sums && r.HasSums {
			b.toParts()
			begin, end, ok := r.Sums(t.From, b.sum)
			if !ok {
				return ErrDamaged
			}
			b.part(begin, end)
			continue
		}
		ok := r.Each(t.From, func(s Span) bool {
			if s.From > q.w.To {
				return false
			}
			if s.To >= q.w.From {
				b.add(s)
			}
			return true
		})
		if !ok {
			return ErrDamaged
		}
	}
	return nil
}

// Spans calls yield with all spans that overlap a window, goroutine by goroutine within the slices,
// until it returns false. Spans that extend beyond the window are included, whole. Within a
// goroutine they are in order.
func (x *Index) Spans(from, to int64, yield func(Span) bool) error {
	first, last := overlapping(x.tables.Slices, from, to)
	q := &spansQuery{x: x, from: from, to: to, yield: yield, more: true}
	for n := first; n < last; n++ {
		if err := q.slice(n, nil); err != nil {
			return err
		}
	}
	return q.beyond(last)
}

// A spansQuery is one call of Spans.
type spansQuery struct {
	x        *Index
	from, to int64
	yield    func(Span) bool
	more     bool
	buf      []byte
	runs     []indexfile.Run
}

// slice yields the spans of a slice, of some goroutines, or of all if want is nil.
func (q *spansQuery) slice(n int, want []uint32) (err error) {
	if !q.more {
		return nil
	}
	t := &q.x.tables.Slices[n]
	if q.buf, err = q.x.read(t.Ref, q.buf); err != nil {
		return err
	}
	var ok bool
	if q.runs, ok = indexfile.Directory(q.buf, want, q.runs); !ok {
		return ErrDamaged
	}
	for _, r := range q.runs {
		if !r.Each(t.From, func(s Span) bool {
			if s.From <= q.to && s.To >= q.from {
				q.more = q.yield(s)
			}
			return q.more && s.From <= q.to
		}) {
			return ErrDamaged
		}
		if !q.more {
			return nil
		}
	}
	return nil
}

// beyond yields the spans that end in a slice after the window. A goroutine has at most one, the
// first that ends there. So it is enough to examine the slice's neighbors up to the end of their
// tile, then that tile's neighbors, and so on: their rows show where the first span begins.
func (q *spansQuery) beyond(n int) error {
	want := map[uint32][]uint32{} // by slice
	for level := 0; n < len(q.x.tables.Slices) && q.more; level++ {
		size := 1 << (2 * level)
		for ; n < len(q.x.tables.Slices) && (n%(size*indexfile.Fan) != 0 || level == len(q.x.tables.Above)); n += size {
			var err error
			if level == 0 {
				err = q.slice(n, nil)
			} else {
				err = q.reaching(piece{level: level, n: n / size, tile: &q.x.level(level)[n/size]}, want)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(want)) {
		if int(n) >= len(q.x.tables.Slices) {
			return ErrDamaged
		}
		slices.Sort(want[n])
		if err := q.slice(int(n), want[n]); err != nil {
			return err
		}
	}
	return nil
}

// reaching finds the goroutines whose first span that ends in a tile begins in the window, and in
// which slice it ends.
func (q *spansQuery) reaching(p piece, want map[uint32][]uint32) (err error) {
	if q.buf, err = q.x.read(p.tile.Ref, q.buf); err != nil {
		return err
	}
	var found []uint32
	if !indexfile.EachRow(q.buf, p.tile.To, nil, func(r indexfile.Row) bool {
		if r.Begin() <= q.to {
			found = append(found, r.Goroutine)
		}
		return true
	}) {
		return ErrDamaged
	}
	return q.x.eachRecord(found, func(_ int, g *Goroutine, posting indexfile.Posting) error {
		n, ok := posting.From(uint32(p.first()))
		if !ok {
			return ErrDamaged
		}
		want[n] = append(want[n], g.Index)
		return nil
	})
}
