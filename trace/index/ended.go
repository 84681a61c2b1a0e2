package index

import (
	"encoding/binary"
	"errors"
	"os"
)

// A goroutine's record:
//
//	record = index, id, kind, parent, created, begin, end + 1 (0: it did not), flags, [ sums ], slices
//
// where slices are the differences of the numbers of those it has spans in.

// ended writes goroutines that have ended, many to a block, and remembers where each is: in pages,
// which are put away in a file when all of their goroutines have ended.
type ended struct {
	buf    []byte
	where  []uint64  // in buf, index<<32 | position
	life   recordRef // of those in buf
	blocks []recordRef
	pages  []page
	spill  *os.File
}

// A recordRef is a block of records: of goroutines that live between two times.
type recordRef struct {
	ref
	from, to int64 // the first begin, the last end
}

// A page has the places of some goroutines' records.
type page struct {
	places *[pageSize]place // nil: none is known, or it is put away
	known  int
}

// away tells whether a page is in the spill file, at its number.
func (p page) away() bool { return p.known == pageSize }

const pageSize = 4096

// A place is a record's: a block and a position in it, with 1 added to the block: 0 is not known.
type place uint64

// recordBlock is how large a block of records gets.
const recordBlock = 64 << 10

// add writes a goroutine that was seen last at some time.
func (e *ended) add(out *file, g *goroutine, last int64) error {
	at := len(e.buf)
	b := e.buf
	end := int64(0)
	if g.died {
		end = g.to + 1
	}
	flags := uint64(0)
	if g.old {
		flags = 1
	}
	for _, v := range []uint64{uint64(g.index), uint64(g.id), uint64(g.kind.number), uint64(g.parent), uint64(g.created), uint64(g.begin), uint64(end), flags} {
		b = binary.AppendUvarint(b, v)
	}
	b = appendSums(b, g.sums)
	b = binary.AppendUvarint(b, uint64(len(g.slices)))
	e.buf = append(b, g.slices...)
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
		if err := e.put(uint32(w>>32), place(uint64(len(e.blocks))<<32|w&(1<<32-1))); err != nil {
			return err
		}
	}
	e.buf, e.where = e.buf[:0], e.where[:0]
	return nil
}

// put remembers a place.
func (e *ended) put(g uint32, at place) error {
	number := int(g / pageSize)
	for len(e.pages) <= number {
		e.pages = append(e.pages, page{})
	}
	p := &e.pages[number]
	if p.places == nil {
		p.places = new([pageSize]place)
	}
	p.places[g%pageSize] = at
	p.known++
	if p.away() {
		return e.putAway(number, p)
	}
	return nil
}

func (e *ended) putAway(number int, p *page) error {
	if e.spill == nil {
		f, err := os.CreateTemp("", "whet-trace-*")
		if err != nil {
			return err
		}
		e.spill = f
	}
	_, err := e.spill.WriteAt(encodePage(p), int64(number)*pageSize*8)
	p.places = nil
	return err
}

// write writes all pages, and returns where they are.
func (e *ended) write(out *file) ([]ref, error) {
	if err := e.flush(out); err != nil {
		return nil, err
	}
	refs := make([]ref, 0, len(e.pages))
	buf := make([]byte, pageSize*8)
	for number, p := range e.pages {
		b := buf
		switch {
		case p.away():
			if _, err := e.spill.ReadAt(b, int64(number)*pageSize*8); err != nil {
				return nil, err
			}
		case p.places != nil:
			b = encodePage(&p)
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

func encodePage(p *page) []byte {
	b := make([]byte, 0, pageSize*8)
	for _, at := range p.places {
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
	}
	return b
}

// close removes what was put away.
func (e *ended) close() error {
	if e.spill == nil {
		return nil
	}
	return errors.Join(e.spill.Close(), os.Remove(e.spill.Name()))
}

func appendDelta(b []byte, delta int64) []byte { return binary.AppendUvarint(b, uint64(delta)) }
