package index

import (
	"sort"

	"github.com/whet-go/whet/internal/trace/indexfile"
)

// SpansOf calls yield with the unmodified spans of one goroutine that overlap a window, in order,
// until it returns false. Spans that extend beyond the window are included. It reads only the
// slices in which the goroutine has spans. g comes from [Index.Goroutine] of the same index.
func (x *Index) SpansOf(g *Goroutine, begin, end int64, yield func(Span) bool) error {
	first := sort.Search(len(x.tables.Slices), func(i int) bool { return x.tables.Slices[i].To >= begin })
	var buf []byte
	var runs []indexfile.Run
	for _, n := range from(g.slices, uint32(first)) {
		if int(n) >= len(x.tables.Slices) {
			return ErrDamaged
		}
		t := x.tables.Slices[n]
		var err error
		if buf, err = x.read(t.Ref, buf); err != nil {
			return err
		}
		var ok bool
		if runs, ok = indexfile.Directory(buf, []uint32{g.Index}, runs); !ok || len(runs) != 1 {
			return ErrDamaged
		}
		more := true
		if !runs[0].Each(t.From, func(s Span) bool {
			if s.To >= begin && s.From <= end {
				more = yield(s)
			} else {
				more = s.From <= end
			}
			return more
		}) {
			return ErrDamaged
		}
		if !more {
			return nil
		}
	}
	return nil
}
