package index

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"

	"github.com/whet-go/whet/internal/trace/indexfile"
)

// A piece is a tile of a level, or a slice (level 0).
type piece struct {
	level, n int
	tile     *indexfile.Tile
	width    int64 // of the part inside the window
}

// first returns the first slice of a piece, end the slice after its last.
func (p piece) first() int { return p.n << (2 * p.level) }
func (p piece) end() int   { return (p.n + 1) << (2 * p.level) }

// level returns the tiles of a level; for 0, the slices.
func (x *Index) level(n int) []indexfile.Tile {
	if n == 0 {
		return x.tables.Slices
	}
	return x.tables.Above[n-1]
}

// overlapping returns the range of tiles that overlap a window: from first to before last.
func overlapping(tiles []indexfile.Tile, from, to int64) (first, last int) {
	first = sort.Search(len(tiles), func(i int) bool { return tiles[i].To >= from })
	last = sort.Search(len(tiles), func(i int) bool { return tiles[i].From > to })
	return first, last
}

// cover returns tiles that cover a window, in order. It starts with the largest, and repeatedly
// replaces the widest by its parts, until all are narrower than a step of the window, or are
// slices, or the budget is spent: one per tile, more per slice.
func (x *Index) cover(w Window, budget, sliceCost int) []piece {
	var open pieces
	cost := 0
	costOf := func(level int) int {
		if level == 0 {
			return sliceCost
		}
		return 1
	}
	push := func(level, first, last int) {
		tiles := x.level(level)
		for n := first; n < min(last, len(tiles)); n++ {
			if t := &tiles[n]; t.To >= w.From && t.From <= w.To {
				cost += costOf(level)
				heap.Push(&open, piece{level, n, t, min(t.To, w.To) - max(t.From, w.From)})
			}
		}
	}
	first, last := overlapping(x.level(len(x.tables.Above)), w.From, w.To)
	push(len(x.tables.Above), first, last)
	step := w.step()
	var done []piece
	for len(open) > 0 && open[0].width > step {
		p := heap.Pop(&open).(piece)
		if p.level == 0 || cost+indexfile.Fan*costOf(p.level-1) > budget {
			done = append(done, p)
			continue
		}
		cost -= costOf(p.level)
		push(p.level-1, p.n*indexfile.Fan, (p.n+1)*indexfile.Fan)
	}
	done = append(done, open...)
	slices.SortFunc(done, func(a, b piece) int { return cmp.Compare(a.first(), b.first()) })
	return done
}

// pieces is a heap, widest first.
type pieces []piece

func (p pieces) Len() int           { return len(p) }
func (p pieces) Less(i, j int) bool { return p[i].width > p[j].width }
func (p pieces) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pieces) Push(one any)      { *p = append(*p, one.(piece)) }
func (p *pieces) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
