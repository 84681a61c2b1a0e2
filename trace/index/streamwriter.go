package index

import (
	"encoding/binary"
	"math/bits"

	"golang.org/x/exp/trace"
)

// A Stream holds the records of one kind, which are stored separately from the states of
// goroutines.
type Stream uint8

// Streams. [Record] documents the fields of each.
const (
	Metrics Stream = iota // of the runtime
	Ranges                // of the garbage collector, and stop-the-world phases
	Procs                 // stays of processors on threads
	Tasks                 // of package runtime/trace
	Regions               // of package runtime/trace
	Logs                  // of package runtime/trace
	Samples               // of the CPU profile
	streams
)

// A Record is one entry of a stream. Which fields have a meaning depends on the stream:
//
//	Metrics  To, Name, Value
//	Ranges   From, To, Name, Goroutine or Proc or neither: what it belongs to; both: a processor's, by one goroutine;
//	         Stack where it began
//	Procs    From, To, Proc, Thread: its id + 1
//	Tasks    From, To, Name, Task, Parent, Goroutine that began it, Stack where it began;
//	         Value bits: 1 it began, 2 it ended within the trace
//	Regions  From, To, Name, Task, Goroutine, Stack and Value as for Tasks
//	Logs     To, Name: the category, Text: the message, Task, Goroutine, Stack
//	Samples  To, Goroutine, Proc, Stack
//
// Stack is 0 if the trace does not have it, as for what began before the trace.
type Record struct {
	From, To     int64  // nanoseconds since the start of the trace
	Name         uint32 // number of a name
	Text         string
	Goroutine    uint32 // index + 1; 0 means none
	Proc         uint32 // number + 1; 0 means none
	Thread       uint64 // id + 1; 0 means none
	Stack        uint32
	Task, Parent uint64
	Value        uint64
}

// streamBlock is the size of a full block of records: some thousand records.
const streamBlock = 16 << 10

// Records of a stream share blocks with records of similar duration: otherwise every block would
// have a long one that extends far back, and a window would need them all.
const classes = 12

// classOf returns the class of records of this duration: the first is below a millisecond, each
// next one has four times the duration of the one before.
func classOf(took int64) int {
	return min((bits.Len64(uint64(max(took, 0))>>20)+1)/2, classes-1)
}

// maxSums bounds the names that a block has sums of.
const maxSums = 64

// A streamRef is a block of records of one stream and class.
type streamRef struct {
	ref
	stream   Stream
	class    int
	from, to int64 // first begin, last end
	records  int
	tasks    [2]uint64 // if Tasks: the smallest and largest
	sums     []nameSum // of Metrics, Ranges and Regions: the records of each name, summed
	many     bool      // there are too many names for sums
}

// A nameSum sums the records of a block that have one name.
type nameSum struct {
	name     uint32
	count    int64
	from, to int64 // first begin, last end
	time     int64 // total
	// Of values, in the order of To.
	least, most, last uint64
}

// summed reports whether blocks of a stream have sums.
func summed(s Stream) bool { return s == Metrics || s == Ranges || s == Regions }

// note adds a record to the summary of its block.
func (s *streamRef) note(r *Record) {
	if s.records == 0 {
		s.from, s.to, s.tasks = r.From, r.To, [2]uint64{r.Task, r.Task}
	}
	s.records++
	s.from, s.to = min(s.from, r.From), max(s.to, r.To)
	s.tasks = [2]uint64{min(s.tasks[0], r.Task), max(s.tasks[1], r.Task)}
	if !summed(s.stream) || s.many {
		return
	}
	at := 0
	for at < len(s.sums) && s.sums[at].name != r.Name {
		at++
	}
	if at == len(s.sums) {
		if at == maxSums {
			s.many, s.sums = true, nil
			return
		}
		s.sums = append(s.sums, nameSum{name: r.Name, from: r.From, to: r.To, least: r.Value, most: r.Value})
	}
	s.sums[at].note(r)
}

func (n *nameSum) note(r *Record) {
	n.count++
	n.from, n.to, n.time = min(n.from, r.From), max(n.to, r.To), n.time+r.To-r.From
	n.least, n.most, n.last = min(n.least, r.Value), max(n.most, r.Value), r.Value
}

// streamWriter writes the streams.
type streamWriter struct {
	out    *file
	open   [streams][classes]openBlock
	blocks []streamRef
	totals [streams]totals
}

// totals sum the records of each name of a stream.
type totals struct {
	all    []nameSum
	byName map[uint32]int
}

// maxTotals bounds the names of a stream that have totals. Programs have a few, or one for each
// user.
const maxTotals = 10_000

func (t *totals) note(r *Record) {
	n, ok := t.byName[r.Name]
	if !ok {
		if len(t.all) == maxTotals {
			return
		}
		if t.byName == nil {
			t.byName = map[uint32]int{}
		}
		n = len(t.all)
		t.byName[r.Name] = n
		t.all = append(t.all, nameSum{name: r.Name, from: r.From, to: r.To})
	}
	t.all[n].note(r)
}

// An openBlock is a block that is not written yet.
type openBlock struct {
	buf  []byte
	last int64 // end of the previous record
	ref  streamRef
}

// add writes a record; records of a stream come in the order of To.
//
//	record = To - To before (of 0 in a block), To - From, the other fields
func (s *streamWriter) add(stream Stream, r *Record) error {
	class := classOf(r.To - r.From)
	o := &s.open[stream][class]
	if o.ref.records == 0 {
		o.ref, o.last = streamRef{stream: stream, class: class}, 0
	}
	o.ref.note(r)
	if summed(stream) {
		s.totals[stream].note(r)
	}
	o.buf = binary.AppendVarint(o.buf, r.To-o.last)
	o.last = r.To
	o.buf = r.encode(o.buf, stream)
	if len(o.buf) < streamBlock {
		return nil
	}
	return s.write(o)
}

// flush writes the incomplete blocks.
func (s *streamWriter) flush() error {
	for stream := range s.open {
		for class := range s.open[stream] {
			if err := s.write(&s.open[stream][class]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *streamWriter) write(o *openBlock) error {
	if o.ref.records == 0 {
		return nil
	}
	at, err := s.out.block(o.buf)
	o.ref.ref = at
	s.blocks = append(s.blocks, o.ref)
	o.ref, o.buf = streamRef{}, o.buf[:0]
	return err
}

// encode writes the fields of a stream's records other than To.
func (r *Record) encode(b []byte, stream Stream) []byte {
	put := func(values ...uint64) {
		for _, v := range values {
			b = binary.AppendUvarint(b, v)
		}
	}
	took := uint64(r.To - r.From)
	switch stream {
	case Metrics:
		put(uint64(r.Name), r.Value)
	case Ranges:
		put(took, uint64(r.Name), uint64(r.Goroutine), uint64(r.Proc), uint64(r.Stack))
	case Procs:
		put(took, uint64(r.Proc), r.Thread)
	case Tasks:
		put(took, uint64(r.Name), r.Task, r.Parent, uint64(r.Goroutine), uint64(r.Stack), r.Value)
	case Regions:
		put(took, uint64(r.Name), r.Task, uint64(r.Goroutine), uint64(r.Stack), r.Value)
	case Logs:
		put(uint64(r.Name))
		b = appendString(b, r.Text)
		put(r.Task, uint64(r.Goroutine), uint64(r.Stack))
	case Samples:
		put(uint64(r.Goroutine), uint64(r.Proc), uint64(r.Stack))
	case streams:
	}
	return b
}

// decode reads what encode has written.
func (r *Record) decode(d *decoder, stream Stream) {
	u32 := func() uint32 { return uint32(d.uint()) }
	took := int64(0)
	switch stream {
	case Metrics:
		r.Name, r.Value = u32(), d.uint()
	case Ranges:
		took, r.Name, r.Goroutine, r.Proc, r.Stack = int64(d.uint()), u32(), u32(), u32(), u32()
	case Procs:
		took, r.Proc, r.Thread = int64(d.uint()), u32(), d.uint()
	case Tasks:
		took, r.Name, r.Task, r.Parent = int64(d.uint()), u32(), d.uint(), d.uint()
		r.Goroutine, r.Stack, r.Value = u32(), u32(), d.uint()
	case Regions:
		took, r.Name, r.Task, r.Goroutine, r.Stack, r.Value = int64(d.uint()), u32(), d.uint(), u32(), u32(), d.uint()
	case Logs:
		r.Name, r.Text, r.Task, r.Goroutine, r.Stack = u32(), d.string(), d.uint(), u32(), u32()
	case Samples:
		r.Goroutine, r.Proc, r.Stack = u32(), u32(), u32()
	case streams:
	}
	r.From = r.To - took
}

// encode writes the summary of a block, without its position.
func (s *streamRef) encode(b []byte) []byte {
	b = append(b, byte(s.class))
	for _, v := range []uint64{uint64(s.from), uint64(s.to - s.from), uint64(s.records)} {
		b = binary.AppendUvarint(b, v)
	}
	if s.stream == Tasks {
		b = binary.AppendUvarint(binary.AppendUvarint(b, s.tasks[0]), s.tasks[1]-s.tasks[0])
	}
	if !summed(s.stream) {
		return b
	}
	head := uint64(len(s.sums)) << 1
	if s.many {
		head |= 1
	}
	b = binary.AppendUvarint(b, head)
	for _, n := range s.sums {
		b = binary.AppendUvarint(b, uint64(n.name))
		b = binary.AppendUvarint(b, uint64(n.count))
		b = binary.AppendUvarint(b, uint64(n.from))
		b = binary.AppendUvarint(b, uint64(n.to-n.from))
		if s.stream == Metrics {
			b = binary.AppendUvarint(b, n.least)
			b = binary.AppendUvarint(b, n.most)
			b = binary.AppendUvarint(b, n.last)
		} else {
			b = binary.AppendUvarint(b, uint64(n.time))
		}
	}
	return b
}

// streamRef reads the position and summary of a block.
func (d *decoder) streamRef() streamRef {
	s := streamRef{stream: Stream(d.byte()), ref: d.ref(), class: int(d.byte()), from: int64(d.uint())}
	s.to = s.from + int64(d.uint())
	s.records = int(d.uint())
	if s.stream >= streams || s.class >= classes {
		d.fail()
		return s
	}
	if s.stream == Tasks {
		s.tasks[0] = d.uint()
		s.tasks[1] = s.tasks[0] + d.uint()
	}
	if !summed(s.stream) {
		return s
	}
	head := d.uint()
	s.many = head&1 == 1
	for range min(head>>1, maxSums) {
		n := nameSum{name: uint32(d.uint()), count: int64(d.uint()), from: int64(d.uint())}
		n.to = n.from + int64(d.uint())
		if s.stream == Metrics {
			n.least, n.most, n.last = d.uint(), d.uint(), d.uint()
		} else {
			n.time = int64(d.uint())
		}
		s.sums = append(s.sums, n)
	}
	return s
}

// rangeKey identifies a range that can be active only once at a time.
type rangeKey struct {
	name string
	kind trace.ResourceKind
	id   int64
}
