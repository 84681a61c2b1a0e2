package index

import (
	"fmt"
	"time"

	"github.com/whet-go/whet/internal/trace/indexfile"
)

// Procs returns the number of processors: they are 0 to Procs()-1.
func (x *Index) Procs() int { return x.tables.Procs }

// Threads returns the threads that had processors.
func (x *Index) Threads() []Thread { return x.tables.Threads }

// positions returns the position of each lane in an answer; -1 for lanes that were not requested.
func positions(asked []uint32, n int, what string) ([]int, error) {
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	for i, one := range asked {
		if int64(one) >= int64(n) {
			return nil, fmt.Errorf("%s %d: there are %d", what, one, n)
		}
		at[one] = i
	}
	return at, nil
}

// ProcRows returns the rows of processors, each listed once: spans of the goroutines that they run,
// with idle time in between. Parts have the time that processors ran goroutines, by the state of
// these goroutines.
func (x *Index) ProcRows(w Window, procs []uint32) ([]Row, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	at, err := positions(procs, x.tables.Procs, "processor")
	if err != nil {
		return nil, err
	}
	first, last := overlapping(x.tables.Slices, w.From, w.To)
	if last-first > x.limits.procs {
		return x.usageRows(w, at, len(procs), func(t *indexfile.Tile) []byte { return t.Procs })
	}
	q := &procQuery{x: x, w: w, at: at, rows: gatherers(w, len(procs))}
	for n := first; n < last; n++ {
		if err := q.slice(n); err != nil {
			return nil, err
		}
	}
	if err := q.beyond(last); err != nil {
		return nil, err
	}
	return rowsOf(q.rows), nil
}

func gatherers(w Window, n int) []gatherer {
	all := make([]gatherer, n)
	for i := range all {
		all[i].w = w
	}
	return all
}

func rowsOf(all []gatherer) []Row {
	rows := make([]Row, len(all))
	for i := range all {
		rows[i] = all[i].row()
	}
	return rows
}

// A procQuery makes rows of processors from spans.
type procQuery struct {
	x    *Index
	w    Window
	at   []int
	rows []gatherer
	buf  []byte
	runs []indexfile.Run
}

// slice adds what processors run in a slice.
func (q *procQuery) slice(n int) error {
	return q.spans(n, func(s Span) {
		if s.From <= q.w.To && s.To >= q.w.From {
			q.rows[q.at[s.With-1]].add(s)
		}
	})
}

// spans calls yield with the spans of a slice in which the wanted processors run.
func (q *procQuery) spans(n int, yield func(Span)) (err error) {
	t := &q.x.tables.Slices[n]
	if q.buf, err = q.x.read(t.Ref, q.buf); err != nil {
		return err
	}
	var ok bool
	if q.runs, ok = indexfile.Directory(q.buf, nil, q.runs); !ok {
		return ErrDamaged
	}
	for _, r := range q.runs {
		if !r.Each(t.From, func(s Span) bool {
			if (s.Code == Running || s.Code == Assist || s.Code == Syscall) && s.With > 0 && int(s.With) <= len(q.at) &&
				q.at[s.With-1] >= 0 {
				yield(s)
			}
			return true
		}) {
			return ErrDamaged
		}
	}
	return nil
}

// beyond adds the spans that end in a slice after the window. The usage of the previous slice shows
// which processors have one, and that of the next ones where it ends.
func (q *procQuery) beyond(n int) error {
	if n == 0 || n == len(q.x.tables.Slices) {
		return nil
	}
	open := q.open(n - 1)
	for lane, begin := range open {
		if begin > q.w.To || q.at[lane] < 0 {
			delete(open, lane)
		}
	}
	for ; len(open) > 0 && n < len(q.x.tables.Slices); n++ {
		still := q.open(n)
		ends := map[uint32]int64{}
		for lane, begin := range open {
			if since, ok := still[lane]; !ok || since != begin {
				ends[lane] = begin
				delete(open, lane)
			}
		}
		if len(ends) == 0 {
			continue
		}
		if err := q.spans(n, func(s Span) {
			if begin, ok := ends[s.With-1]; ok && s.From == begin {
				q.rows[q.at[s.With-1]].add(s)
				delete(ends, s.With-1)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// open returns which processors run something at the end of a slice, and since when.
func (q *procQuery) open(n int) map[uint32]int64 {
	t := &q.x.tables.Slices[n]
	open := map[uint32]int64{}
	indexfile.EachUsage(t.Procs, func(u indexfile.Usage) {
		if u.Open >= 0 && int(u.Lane) < len(q.at) {
			open[u.Lane] = t.To - u.Open
		}
	})
	return open
}

// ThreadRows returns the rows of threads, each listed once by its position in Threads: the times
// when they had a processor, as spans in the state Running. Parts have the sum of these times.
func (x *Index) ThreadRows(w Window, threads []uint32) ([]Row, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	at, err := positions(threads, len(x.tables.Threads), "thread")
	if err != nil {
		return nil, err
	}
	blocks, n := x.blocks(Procs, w.From, w.To)
	if n > x.limits.blocks {
		return x.usageRows(w, at, len(threads), func(t *indexfile.Tile) []byte { return t.Threads })
	}
	rows := gatherers(w, len(threads))
	byID := map[uint64]int{}
	for i, n := range threads {
		byID[x.tables.Threads[n].ID] = i
	}
	err = x.each(blocks, w.From, w.To, func(r *Record) bool {
		if i, ok := byID[r.Thread-1]; ok {
			rows[i].add(Span{Code: Running, From: r.From, To: r.To, With: r.Proc})
		}
		return true
	})
	return rowsOf(rows), err
}

// usageRows makes rows of parts from the usage in tiles, which is in memory.
func (x *Index) usageRows(w Window, at []int, n int, of func(*indexfile.Tile) []byte) ([]Row, error) {
	rows := make([]Row, n)
	for _, p := range x.cover(w, max(x.limits.tiles, w.Width), 1) {
		if p.tile.To == p.tile.From {
			continue
		}
		if !indexfile.EachUsage(of(p.tile), func(u indexfile.Usage) {
			if int(u.Lane) >= len(at) || at[u.Lane] < 0 {
				return
			}
			part := Part{From: p.tile.From, To: p.tile.To}
			for k, t := range u.Times {
				if t > 0 {
					part.Times = append(part.Times, Sum{Code: indexfile.Use(k).Code(), Time: time.Duration(t)})
				}
			}
			if row := &rows[at[u.Lane]]; len(part.Times) > 0 {
				row.Parts = append(row.Parts, part)
			}
		}) {
			return nil, ErrDamaged
		}
	}
	return rows, nil
}

// NamedRows returns the rows of names of Ranges or Regions, each listed once: all records with the
// name, as spans in the state Running; With is the goroutine's index + 1. Several may be active at
// one time, so spans may overlap, and the times of a part may exceed its length.
func (x *Index) NamedRows(stream Stream, w Window, names []uint32) ([]Row, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	if stream != Ranges && stream != Regions {
		return nil, fmt.Errorf("stream %d has no rows by name", stream)
	}
	rows := gatherers(w, len(names))
	at := map[uint32]int{}
	for i, name := range names {
		at[name] = i
	}
	blocks, n := x.blocks(stream, w.From, w.To)
	if n > x.limits.blocks {
		for i := range rows {
			rows[i].toParts()
		}
		for class := range blocks {
			kept := blocks[class][:0]
			for _, b := range blocks[class] {
				if b.Many {
					kept = append(kept, b)
					continue
				}
				for _, s := range b.Sums {
					if i, ok := at[s.Name]; ok {
						rows[i].dense.spread(Running, s.From, s.To, time.Duration(s.Time))
					}
				}
			}
			blocks[class] = kept
		}
	}
	err := x.each(blocks, w.From, w.To, func(r *Record) bool {
		if i, ok := at[r.Name]; ok {
			rows[i].add(Span{Code: Running, From: r.From, To: r.To, With: r.Goroutine})
		}
		return true
	})
	return rowsOf(rows), err
}
