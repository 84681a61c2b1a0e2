package indexfile

import (
	"encoding/binary"
	"time"

	"github.com/whet-go/whet/trace/model"
)

// A slice has the spans that ended one after the other, by goroutine:
//
//	slice = { goroutine } 0 runs
//	goroutine = index - index before (from -1 on), 1 + 2*spans + (1 if there are sums), length of its run
//	run = [ codes, { code, time } ] slice's begin - begin of the first span (signed), { span }
//	span = code, time, { stack, with } as the code has them

// AppendEntry appends a goroutine's entry of a slice's directory: the difference of its index to
// the one before (of the first to -1), the number of spans and the length of its run, and whether
// that begins with sums. [EndEntries] ends the directory.
func AppendEntry(b []byte, delta int64, spans int, sums bool, length int) []byte {
	head := uint64(spans) << 1
	if sums {
		head++
	}
	b = binary.AppendUvarint(b, uint64(delta))
	b = binary.AppendUvarint(b, head)
	return binary.AppendUvarint(b, uint64(length))
}

// EndEntries ends a slice's directory. The runs follow.
func EndEntries(b []byte) []byte { return append(b, 0) }

// AppendBegin appends how long before the slice's begin the first span of a run begins.
func AppendBegin(b []byte, before int64) []byte { return binary.AppendVarint(b, before) }

// AppendSpan appends a span of a run.
func AppendSpan(b []byte, code model.Code, took int64, stack, with uint32) []byte {
	head, whole := packed(code, with)
	b = append(b, head)
	b = binary.AppendUvarint(b, uint64(took))
	if code != model.Running {
		b = binary.AppendUvarint(b, uint64(stack))
	}
	if !whole && hasWith(code) {
		b = binary.AppendUvarint(b, uint64(with))
	}
	return b
}

// hasWith reports whether spans in a state have With.
func hasWith(c model.Code) bool {
	return c == model.Running || c == model.Runnable || c == model.Assist || c == model.Syscall
}

// packProcs is how many processors have separate bytes, above those of codes, for running and for
// system calls: most spans are one of these.
const packProcs = (256 - model.MaxCodes) / 2

// packed returns the byte of a code, and whether it includes With.
func packed(c model.Code, with uint32) (b byte, whole bool) {
	switch {
	case with == 0 || with > packProcs:
	case c == model.Running:
		return byte(model.MaxCodes + with - 1), true
	case c == model.Syscall:
		return byte(model.MaxCodes + packProcs + with - 1), true
	}
	return byte(c), false
}

// unpacked returns what packed encoded; with is 0 if the byte does not include it.
func unpacked(b byte) (c model.Code, with uint32, whole bool) {
	switch n := uint32(b); {
	case n < model.MaxCodes:
		return model.Code(b), 0, false
	case n < model.MaxCodes+packProcs:
		return model.Running, n - model.MaxCodes + 1, true
	default:
		return model.Syscall, n - model.MaxCodes - packProcs + 1, true
	}
}

// AppendSums appends a list of sums.
func AppendSums(b []byte, sums []model.Sum) []byte {
	b = binary.AppendUvarint(b, uint64(len(sums)))
	for _, s := range sums {
		b = append(b, byte(s.Code))
		b = binary.AppendUvarint(b, uint64(s.Time))
	}
	return b
}

func (d *decoder) code() model.Code { return min(model.Code(d.byte()), model.MaxCodes-1) }

func (d *decoder) sums(to []model.Sum) []model.Sum {
	for range d.count() {
		to = append(to, model.Sum{Code: d.code(), Time: time.Duration(d.uint())})
	}
	return to
}

// A Run is where the spans of a goroutine are in an encoded slice.
type Run struct {
	Goroutine uint32 // index
	HasSums   bool   // Sums can be called
	spans     int
	bytes     []byte
}

// Directory finds the wanted runs of a slice, in ascending order; all if want is nil. It reports
// whether the slice is intact.
func Directory(b []byte, want []uint32, to []Run) ([]Run, bool) {
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
			to = append(to, Run{Goroutine: uint32(last), spans: int(head >> 1), HasSums: head&1 == 1})
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

// Sums calls yield with the sums of a run that has them. It returns when the run's spans begin and
// end, and reports whether the run is intact. from is when the slice begins.
func (r Run) Sums(from int64, yield func(model.Code, time.Duration)) (begin, end int64, ok bool) {
	d := decoder{b: r.bytes}
	took := int64(0)
	for range d.count() {
		code, time := d.code(), time.Duration(d.uint())
		yield(code, time)
		took += int64(time)
	}
	begin = from - d.int()
	return begin, begin + took, !d.bad
}

// Each calls yield with the spans of a run, until it returns false, and reports whether the run is
// intact. from is when the slice begins.
func (r Run) Each(from int64, yield func(model.Span) bool) bool {
	d := decoder{b: r.bytes}
	if r.HasSums {
		for range d.count() {
			d.byte()
			d.uint()
		}
	}
	at := from - d.int()
	s := model.Span{Goroutine: r.Goroutine}
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
		if s.Code != model.Running {
			v, i = uvarint(b, i)
			s.Stack = uint32(v)
		}
		if !whole && hasWith(s.Code) {
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
