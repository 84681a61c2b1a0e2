package index

import (
	"encoding/binary"
	"slices"
)

// fan is how many tiles are summed up in one of the next level.
const fan = 4

// A tile is a slice, or some of them summed up.
type tile struct {
	ref
	From, To int64
	Spans    int    // of a slice
	procs    []byte // usage of processors, encoded
	threads  []byte // usage of threads, encoded
	sums     []sum  // of all spans that end within
}

// levels writes slices and sums them up.
type levels struct {
	slices []tile
	above  []level
	buf    []byte
}

// A level is the tiles of one size.
type level struct {
	tiles []tile
	// What the next tile sums up.
	rows  [][]row
	parts []tile
}

// add takes a slice that was written, and writes the tiles that it makes whole. It keeps no part of
// rows.
func (l *levels) add(out *file, t tile, rows []row) error {
	for _, r := range rows {
		for _, s := range r.sums {
			t.sums = addSum(t.sums, s.code, s.time)
		}
	}
	l.slices = append(l.slices, t)
	return l.collect(out, 0, t, clone(rows))
}

// clone copies rows and their sums, which belong to the slice's writer.
func clone(rows []row) []row {
	n := 0
	for _, r := range rows {
		n += len(r.sums)
	}
	sums := make([]sum, 0, n)
	rows = slices.Clone(rows)
	for i := range rows {
		at := len(sums)
		sums = append(sums, rows[i].sums...)
		rows[i].sums = sums[at:len(sums):len(sums)]
	}
	return rows
}

func (l *levels) collect(out *file, n int, t tile, rows []row) error {
	if n == len(l.above) {
		l.above = append(l.above, level{})
	}
	l.above[n].rows, l.above[n].parts = append(l.above[n].rows, rows), append(l.above[n].parts, t)
	if len(l.above[n].parts) < fan {
		return nil
	}
	return l.write(out, n)
}

// write writes the next tile of a level.
func (l *levels) write(out *file, n int) error {
	up := &l.above[n]
	rows := merge(up.rows)
	t := tile{From: up.parts[0].From, To: up.parts[len(up.parts)-1].To}
	var procs, threads [][]byte
	for _, part := range up.parts {
		procs, threads = append(procs, part.procs), append(threads, part.threads)
		for _, s := range part.sums {
			t.sums = addSum(t.sums, s.code, s.time)
		}
	}
	t.procs, t.threads = mergeUsage(procs), mergeUsage(threads)
	l.buf = appendRows(l.buf[:0], rows, t.To)
	var err error
	if t.ref, err = out.block(l.buf); err != nil {
		return err
	}
	up.tiles, up.rows, up.parts = append(up.tiles, t), nil, nil
	return l.collect(out, n+1, t, rows)
}

// finish writes the tiles that are not whole: so each level covers the trace.
func (l *levels) finish(out *file) error {
	for n := 0; n < len(l.above); n++ {
		if len(l.above[n].parts) == 0 || len(l.above[n].tiles) == 0 && len(l.above[n].parts) == 1 {
			l.above[n].parts = nil
			continue // one tile of another
		}
		if err := l.write(out, n); err != nil {
			return err
		}
	}
	l.above = slices.DeleteFunc(l.above, func(l level) bool { return len(l.tiles) == 0 })
	return nil
}

// merge sums up rows. Goroutines that begin and end within are left out: they are less than a tile
// wide.
func merge(parts [][]row) []row {
	var rows []row
	at := make([]int, len(parts))
	for {
		g := uint64(1) << 32
		for i, part := range parts {
			if at[i] < len(part) {
				g = min(g, uint64(part[at[i]].g))
			}
		}
		if g == 1<<32 {
			return rows
		}
		r := row{g: uint32(g)}
		for i, part := range parts {
			if at[i] == len(part) || part[at[i]].g != r.g {
				continue
			}
			one := part[at[i]]
			at[i]++
			r.born, r.died, r.end = r.born || one.born, r.died || one.died, one.end
			for _, s := range one.sums {
				r.sums = addSum(r.sums, s.code, s.time)
			}
		}
		if !r.born || !r.died {
			rows = append(rows, r)
		}
	}
}

// appendRows encodes a tile that ends at to: goroutines as differences of their indexes (the first of
// -1), how many bytes follow, how long before to the last span ends, and the sums, up to a difference
// of 0.
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

// begin is when the first of a row's spans began.
func (r *row) begin() int64 {
	begin := r.end
	for _, s := range r.sums {
		begin -= s.time
	}
	return begin
}

// eachRow calls yield with the rows of those goroutines of a tile that are asked for, in ascending
// order, or of all for nil, until it returns false, and tells whether the tile is what was written. A
// row is good until the next.
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
