package indexer

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
	"github.com/whet-go/whet/trace/stacks"
)

// A goroutine is a live goroutine while the trace is read.
type goroutine struct {
	index uint32
	code  model.Code
	id    trace.GoID
	since int64 // of the state
	stack uint32
	with  uint32

	assists bool         // it works for the garbage collector
	assist  uint32       // stack where that began
	procAt  trace.ProcID // in a system call

	kind    *kind // nil until a stack shows it
	begin   int64
	created uint32 // stack of the go statement
	parent  uint32 // index + 1
	old     bool   // existed before the trace
	sums    []model.Sum

	head, tail int32 // spans of this slice; -1 means none
	died       bool  // in this slice
	to         int64 // when it ended, if it did

	slices    chain // slices that it has spans in, as differences
	lastSlice int64
	regions   []openRegion
}

// A builder follows the events of a trace.
type builder struct {
	out    *indexfile.Writer
	info   model.Info
	memory int64 // limit for building
	codes  *codes
	table  *stacks.Table
	seen   map[trace.Stack]uint32 // of this generation
	names  names
	kinds  kinds

	endedTasks []trace.Task // of the following events of this delivery

	first trace.Time
	now   int64 // since first
	sync  int64 // start of the generation

	gs         alive
	next       uint32
	spill      spill
	ended      ended
	slice      sliceWriter
	touched    []*goroutine // goroutines with spans in this slice
	from       int64        // of this slice
	levels     levels
	procs      meter
	threads    threads
	streams    streamWriter
	calling    map[trace.ProcID]*goroutine // processors of goroutines in system calls
	ranges     map[rangeKey]openRange      // active ranges
	tasks      map[trace.TaskID]openTask
	regions    int                       // open regions
	largeProcs map[trace.ProcID]struct{} // processors beyond maxProcs
}

func newBuilder(w io.Writer) (*builder, error) {
	out, err := indexfile.NewWriter(w)
	if err != nil {
		return nil, err
	}
	b := &builder{
		out: out, codes: newCodes(), table: stacks.New(), seen: map[trace.Stack]uint32{}, names: newNames(),
		gs: alive{all: map[trace.GoID]*goroutine{}}, calling: map[trace.ProcID]*goroutine{}, ranges: map[rangeKey]openRange{},
		tasks: map[trace.TaskID]openTask{}, largeProcs: map[trace.ProcID]struct{}{},
	}
	b.ended.spill = &b.spill
	b.slice.spans = make([]pending, 0, sliceSpans)
	b.streams.out = out
	b.kinds.names = &b.names
	return b, nil
}

func (b *builder) event(ev *trace.Event) error {
	if b.info.Events == 0 {
		b.first = ev.Time()
	}
	at := int64(ev.Time() - b.first)
	if at < b.now || at > maxTime {
		b.info.Damage = fmt.Sprintf("an event is %d ns after the first one, its predecessor %d", at, b.now)
		return nil
	}
	b.info.Events++
	b.now = at
	switch ev.Kind() {
	case trace.EventStateTransition:
		st := ev.StateTransition()
		switch st.Resource.Kind {
		case trace.ResourceGoroutine:
			return b.goroutine(ev, &st)
		case trace.ResourceProc:
			return b.proc(ev, &st)
		}
		return nil
	case trace.EventSync:
		b.sync = b.now
		clear(b.seen) // a handle is valid for its generation only
		b.info.Generations++
		if at := ev.Sync().ClockSnapshot; at != nil && b.info.Began.IsZero() {
			b.info.Began = at.Wall.Add(b.first.Sub(at.Trace)).UTC()
		}
		return nil
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		return b.ranged(ev)
	}
	return b.other(ev)
}

// goroutine follows a goroutine into another state.
func (b *builder) goroutine(ev *trace.Event, st *trace.StateTransition) error {
	id := st.Resource.Goroutine()
	from, to := st.Goroutine()
	if from == to {
		return nil
	}
	g := b.gs.of(id)
	if g == nil {
		g = b.begin(ev, id, from)
	} else if err := b.leave(g, b.now); err != nil {
		return err
	}
	if g.kind == nil && st.Stack != trace.NoStack {
		g.kind = b.kinds.of(b.table.Root(b.intern(st.Stack)), b.table)
	}
	if from == trace.GoSyscall && g.procAt != trace.NoProc {
		delete(b.calling, g.procAt)
		g.procAt = trace.NoProc
	}
	if to == trace.GoNotExist {
		return b.end(g)
	}
	since := b.now
	if from == trace.GoUndetermined {
		since = b.sync
	}
	g.code, g.since, g.stack, g.with = b.codes.of(to, st.Reason), since, 0, 0
	if to != trace.GoRunning {
		g.stack = b.intern(ev.Stack())
	}
	switch to {
	case trace.GoRunning:
		g.with = uint32(ev.Proc() + 1)
		if g.assists {
			g.code, g.stack = model.Assist, g.assist
		}
		b.procs.run(int64(ev.Proc()), indexfile.UseOf(g.code), since)
	case trace.GoRunnable:
		if by := ev.Goroutine(); by != id && by != trace.NoGoroutine {
			if waker := b.gs.of(by); waker != nil {
				g.with = waker.index + 1
			}
		}
	case trace.GoSyscall:
		if p := ev.Proc(); p != trace.NoProc {
			g.procAt, g.with = p, uint32(p+1)
			b.calling[p] = g
			b.procs.run(int64(p), indexfile.UseSyscall, since)
		} else {
			g.code = model.SyscallBlocked
		}
	case trace.GoUndetermined, trace.GoNotExist, trace.GoWaiting:
	}
	return nil
}

// begin creates a goroutine at its first event.
func (b *builder) begin(ev *trace.Event, id trace.GoID, from trace.GoState) *goroutine {
	g := b.gs.add(id)
	g.index, g.begin = b.next, b.now
	b.next++
	if from == trace.GoNotExist {
		g.created = b.intern(ev.Stack())
		if parent := b.gs.of(ev.Goroutine()); parent != nil {
			g.parent = parent.index + 1
		}
	} else {
		g.old, g.begin = true, b.sync
	}
	return g
}

// leave ends the current span of a goroutine.
func (b *builder) leave(g *goroutine, at int64) error {
	if g.code == model.Unknown {
		return nil
	}
	if len(b.slice.spans) == cap(b.slice.spans) {
		if err := b.flush(); err != nil {
			return err
		}
	}
	n := int32(len(b.slice.spans))
	b.slice.spans = append(b.slice.spans, pending{
		from: g.since, to: at, next: -1, stack: g.stack, with: g.with, code: g.code,
	})
	if g.head < 0 {
		g.head = n
		b.touched = append(b.touched, g)
	} else {
		b.slice.spans[g.tail].next = n
	}
	g.tail = n
	switch g.code {
	case model.Running, model.Assist, model.Syscall:
		b.procs.stop(int64(g.with)-1, at)
	case model.Unknown, model.Runnable, model.SyscallBlocked, model.Waiting:
	}
	took := at - g.since
	g.sums = model.Add(g.sums, g.code, time.Duration(took))
	if g.kind != nil {
		g.kind.stay(g.code, took)
	}
	// The reader may panic before the next state is known: then the trace ends here.
	g.code = model.Unknown
	return nil
}

// end ends a goroutine at its last event.
func (b *builder) end(g *goroutine) error {
	b.gs.remove(g.id)
	g.died, g.to = true, b.now
	if err := b.endRegions(g); err != nil {
		return err
	}
	if g.head < 0 {
		return b.bury(g) // it has no unwritten spans
	}
	return nil
}

// bury writes the record of a goroutine.
func (b *builder) bury(g *goroutine) error {
	if g.kind == nil {
		g.kind = b.kinds.unknown()
	}
	end := g.to
	if !g.died {
		end = b.now
	}
	g.kind.goroutine(g, end)
	err := b.ended.add(b.out, g, end)
	b.gs.bury(g)
	return err
}

// flush writes the slice.
func (b *builder) flush() error {
	if len(b.slice.spans) == 0 {
		return nil
	}
	byIndex(b.touched)
	number := int64(len(b.levels.slices))
	for _, g := range b.touched {
		g.slices.rest = binary.AppendUvarint(g.slices.rest, uint64(number-g.lastSlice))
		g.lastSlice = number
		if err := g.slices.grown(&b.spill); err != nil {
			return err
		}
	}
	at, err := b.out.Block(b.slice.encode(b.touched, b.from))
	if err != nil {
		return err
	}
	t := indexfile.Tile{
		Ref: at, From: b.from, To: b.now, Spans: len(b.slice.spans), Procs: b.procs.take(b.now),
		Threads: b.threads.meter.take(b.now),
	}
	if err := b.levels.add(b.out, t, b.slice.rows); err != nil {
		return err
	}
	for _, g := range b.touched {
		g.head, g.tail = -1, -1
		if g.died {
			if err := b.bury(g); err != nil {
				return err
			}
		}
	}
	b.touched = b.touched[:0]
	b.slice.spans = b.slice.spans[:0]
	b.from = b.now
	return nil
}

func (b *builder) intern(s trace.Stack) uint32 {
	if s == trace.NoStack {
		return 0
	}
	id, ok := b.seen[s]
	if !ok {
		id = b.table.Add(s)
		b.seen[s] = id
	}
	return id
}
