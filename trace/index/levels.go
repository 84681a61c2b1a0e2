package index

import (
	"encoding/binary"
	"slices"
)

// fan is how many tiles are summed in one of the next level.
const fan = 4

// A tile is a slice, or the sum of several.
type tile struct {
	ref
	From, To int64
	Spans    int    // if it is a slice
	procs    []byte // usage of processors, encoded
	threads  []byte // usage of threads, encoded
	sums     []sum  // of all spans that end within
}

// levels writes slices and sums them.
type levels struct {
	slices []tile
	above  []level
	buf    []byte
}

// A level is the tiles of one size.
type level struct {
	tiles []tile
	// What the next tile sums, and its rows, which are merged as they come: keeping those of four
	// large tiles would take four times the memory.
	parts       []tile
	rows, spare []row
	arena       sums // of rows
}

// add adds a written slice, and writes the tiles that it completes. It does not keep rows.
func (l *levels) add(out *file, t tile, rows []row) error {
	for _, r := range rows {
		for _, s := range r.sums {
			t.sums = addSum(t.sums, s.code, s.time)
		}
	}
	l.slices = append(l.slices, t)
	return l.collect(out, 0, t, rows)
}

// collect adds a tile to the next one of the level above. It does not keep rows.
func (l *levels) collect(out *file, n int, t tile, rows []row) error {
	if n == len(l.above) {
		l.above = append(l.above, level{})
	}
	up := &l.above[n]
	up.merge(rows)
	up.parts = append(up.parts, t)
	if len(up.parts) < fan {
		return nil
	}
	return l.write(out, n)
}

// write writes the next tile of a level.
func (l *levels) write(out *file, n int) error {
	up := &l.above[n]
	t := tile{From: up.parts[0].From, To: up.parts[len(up.parts)-1].To}
	var procs, threads [][]byte
	for _, part := range up.parts {
		procs, threads = append(procs, part.procs), append(threads, part.threads)
		for _, s := range part.sums {
			t.sums = addSum(t.sums, s.code, s.time)
		}
	}
	t.procs, t.threads = mergeUsage(procs), mergeUsage(threads)
	l.buf = appendRows(l.buf[:0], up.rows, t.To)
	var err error
	if t.ref, err = out.block(l.buf); err != nil {
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
func (l *levels) finish(out *file) error {
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
func (l *level) merge(more []row) {
	merged := l.spare[:0]
	have := l.rows
	for len(have) > 0 || len(more) > 0 {
		switch {
		case len(more) == 0 || len(have) > 0 && have[0].g < more[0].g:
			merged = append(merged, have[0])
			have = have[1:]
		case len(have) == 0 || more[0].g < have[0].g:
			if r := more[0]; !r.born || !r.died {
				r.sums = l.arena.copy(r.sums)
				merged = append(merged, r)
			}
			more = more[1:]
		default:
			r := have[0]
			r.died, r.end = more[0].died, more[0].end
			if !r.born || !r.died {
				for _, s := range more[0].sums {
					r.sums = l.arena.add(r.sums, s)
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
	chunks [][]sum
	used   int // full chunks
}

const sumsChunk = 4096 // many lists, each of at most maxCodes

// copy copies a list.
func (a *sums) copy(list []sum) []sum {
	if a.used == len(a.chunks) {
		a.chunks = append(a.chunks, make([]sum, 0, sumsChunk))
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
func (a *sums) add(list []sum, s sum) []sum {
	for i := range list {
		if list[i].code == s.code {
			list[i].time += s.time
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

// appendRows encodes a tile that ends at to: goroutines as differences of their indexes (the first
// from -1), how many bytes follow, how long before to the last span ends, and the sums, terminated
// by a difference of 0.
func appendRows(b []byte, rows []row, to int64) []byte {
	last := int64(-1)
	var sums []byte
	for _, r := range rows {
		b = binary.AppendUvarint(b, uint64(int64(r.g)-last))
		last = int64(r.g)
		sums = binary.AppendUvarint(sums[:0], uint64(to-r.end))
		sums = appendSums(sums, r.sums)
		b = binary.AppendUvarint(b, uint64(len(sums)))
		b = append(b, sums...)
	}
	return append(b, 0)
}

// begin returns when the first of a row's spans began.
func (r *row) begin() int64 {
	begin := r.end
	for _, s := range r.sums {
		begin -= s.time
	}
	return begin
}

// eachRow calls yield with the rows of the wanted goroutines of a tile, in ascending order, or of
// all if want is nil, until it returns false. It reports whether the tile is intact. A row is valid
// until the next one.
func eachRow(b []byte, to int64, want []uint32, yield func(row) bool) bool {
	d := decoder{b: b}
	last := int64(-1)
	var sums []sum
	for !d.bad {
		delta := d.uint()
		if delta == 0 {
			break
		}
		last += int64(delta)
		bytes := d.bytes(d.count())
		for len(want) > 0 && int64(want[0]) < last {
			want = want[1:]
		}
		if want != nil && len(want) == 0 {
			return !d.bad
		}
		if want == nil || int64(want[0]) == last {
			one := decoder{b: bytes}
			end := to - int64(one.uint())
			sums = one.sums(sums[:0])
			if one.bad {
				return false
			}
			if !yield(row{g: uint32(last), end: end, sums: sums}) {
				return true
			}
		}
	}
	return !d.bad
}
