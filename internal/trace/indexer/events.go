package indexer

import (
	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/indexfile"
	"github.com/whet-go/whet/trace/model"
)

// proc follows a processor.
func (b *builder) proc(ev *trace.Event, st *trace.StateTransition) error {
	p := st.Resource.Proc()
	if p >= maxProcs {
		b.largeProcs[p] = struct{}{}
	}
	from, to := st.Proc()
	if from == to {
		return nil
	}
	if to == trace.ProcIdle {
		// A goroutine in a system call there continues without it.
		if g := b.calling[p]; g != nil {
			delete(b.calling, p)
			g.procAt = trace.NoProc
			stack := g.stack
			if err := b.leave(g, b.now); err != nil {
				return err
			}
			g.code, g.since, g.stack, g.with = model.SyscallBlocked, b.now, stack, 0
		}
		b.procs.stop(int64(p), b.now)
	}
	if r, had := b.threads.end(p, b.now); had {
		if err := b.streams.add(model.Procs, &r); err != nil {
			return err
		}
	}
	if to == trace.ProcRunning {
		since := b.now
		if from == trace.ProcUndetermined {
			since = b.sync
		}
		b.threads.begin(p, ev.Thread(), since)
	}
	return nil
}

// Names of ranges that change the state of a goroutine.
const markAssist = "GC mark assist"

// ranged follows the garbage collector and stop-the-world phases.
func (b *builder) ranged(ev *trace.Event) error {
	r := ev.Range()
	key := rangeKey{r.Name, r.Scope.Kind, -1}
	switch r.Scope.Kind {
	case trace.ResourceGoroutine:
		key.id = int64(r.Scope.Goroutine())
		if g := b.gs.of(r.Scope.Goroutine()); g != nil && r.Name == markAssist {
			if err := b.assist(g, ev); err != nil {
				return err
			}
		}
	case trace.ResourceProc:
		key.id = int64(r.Scope.Proc())
	case trace.ResourceNone, trace.ResourceThread:
	}
	begun, active := b.ranges[key]
	switch ev.Kind() {
	case trace.EventRangeBegin:
		b.ranges[key] = openRange{b.now, ev.Goroutine(), b.intern(ev.Stack())}
		return nil
	case trace.EventRangeActive:
		if !active {
			b.ranges[key] = openRange{b.sync, ev.Goroutine(), 0}
		}
		return nil
	}
	if !active {
		return nil // a second end
	}
	delete(b.ranges, key)
	record := model.Record{From: begun.from, To: b.now, Name: b.names.user(r.Name), Stack: begun.stack}
	by := begun.by
	if by != ev.Goroutine() {
		by = trace.NoGoroutine // more than one
	}
	b.of(&record, key, by)
	return b.streams.add(model.Ranges, &record)
}

// rangeKey identifies a range that can be active only once at a time.
type rangeKey struct {
	name string
	kind trace.ResourceKind
	id   int64
}

// An openRange is an active range.
type openRange struct {
	from  int64
	by    trace.GoID // the goroutine that was on the processor
	stack uint32     // of that goroutine
}

// of sets what a range belongs to. by is the goroutine that was on the processor, if there was only
// one.
func (b *builder) of(r *model.Record, key rangeKey, by trace.GoID) {
	switch key.kind {
	case trace.ResourceGoroutine:
		if g := b.gs.of(trace.GoID(key.id)); g != nil {
			r.Goroutine = g.index + 1
		}
	case trace.ResourceProc:
		r.Proc = uint32(key.id + 1)
		if g := b.gs.of(by); g != nil {
			r.Goroutine = g.index + 1
		}
	case trace.ResourceNone, trace.ResourceThread:
	}
}

// assist switches a goroutine to work for the garbage collector, or back.
func (b *builder) assist(g *goroutine, ev *trace.Event) error {
	g.assists = ev.Kind() != trace.EventRangeEnd
	was, is := model.Running, model.Assist
	if !g.assists {
		was, is = is, was
	}
	g.assist = 0
	if g.assists {
		g.assist = b.intern(ev.Stack())
	}
	if g.code != was {
		return nil
	}
	with := g.with
	if err := b.leave(g, b.now); err != nil {
		return err
	}
	g.code, g.since, g.stack, g.with = is, b.now, g.assist, with
	b.procs.run(int64(with)-1, indexfile.UseOf(is), b.now)
	return nil
}

// An openTask is a task that has begun.
type openTask struct {
	from      int64
	name      uint32
	stack     uint32
	parent    uint64
	goroutine uint32
}

// An openRegion is a region that has begun.
type openRegion struct {
	from  int64
	name  uint32
	stack uint32
	task  uint64
	seen  bool // its begin is in the trace
}

// other follows all other events.
func (b *builder) other(ev *trace.Event) error {
	g := b.gs.of(ev.Goroutine())
	index := uint32(0)
	if g != nil {
		index = g.index + 1
	}
	r := model.Record{From: b.now, To: b.now, Goroutine: index}
	switch ev.Kind() {
	case trace.EventMetric:
		m := ev.Metric()
		if m.Value.Kind() != trace.ValueUint64 {
			return nil
		}
		r.Name, r.Value = b.names.user(m.Name), m.Value.Uint64()
		return b.streams.add(model.Metrics, &r)
	case trace.EventStackSample:
		r.Proc, r.Stack = uint32(ev.Proc()+1), b.intern(ev.Stack())
		b.info.Samples++
		return b.streams.add(model.Samples, &r)
	case trace.EventTaskBegin:
		t := ev.Task()
		b.tasks[t.ID] = openTask{b.now, b.names.user(t.Type), b.intern(ev.Stack()), uint64(t.Parent), index}
	case trace.EventTaskEnd:
		t := b.endedTasks[0]
		b.endedTasks = b.endedTasks[1:]
		r.Task, r.Value = uint64(t.ID), model.Ended
		if begun, ok := b.tasks[t.ID]; ok {
			delete(b.tasks, t.ID)
			r.From, r.Name, r.Parent, r.Goroutine = begun.from, begun.name, begun.parent, begun.goroutine
			r.Stack, r.Value = begun.stack, model.Began|model.Ended
		} else {
			r.From, r.Name, r.Parent = 0, b.names.user(t.Type), uint64(t.Parent)
		}
		return b.streams.add(model.Tasks, &r)
	case trace.EventRegionBegin:
		if g != nil {
			t := ev.Region()
			b.regions++
			g.regions = append(g.regions, openRegion{b.now, b.names.user(t.Type), b.intern(ev.Stack()), uint64(t.Task), true})
		}
	case trace.EventRegionEnd:
		if g == nil {
			return nil
		}
		t := ev.Region()
		one := openRegion{from: g.begin, name: b.names.user(t.Type), task: uint64(t.Task)}
		if n := len(g.regions); n > 0 {
			one, g.regions = g.regions[n-1], g.regions[:n-1]
			b.regions--
		}
		return b.region(g, one, model.Ended)
	case trace.EventLog:
		l := ev.Log()
		r.Name, r.Text, r.Task, r.Stack = b.names.user(l.Category), l.Message, uint64(l.Task), b.intern(ev.Stack())
		return b.streams.add(model.Logs, &r)
	}
	return nil
}

// region writes a region that has ended.
func (b *builder) region(g *goroutine, one openRegion, value uint64) error {
	if one.seen {
		value |= model.Began
	}
	return b.streams.add(model.Regions, &model.Record{
		From: one.from, To: b.now, Name: one.name, Task: one.task, Goroutine: g.index + 1, Stack: one.stack, Value: value,
	})
}

// endRegions ends the regions of a goroutine when it, or the trace, ends.
func (b *builder) endRegions(g *goroutine) error {
	for n := len(g.regions) - 1; n >= 0; n-- {
		if err := b.region(g, g.regions[n], 0); err != nil {
			return err
		}
	}
	b.regions -= len(g.regions)
	g.regions = nil
	return nil
}
