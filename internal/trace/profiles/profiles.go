package profiles

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/pprof/profile"

	"github.com/whet-go/whet/trace/index"
)

// A Type is a type of profile.
type Type string

// Types.
const (
	Net      Type = "net"      // waiting for the network
	Sync     Type = "sync"     // waiting for locks, channels and selects
	Chan     Type = "chan"     // only channels and selects of these
	Syscall  Type = "syscall"  // in system calls
	Sched    Type = "sched"    // waiting for a processor, where it became runnable
	CPU      Type = "cpu"      // CPU samples
	GCAssist Type = "gcassist" // assisting the garbage collector
	Creation Type = "creation" // go statements
)

// Types returns all types.
func Types() []Type { return []Type{Net, Sync, Chan, Syscall, Sched, CPU, GCAssist, Creation} }

// Options configure New.
type Options struct {
	// From and To are a window, in nanoseconds since the start of the trace; To 0 means its end. Of
	// spans that extend beyond, only the part inside counts.
	From, To int64
	// Goroutines selects goroutines, by the function that they run; nil means all.
	Goroutines *regexp.Regexp
	// Within are the parts of goroutines' time that count, such as those of some requests; nil
	// means all.
	Within *Parts
}

// samplePeriod is the time that a CPU sample of a trace represents: the profiler's rate is 100 Hz
// unless set otherwise, which a trace does not record.
const samplePeriod = 10 * time.Millisecond

// New makes a profile.
func New(x *index.Index, t Type, o Options) (*profile.Profile, error) {
	if !slices.Contains(Types(), t) {
		return nil, fmt.Errorf("unknown profile %q (want %v)", t, Types())
	}
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	o.Within.sort()
	m := &maker{
		x: x, o: o, values: map[uint32]*value{}, chosen: make([]bool, x.Info.Goroutines),
		alive: make([]bool, x.Info.Goroutines),
	}
	if err := m.goroutines(t); err != nil {
		return nil, err
	}
	var err error
	switch t {
	case CPU:
		err = m.samples()
	case Creation:
	default:
		err = m.spans(t)
	}
	if err != nil {
		return nil, err
	}
	return m.profile(t), nil
}

// A value is the cost of a stack.
type value struct{ count, time int64 }

type maker struct {
	x      *index.Index
	o      Options
	values map[uint32]*value // by stack
	chosen []bool            // goroutines that count
	alive  []bool            // when the trace ends
}

func (m *maker) add(stack uint32, took int64) {
	v := m.values[stack]
	if v == nil {
		v = &value{}
		m.values[stack] = v
	}
	v.count++
	v.time += took
}

// goroutines determines which goroutines count, and counts their go statements.
func (m *maker) goroutines(t Type) error {
	kinds := m.x.Kinds()
	return m.x.Goroutines(func(g *index.Goroutine) bool {
		m.alive[g.Index] = !g.Ended
		m.chosen[g.Index] = m.o.Goroutines == nil || m.o.Goroutines.MatchString(kinds[g.Kind].Name)
		if t == Creation && m.chosen[g.Index] && !g.Old && g.From >= m.o.From && g.From <= m.o.To &&
			m.o.Within.has(g.Parent, g.From) {
			m.add(g.Created, 0)
		}
		return true
	})
}

func (m *maker) samples() error {
	return m.x.Records(index.Samples, m.o.From, m.o.To, func(r *index.Record) bool {
		chosen := r.Goroutine == 0 && m.o.Goroutines == nil || r.Goroutine > 0 && m.chosen[r.Goroutine-1]
		if chosen && m.o.Within.has(r.Goroutine, r.To) {
			m.add(r.Stack, int64(samplePeriod))
		}
		return true
	})
}

func (m *maker) spans(t Type) error {
	counts := m.counts(t)
	started := make([]bool, m.x.Info.Goroutines)
	calls := map[uint32]call{} // by goroutine: the last one, which may continue
	err := m.x.Spans(0, m.o.To, func(s index.Span) bool {
		ran := started[s.Goroutine]
		if s.Code == index.Running || s.Code == index.Assist {
			started[s.Goroutine] = true
			ran = true
		}
		if !ran || !counts(s.Code) || !m.chosen[s.Goroutine] {
			return true
		}
		open := m.alive[s.Goroutine] && s.To == m.x.Info.Duration // and does not count
		took := m.o.Within.overlap(s.Goroutine, max(s.From, m.o.From), min(s.To, m.o.To))
		if t == Syscall {
			c, ok := calls[s.Goroutine]
			if !ok || s.Code != index.SyscallBlocked || c.to != s.From {
				m.call(c)
				c = call{stack: s.Stack}
			}
			c.to, c.open = s.To, open
			c.took += took
			calls[s.Goroutine] = c
		} else if took > 0 && !open {
			m.add(s.Stack, took)
		}
		return true
	})
	for _, c := range calls {
		m.call(c)
	}
	return err
}

// A call is a system call, with the time it takes after its processor went on without it.
type call struct {
	stack    uint32
	to, took int64
	open     bool // it has not ended
}

func (m *maker) call(c call) {
	if c.took > 0 && !c.open {
		m.add(c.stack, c.took)
	}
}

// counts returns a function that reports whether a type includes a state.
func (m *maker) counts(t Type) func(index.Code) bool {
	reasons := make([]bool, m.x.Codes())
	for code := range reasons {
		r, _ := index.ReasonOf(m.x.Code(index.Code(code)))
		chans := r == index.ForSend || r == index.ForReceive || r == index.ForSelect
		switch t {
		case Net:
			reasons[code] = r == index.ForNetwork
		case Chan:
			reasons[code] = chans
		case Sync: // as in go tool trace
			reasons[code] = chans || r == index.ForSync || r == index.ForCond || r == index.ForBubble
		case Syscall, Sched, CPU, GCAssist, Creation:
		}
	}
	for code := range index.Waiting {
		reasons[code] = false
	}
	switch t {
	case Syscall:
		reasons[index.Syscall], reasons[index.SyscallBlocked] = true, true
	case Sched:
		reasons[index.Runnable] = true
	case GCAssist:
		reasons[index.Assist] = true
	case Net, Sync, Chan, CPU, Creation:
	}
	return func(c index.Code) bool { return int(c) < len(reasons) && reasons[c] }
}

// profile converts the values to a profile.
func (m *maker) profile(t Type) *profile.Profile {
	first, second := "contentions", "delay"
	switch t {
	case CPU:
		first, second = "samples", "cpu"
	case Creation:
		first, second = "goroutines", ""
	case Net, Sync, Chan, Syscall, Sched, GCAssist:
	}
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: first, Unit: "count"}},
		PeriodType:    &profile.ValueType{Type: "trace", Unit: "count"},
		Period:        1,
		DurationNanos: m.o.To - m.o.From,
	}
	if second != "" {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: second, Unit: "nanoseconds"})
	}
	stacks := make([]uint32, 0, len(m.values))
	for stack := range m.values {
		stacks = append(stacks, stack)
	}
	slices.Sort(stacks)
	type place struct {
		function, file string
		line           int
	}
	functions, locations := map[[2]string]*profile.Function{}, map[place]*profile.Location{}
	for _, stack := range stacks {
		v := m.values[stack]
		s := &profile.Sample{Value: []int64{v.count}}
		if second != "" {
			s.Value = append(s.Value, v.time)
		}
		for _, f := range m.x.Stack(stack) {
			at := place{f.Func, f.File, f.Line}
			loc := locations[at]
			if loc == nil {
				name := [2]string{f.Func, f.File}
				fn := functions[name]
				if fn == nil {
					fn = &profile.Function{ID: uint64(len(p.Function) + 1), Name: f.Func, SystemName: f.Func, Filename: f.File}
					functions[name] = fn
					p.Function = append(p.Function, fn)
				}
				loc = &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: fn, Line: int64(f.Line)}}}
				locations[at] = loc
				p.Location = append(p.Location, loc)
			}
			s.Location = append(s.Location, loc)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}
