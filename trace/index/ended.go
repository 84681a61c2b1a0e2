package index

import (
	"encoding/binary"
	"slices"
)

// A goroutine's record:
//
// 	block  = index, id, begin of the first of the block, { record }
// 	record = index, id - the first one's (signed), 2*kind + (1: older than the trace), parent, created,
// 	         begin - the first one's (signed), 1 + time until its end (0: alive), [ sums ], slices
//
// where slices are the numbers of the slices with its spans, as differences.

// ended writes the records of goroutines that have ended, many to a block, and keeps the position
// of each, in pages of which a few are in memory.
type ended struct {
	spill  *spill
	buf    []byte
	base   recordBase
	where  []uint64  // in buf, index<<32 | position
	life   recordRef // lifetimes of those in buf
	blocks []recordRef
	pages  []page
	loaded []int // numbers of the pages in memory, oldest first
}

// A recordRef is a block of records, of goroutines that live between two times.
type recordRef struct {
	ref
	from, to int64 // first begin, last end
}

// A recordBase is the first record of a block. The others are encoded as differences from it.
type recordBase struct{ index, id, begin int64 }

func (r *recordBase) append(b []byte) []byte {
	for _, v := range [...]int64{r.index, r.id, r.begin} {
		b = binary.AppendVarint(b, v)
	}
	return b
}

func (d *decoder) recordBase() recordBase { return recordBase{d.int(), d.int(), d.int()} }

// A page has the positions of some goroutines' records.
type page struct {
	positions *[pageSize]recordPos // nil: in the spill, or nowhere if at is 0
	at        int64                // in the spill
}

const pageSize = 4096

// maxPages is how many pages are in memory. A page may mix goroutines that live long with others
// that do not.
const maxPages = 256

// A recordPos is the position of a record: its block + 1, and the position within it; 0 means
// unknown.
type recordPos uint64

// recordBlock is the size of a full block of records.
const recordBlock = 64 << 10

// add writes the record of a goroutine that was last seen at the given time.
func (e *ended) add(out *file, g *goroutine, last int64) error {
	if len(e.where) == 0 {
		e.base = recordBase{int64(g.index), int64(g.id), g.begin}
		e.buf = e.base.append(e.buf)
	}
	at := len(e.buf)
	lived := int64(0)
	if g.died {
		lived = 1 + g.to - g.begin
	}
	kind := uint64(g.kind.number) << 1
	if g.old {
		kind |= 1
	}
	b := binary.AppendVarint(e.buf, int64(g.index)-e.base.index)
	b = binary.AppendVarint(b, int64(g.id)-e.base.id)
	b = binary.AppendUvarint(b, kind)
	b = binary.AppendUvarint(b, uint64(g.parent))
	b = binary.AppendUvarint(b, uint64(g.created))
	b = binary.AppendVarint(b, g.begin-e.base.begin)
	b = binary.AppendUvarint(b, uint64(lived))
	b = appendSums(b, g.sums)
	b, err := g.slices.appendTo(b, e.spill)
	if err != nil {
		return err
	}
	e.buf = b
	if len(e.where) == 0 {
		e.life = recordRef{from: g.begin, to: last}
	}
	e.life.from, e.life.to = min(e.life.from, g.begin), max(e.life.to, last)
	e.where = append(e.where, uint64(g.index)<<32|uint64(at))
	if len(e.buf) >= recordBlock {
		return e.flush(out)
	}
	return nil
}

func (e *ended) flush(out *file) error {
	if len(e.where) == 0 {
		return nil
	}
	r, err := out.block(e.buf)
	if err != nil {
		return err
	}
	e.life.ref = r
	e.blocks = append(e.blocks, e.life)
	for _, w := range e.where {
		if err := e.put(uint32(w>>32), recordPos(uint64(len(e.blocks))<<32|w&(1<<32-1))); err != nil {
			return err
		}
	}
	e.buf, e.where = e.buf[:0], e.where[:0]
	return nil
}

// put stores a position.
func (e *ended) put(g uint32, at recordPos) error {
	number := int(g / pageSize)
	for len(e.pages) <= number {
		e.pages = append(e.pages, page{})
	}
	if e.pages[number].positions == nil {
		if err := e.load(number); err != nil {
			return err
		}
	}
	e.pages[number].positions[g%pageSize] = at
	return nil
}

// load brings a page into memory, and evicts the oldest one.
func (e *ended) load(number int) error {
	var positions *[pageSize]recordPos
	if len(e.loaded) < maxPages {
		positions = new([pageSize]recordPos)
	} else {
		old := &e.pages[e.loaded[0]]
		var err error
		if old.at, err = e.spill.put(old.at, encodePage(old.positions)); err != nil {
			return err
		}
		e.loaded = slices.Delete(e.loaded, 0, 1)
		positions, old.positions = old.positions, nil
	}
	p := &e.pages[number]
	if p.at == 0 {
		clear(positions[:])
	} else {
		b := make([]byte, pageSize*8)
		if _, err := e.spill.file.ReadAt(b, p.at); err != nil {
			return err
		}
		for i := range positions {
			positions[i] = recordPos(binary.LittleEndian.Uint64(b[i*8:]))
		}
	}
	p.positions = positions
	e.loaded = append(e.loaded, number)
	return nil
}

// write writes all pages, and returns where they are.
func (e *ended) write(out *file) ([]ref, error) {
	if err := e.flush(out); err != nil {
		return nil, err
	}
	refs := make([]ref, 0, len(e.pages))
	buf := make([]byte, pageSize*8)
	for _, p := range e.pages {
		b := buf
		switch {
		case p.positions != nil:
			b = encodePage(p.positions)
		case p.at != 0:
			if _, err := e.spill.file.ReadAt(b, p.at); err != nil {
				return nil, err
			}
		default:
			clear(b)
		}
		r, err := out.block(b)
		if err != nil {
			return nil, err
		}
		refs = append(refs, r)
	}
	return refs, nil
}

func encodePage(positions *[pageSize]recordPos) []byte {
	b := make([]byte, 0, pageSize*8)
	for _, at := range positions {
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
	}
	return b
}
