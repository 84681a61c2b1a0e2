package waits

import (
	"cmp"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Frame is one call on a stack.
type Frame = stacks.Frame

// Warnings are what the reader of a result must know.
type Warnings = diag.Warnings

// A State is the state of a goroutine.
type State uint8

// The states of a goroutine.
const (
	Runnable State = iota + 1
	Running
	Waiting
	Syscall
)

// String returns the name of the state in lower case.
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
	// Reason is why it waits, as recorded in the trace ("chan receive", "select", "network",
	// "sync", "sleep", "forever", …); "" if it does not wait or has waited since before the trace.
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

// A Report is the goroutines that exist when a trace ends, and the go statements executed in it.
type Report struct {
	Duration   time.Duration
	Events     int64
	Goroutines []Goroutine // alive at the end, by id
	// Creations counts the go statements executed during the trace, in the order first seen. It
	// includes goroutines that have ended.
	Creations []Creation

	Warnings Warnings // of a trace that is incomplete
}

// NewReport reports what goroutines wait for at the end of an indexed trace.
func NewReport(x *index.Index) (*Report, error) {
	r := &reporter{x: x, at: map[uint32]int{}, frames: map[uint32][]Frame{}, created: map[creation]*created{}}
	if err := r.lives(); err != nil {
		return nil, err
	}
	if err := x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if at, ok := r.at[s.Goroutine]; ok {
			r.alive[at].span(&s)
		}
		return true
	}); err != nil {
		return nil, err
	}
	return r.report(), nil
}

// A reporter makes one report.
type reporter struct {
	x       *index.Index
	alive   []goroutine
	at      map[uint32]int // in alive, by index
	created map[creation]*created
	frames  map[uint32][]Frame // stacks that were expanded: goroutines share them
}

// A goroutine exists at the end.
type goroutine struct {
	id      int64
	begin   int64
	old     bool
	kind    uint32
	creator uint32 // stack

	state State
	code  index.Code
	since int64
	until int64
	stack uint32
	spans int
}

// A creation is what goroutines of one Creation have in common.
type creation struct {
	kind    uint32
	creator Frame
}

// created is a Creation, and the index of its first goroutine.
type created struct {
	first uint32
	count int64
}

// lives finds the goroutines that exist at the end, and counts those created within the trace.
func (r *reporter) lives() error {
	return r.x.Lives(0, r.x.Info.Duration, func(g *index.Goroutine) bool {
		if !g.Old {
			c := creation{kind: g.Kind}
			if stack := r.expand(g.Created); len(stack) > 0 {
				c.creator = stack[0]
			}
			one := r.created[c]
			if one == nil {
				one = &created{first: g.Index}
				r.created[c] = one
			}
			one.first = min(one.first, g.Index)
			one.count++
		}
		if !g.Ended {
			r.at[g.Index] = len(r.alive)
			r.alive = append(r.alive, goroutine{id: g.ID, begin: g.From, old: g.Old, kind: g.Kind, creator: g.Created})
		}
		return true
	})
}

// expand returns the frames of a stack.
func (r *reporter) expand(stack uint32) []Frame {
	frames, ok := r.frames[stack]
	if !ok {
		frames = r.x.Stack(stack)
		r.frames[stack] = frames
	}
	return frames
}

// span follows a goroutine through a span.
func (g *goroutine) span(s *index.Span) {
	state := stateOf(s.Code)
	if state != g.state || s.From != g.until {
		g.state, g.since = state, s.From
	}
	g.code, g.until = s.Code, s.To
	// A runnable goroutine has the stack of the one that made it so, except where it gave up its
	// processor; its first span has that of its creator.
	own := s.Code != index.Runnable || s.With == 0 && (g.old || g.spans > 0)
	if own && s.Code != index.Assist && s.Stack != 0 {
		g.stack = s.Stack
	}
	g.spans++
}

func stateOf(c index.Code) State {
	switch c {
	case index.Unknown:
		return 0
	case index.Running, index.Assist:
		return Running
	case index.Runnable:
		return Runnable
	case index.Syscall, index.SyscallBlocked:
		return Syscall
	case index.Waiting:
	}
	return Waiting // the code of a reason
}

// report lists the goroutines and creations.
func (r *reporter) report() *Report {
	info := &r.x.Info
	rep := &Report{Duration: time.Duration(info.Duration), Events: info.Events - info.Generations}
	kinds := r.x.Kinds()
	rep.Goroutines = make([]Goroutine, 0, len(r.alive))
	for i := range r.alive {
		g := &r.alive[i]
		out := Goroutine{
			ID: g.id, State: g.state, In: time.Duration(info.Duration - g.since), Stack: r.expand(g.stack),
			Creator: r.expand(g.creator),
		}
		if g.old && g.since == g.begin {
			out.AtLeast, out.In = true, rep.Duration
		} else if g.state == Waiting {
			out.Reason = r.x.Code(g.code)
		}
		if out.Start = kinds[g.kind].Name; (g.old || out.Start == "") && len(out.Stack) > 0 {
			out.Start = out.Stack[len(out.Stack)-1].Func
		}
		rep.Goroutines = append(rep.Goroutines, out)
	}
	slices.SortFunc(rep.Goroutines, func(a, b Goroutine) int { return cmp.Compare(a.ID, b.ID) })
	order := make([]creation, 0, len(r.created))
	for c := range r.created {
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b creation) int { return cmp.Compare(r.created[a].first, r.created[b].first) })
	for _, c := range order {
		rep.Creations = append(rep.Creations, Creation{kinds[c.kind].Name, c.creator, r.created[c].count})
	}
	if info.Damage != "" {
		rep.Warnings.Addf("read trace: only the first %v are complete: %s",
			rep.Duration.Round(time.Millisecond), info.Damage)
	}
	if info.StacksFull {
		rep.Warnings.Addf("read trace: too many distinct stacks; some were left out")
	}
	return rep
}
