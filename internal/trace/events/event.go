package events

import (
	"golang.org/x/exp/trace"
)

// An Event is an event of a trace. The fields after Stack depend on its kind; others are not used:
//
//	StateTransition                    Resource, ID, From, To, Reason
//	RangeBegin, RangeActive, RangeEnd  Name, Resource and ID of what it belongs to
//	Metric                             Name, Value
//	TaskBegin, TaskEnd                 Task, Parent, Name
//	RegionBegin, RegionEnd             Task, Name
//	Log                                Task, Name: its category, Message
//	Label                              Name, Resource, ID
//	Experimental                       Name
//	Sync, StackSample                  –
type Event struct {
	Time      int64  `expr:"time_ns"` // since the start of the trace
	Kind      string `expr:"kind"`
	Proc      int64  `expr:"proc"`      // -1 means none
	Thread    int64  `expr:"thread"`    // -1 means none
	Goroutine int64  `expr:"goroutine"` // that ran there; -1 means none
	// Stack is that goroutine's, leaf first; it is filled in if it is written or used by the
	// filter.
	Stack []Frame `expr:"stack"`

	Resource string `expr:"resource"` // "goroutine", "proc", "thread"; "" means none
	ID       int64  `expr:"id"`       // of the resource; -1 means none
	From     string `expr:"from"`     // the previous state
	To       string `expr:"to"`       // the new state
	Reason   string `expr:"reason"`
	Name     string `expr:"name"`
	Message  string `expr:"message"`
	Value    int64  `expr:"value"`
	Task     int64  `expr:"task"`   // 0 means the background task
	Parent   int64  `expr:"parent"` // of a task; -1 means unknown
}

// A Frame is one call on a stack.
type Frame struct {
	Func string `expr:"func"`
	File string `expr:"file"`
	Line int    `expr:"line"`
}

// set fills in an event, except for its stack.
func (e *Event) set(ev *trace.Event, begin trace.Time) {
	*e = Event{
		Time: int64(ev.Time() - begin), Kind: ev.Kind().String(),
		Proc: int64(ev.Proc()), Thread: int64(ev.Thread()), Goroutine: int64(ev.Goroutine()),
		Stack: e.Stack[:0], ID: -1, Parent: -1,
	}
	switch ev.Kind() {
	case trace.EventStateTransition:
		st := ev.StateTransition()
		e.of(st.Resource)
		e.Reason = st.Reason
		switch st.Resource.Kind {
		case trace.ResourceGoroutine:
			from, to := st.Goroutine()
			e.From, e.To = from.String(), to.String()
		case trace.ResourceProc:
			from, to := st.Proc()
			e.From, e.To = from.String(), to.String()
		case trace.ResourceNone, trace.ResourceThread:
		}
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		r := ev.Range()
		e.Name = r.Name
		e.of(r.Scope)
	case trace.EventMetric:
		m := ev.Metric()
		e.Name = m.Name
		if m.Value.Kind() == trace.ValueUint64 {
			e.Value = int64(m.Value.Uint64())
		}
	case trace.EventTaskBegin, trace.EventTaskEnd:
		t := ev.Task()
		e.Task, e.Parent, e.Name = int64(t.ID), int64(t.Parent), t.Type
	case trace.EventRegionBegin, trace.EventRegionEnd:
		r := ev.Region()
		e.Task, e.Name = int64(r.Task), r.Type
	case trace.EventLog:
		l := ev.Log()
		e.Task, e.Name, e.Message = int64(l.Task), l.Category, l.Message
	case trace.EventLabel:
		l := ev.Label()
		e.Name = l.Label
		e.of(l.Resource)
	case trace.EventExperimental:
		e.Name = ev.Experimental().Name
	}
}

// of sets what an event is about.
func (e *Event) of(r trace.ResourceID) {
	switch r.Kind {
	case trace.ResourceGoroutine:
		e.Resource, e.ID = "goroutine", int64(r.Goroutine())
	case trace.ResourceProc:
		e.Resource, e.ID = "proc", int64(r.Proc())
	case trace.ResourceThread:
		e.Resource, e.ID = "thread", int64(r.Thread())
	case trace.ResourceNone:
	}
}

// setStack fills in the stack.
func (e *Event) setStack(ev *trace.Event) {
	if stack := ev.Stack(); stack != trace.NoStack {
		for f := range stack.Frames() {
			e.Stack = append(e.Stack, Frame{f.Func, f.File, int(f.Line)})
		}
	}
}
