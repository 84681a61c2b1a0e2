package index

import "time"

// A building is the row of a goroutine while it is read: spans in their order, and sums of them. It has
// spans until they are too many to be told apart, or some come as sums; from then on it has parts.
type building struct {
	g    *Goroutine
	w    Window
	step int64 // of the window

	spans []Span
	dense bool
	parts []Part

	// The part that is open: from its first span on, until no more fit in its step.
	open            bool
	from, to, until int64
	sums            []sum
	arena           []Sum // for parts
}

// add adds a span.
func (b *building) add(s Span) {
	if !b.dense {
		if len(b.spans) < spansEach*b.w.Width {
			b.spans = append(b.spans, s)
			return
		}
		b.crowd()
	}
	b.count(&s)
}

// crowd has the row be one of parts, and ends the open one.
func (b *building) crowd() {
	if !b.dense {
		b.dense = true
		for i := range b.spans {
			b.count(&b.spans[i])
		}
		b.spans = nil
	}
	b.close()
}

// count adds a span to the open part. Parts are a step of the window, and a span at least; spans are
// not cut.
func (b *building) count(s *Span) {
	if b.open && s.To > b.until {
		b.close()
	}
	if !b.open {
		b.open, b.from, b.until = true, s.From, max(s.From, b.w.From)+b.step
	}
	b.to = s.To
	b.sum(s.Code, s.To-s.From)
}

func (b *building) sum(code Code, time int64) { b.sums = addSum(b.sums, code, time) }

func (b *building) close() {
	if b.open {
		b.open = false
		b.part(b.from, b.to)
	}
}

// part adds a part with what was summed up.
func (b *building) part(from, to int64) {
	if cap(b.arena)-len(b.arena) < len(b.sums) {
		b.arena = make([]Sum, 0, 256+len(b.sums))
	}
	begin := len(b.arena)
	for _, s := range b.sums {
		b.arena = append(b.arena, Sum{s.code, time.Duration(s.time)})
	}
	b.parts = append(b.parts, Part{from, to, b.arena[begin:len(b.arena):len(b.arena)]})
	b.sums = b.sums[:0]
}

// row is the row of what was read.
func (b *building) row() Row {
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
