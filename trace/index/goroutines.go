package index

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// Goroutine reads the goroutine with an index.
func (x *Index) Goroutine(index uint32) (*Goroutine, error) {
	all, err := x.Some([]uint32{index})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Some reads the goroutines with the given indexes, in that order. Goroutines in one block of
// records are read together, so this costs less than reading them one by one.
func (x *Index) Some(indexes []uint32) ([]*Goroutine, error) {
	all := make([]*Goroutine, len(indexes))
	err := x.eachRecord(indexes, func(n int, g *Goroutine, posting decoder) error {
		own := *g
		own.Times = slices.Clone(g.Times)
		last := int64(-1)
		for len(posting.b) > 0 {
			last += int64(posting.uint())
			own.slices = append(own.slices, uint32(last))
		}
		if posting.bad {
			return ErrDamaged
		}
		all[n] = &own
		return nil
	})
	return all, err
}

// eachRecord reads the records of goroutines, each block of records once, and calls yield with the
// position in indexes, the goroutine, and the numbers of its slices, still encoded. Both are valid
// until yield returns.
func (x *Index) eachRecord(indexes []uint32, yield func(n int, g *Goroutine, posting decoder) error) error {
	type at struct {
		n   int // in indexes
		pos recordPos
	}
	positions := make([]at, len(indexes))
	for n, index := range indexes {
		if index >= x.Info.Goroutines {
			return fmt.Errorf("goroutine %d: there are %d", index, x.Info.Goroutines)
		}
		if int(index/pageSize) >= len(x.pages) {
			return ErrDamaged
		}
		var b [8]byte
		if _, err := x.file.ReadAt(b[:], x.pages[index/pageSize].off+int64(index%pageSize)*8); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		positions[n] = at{n, recordPos(binary.LittleEndian.Uint64(b[:]))}
	}
	slices.SortFunc(positions, func(a, b at) int { return int(a.pos>>32) - int(b.pos>>32) })
	var g Goroutine
	var block []byte
	var base recordBase
	read := uint64(0) // number of the block + 1
	for _, p := range positions {
		number, pos := uint64(p.pos>>32), uint64(p.pos&(1<<32-1))
		if number == 0 || number > uint64(len(x.records)) {
			return ErrDamaged
		}
		if number != read {
			var err error
			if block, err = x.read(x.records[number-1].ref, block); err != nil {
				return err
			}
			read = number
			head := decoder{b: block}
			base = head.recordBase()
		}
		if pos >= uint64(len(block)) {
			return ErrDamaged
		}
		d := decoder{b: block[pos:]}
		posting := d.goroutine(&g, base, x.Info.Duration)
		if d.bad || g.Index != indexes[p.n] || int(g.Kind) >= len(x.kinds) {
			return ErrDamaged
		}
		if err := yield(p.n, &g, posting); err != nil {
			return err
		}
	}
	return nil
}

// goroutine reads a record, and returns the numbers of its slices, still encoded.
func (d *decoder) goroutine(g *Goroutine, base recordBase, duration int64) (posting decoder) {
	times := g.Times[:0]
	*g = Goroutine{Index: uint32(base.index + d.int()), ID: base.id + d.int()}
	kind := d.uint()
	g.Kind, g.Old = uint32(kind>>1), kind&1 == 1
	g.Parent, g.Created = uint32(d.uint()), uint32(d.uint())
	g.From, g.To = base.begin+d.int(), duration
	if lived := d.uint(); lived > 0 {
		g.Ended, g.To = true, g.From+int64(lived)-1
	}
	for range d.count() {
		code := Code(d.byte())
		times = append(times, Sum{min(code, maxCodes-1), time.Duration(d.uint())})
	}
	g.Times = times
	return decoder{b: d.bytes(d.count())}
}

// within returns the numbers in an encoded list of slices that are at least first and less than
// last.
func (d decoder) within(first, last int) (list []uint32, ok bool) {
	n, i := int64(-1), 0
	for i < len(d.b) && n < int64(last) {
		var delta uint64
		if delta, i = uvarint(d.b, i); i < 0 {
			return nil, false
		}
		if n += int64(delta); n >= int64(first) {
			list = append(list, uint32(n))
		}
	}
	return list, true
}

// from returns the first number in an encoded list of slices that is at least n, if any.
func (d decoder) from(n uint32) (first uint32, ok bool) {
	last := int64(-1)
	for len(d.b) > 0 {
		if last += int64(d.uint()); last >= int64(n) {
			return uint32(last), !d.bad
		}
	}
	return 0, false
}

// Goroutines calls yield with all goroutines, in the order of their ends, until it returns false.
func (x *Index) Goroutines(yield func(*Goroutine) bool) error {
	return x.Lives(0, x.Info.Duration, func(g *Goroutine) bool {
		own := *g
		own.Times = slices.Clone(g.Times)
		return yield(&own)
	})
}

// Lives calls yield with the goroutines that live in a window, in the order of their ends, until it
// returns false. There may be millions; each is valid only until yield returns.
func (x *Index) Lives(from, to int64, yield func(*Goroutine) bool) error {
	var buf []byte
	var g Goroutine
	for _, r := range x.records {
		if r.to < from || r.from > to {
			continue
		}
		var err error
		if buf, err = x.read(r.ref, buf); err != nil {
			return err
		}
		d := decoder{b: buf}
		for base := d.recordBase(); len(d.b) > 0; {
			d.goroutine(&g, base, x.Info.Duration)
			if d.bad || int(g.Kind) >= len(x.kinds) {
				return ErrDamaged
			}
			if g.From <= to && g.To >= from && !yield(&g) {
				return nil
			}
		}
	}
	return nil
}
