package index

import (
	"encoding/binary"
	"slices"
)

// A Span is a stay of a goroutine in one state.
type Span struct {
	Goroutine uint32 // index
	Code      Code
	From, To  int64 // nanoseconds since the start of the trace
	// Stack is that of the event that began it, 0 if that has none: where the goroutine stopped, or
	// began to assist; for [Runnable], the stack of the goroutine that made it so.
	Stack uint32
	// With is, for [Running], [Assist] and [Syscall], the processor's number + 1; for [Runnable],
	// the index + 1 of the goroutine that woke or created this one. 0 means unknown, and is used
	// for all other states.
	With uint32
}

// sliceSpans is how many spans a slice has: as many as are read for a row that needs one of them,
// and at least a quarter of a millisecond's work of a loaded server.
const sliceSpans = 8192

// sumsFrom is how many spans a goroutine must have in a slice for its sums to be written too; fewer
// are summed on demand.
const sumsFrom = 16

// A pending span is in a slice that is not written yet.
type pending struct {
	from, to int64
	next     int32 // of the same goroutine
	stack    uint32
	with     uint32
	code     Code
}

// hasWith reports whether spans in a state have With.
func (c Code) hasWith() bool { return c == Running || c == Runnable || c == Assist || c == Syscall }

// packProcs is how many processors have separate bytes, above those of codes, for running and for
// system calls: most spans are one of these.
const packProcs = (256 - maxCodes) / 2

// packed returns the byte of a code, and whether it includes With.
func packed(c Code, with uint32) (b byte, whole bool) {
	switch {
	case with == 0 || with > packProcs:
	case c == Running:
		return byte(maxCodes + with - 1), true
	case c == Syscall:
		return byte(maxCodes + packProcs + with - 1), true
	}
	return byte(c), false
}

// unpacked returns what packed encoded; with is 0 if the byte does not include it.
func unpacked(b byte) (c Code, with uint32, whole bool) {
	switch n := uint32(b); {
	case n < maxCodes:
		return Code(b), 0, false
	case n < maxCodes+packProcs:
		return Running, n - maxCodes + 1, true
	default:
		return Syscall, n - maxCodes - packProcs + 1, true
	}
}

// A sum is the time in a state.
type sum struct {
	code Code
	time int64
}

// A row is what a goroutine does in a slice or tile.
type row struct {
	g    uint32
	born bool  // it begins here
	died bool  // it ends here
	end  int64 // of its last span here: the row covers the time from its last end before until then
	sums []sum
}

// sliceWriter encodes slices.
type sliceWriter struct {
	spans []pending
	buf   []byte
	runs  []byte
	times [maxCodes]int64
	used  [maxCodes]bool
	rows  []row
	arena []sum
}

// encode writes the pending spans of goroutines, which are in the order of their indexes. from is
// when the slice begins. The result and the rows are valid until the next call.
//
//	slice = { goroutine } 0 runs
//	goroutine = index - index before (from -1 on), 1 + 2*spans + (1 if there are sums), length of its run
//	run = [ codes, { code, time } ] slice's begin - begin of the first span (signed), { span }
//	span = code, time, { stack, with } as the code has them
func (w *sliceWriter) encode(gs []*goroutine, from int64) []byte {
	w.buf, w.runs, w.rows, w.arena = w.buf[:0], w.runs[:0], w.rows[:0], w.arena[:0]
	last := int64(-1)
	for _, g := range gs {
		at := len(w.runs)
		n := w.run(g, from)
		head := uint64(n)<<1 + 1
		if n < sumsFrom {
			head--
		}
		w.buf = binary.AppendUvarint(w.buf, uint64(int64(g.index)-last))
		w.buf = binary.AppendUvarint(w.buf, head)
		w.buf = binary.AppendUvarint(w.buf, uint64(len(w.runs)-at))
		last = int64(g.index)
	}
	w.buf = append(append(w.buf, 0), w.runs...)
	return w.buf
}

// run writes the spans of a goroutine, and adds its row.
func (w *sliceWriter) run(g *goroutine, from int64) int {
	n := 0
	begin := len(w.arena)
	for i := g.head; i >= 0; i = w.spans[i].next {
		s := &w.spans[i]
		if !w.used[s.code] {
			w.used[s.code] = true
			w.arena = append(w.arena, sum{code: s.code})
		}
		w.times[s.code] += s.to - s.from
		n++
	}
	sums := w.arena[begin:len(w.arena):len(w.arena)]
	for i := range sums {
		code := sums[i].code
		sums[i].time = w.times[code]
		w.times[code], w.used[code] = 0, false
	}
	w.rows = append(w.rows, row{g: g.index, born: g.begin >= from, died: g.died, end: w.spans[g.tail].to, sums: sums})
	if n >= sumsFrom {
		w.runs = appendSums(w.runs, sums)
	}
	w.runs = binary.AppendVarint(w.runs, from-w.spans[g.head].from)
	for i := g.head; i >= 0; i = w.spans[i].next {
		s := &w.spans[i]
		code, whole := packed(s.code, s.with)
		w.runs = append(w.runs, code)
		w.runs = binary.AppendUvarint(w.runs, uint64(s.to-s.from))
		if s.code != Running {
			w.runs = binary.AppendUvarint(w.runs, uint64(s.stack))
		}
		if !whole && s.code.hasWith() {
			w.runs = binary.AppendUvarint(w.runs, uint64(s.with))
		}
	}
	return n
}

func appendSums(b []byte, sums []sum) []byte {
	b = binary.AppendUvarint(b, uint64(len(sums)))
	for _, s := range sums {
		b = append(b, byte(s.code))
		b = binary.AppendUvarint(b, uint64(s.time))
	}
	return b
}

func (d *decoder) sums(to []sum) []sum {
	for range d.count() {
		code := Code(d.byte())
		to = append(to, sum{min(code, maxCodes-1), int64(d.uint())})
	}
	return to
}

// A run is where the spans of a goroutine are in an encoded slice.
type run struct {
	g     uint32
	spans int
	sums  bool
	bytes []byte
}

// directory finds the wanted runs of a slice, in ascending order; all if want is nil.
func directory(b []byte, want []uint32, to []run) ([]run, bool) {
	d := decoder{b: b}
	to = to[:0]
	last, off := int64(-1), 0
	type entry struct{ at, off, len int }
	var found []entry
	for !d.bad {
		delta := d.uint()
		if delta == 0 {
			break
		}
		last += int64(delta)
		head, length := d.uint(), d.uint()
		if last > 1<<32-1 || length > uint64(len(b)) {
			return nil, false
		}
		for len(want) > 0 && int64(want[0]) < last {
			want = want[1:]
		}
		if want == nil || len(want) > 0 && int64(want[0]) == last {
			found = append(found, entry{len(to), off, int(length)})
			to = append(to, run{g: uint32(last), spans: int(head >> 1), sums: head&1 == 1})
		}
		off += int(length)
	}
	if d.bad || off != len(d.b) {
		return nil, false
	}
	for _, e := range found {
		to[e.at].bytes = d.b[e.off : e.off+e.len]
	}
	return to, true
}

func addSum(sums []sum, code Code, time int64) []sum {
	for i := range sums {
		if sums[i].code == code {
			sums[i].time += time
			return sums
		}
	}
	return append(sums, sum{code, time})
}

// sum calls yield with the sums of a run that has them. It returns when the run's spans begin and
// end, and reports whether the run is intact. from is when the slice begins.
func (r run) sum(from int64, yield func(Code, int64)) (begin, end int64, ok bool) {
	d := decoder{b: r.bytes}
	took := int64(0)
	for range d.count() {
		code, time := min(Code(d.byte()), maxCodes-1), int64(d.uint())
		yield(code, time)
		took += time
	}
	begin = from - d.int()
	return begin, begin + took, !d.bad
}

// each calls yield with the spans of a run, until it returns false, and reports whether the run is
// intact. from is when the slice begins.
func (r run) each(from int64, yield func(Span) bool) bool {
	d := decoder{b: r.bytes}
	if r.sums {
		for range d.count() {
			d.byte()
			d.uint()
		}
	}
	at := from - d.int()
	s := Span{Goroutine: r.g}
	b, i := d.b, 0 // the decoder's methods are too slow for millions of spans
	var v uint64
	for range r.spans {
		if i < 0 || i >= len(b) {
			return false
		}
		var whole bool
		s.Code, s.With, whole = unpacked(b[i])
		v, i = uvarint(b, i+1)
		s.From, s.To = at, at+int64(v)
		s.Stack = 0
		if s.Code != Running {
			v, i = uvarint(b, i)
			s.Stack = uint32(v)
		}
		if !whole && s.Code.hasWith() {
			v, i = uvarint(b, i)
			s.With = uint32(v)
		}
		if i < 0 || s.To < s.From {
			return false
		}
		at = s.To
		if !yield(s) {
			return true
		}
	}
	return !d.bad && i == len(b)
}

// uvarint reads a number at i, and returns where the next one is; once there is none, it returns -1
// from then on.
func uvarint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longUvarint(b, i)
}

func longUvarint(b []byte, i int) (v uint64, next int) {
	if uint(i) >= uint(len(b)) {
		return 0, -1
	}
	v, n := binary.Uvarint(b[i:])
	if n <= 0 {
		return 0, -1
	}
	return v, i + n
}

// byIndex sorts goroutines.
func byIndex(gs []*goroutine) {
	slices.SortFunc(gs, func(a, b *goroutine) int { return int(int64(a.index) - int64(b.index)) })
}
