package indexfile

import (
	"encoding/binary"
	"math/bits"

	"github.com/whet-go/whet/trace/model"
)

// Classes is the number of classes of records. Records of a stream share blocks with records of
// similar duration: otherwise every block would have a long one that extends far back, and a window
// would need them all.
const Classes = 12

// ClassOf returns the class of records of this duration: the first is below a millisecond, each
// next one has four times the duration of the one before.
func ClassOf(took int64) int {
	return min((bits.Len64(uint64(max(took, 0))>>20)+1)/2, Classes-1)
}

// maxSums bounds the names that a block has sums of.
const maxSums = 64

// A RecordsRef is a block of records of one stream and class.
type RecordsRef struct {
	Ref
	Stream   model.Stream
	Class    int
	From, To int64 // first begin, last end
	Records  int
	Tasks    [2]uint64 // if Tasks: the smallest and largest
	Sums     []NameSum // of Metrics, Ranges and Regions: the records of each name, summed
	Many     bool      // there are too many names for sums
}

// A NameSum sums the records of a block that have one name.
type NameSum struct {
	Name     uint32
	Count    int64
	From, To int64 // first begin, last end
	Time     int64 // total
	// Of values, in the order of To.
	Least, Most, Last uint64
}

// Summed reports whether blocks of a stream have sums.
func Summed(s model.Stream) bool {
	return s == model.Metrics || s == model.Ranges || s == model.Regions
}

// Overlaps reports whether a block has records from a window.
func (s *RecordsRef) Overlaps(from, to int64) bool { return s.To >= from && s.From <= to }

// Note adds a record to the summary of its block.
func (s *RecordsRef) Note(r *model.Record) {
	if s.Records == 0 {
		s.From, s.To, s.Tasks = r.From, r.To, [2]uint64{r.Task, r.Task}
	}
	s.Records++
	s.From, s.To = min(s.From, r.From), max(s.To, r.To)
	s.Tasks = [2]uint64{min(s.Tasks[0], r.Task), max(s.Tasks[1], r.Task)}
	if !Summed(s.Stream) || s.Many {
		return
	}
	at := 0
	for at < len(s.Sums) && s.Sums[at].Name != r.Name {
		at++
	}
	if at == len(s.Sums) {
		if at == maxSums {
			s.Many, s.Sums = true, nil
			return
		}
		s.Sums = append(s.Sums, NewNameSum(r))
	}
	s.Sums[at].Note(r)
}

// NewNameSum returns a sum of no records yet, of which r is to be the first.
func NewNameSum(r *model.Record) NameSum {
	return NameSum{Name: r.Name, From: r.From, To: r.To, Least: r.Value, Most: r.Value}
}

// Note adds a record.
func (n *NameSum) Note(r *model.Record) {
	n.Count++
	n.From, n.To, n.Time = min(n.From, r.From), max(n.To, r.To), n.Time+r.To-r.From
	n.Least, n.Most, n.Last = min(n.Least, r.Value), max(n.Most, r.Value), r.Value
}

// AppendRecord appends a record to a block whose previous record ended at last, 0 for the first.
//
//	record = To - To before (of 0 in a block), To - From, the other fields
func AppendRecord(b []byte, stream model.Stream, r *model.Record, last int64) []byte {
	b = binary.AppendVarint(b, r.To-last)
	put := func(values ...uint64) {
		for _, v := range values {
			b = binary.AppendUvarint(b, v)
		}
	}
	took := uint64(r.To - r.From)
	switch stream {
	case model.Metrics:
		put(uint64(r.Name), r.Value)
	case model.Ranges:
		put(took, uint64(r.Name), uint64(r.Goroutine), uint64(r.Proc), uint64(r.Stack))
	case model.Procs:
		put(took, uint64(r.Proc), r.Thread)
	case model.Tasks:
		put(took, uint64(r.Name), r.Task, r.Parent, uint64(r.Goroutine), uint64(r.Stack), r.Value)
	case model.Regions:
		put(took, uint64(r.Name), r.Task, uint64(r.Goroutine), uint64(r.Stack), r.Value)
	case model.Logs:
		put(uint64(r.Name))
		b = appendString(b, r.Text)
		put(r.Task, uint64(r.Goroutine), uint64(r.Stack))
	case model.Samples:
		put(uint64(r.Goroutine), uint64(r.Proc), uint64(r.Stack))
	}
	return b
}

// Records reads a block of records.
type Records struct {
	stream model.Stream
	left   int
	at     int64
	d      decoder
}

// ReadRecords begins to read a block.
func ReadRecords(block []byte, at *RecordsRef) Records {
	return Records{stream: at.Stream, left: at.Records, d: decoder{b: block}}
}

// More reports whether there is another record.
func (c *Records) More() bool { return c.left > 0 }

// Next reads the next record, and reports whether it is intact.
func (c *Records) Next(r *model.Record) bool {
	c.left--
	c.at += c.d.int()
	*r = model.Record{To: c.at}
	c.d.record(r, c.stream)
	return !c.d.bad
}

// record reads the fields of a record other than To.
func (d *decoder) record(r *model.Record, stream model.Stream) {
	u32 := func() uint32 { return uint32(d.uint()) }
	took := int64(0)
	switch stream {
	case model.Metrics:
		r.Name, r.Value = u32(), d.uint()
	case model.Ranges:
		took, r.Name, r.Goroutine, r.Proc, r.Stack = int64(d.uint()), u32(), u32(), u32(), u32()
	case model.Procs:
		took, r.Proc, r.Thread = int64(d.uint()), u32(), d.uint()
	case model.Tasks:
		took, r.Name, r.Task, r.Parent = int64(d.uint()), u32(), d.uint(), d.uint()
		r.Goroutine, r.Stack, r.Value = u32(), u32(), d.uint()
	case model.Regions:
		took, r.Name, r.Task, r.Goroutine, r.Stack, r.Value = int64(d.uint()), u32(), d.uint(), u32(), u32(), d.uint()
	case model.Logs:
		r.Name, r.Text, r.Task, r.Goroutine, r.Stack = u32(), d.string(), d.uint(), u32(), u32()
	case model.Samples:
		r.Goroutine, r.Proc, r.Stack = u32(), u32(), u32()
	}
	r.From = r.To - took
}

// append encodes the position and summary of a block.
func (s *RecordsRef) append(b []byte) []byte {
	b = append(appendRef(append(b, byte(s.Stream)), s.Ref), byte(s.Class))
	for _, v := range []uint64{uint64(s.From), uint64(s.To - s.From), uint64(s.Records)} {
		b = binary.AppendUvarint(b, v)
	}
	if s.Stream == model.Tasks {
		b = binary.AppendUvarint(binary.AppendUvarint(b, s.Tasks[0]), s.Tasks[1]-s.Tasks[0])
	}
	if !Summed(s.Stream) {
		return b
	}
	head := uint64(len(s.Sums)) << 1
	if s.Many {
		head |= 1
	}
	b = binary.AppendUvarint(b, head)
	for _, n := range s.Sums {
		b = binary.AppendUvarint(b, uint64(n.Name))
		b = binary.AppendUvarint(b, uint64(n.Count))
		b = binary.AppendUvarint(b, uint64(n.From))
		b = binary.AppendUvarint(b, uint64(n.To-n.From))
		if s.Stream == model.Metrics {
			b = binary.AppendUvarint(b, n.Least)
			b = binary.AppendUvarint(b, n.Most)
			b = binary.AppendUvarint(b, n.Last)
		} else {
			b = binary.AppendUvarint(b, uint64(n.Time))
		}
	}
	return b
}

// recordsRef reads the position and summary of a block.
func (d *decoder) recordsRef() RecordsRef {
	s := RecordsRef{Stream: model.Stream(d.byte()), Ref: d.ref(), Class: int(d.byte()), From: int64(d.uint())}
	s.To = s.From + int64(d.uint())
	s.Records = int(d.uint())
	if s.Stream >= model.Streams || s.Class >= Classes {
		d.fail()
		return s
	}
	if s.Stream == model.Tasks {
		s.Tasks[0] = d.uint()
		s.Tasks[1] = s.Tasks[0] + d.uint()
	}
	if !Summed(s.Stream) {
		return s
	}
	head := d.uint()
	s.Many = head&1 == 1
	for range min(head>>1, maxSums) {
		n := NameSum{Name: uint32(d.uint()), Count: int64(d.uint()), From: int64(d.uint())}
		n.To = n.From + int64(d.uint())
		if s.Stream == model.Metrics {
			n.Least, n.Most, n.Last = d.uint(), d.uint(), d.uint()
		} else {
			n.Time = int64(d.uint())
		}
		s.Sums = append(s.Sums, n)
	}
	return s
}
