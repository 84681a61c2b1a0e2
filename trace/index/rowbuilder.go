package index

import (
	"time"

	"github.com/whet-go/whet/trace/model"
)

// A rowBuilder is the row of a goroutine while it is read: spans and sums of spans, in order. It
// has spans until there are too many to distinguish, or until it gets sums; from then on it has
// parts.
type rowBuilder struct {
	g    *Goroutine
	w    Window
	step int64 // of the window

	spans []Span
	dense bool
	parts []Part

	// The open part: from its first span until its step is full.
	open            bool
	from, to, until int64
	sums            []Sum
	arena           []Sum // for parts
}

// add adds a span.
func (b *rowBuilder) add(s Span) {
	if !b.dense {
		if len(b.spans) < spansEach*b.w.Width {
			b.spans = append(b.spans, s)
			return
		}
		b.toParts()
	}
	b.count(&s)
}

// toParts turns spans into parts, and ends the open part.
func (b *rowBuilder) toParts() {
	if !b.dense {
		b.dense = true
		for i := range b.spans {
			b.count(&b.spans[i])
		}
		b.spans = nil
	}
	b.close()
}

// count adds a span to the open part. A part is at least a step of the window and at least one
// span; spans are not cut.
func (b *rowBuilder) count(s *Span) {
	if b.open && s.To > b.until {
		b.close()
	}
	if !b.open {
		b.open, b.from, b.until = true, s.From, max(s.From, b.w.From)+b.step
	}
	b.to = s.To
	b.sum(s.Code, time.Duration(s.To-s.From))
}

func (b *rowBuilder) sum(code Code, took time.Duration) { b.sums = model.Add(b.sums, code, took) }

func (b *rowBuilder) close() {
	if b.open {
		b.open = false
		b.part(b.from, b.to)
	}
}

// part adds a part with the sums so far.
func (b *rowBuilder) part(from, to int64) {
	if cap(b.arena)-len(b.arena) < len(b.sums) {
		b.arena = make([]Sum, 0, 256+len(b.sums))
	}
	begin := len(b.arena)
	b.arena = append(b.arena, b.sums...)
	b.parts = append(b.parts, Part{from, to, b.arena[begin:len(b.arena):len(b.arena)]})
	b.sums = b.sums[:0]
}

// row returns the finished row.
func (b *rowBuilder) row() Row {
	if b.dense {
		b.close()
		return Row{Parts: b.parts}
	}
	if g := b.g; len(b.spans) == 0 && len(g.Times) > 0 && g.From <= b.w.To && g.To >= b.w.From {
		// It began and ended within one tile.
		return Row{Parts: []Part{{g.From, g.To, g.Times}}}
	}
	return Row{Spans: b.spans}
}
