package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/trace/stacks"
)

// A Frame is one call on a stack.
type Frame = stacks.Frame

// A State is the state of a goroutine.
type State uint8

// The states of a goroutine, as the trace distinguishes them.
const (
	Runnable State = iota + 1
	Running
	Waiting
	Syscall
)

func (s State) String() string {
	switch s {
	case Runnable:
		return "runnable"
	case Running:
		return "running"
	case Waiting:
		return "waiting"
	case Syscall:
		return "syscall"
	}
	return "unknown"
}

// A Goroutine is a goroutine that exists when the trace ends. Its stacks are shared with other
// goroutines and must not be modified.
type Goroutine struct {
	ID    int64
	State State
	// Reason is why it waits, in the trace's words ("chan receive", "select", "network", "sync",
	// "sleep", "forever", …); "" if it does not wait or has waited since before the trace.
	Reason string

	// In is how long it has been in State when the trace ends. AtLeast means that it was in State
	// before the trace began, and so for longer than In.
	In      time.Duration
	AtLeast bool

	// Stack is where it last stopped, leaf first; nil if the trace does not have it.
	Stack []Frame
	// Start is the function it runs; "" if the trace has no stack of it.
	Start string
	// Creator is the stack of the go statement, leaf first, if that was executed during the trace;
	// otherwise nil. The leaf is the function with the go statement.
	Creator []Frame
}

// A Creation is a function that started goroutines during the trace.
type Creation struct {
	Start   string // function that the goroutines run
	Creator Frame  // the go statement; zero if the runtime itself started them
	Count   int64
}

// A WaitReport is the result of Waits.
type WaitReport struct {
	Duration   time.Duration
	Events     int64
	Goroutines []Goroutine // alive at the end, by id
	// Creations counts the go statements executed during the trace, in the order first seen. It
	// includes goroutines that have ended.
	Creations []Creation
	// Dropped counts goroutines that were not followed because of
	// WaitOptions.MaxGoroutines.
	Dropped int64

	Warnings []error
}

// WaitOptions bounds what Waits keeps.
type WaitOptions struct {
	// MaxGoroutines bounds how many goroutines are followed at a time; 0 means 1 000 000 (at most
	// about 200 MB, if no two share a stack).
	MaxGoroutines int
}

// Waits reads a whole trace. If the trace is truncated or damaged, it reports what comes before the
// damage, with a warning; it returns an error only if nothing can be read.
func Waits(r io.Reader, opt WaitOptions) (*WaitReport, error) {
	if opt.MaxGoroutines <= 0 {
		opt.MaxGoroutines = 1_000_000
	}
	// A truncated generation is lost, since its tables come last: the reader decodes whole
	// generations.
	tr, err := reader.Open(context.Background(), r)
	if err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	f := follower{
		opt:     opt,
		gs:      make(map[trace.GoID]*goroutine),
		stacks:  stacks.New(),
		seen:    make(map[trace.Stack]uint32),
		created: make(map[creation]int),
	}
	for {
		ev, err := tr.ReadEvent()
		if err == io.EOF { //nolint:errorlint // a wrapped io.EOF is a truncated trace
			break
		}
		if err != nil {
			if f.rep.Events == 0 {
				return nil, fmt.Errorf("read trace: no events: %w", err)
			}
			f.rep.Warnings = append(f.rep.Warnings,
				fmt.Errorf("read trace: only the first %v are complete: %w", f.last.Sub(f.first).Round(time.Millisecond), err))
			break
		}
		if err := f.event(&ev); err != nil {
			f.rep.Warnings = append(f.rep.Warnings, err)
			break
		}
	}
	if f.rep.Events == 0 {
		return nil, errors.New("read trace: no events")
	}
	return f.report(), nil
}

type goroutine struct {
	state   State
	old     bool // in state since before the trace
	since   trace.Time
	reason  string
	stack   uint32
	start   uint32 // a stack whose root is the start function
	creator uint32
}

type creation struct{ start, creator uint32 }

type follower struct {
	opt     WaitOptions
	rep     WaitReport
	first   trace.Time
	last    trace.Time
	gs      map[trace.GoID]*goroutine
	stacks  *stacks.Table
	seen    map[trace.Stack]uint32 // of this generation
	created map[creation]int
}

func (f *follower) event(ev *trace.Event) (err error) {
	defer func() { // an event may refer to data missing from its tables
		if p := recover(); p != nil {
			err = fmt.Errorf("read trace: only the first %v are complete: damaged: %v",
				f.last.Sub(f.first).Round(time.Millisecond), p)
		}
	}()
	switch ev.Kind() {
	case trace.EventSync:
		// A handle is valid only until the next generation, and keeps its generation's tables alive.
		clear(f.seen)
		return nil
	case trace.EventStateTransition:
	default:
		f.tick(ev.Time())
		return nil
	}
	f.tick(ev.Time())
	st := ev.StateTransition()
	if st.Resource.Kind != trace.ResourceGoroutine {
		return nil
	}
	id := st.Resource.Goroutine()
	from, to := st.Goroutine()
	if to == trace.GoNotExist {
		delete(f.gs, id)
		return nil
	}
	g := f.gs[id]
	if g == nil {
		if len(f.gs) >= f.opt.MaxGoroutines {
			if from == trace.GoNotExist || from == trace.GoUndetermined {
				f.rep.Dropped++
			}
			return nil
		}
		g = &goroutine{}
		f.gs[id] = g
	}
	stack := f.intern(st.Stack)
	if from == trace.GoNotExist {
		g.start = stack
		g.creator = f.intern(ev.Stack())
		f.count(creation{stack, g.creator})
	} else if stack != 0 {
		g.stack = stack
	}
	state := stateOf(to)
	if from == trace.GoUndetermined {
		// The state when the trace (or the first generation that mentions the goroutine) begins. A
		// goroutine that is only mentioned later did not change state before.
		g.state, g.old, g.since = state, true, f.first
		return nil
	}
	if from == to {
		return nil
	}
	g.state, g.old, g.since = state, false, ev.Time()
	g.reason = ""
	if to == trace.GoWaiting {
		g.reason = st.Reason
	}
	return nil
}

func (f *follower) tick(t trace.Time) {
	if f.rep.Events == 0 {
		f.first = t
	}
	f.last = t
	f.rep.Events++
}

// count counts a go statement. The stacks of a go statement that is reached from many places differ
// only in their roots, so only the ends are kept.
func (f *follower) count(c creation) {
	c.start = f.stacks.Root(c.start)
	c.creator = f.stacks.Leaf(c.creator)
	i, ok := f.created[c]
	if !ok {
		if len(f.created) >= f.opt.MaxGoroutines {
			return
		}
		i = len(f.rep.Creations)
		f.created[c] = i
		cr := Creation{}
		if fr := f.stacks.Frames(c.start); len(fr) > 0 {
			cr.Start = fr[0].Func
		}
		if fr := f.stacks.Frames(c.creator); len(fr) > 0 {
			cr.Creator = fr[0]
		}
		f.rep.Creations = append(f.rep.Creations, cr)
	}
	f.rep.Creations[i].Count++
}

func (f *follower) intern(s trace.Stack) uint32 {
	if s == trace.NoStack {
		return 0
	}
	if id, ok := f.seen[s]; ok {
		return id
	}
	id := f.stacks.Add(s)
	f.seen[s] = id
	return id
}

func stateOf(s trace.GoState) State {
	switch s {
	case trace.GoRunnable:
		return Runnable
	case trace.GoRunning:
		return Running
	case trace.GoWaiting:
		return Waiting
	case trace.GoSyscall:
		return Syscall
	}
	return 0
}

// report lists the live goroutines. Equal stacks are expanded once and shared.
func (f *follower) report() *WaitReport {
	rep := &f.rep
	rep.Duration = f.last.Sub(f.first)
	expanded := make(map[uint32][]Frame)
	frames := func(id uint32) []Frame {
		if id == 0 {
			return nil
		}
		fs, ok := expanded[id]
		if !ok {
			fs = f.stacks.Frames(id)
			expanded[id] = fs
		}
		return fs
	}
	rep.Goroutines = make([]Goroutine, 0, len(f.gs))
	for id, g := range f.gs {
		out := Goroutine{
			ID: int64(id), State: g.state, Reason: g.reason,
			In: f.last.Sub(g.since), AtLeast: g.old,
			Stack: frames(g.stack), Creator: frames(g.creator),
		}
		root := frames(g.start)
		if len(root) == 0 {
			root = out.Stack
		}
		if len(root) > 0 {
			out.Start = root[len(root)-1].Func
		}
		rep.Goroutines = append(rep.Goroutines, out)
	}
	slices.SortFunc(rep.Goroutines, func(a, b Goroutine) int { return cmp.Compare(a.ID, b.ID) })
	if rep.Dropped > 0 {
		rep.Warnings = append(rep.Warnings, fmt.Errorf("read trace: %d goroutines followed at most, %d more left out",
			f.opt.MaxGoroutines, rep.Dropped))
	}
	if f.stacks.Full() {
		rep.Warnings = append(rep.Warnings,
			fmt.Errorf("read trace: %d distinct stacks kept, the rest left out", f.stacks.Len()))
	}
	return rep
}
