package index

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// A Goroutine is a goroutine of the trace.
type Goroutine struct {
	model.Goroutine

	slices []uint32 // that have its spans
}

// own returns a copy that shares no memory with g.
func (g *Goroutine) own() *Goroutine {
	own := *g
	own.Times = slices.Clone(g.Times)
	return &own
}

// Goroutine reads the goroutine with the given index. It returns an error if there is none.
func (x *Index) Goroutine(index uint32) (*Goroutine, error) {
	all, err := x.GoroutinesAt([]uint32{index})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// GoroutinesAt reads the goroutines with the given indexes, in that order. Goroutines in one block
// of records are read together, so this costs less than reading them one by one.
func (x *Index) GoroutinesAt(indexes []uint32) ([]*Goroutine, error) {
	all := make([]*Goroutine, len(indexes))
	err := x.eachRecord(indexes, func(n int, g *Goroutine, posting indexfile.Posting) error {
		all[n] = g.own()
		var ok bool
		if all[n].slices, ok = posting.All(); !ok {
			return ErrDamaged
		}
		return nil
	})
	return all, err
}

// eachRecord reads the records of goroutines, each block of records once, and calls yield with the
// position in indexes, the goroutine, and the encoded numbers of its slices. The last two are valid
// until yield returns.
func (x *Index) eachRecord(indexes []uint32, yield func(n int, g *Goroutine, posting indexfile.Posting) error) error {
	type at struct {
		n   int // in indexes
		pos indexfile.Pos
	}
	positions := make([]at, len(indexes))
	for n, index := range indexes {
		if index >= x.Info.Goroutines {
			return fmt.Errorf("goroutine %d: there are %d", index, x.Info.Goroutines)
		}
		pos, err := x.tables.ReadPos(x.file, index)
		if err != nil {
			return err
		}
		positions[n] = at{n, pos}
	}
	slices.SortFunc(positions, func(a, b at) int { return cmp.Compare(a.pos, b.pos) })
	var g Goroutine
	var buf []byte
	var block indexfile.Goroutines
	read := -1
	for _, p := range positions {
		number, ok := p.pos.Block(len(x.tables.Goroutines))
		if !ok {
			return ErrDamaged
		}
		if number != read {
			var err error
			if buf, err = x.read(x.tables.Goroutines[number].Ref, buf); err != nil {
				return err
			}
			read, block = number, indexfile.ReadGoroutines(buf, x.Info.Duration)
		}
		posting, ok := block.At(p.pos.At(), &g.Goroutine)
		if !ok || g.Index != indexes[p.n] || int(g.Kind) >= len(x.kinds) {
			return ErrDamaged
		}
		if err := yield(p.n, &g, posting); err != nil {
			return err
		}
	}
	return nil
}

// Goroutines calls yield with all goroutines, in the order in which they end, until it returns
// false.
func (x *Index) Goroutines(yield func(*Goroutine) bool) error {
	return x.Lives(0, x.Info.Duration, func(g *Goroutine) bool {
		return yield(g.own())
	})
}

// Lives calls yield with the goroutines that exist in a window, in nanoseconds since the start of
// the trace, in the order in which they end, until it returns false. There may be millions; each is
// valid only until yield returns.
func (x *Index) Lives(from, to int64, yield func(*Goroutine) bool) error {
	var buf []byte
	var g Goroutine
	for _, r := range x.tables.Goroutines {
		if r.To < from || r.From > to {
			continue
		}
		var err error
		if buf, err = x.read(r.Ref, buf); err != nil {
			return err
		}
		block := indexfile.ReadGoroutines(buf, x.Info.Duration)
		for block.More() {
			if !block.Next(&g.Goroutine) || int(g.Kind) >= len(x.kinds) {
				return ErrDamaged
			}
			if g.From <= to && g.To >= from && !yield(&g) {
				return nil
			}
		}
	}
	return nil
}
