package indexfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/whet-go/whet/trace/model"
)

// A goroutine's record:
//
// 	block  = index, id, begin of the first of the block, { record }
// 	record = index, id - the first one's (signed), 2*kind + (1: older than the trace), parent, created,
// 	         begin - the first one's (signed), 1 + time until its end (0: alive), [ sums ], slices
//
// where slices are the numbers of the slices with its spans, as differences.

// A GoroutinesRef is a block of records, of goroutines that live between two times.
type GoroutinesRef struct {
	Ref
	From, To int64 // first begin, last end
}

// A Base is the first record of a block. The others are encoded as differences from it.
type Base struct{ index, id, begin int64 }

// BaseOf returns the base of a block that begins with a goroutine.
func BaseOf(g *model.Goroutine) Base { return Base{int64(g.Index), g.ID, g.From} }

// Append begins a block.
func (r *Base) Append(b []byte) []byte {
	for _, v := range [...]int64{r.index, r.id, r.begin} {
		b = binary.AppendVarint(b, v)
	}
	return b
}

func (d *decoder) base() Base { return Base{d.int(), d.int(), d.int()} }

// AppendGoroutine appends a record up to its slices: their length in bytes, and their numbers as
// differences, come next.
func AppendGoroutine(b []byte, base Base, g *model.Goroutine) []byte {
	lived := int64(0)
	if g.Ended {
		lived = 1 + g.To - g.From
	}
	kind := uint64(g.Kind) << 1
	if g.Old {
		kind |= 1
	}
	b = binary.AppendVarint(b, int64(g.Index)-base.index)
	b = binary.AppendVarint(b, g.ID-base.id)
	b = binary.AppendUvarint(b, kind)
	b = binary.AppendUvarint(b, uint64(g.Parent))
	b = binary.AppendUvarint(b, uint64(g.Created))
	b = binary.AppendVarint(b, g.From-base.begin)
	b = binary.AppendUvarint(b, uint64(lived))
	return AppendSums(b, g.Times)
}

// Goroutines reads a block of records.
type Goroutines struct {
	block    []byte
	base     Base
	rest     decoder
	duration int64 // of the trace
}

// ReadGoroutines begins to read a block of records of a trace of the given duration.
func ReadGoroutines(block []byte, duration int64) Goroutines {
	rest := decoder{b: block}
	base := rest.base()
	return Goroutines{block: block, base: base, rest: rest, duration: duration}
}

// More reports whether there is another record, or damage.
func (r *Goroutines) More() bool { return len(r.rest.b) > 0 }

// Next reads the next record into g, whose Times it reuses. It reports whether the record is
// intact.
func (r *Goroutines) Next(g *model.Goroutine) bool {
	r.rest.goroutine(g, r.base, r.duration)
	return !r.rest.bad
}

// At reads the record at a position of the block, as Next does, and returns where its spans are.
func (r *Goroutines) At(pos uint64, g *model.Goroutine) (Posting, bool) {
	if pos >= uint64(len(r.block)) {
		return Posting{}, false
	}
	d := decoder{b: r.block[pos:]}
	posting := d.goroutine(g, r.base, r.duration)
	return Posting{posting}, !d.bad
}

// goroutine reads a record, and returns the numbers of its slices, still encoded.
func (d *decoder) goroutine(g *model.Goroutine, base Base, duration int64) []byte {
	times := g.Times[:0]
	*g = model.Goroutine{Index: uint32(base.index + d.int()), ID: base.id + d.int()}
	kind := d.uint()
	g.Kind, g.Old = uint32(kind>>1), kind&1 == 1
	g.Parent, g.Created = uint32(d.uint()), uint32(d.uint())
	g.From, g.To = base.begin+d.int(), duration
	if lived := d.uint(); lived > 0 {
		g.Ended, g.To = true, g.From+int64(lived)-1
	}
	for range d.count() {
		times = append(times, model.Sum{Code: d.code(), Time: time.Duration(d.uint())})
	}
	g.Times = times
	return d.bytes(d.count())
}

// A Posting is the numbers of the slices with the spans of a goroutine, encoded, in ascending
// order.
type Posting struct{ b []byte }

// All returns the numbers, and reports whether they are intact.
func (p Posting) All() (list []uint32, ok bool) {
	d := decoder{b: p.b}
	last := int64(-1)
	for len(d.b) > 0 {
		last += int64(d.uint())
		list = append(list, uint32(last))
	}
	return list, !d.bad
}

// Within returns the numbers that are at least first, up to one that is at least last, and reports
// whether they are intact.
func (p Posting) Within(first, last int) (list []uint32, ok bool) {
	n, i := int64(-1), 0
	for i < len(p.b) && n < int64(last) {
		var delta uint64
		if delta, i = uvarint(p.b, i); i < 0 {
			return nil, false
		}
		if n += int64(delta); n >= int64(first) {
			list = append(list, uint32(n))
		}
	}
	return list, true
}

// From returns the first number that is at least n, if any.
func (p Posting) From(n uint32) (first uint32, ok bool) {
	d := decoder{b: p.b}
	last := int64(-1)
	for len(d.b) > 0 {
		if last += int64(d.uint()); last >= int64(n) {
			return uint32(last), !d.bad
		}
	}
	return 0, false
}

// PageSize is how many positions a page has.
const PageSize = 4096

// A Page has the positions of the records of consecutive goroutines.
type Page [PageSize]Pos

// A Pos is the position of a goroutine's record: its block + 1, and the position within it; 0 means
// unknown.
type Pos uint64

// ReadPos reads the position of a goroutine's record.
func (t *Tables) ReadPos(r io.ReaderAt, goroutine uint32) (Pos, error) {
	page := int(goroutine / PageSize)
	if page >= len(t.Pages) {
		return 0, ErrDamaged
	}
	var b [posBytes]byte
	if _, err := r.ReadAt(b[:], t.Pages[page].off+int64(goroutine%PageSize)*posBytes); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return Pos(binary.LittleEndian.Uint64(b[:])), nil
}

// PosOf returns the position of a record in a block.
func PosOf(block int, at uint32) Pos { return Pos(uint64(block+1)<<32 | uint64(at)) }

// Block returns the block, and reports whether it is one of n.
func (p Pos) Block(n int) (block int, ok bool) {
	number := uint64(p >> 32)
	return int(number) - 1, number > 0 && number <= uint64(n)
}

// At returns the position within the block.
func (p Pos) At() uint64 { return uint64(p & (1<<32 - 1)) }

// Append appends a page, which takes [PageBytes].
func (p *Page) Append(b []byte) []byte {
	for _, at := range p {
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
	}
	return b
}

// Decode reads what Append has written.
func (p *Page) Decode(b []byte) {
	for i := range p {
		p[i] = Pos(binary.LittleEndian.Uint64(b[i*posBytes:]))
	}
}

const posBytes = 8

// PageBytes is the length of a page.
const PageBytes = PageSize * posBytes
