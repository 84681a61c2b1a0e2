package index

import (
	"encoding/binary"
	"math/bits"

	"golang.org/x/exp/trace"
)

// A Stream is what is kept beside the states of goroutines.
type Stream uint8

// Streams. What each record has besides its time is said at its type.
const (
	Metrics Stream = iota // of the runtime
	Ranges                // of the garbage collector, and stops of the world
	Procs                 // stays of processors on threads
	Tasks                 // of the user
	Regions               // of the user
	Logs                  // of the user
	Samples               // of the CPU profile
	streams
)

// A Record is one thing of a stream. Which fields have a meaning depends on the stream:
//
//	Metrics  To, Name, Value
//	Ranges   From, To, Name, Goroutine or Proc or neither: what it is of; both: of a processor, by one goroutine;
//	         Stack where it began
//	Procs    From, To, Proc, Thread: its id + 1
//	Tasks    From, To, Name, Task, Parent, Goroutine that began it, Stack where it began;
//	         Value bits: 1 it began, 2 it ended within the trace
//	Regions  From, To, Name, Task, Goroutine, Stack and Value as for Tasks
//	Logs     To, Name: the category, Text: the message, Task, Goroutine, Stack
//	Samples  To, Goroutine, Proc, Stack
//
// Stack is 0 when the trace does not have it, as of what began before the trace.
type Record struct {
	From, To     int64  // nanoseconds since the trace's begin
	Name         uint32 // a name's number
	Text         string
	Goroutine    uint32 // index + 1; 0 is none
	Proc         uint32 // number + 1; 0 is none
	Thread       uint64 // id + 1; 0 is none
	Stack        uint32
	Task, Parent uint64
	Value        uint64
}

// sideBlock is how large a block of records gets: some thousand records.
const sideBlock = 16 << 10

// Records of a stream are in blocks with others that took as long: those that took long would have
// each block reach far back, and a window would need them all.
const classes = 12

// classOf is the class of records that took so long: the first is under a millisecond, each next one
// has four times that of the one before.
func classOf(took int64) int {
	return min((bits.Len64(uint64(max(took, 0))>>20)+1)/2, classes-1)
}

// maxSums bounds the names that a block has sums of.
const maxSums = 64

// A sideRef is a block of records of one stream and class.
type sideRef struct {
	ref
	stream   Stream
	class    int
	from, to int64 // the first begin, the last end
	records  int
	tasks    [2]uint64 // of Tasks: the least, the greatest
	sums     []nameSum // of Metrics, Ranges and Regions: what the records of each name say together
	many     bool      // there are too many names for sums
}

// A nameSum sums up the records of a block that have one name.
type nameSum struct {
	name     uint32
	count    int64
	from, to int64 // the first begin, the last end
	time     int64 // together
	// Of values: the first ones, too, are in the order of To.
	least, most, last uint64
}

// summed reports whether blocks of a stream have sums.
func summed(s Stream) bool { return s == Metrics || s == Ranges || s == Regions }

// note takes a record into what is said of its block.
func (s *sideRef) note(r *Record) {
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

// side writes the streams.
type side struct {
	out    *file
	open   [streams][classes]openSide
	blocks []sideRef
	totals [streams]totals
}

// totals are what the records of each name of a stream say together.
type totals struct {
	all    []nameSum
	byName map[uint32]int
}

// maxTotals bounds the names of a stream that have totals. Programs have a few, or one for each user.
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

// An openSide is a block that is not written yet.
type openSide struct {
	buf  []byte
	last int64 // end of the record before
	ref  sideRef
}

// add writes a record; records of a stream come in the order of To.
//
//	record = To - To before (of 0 in a block), To - From, the other fields
func (s *side) add(stream Stream, r *Record) error {
	class := classOf(r.To - r.From)
	o := &s.open[stream][class]
	if o.ref.records == 0 {
		o.ref, o.last = sideRef{stream: stream, class: class}, 0
	}
	o.ref.note(r)
	if summed(stream) {
		s.totals[stream].note(r)
	}
	o.buf = binary.AppendVarint(o.buf, r.To-o.last)
	o.last = r.To
	o.buf = r.encode(o.buf, stream)
	if len(o.buf) < sideBlock {
		return nil
	}
	return s.write(o)
}

// flush writes the blocks that are not full.
func (s *side) flush() error {
	for stream := range s.open {
		for class := range s.open[stream] {
			if err := s.write(&s.open[stream][class]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *side) write(o *openSide) error {
	if o.ref.records == 0 {
		return nil
	}
	at, err := s.out.block(o.buf)
	o.ref.ref = at
	s.blocks = append(s.blocks, o.ref)
	o.ref, o.buf = sideRef{}, o.buf[:0]
	return err
}

// encode writes what a stream's records have besides To.
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

// encode writes what is said of a block, without its place.
func (s *sideRef) encode(b []byte) []byte {
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

// side reads a block's place and what is said of it.
func (d *decoder) side() sideRef {
	s := sideRef{stream: Stream(d.byte()), ref: d.ref(), class: int(d.byte()), from: int64(d.uint())}
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

// rangeKey is a range that can be active once at a time.
type rangeKey struct {
	name string
	kind trace.ResourceKind
	id   int64
}
