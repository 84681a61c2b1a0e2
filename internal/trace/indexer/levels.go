package indexer

import (
	"slices"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// levels writes slices and sums them.
type levels struct {
	slices []indexfile.Tile
	above  []level
	buf    []byte
}

// A level is the tiles of one size.
type level struct {
	tiles []indexfile.Tile
	// The parts of the next tile, and its rows, which are merged immediately: keeping the rows of
	// four large tiles would take four times the memory.
	parts       []indexfile.Tile
	rows, spare []indexfile.Row
	arena       sums // of rows
}

// add adds a written slice, and writes the tiles that it completes. It does not keep rows.
func (l *levels) add(out *indexfile.Writer, t indexfile.Tile, rows []indexfile.Row) error {
	for _, r := range rows {
		for _, s := range r.Sums {
			t.Sums = model.Add(t.Sums, s.Code, s.Time)
		}
	}
	l.slices = append(l.slices, t)
	return l.collect(out, 0, t, rows)
}

// collect adds a tile to the next one of the level above. It does not keep rows.
func (l *levels) collect(out *indexfile.Writer, n int, t indexfile.Tile, rows []indexfile.Row) error {
	if n == len(l.above) {
		l.above = append(l.above, level{})
	}
	up := &l.above[n]
	up.merge(rows)
	up.parts = append(up.parts, t)
	if len(up.parts) < indexfile.Fan {
		return nil
	}
	return l.write(out, n)
}

// write writes the next tile of a level.
func (l *levels) write(out *indexfile.Writer, n int) error {
	up := &l.above[n]
	t := indexfile.Tile{From: up.parts[0].From, To: up.parts[len(up.parts)-1].To}
	var procs, threads [][]byte
	for _, part := range up.parts {
		procs, threads = append(procs, part.Procs), append(threads, part.Threads)
		for _, s := range part.Sums {
			t.Sums = model.Add(t.Sums, s.Code, s.Time)
		}
	}
	t.Procs, t.Threads = indexfile.MergeUsage(procs), indexfile.MergeUsage(threads)
	l.buf = indexfile.AppendRows(l.buf[:0], up.rows, t.To)
	var err error
	if t.Ref, err = out.Block(l.buf); err != nil {
		return err
	}
	up.tiles = append(up.tiles, t)
	err = l.collect(out, n+1, t, up.rows)
	up = &l.above[n] // it may have moved
	up.parts, up.rows = up.parts[:0], up.rows[:0]
	up.arena.clear()
	return err
}

// finish writes the incomplete tiles, so that each level covers the trace.
func (l *levels) finish(out *indexfile.Writer) error {
	for n := 0; n < len(l.above); n++ {
		if len(l.above[n].parts) == 0 || len(l.above[n].tiles) == 0 && len(l.above[n].parts) == 1 {
			l.above[n].parts, l.above[n].rows = nil, nil
			continue // only one tile of another level
		}
		if err := l.write(out, n); err != nil {
			return err
		}
	}
	l.above = slices.DeleteFunc(l.above, func(l level) bool { return len(l.tiles) == 0 })
	return nil
}

// merge adds rows to those of a level. Goroutines that begin and end within are left out: they are
// narrower than a tile.
func (l *level) merge(more []indexfile.Row) {
	merged := l.spare[:0]
	have := l.rows
	for len(have) > 0 || len(more) > 0 {
		switch {
		case len(more) == 0 || len(have) > 0 && have[0].Goroutine < more[0].Goroutine:
			merged = append(merged, have[0])
			have = have[1:]
		case len(have) == 0 || more[0].Goroutine < have[0].Goroutine:
			if r := more[0]; !r.Born || !r.Died {
				r.Sums = l.arena.copy(r.Sums)
				merged = append(merged, r)
			}
			more = more[1:]
		default:
			r := have[0]
			r.Died, r.End = more[0].Died, more[0].End
			if !r.Born || !r.Died {
				for _, s := range more[0].Sums {
					r.Sums = l.arena.add(r.Sums, s)
				}
				merged = append(merged, r)
			}
			have, more = have[1:], more[1:]
		}
	}
	l.rows, l.spare = merged, l.rows
}

// sums is memory for lists of sums that are freed all at once.
type sums struct {
	chunks [][]model.Sum
	used   int // full chunks
}

const sumsChunk = 4096 // many lists, each of at most maxCodes

// copy copies a list.
func (a *sums) copy(list []model.Sum) []model.Sum {
	if a.used == len(a.chunks) {
		a.chunks = append(a.chunks, make([]model.Sum, 0, sumsChunk))
	}
	c := a.chunks[a.used]
	if len(c)+len(list) > cap(c) {
		a.used++
		return a.copy(list)
	}
	at := len(c)
	c = append(c, list...)
	a.chunks[a.used] = c
	return c[at:len(c):len(c)]
}

// add adds to a list made by copy.
func (a *sums) add(list []model.Sum, s model.Sum) []model.Sum {
	for i := range list {
		if list[i].Code == s.Code {
			list[i].Time += s.Time
			return list
		}
	}
	return a.copy(append(list, s))
}

func (a *sums) clear() {
	for i := range a.chunks {
		a.chunks[i] = a.chunks[i][:0]
	}
	a.used = 0
}
