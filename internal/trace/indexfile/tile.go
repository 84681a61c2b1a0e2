package indexfile

import (
	"encoding/binary"

	"github.com/whet-go/whet/trace/model"
)

// Fan is how many tiles are summed in one of the next level.
const Fan = 4

// A Tile is a slice, or the sum of several.
type Tile struct {
	Ref
	From, To int64
	Spans    int         // if it is a slice
	Procs    []byte      // usage of processors, encoded
	Threads  []byte      // usage of threads, encoded
	Sums     []model.Sum // of all spans that end within
}

func appendTiles(b []byte, tiles []Tile) []byte {
	b = binary.AppendUvarint(b, uint64(len(tiles)))
	for _, t := range tiles {
		b = appendRef(b, t.Ref)
		b = binary.AppendUvarint(b, uint64(t.From))
		b = binary.AppendUvarint(b, uint64(t.To-t.From))
		b = binary.AppendUvarint(b, uint64(t.Spans))
		b = append(binary.AppendUvarint(b, uint64(len(t.Procs))), t.Procs...)
		b = append(binary.AppendUvarint(b, uint64(len(t.Threads))), t.Threads...)
		b = AppendSums(b, t.Sums)
	}
	return b
}

func (d *decoder) tiles() []Tile {
	n := d.count()
	tiles := make([]Tile, 0, n)
	for range n {
		if d.bad {
			return nil
		}
		t := Tile{Ref: d.ref(), From: int64(d.uint())}
		t.To = t.From + int64(d.uint())
		t.Spans = int(d.uint())
		t.Procs, t.Threads = d.bytes(d.count()), d.bytes(d.count())
		t.Sums = d.sums(nil)
		tiles = append(tiles, t)
	}
	return tiles
}

// A Row is what a goroutine does in a slice or tile.
type Row struct {
	Goroutine uint32
	Born      bool  // it begins here; not stored
	Died      bool  // it ends here; not stored
	End       int64 // of its last span here: the row covers the time from its last end before until then
	Sums      []model.Sum
}

// Begin returns when the first of a row's spans began.
func (r *Row) Begin() int64 {
	begin := r.End
	for _, s := range r.Sums {
		begin -= int64(s.Time)
	}
	return begin
}

// AppendRows encodes a tile that ends at to: goroutines as differences of their indexes (the first
// from -1), how many bytes follow, how long before to the last span ends, and the sums, terminated
// by a difference of 0.
func AppendRows(b []byte, rows []Row, to int64) []byte {
	last := int64(-1)
	var sums []byte
	for _, r := range rows {
		b = binary.AppendUvarint(b, uint64(int64(r.Goroutine)-last))
		last = int64(r.Goroutine)
		sums = binary.AppendUvarint(sums[:0], uint64(to-r.End))
		sums = AppendSums(sums, r.Sums)
		b = binary.AppendUvarint(b, uint64(len(sums)))
		b = append(b, sums...)
	}
	return append(b, 0)
}

// EachRow calls yield with the rows of the wanted goroutines of a tile, in ascending order, or of
// all if want is nil, until it returns false. It reports whether the tile is intact. A row is valid
// until the next one.
func EachRow(b []byte, to int64, want []uint32, yield func(Row) bool) bool {
	d := decoder{b: b}
	last := int64(-1)
	var sums []model.Sum
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
			if !yield(Row{Goroutine: uint32(last), End: end, Sums: sums}) {
				return true
			}
		}
	}
	return !d.bad
}
