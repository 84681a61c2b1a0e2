package cut

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The parts of the format that cutting needs; they are defined in Go's internal/trace/tracev2.
const (
	headLen  = 16
	maxBatch = 64 << 10

	evBatch           = 1
	evStacks          = 2
	evStrings         = 4
	evCPUSamples      = 6
	evCPUSample       = 7
	evFrequency       = 8
	evProcStatus      = 13
	evGoStatus        = 25
	evGCActive        = 28
	evSweepActive     = 31
	evAssistActive    = 34
	evGoStatusStack   = 48
	evExperimental    = 49
	evSync            = 50
	evEndOfGeneration = 52
)

// The versions whose traces have generations.
const (
	oldest = 22
	newest = 26
	// unwritten is not written: Go 1.24 writes traces as Go 1.23 does, and says so.
	unwritten = 24
	// marked is the first version that marks where a generation ends.
	marked = 26
	// synced is the first version that has the frequency in its own batch kind.
	synced = 25
)

// maxGeneration is the maximum size of a generation; most have about 10 MB.
const maxGeneration = 1 << 30

// A VersionError reports a trace that cannot be cut because of the version of Go that wrote it.
type VersionError struct{ Minor int }

func (e *VersionError) Error() string {
	if e.Minor < oldest {
		return fmt.Sprintf("a trace of Go 1.%d is one piece and cannot be cut", e.Minor)
	}
	if e.Minor < newest {
		return fmt.Sprintf("its first line says go 1.%d, which no version of Go writes", e.Minor)
	}
	return fmt.Sprintf("a trace of Go 1.%d: whet supports up to Go 1.%d", e.Minor, newest)
}

// Hint returns what to do next.
func (e *VersionError) Hint() string {
	if e.Minor < oldest {
		return "--from and --to of the other commands choose a window without cutting; traces of Go 1.22 and later can be cut"
	}
	if e.Minor < newest {
		return "the file is damaged: record again"
	}
	return "a newer whet may support it"
}

// errHead reports data that does not begin like a trace.
var errHead = errors.New("not an execution trace")

// readHead reads a trace's first bytes.
func readHead(r io.Reader) (head []byte, minor int, err error) {
	head = make([]byte, headLen)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, 0, errHead
	}
	if _, err := fmt.Sscanf(string(head), "go 1.%d trace\x00\x00\x00", &minor); err != nil {
		return nil, 0, errHead
	}
	if minor < oldest || minor > newest || minor == unwritten {
		return nil, 0, &VersionError{minor}
	}
	return head, minor, nil
}

// A batch is the events of a thread, a part of a table, or the like.
type batch struct {
	kind         byte   // evBatch, evExperimental
	generation   uint64 // its number
	thread, time uint64
	from, data   int // where it and its contents begin in the generation's bytes
	to           int
}

// A generation is one generation of a trace.
type generation struct {
	number  uint64
	bytes   []byte
	batches []batch
	begin   uint64  // earliest time of a batch
	tick    float64 // nanoseconds
}

// nanos converts a time of the trace, as its readers do.
func (g *generation) nanos(time uint64) int64 { return int64(float64(time) * g.tick) }

// generations reads the generations of a trace, as bytes.
type generations struct {
	r     *bufio.Reader
	minor int
	off   int64  // bytes read so far
	next  *batch // the first of the next generation, which shows that the previous one has ended
	held  []byte // its bytes
}

// generation reads the next one; io.EOF means that there is none. Any other error means that a
// generation is incomplete.
func (r *generations) generation() (*generation, error) {
	g := &generation{}
	if r.next != nil {
		b := *r.next
		g.bytes = r.held
		g.add(b)
		r.next, r.held = nil, nil
	}
	for {
		at := len(g.bytes)
		b, end, err := r.batch(g)
		switch {
		case errors.Is(err, io.EOF) && len(g.batches) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF) && r.minor < marked:
			return g, g.finish(r.minor)
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("byte %d: the trace ends within a generation", r.off)
		case err != nil:
			return nil, fmt.Errorf("byte %d: %w", r.off, err)
		case end:
			return g, g.finish(r.minor)
		case len(g.bytes) > maxGeneration:
			return nil, fmt.Errorf("byte %d: a generation of more than %d bytes", r.off, maxGeneration)
		}
		if b.generation == 0 {
			return nil, fmt.Errorf("byte %d: a batch of generation 0", r.off)
		}
		if len(g.batches) > 0 && b.generation != g.number {
			if r.minor >= marked || b.generation != g.number+1 {
				return nil, fmt.Errorf("byte %d: a batch of generation %d within generation %d", r.off, b.generation, g.number)
			}
			r.held = append([]byte(nil), g.bytes[at:]...)
			b.data, b.to, b.from = b.data-at, b.to-at, 0
			r.next = &b
			g.bytes = g.bytes[:at]
			return g, g.finish(r.minor)
		}
		g.add(b)
	}
}

func (g *generation) add(b batch) {
	g.number = b.generation
	if len(g.batches) == 0 || b.time < g.begin {
		g.begin = b.time
	}
	g.batches = append(g.batches, b)
}

// batch reads a batch to the end of a generation's bytes. end reports that it was the mark that
// ends a generation, which is added to the bytes too.
func (r *generations) batch(g *generation) (b batch, end bool, err error) {
	b.from = len(g.bytes)
	kind, err := r.r.ReadByte()
	if err != nil {
		return b, false, err // io.EOF: between batches
	}
	r.off++
	g.bytes = append(g.bytes, kind)
	b.kind = kind
	switch {
	case kind == evEndOfGeneration && r.minor >= marked:
		return b, true, nil
	case kind == evExperimental:
		number, err := r.r.ReadByte()
		if err != nil {
			return b, false, noEOF(err)
		}
		r.off++
		g.bytes = append(g.bytes, number)
	case kind != evBatch:
		return b, false, fmt.Errorf("unknown batch kind %d", kind)
	}
	size := uint64(0)
	for _, to := range []*uint64{&b.generation, &b.thread, &b.time, &size} {
		if err := r.varint(g, to); err != nil {
			return b, false, err
		}
	}
	if size > maxBatch {
		return b, false, fmt.Errorf("a batch of %d bytes exceeds the limit of %d", size, maxBatch)
	}
	b.data = len(g.bytes)
	b.to = b.data + int(size)
	g.bytes = append(g.bytes, make([]byte, size)...)
	n, err := io.ReadFull(r.r, g.bytes[b.data:])
	r.off += int64(n)
	return b, false, noEOF(err)
}

// varint reads a number, and keeps its bytes unchanged: the runtime writes some longer than
// necessary.
func (r *generations) varint(g *generation, to *uint64) error {
	at := len(g.bytes)
	for range binary.MaxVarintLen64 {
		c, err := r.r.ReadByte()
		if err != nil {
			return noEOF(err)
		}
		r.off++
		g.bytes = append(g.bytes, c)
		if c < 0x80 {
			break
		}
	}
	v, n := binary.Uvarint(g.bytes[at:])
	if n <= 0 {
		return errors.New("a number of more than 64 bits")
	}
	*to = v
	return nil
}

// noEOF returns the error for the end of the input within a batch.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// finish finds the unit of a generation's times.
func (g *generation) finish(minor int) error {
	for i := range g.batches {
		b := &g.batches[i]
		data := g.bytes[b.data:b.to]
		if b.kind != evBatch || len(data) == 0 {
			continue
		}
		if minor >= synced {
			if data[0] != evSync {
				continue
			}
			data = data[1:]
		}
		if len(data) == 0 || data[0] != evFrequency {
			continue
		}
		perSecond, n := binary.Uvarint(data[1:])
		if n <= 0 || perSecond == 0 {
			return errors.New("a generation without a clock frequency")
		}
		g.tick = 1 / (float64(perSecond) / 1e9)
		return nil
	}
	return errors.New("a generation without a clock frequency")
}

// numbers returns how many numbers an event has, including its time; 0 if it is not one of a
// thread's batch.
func numbers(event byte) int {
	switch event {
	case 11, 17, 18, 23, 24, 27, 36:
		// ProcStop, GoDestroy, GoDestroySyscall, GoSyscallEnd, GoSyscallEndBlocked, STWEnd,
		// GCMarkAssistEnd
		return 1
	case 15, evGCActive, 30, evSweepActive, 32, evAssistActive, 35, 37, 38, 39,
		// GoCreateSyscall, GCEnd, GCSweepBegin, GCMarkAssistBegin, HeapAlloc, HeapGoal, GoLabel
		130, 133, 136: // SpanFree, HeapObjectFree, GoroutineStackFree
		return 2
	case 9, 10, evProcStatus, 16, 19, 20, 22, 26, 29, 33, 41, 45, 46,
		// ProcsChange, ProcStart, GoStart, GoStop, GoBlock, GoSyscallBegin, STWBegin,
		// GCBegin, GCSweepEnd, UserTaskEnd, GoSwitch, GoSwitchDestroy
		131, 132, 134, 135: // HeapObject, HeapObjectAlloc, GoroutineStack, GoroutineStackAlloc
		return 3
	// ProcSteal, GoCreate, GoUnblock, UserRegionBegin, UserRegionEnd, GoCreateBlocked
	case 12, 14, 21, evGoStatus, 42, 43, 47,
		128, 129: // Span, SpanAlloc
		return 4
	case 40, 44, evGoStatusStack: // UserTaskBegin, UserLog
		return 5
	}
	return 0
}

// recordsState reports whether an event records a state from the start of the generation.
func recordsState(event byte) bool {
	switch event {
	case evProcStatus, evGoStatus, evGoStatusStack, evGCActive, evSweepActive, evAssistActive:
		return true
	}
	return false
}

// isEvents reports whether a batch contains the events of a thread.
func (g *generation) isEvents(b *batch) bool {
	if b.kind != evBatch || b.data == b.to {
		return false
	}
	switch g.bytes[b.data] {
	case evStacks, evStrings, evCPUSamples, evFrequency, evSync:
		return false
	}
	return true
}

// errEvent reports an event that cannot be read.
var errEvent = errors.New("unknown event")

// events calls yield with the events of a thread's batch: where each is in the generation's bytes,
// where its numbers after the time are, and when it happened.
func (g *generation) events(b *batch, yield func(from, rest, to int, at int64) bool) error {
	at := g.nanos(b.time)
	for i := b.data; i < b.to; {
		from := i
		n := numbers(g.bytes[i])
		if n == 0 {
			return errEvent
		}
		i++
		rest := i
		for k := range n {
			v, size := binary.Uvarint(g.bytes[i:b.to])
			if size <= 0 {
				return errEvent
			}
			i += size
			if k == 0 {
				at = add(at, g.nanos(v))
				rest = i
			}
		}
		if !yield(from, rest, i, at) {
			return nil
		}
	}
	return nil
}

func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// last returns when the last event of a generation happened.
func (g *generation) last() (int64, error) {
	end := g.nanos(g.begin)
	for i := range g.batches {
		b := &g.batches[i]
		if !g.isEvents(b) {
			continue
		}
		if err := g.events(b, func(_, _, _ int, at int64) bool {
			end = max(end, at)
			return true
		}); err != nil {
			return 0, err
		}
	}
	return end, nil
}
