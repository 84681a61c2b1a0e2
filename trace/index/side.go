package index

import (
	"encoding/binary"

	"golang.org/x/exp/trace"
)

// A Stream is what is kept beside the states of goroutines.
type Stream uint8

// Streams. What each record has besides its time is said at its type.
const (
	Metrics Stream = iota // of the runtime
	Ranges                // of the garbage collector, and stops of the world
	Procs                 // processors and their threads
	Tasks                 // of the user
	Regions               // of the user
	Logs                  // of the user
	Samples               // of the CPU profile
	streams
)

// A Record is one thing of a stream. Which fields have a meaning depends on the stream:
//
//	Metrics  To, Name, Value
//	Ranges   From, To, Name, Goroutine or Proc or neither: what it is of; both: of a processor, by one goroutine
//	Procs    To, Proc, Thread, Value: 1 when the processor begins to run on the thread, 0 when it stops
//	Tasks    From, To, Name, Task, Parent, Goroutine that began it; Value bits: 1 it began, 2 it ended within the trace
//	Regions  From, To, Name, Task, Goroutine, Value bits as for Tasks
//	Logs     To, Name: the category, Text, Task, Goroutine
//	Samples  To, Goroutine, Proc, Stack
type Record struct {
	From, To     int64  // nanoseconds since the trace's begin
	Name, Text   uint32 // names
	Goroutine    uint32 // index + 1; 0 is none
	Proc         uint32 // number + 1; 0 is none
	Thread       uint64
	Stack        uint32
	Task, Parent uint64
	Value        uint64
}

// sideBlock is how large a block of records gets.
const sideBlock = 64 << 10

// A span of records.
type sideRef struct {
	ref
	stream   Stream
	from, to int64 // the first begin, the last end
	records  int
}

// side writes the streams.
type side struct {
	out  *file
	open [streams]struct {
		buf  []byte
		last int64
		ref  sideRef
	}
	blocks []sideRef
}

// add writes a record; records of a stream come in the order of To.
//
//	record = To - To before (of 0 in a block), To - From, the other fields
func (s *side) add(stream Stream, r *Record) error {
	o := &s.open[stream]
	if o.ref.records == 0 {
		o.ref = sideRef{stream: stream, from: r.From, to: r.To}
		o.last = 0
	}
	o.ref.from, o.ref.to = min(o.ref.from, r.From), max(o.ref.to, r.To)
	o.ref.records++
	o.buf = binary.AppendVarint(o.buf, r.To-o.last)
	o.last = r.To
	o.buf = r.encode(o.buf, stream)
	if len(o.buf) < sideBlock {
		return nil
	}
	return s.flush(stream)
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
		put(took, uint64(r.Name), uint64(r.Goroutine), uint64(r.Proc))
	case Procs:
		put(uint64(r.Proc), r.Thread, r.Value)
	case Tasks:
		put(took, uint64(r.Name), r.Task, r.Parent, uint64(r.Goroutine), r.Value)
	case Regions:
		put(took, uint64(r.Name), r.Task, uint64(r.Goroutine), r.Value)
	case Logs:
		put(uint64(r.Name), uint64(r.Text), r.Task, uint64(r.Goroutine))
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
		took, r.Name, r.Goroutine, r.Proc = int64(d.uint()), u32(), u32(), u32()
	case Procs:
		r.Proc, r.Thread, r.Value = u32(), d.uint(), d.uint()
	case Tasks:
		took, r.Name, r.Task, r.Parent, r.Goroutine, r.Value = int64(d.uint()), u32(), d.uint(), d.uint(), u32(), d.uint()
	case Regions:
		took, r.Name, r.Task, r.Goroutine, r.Value = int64(d.uint()), u32(), d.uint(), u32(), d.uint()
	case Logs:
		r.Name, r.Text, r.Task, r.Goroutine = u32(), u32(), d.uint(), u32()
	case Samples:
		r.Goroutine, r.Proc, r.Stack = u32(), u32(), u32()
	case streams:
	}
	r.From = r.To - took
}

func (s *side) flush(stream Stream) error {
	o := &s.open[stream]
	if o.ref.records == 0 {
		return nil
	}
	at, err := s.out.block(o.buf)
	o.ref.ref = at
	s.blocks = append(s.blocks, o.ref)
	o.ref, o.buf = sideRef{}, o.buf[:0]
	return err
}

// rangeKey is a range that can be active once at a time.
type rangeKey struct {
	name string
	kind trace.ResourceKind
	id   int64
}
