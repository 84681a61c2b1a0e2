package indexer

import (
	"slices"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// ended writes the records of goroutines that have ended, many to a block, and keeps the position
// of each, in pages of which a few are in memory.
type ended struct {
	spill  *spill
	buf    []byte
	base   indexfile.Base
	where  []uint64                // in buf, index<<32 | position
	life   indexfile.GoroutinesRef // lifetimes of those in buf
	blocks []indexfile.GoroutinesRef
	pages  []page
	loaded []int // numbers of the pages in memory, oldest first
}

// A page has the positions of some goroutines' records.
type page struct {
	positions *indexfile.Page // nil: in the spill, or nowhere if at is 0
	at        int64           // in the spill
}

// maxPages is how many pages are in memory. A page may mix goroutines that live long with others
// that do not.
const maxPages = 256

// recordBlock is the size of a full block of records.
const recordBlock = 64 << 10

// add writes the record of a goroutine that was last seen at the given time.
func (e *ended) add(out *indexfile.Writer, g *goroutine, last int64) error {
	record := model.Goroutine{
		Index: g.index, ID: int64(g.id), Kind: g.kind.number, Parent: g.parent, Created: g.created, From: g.begin, To: last,
		Old: g.old, Ended: g.died, Times: g.sums,
	}
	if len(e.where) == 0 {
		e.base = indexfile.BaseOf(&record)
		e.buf = e.base.Append(e.buf)
	}
	at := len(e.buf)
	b, err := g.slices.appendTo(indexfile.AppendGoroutine(e.buf, e.base, &record), e.spill)
	if err != nil {
		return err
	}
	e.buf = b
	if len(e.where) == 0 {
		e.life = indexfile.GoroutinesRef{From: g.begin, To: last}
	}
	e.life.From, e.life.To = min(e.life.From, g.begin), max(e.life.To, last)
	e.where = append(e.where, uint64(g.index)<<32|uint64(at))
	if len(e.buf) >= recordBlock {
		return e.flush(out)
	}
	return nil
}

func (e *ended) flush(out *indexfile.Writer) error {
	if len(e.where) == 0 {
		return nil
	}
	r, err := out.Block(e.buf)
	if err != nil {
		return err
	}
	e.life.Ref = r
	e.blocks = append(e.blocks, e.life)
	for _, w := range e.where {
		if err := e.put(uint32(w>>32), indexfile.PosOf(len(e.blocks)-1, uint32(w))); err != nil {
			return err
		}
	}
	e.buf, e.where = e.buf[:0], e.where[:0]
	return nil
}

// put stores a position.
func (e *ended) put(g uint32, at indexfile.Pos) error {
	number := int(g / indexfile.PageSize)
	for len(e.pages) <= number {
		e.pages = append(e.pages, page{})
	}
	if e.pages[number].positions == nil {
		if err := e.load(number); err != nil {
			return err
		}
	}
	e.pages[number].positions[g%indexfile.PageSize] = at
	return nil
}

// load brings a page into memory, and evicts the oldest one.
func (e *ended) load(number int) error {
	var positions *indexfile.Page
	if len(e.loaded) < maxPages {
		positions = new(indexfile.Page)
	} else {
		old := &e.pages[e.loaded[0]]
		var err error
		if old.at, err = e.spill.put(old.at, old.positions.Append(make([]byte, 0, indexfile.PageBytes))); err != nil {
			return err
		}
		e.loaded = slices.Delete(e.loaded, 0, 1)
		positions, old.positions = old.positions, nil
	}
	p := &e.pages[number]
	if p.at == 0 {
		clear(positions[:])
	} else {
		b := make([]byte, indexfile.PageBytes)
		if _, err := e.spill.file.ReadAt(b, p.at); err != nil {
			return err
		}
		positions.Decode(b)
	}
	p.positions = positions
	e.loaded = append(e.loaded, number)
	return nil
}

// write writes all pages, and returns where they are.
func (e *ended) write(out *indexfile.Writer) ([]indexfile.Ref, error) {
	if err := e.flush(out); err != nil {
		return nil, err
	}
	refs := make([]indexfile.Ref, 0, len(e.pages))
	buf := make([]byte, indexfile.PageBytes)
	for _, p := range e.pages {
		b := buf
		switch {
		case p.positions != nil:
			b = p.positions.Append(buf[:0])
		case p.at != 0:
			if _, err := e.spill.file.ReadAt(b, p.at); err != nil {
				return nil, err
			}
		default:
			clear(b)
		}
		r, err := out.Block(b)
		if err != nil {
			return nil, err
		}
		refs = append(refs, r)
	}
	return refs, nil
}
