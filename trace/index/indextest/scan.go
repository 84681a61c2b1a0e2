package indextest

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"testing"

	"golang.org/x/exp/trace"
)

// A Span is an interval spent in one state.
type Span struct {
	Of       int64  // goroutine's, processor's, thread's or task's number
	State    string // of a goroutine; the name of ranges, regions and tasks
	From, To int64  // nanoseconds since the first event
	With     int64  // processor of a running goroutine, goroutine of a processor, processor of a thread; -1 means none
}

// A Value is the value of a metric.
type Value struct {
	Name  string
	At    int64
	Value uint64
}

// Scanned is the result of [Scan]: every span of a trace, in memory.
type Scanned struct {
	Duration                   int64
	Goroutines, Procs, Threads []Span
	Ranges, Regions, Tasks     []Span
	Metrics                    []Value
}

// In returns the spans of the object with number of that overlap a window, in order; those of all
// objects if of < 0.
func In(all []Span, of, from, to int64) []Span {
	var some []Span
	for _, s := range all {
		if (of < 0 || s.Of == of) && s.From <= to && s.To >= from {
			some = append(some, s)
		}
	}
	Sort(some)
	return some
}

// Sort sorts spans in a deterministic order.
func Sort(all []Span) {
	slices.SortFunc(all, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Of, b.Of),
			cmp.Compare(a.State, b.State), cmp.Compare(a.With, b.With))
	})
}

// Within returns the time of spans within a window, in nanoseconds, by state.
func Within(all []Span, from, to int64) map[string]int64 {
	times := map[string]int64{}
	for _, s := range all {
		if took := min(s.To, to) - max(s.From, from); took > 0 {
			times[s.State] += took
		}
	}
	return times
}

// A scanner follows events.
type scanner struct {
	Scanned
	at, sync int64
	gs       map[trace.GoID]*goroutine
	inCall   map[trace.ProcID]trace.GoID
	threads  map[trace.ProcID]Span
	ranges   map[[2]string]Span
	tasks    map[trace.TaskID]Span
}

// A goroutine with its current state.
type goroutine struct {
	state   string
	since   int64
	proc    trace.ProcID
	assists bool
	begin   int64
	regions []Span
}

// Scan follows the events of a trace without an index.
func Scan(t testing.TB, data []byte) *Scanned {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	s := &scanner{
		gs: map[trace.GoID]*goroutine{}, inCall: map[trace.ProcID]trace.GoID{}, threads: map[trace.ProcID]Span{},
		ranges: map[[2]string]Span{}, tasks: map[trace.TaskID]Span{},
	}
	var first trace.Time
	for n := 0; ; n++ {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = ev.Time()
		}
		s.at = int64(ev.Time() - first)
		s.event(&ev)
	}
	s.end()
	return &s.Scanned
}

func (s *scanner) event(ev *trace.Event) {
	switch ev.Kind() {
	case trace.EventSync:
		s.sync = s.at
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		s.ranged(ev)
	case trace.EventStateTransition:
		switch st := ev.StateTransition(); st.Resource.Kind {
		case trace.ResourceProc:
			s.proc(ev, &st)
		case trace.ResourceGoroutine:
			s.goroutine(ev, &st)
		}
	case trace.EventMetric:
		if m := ev.Metric(); m.Value.Kind() == trace.ValueUint64 {
			s.Metrics = append(s.Metrics, Value{m.Name, s.at, m.Value.Uint64()})
		}
	case trace.EventTaskBegin:
		s.tasks[ev.Task().ID] = Span{Of: int64(ev.Task().ID), State: ev.Task().Type, From: s.at, With: int64(ev.Goroutine())}
	case trace.EventTaskEnd:
		task, ok := s.tasks[ev.Task().ID]
		if !ok {
			task = Span{Of: int64(ev.Task().ID), State: ev.Task().Type, With: int64(ev.Goroutine())}
		}
		delete(s.tasks, ev.Task().ID)
		task.To = s.at
		s.Tasks = append(s.Tasks, task)
	case trace.EventRegionBegin:
		if g := s.gs[ev.Goroutine()]; g != nil {
			g.regions = append(g.regions, Span{Of: int64(ev.Goroutine()), State: ev.Region().Type, From: s.at, With: -1})
		}
	case trace.EventRegionEnd:
		if g := s.gs[ev.Goroutine()]; g != nil {
			region := Span{Of: int64(ev.Goroutine()), State: ev.Region().Type, From: g.begin, With: -1}
			if n := len(g.regions); n > 0 {
				region, g.regions = g.regions[n-1], g.regions[:n-1]
			}
			region.To = s.at
			s.Regions = append(s.Regions, region)
		}
	}
}

func (s *scanner) ranged(ev *trace.Event) {
	r := ev.Range()
	if r.Name == "GC mark assist" {
		id := r.Scope.Goroutine()
		g := s.gs[id]
		g.assists = ev.Kind() != trace.EventRangeEnd
		switch {
		case g.assists && g.state == "running":
			s.to(id, "GC assist", g.proc)
		case !g.assists && g.state == "GC assist":
			s.to(id, "running", g.proc)
		}
	}
	key := [2]string{r.Name, r.Scope.String()}
	open, ok := s.ranges[key]
	switch {
	case ev.Kind() == trace.EventRangeBegin:
		s.ranges[key] = Span{State: r.Name, From: s.at, With: -1}
	case ev.Kind() == trace.EventRangeActive && !ok:
		s.ranges[key] = Span{State: r.Name, From: s.sync, With: -1}
	case ev.Kind() == trace.EventRangeEnd && ok:
		delete(s.ranges, key)
		open.To = s.at
		s.Ranges = append(s.Ranges, open)
	}
}

func (s *scanner) proc(ev *trace.Event, st *trace.StateTransition) {
	p := st.Resource.Proc()
	from, to := st.Proc()
	if from == to {
		return
	}
	if open, ok := s.threads[p]; ok {
		delete(s.threads, p)
		open.To = s.at
		s.Threads = append(s.Threads, open)
	}
	switch to {
	case trace.ProcIdle:
		if id, ok := s.inCall[p]; ok {
			delete(s.inCall, p)
			s.to(id, "syscall, without processor", trace.NoProc)
		}
	case trace.ProcRunning:
		since := s.at
		if from == trace.ProcUndetermined {
			since = s.sync
		}
		s.threads[p] = Span{Of: int64(ev.Thread()), From: since, With: int64(p)}
	case trace.ProcUndetermined, trace.ProcNotExist:
	}
}

func (s *scanner) goroutine(ev *trace.Event, st *trace.StateTransition) {
	id := st.Resource.Goroutine()
	from, state := st.Goroutine()
	if from == state {
		return
	}
	if from == trace.GoSyscall {
		for p, g := range s.inCall {
			if g == id {
				delete(s.inCall, p)
			}
		}
	}
	name, proc := "", trace.NoProc
	switch state {
	case trace.GoRunning:
		name, proc = "running", ev.Proc()
		if g := s.gs[id]; g != nil && g.assists {
			name = "GC assist"
		}
	case trace.GoRunnable:
		name = "runnable"
	case trace.GoSyscall:
		name, proc = "syscall", ev.Proc()
		if proc == trace.NoProc {
			name = "syscall, without processor"
		} else {
			s.inCall[proc] = id
		}
	case trace.GoWaiting:
		name = st.Reason
	case trace.GoUndetermined, trace.GoNotExist:
	}
	switch {
	case from == trace.GoUndetermined:
		s.gs[id] = &goroutine{state: name, since: s.sync, begin: s.sync, proc: proc}
	case s.gs[id] == nil:
		s.gs[id] = &goroutine{state: name, since: s.at, begin: s.at, proc: proc}
	default:
		s.to(id, name, proc)
	}
	if state == trace.GoNotExist {
		s.forget(id)
	}
}

// to ends the span of a goroutine, and begins the next state.
func (s *scanner) to(id trace.GoID, state string, proc trace.ProcID) {
	g := s.gs[id]
	s.Goroutines = append(s.Goroutines, Span{int64(id), g.state, g.since, s.at, int64(g.proc)})
	if g.proc != trace.NoProc {
		s.Procs = append(s.Procs, Span{int64(g.proc), g.state, g.since, s.at, int64(id)})
	}
	g.state, g.since, g.proc = state, s.at, proc
}

// forget ends a goroutine and its regions.
func (s *scanner) forget(id trace.GoID) {
	for _, region := range s.gs[id].regions {
		region.To = s.at
		s.Regions = append(s.Regions, region)
	}
	delete(s.gs, id)
}

// end ends everything that is open.
func (s *scanner) end() {
	s.Duration = s.at
	for id := range s.gs {
		s.to(id, "", trace.NoProc)
		s.forget(id)
	}
	for _, one := range s.threads {
		one.To = s.at
		s.Threads = append(s.Threads, one)
	}
	for _, one := range s.ranges {
		one.To = s.at
		s.Ranges = append(s.Ranges, one)
	}
	for _, one := range s.tasks {
		one.To = s.at
		s.Tasks = append(s.Tasks, one)
	}
}
