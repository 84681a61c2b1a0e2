package documents

import (
	"cmp"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/stacks"
	"github.com/whet-go/whet/unit"
)

// RequestsSchema is the schema of Requests.
const RequestsSchema = "whet.trace-requests/3"

// Requests is the document of whet trace requests.
type Requests struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Count  int    `json:"count"` // requests
	Tasks  int    `json:"tasks"` // user tasks
	Open   int    `json:"open"`  // began before the trace, or did not end within it
	// Profiling counts requests for profiles, which are not in Classes.
	Profiling int            `json:"profiling,omitempty"`
	Dropped   int            `json:"dropped,omitempty"` // tasks beyond the limit
	Classes   []RequestClass `json:"classes"`
	// Stacks are the stacks that steps refer to, innermost frame first. The first is empty:
	// unknown.
	Stacks [][]stacks.Frame `json:"stacks"`
	// OwnFrames has which frames of Stacks are own code; set by MarkOwn.
	OwnFrames [][]bool `json:"-"`

	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A RequestClass is the requests with one handler, or the user tasks of one type.
type RequestClass struct {
	Handler string        `json:"handler"` // or "task " and the type
	Task    bool          `json:"task,omitempty"`
	Count   int           `json:"count"`
	P50     time.Duration `json:"p50_ns"`
	P90     time.Duration `json:"p90_ns"`
	P99     time.Duration `json:"p99_ns"`
	Max     time.Duration `json:"max_ns"`
	Parts   []Part        `json:"parts"` // those in most requests first
	Slowest []Request     `json:"slowest"`
}

// A Part is a cause on which requests spend time, on average.
type Part struct {
	Cause  string        `json:"cause"`
	Middle time.Duration `json:"middle_ns"` // of those between the 40th and 60th percentile
	Slow   time.Duration `json:"slow_ns"`   // of those from the 99th percentile on
	Path   time.Duration `json:"path_ns"`   // on the critical paths of the slowest ones
}

// A Request is one of the slowest.
type Request struct {
	Number    int           `json:"number"` // from 1, in the document
	Goroutine int64         `json:"goroutine"`
	From      time.Duration `json:"from_ns"` // since the trace's start
	Latency   time.Duration `json:"latency_ns"`
	Parts     []OwnAndPath  `json:"parts"` // the largest first
	Path      []Step        `json:"path"`  // its critical path
}

// An OwnAndPath is the time of a request by cause: in its own goroutine, and on its critical path.
type OwnAndPath struct {
	Cause string        `json:"cause"`
	Own   time.Duration `json:"own_ns"`
	Path  time.Duration `json:"path_ns"`
}

// A Step is a part of a critical path. Steps follow each other without gaps.
type Step struct {
	From      time.Duration `json:"from_ns"` // since the trace's start
	Took      time.Duration `json:"took_ns"`
	Goroutine int64         `json:"goroutine"`
	Function  string        `json:"function"` // that it runs
	Cause     string        `json:"cause"`
	State     string        `json:"state"` // as named in the trace
	Stack     int           `json:"stack"` // number in Stacks
	// Own is the innermost own frame of the stack, else the function that the goroutine runs.
	Own     *stacks.Frame `json:"own,omitempty"`
	Samples int           `json:"cpu_samples,omitempty"` // that have Stack
	WokenBy *Waker        `json:"woken_by,omitempty"`    // the goroutine that ended a wait, or started this one
	Inside  []Step        `json:"inside,omitempty"`      // what that goroutine did meanwhile
	Merged  int           `json:"merged,omitempty"`      // number of short steps merged into this one

	Owned bool `json:"-"` // Own is of own code
}

// A Waker is a goroutine that woke or started another.
type Waker struct {
	Goroutine int64         `json:"goroutine"`
	Function  string        `json:"function"` // that it runs
	Stack     int           `json:"stack"`    // where it did
	Own       *stacks.Frame `json:"own,omitempty"`
}

// NewRequests returns the document of a result of an index whose slowest requests all have paths.
func NewRequests(name string, r *requests.Result, x *index.Index) (Requests, error) {
	d := Requests{
		Schema: RequestsSchema, Name: name, Count: r.Count, Tasks: r.Tasks, Open: r.Open, Profiling: r.Profiling,
		Dropped: r.Dropped,
		Classes: []RequestClass{}, Stacks: [][]stacks.Frame{{}},
	}
	m := &requestsMaker{d: &d, x: x, stacks: map[uint32]int{0: 0}, goroutines: map[uint32]Waker{}}
	number := 0
	for _, c := range r.Classes {
		class := RequestClass{
			Handler: c.Name, Task: c.Task, Count: c.Count, P50: c.P50, P90: c.P90, P99: c.P99, Max: c.Max,
			Parts: []Part{}, Slowest: []Request{},
		}
		for cause := range requests.Causes {
			if c.Middle[cause] > 0 || c.Slow[cause] > 0 || c.Path[cause] > 0 {
				class.Parts = append(class.Parts, Part{
					requests.Cause(cause).String(), c.Middle[cause], c.Slow[cause],
					c.Path[cause],
				})
			}
		}
		middle, slow, path := c.Middle.Sum(), c.Slow.Sum(), c.Path.Sum()
		share := func(p Part) float64 {
			return unit.Share(int64(p.Middle), int64(middle)) + unit.Share(int64(p.Slow), int64(slow)) +
				unit.Share(int64(p.Path), int64(path))
		}
		slices.SortStableFunc(class.Parts, func(a, b Part) int { return cmp.Compare(share(b), share(a)) })
		for _, one := range c.Slowest {
			number++
			class.Slowest = append(class.Slowest, m.request(number, one))
		}
		d.Classes = append(d.Classes, class)
	}
	return d, m.err
}

// A requestsMaker adds stacks and goroutines to a document.
type requestsMaker struct {
	d          *Requests
	x          *index.Index
	stacks     map[uint32]int
	goroutines map[uint32]Waker
	err        error // the first error
}

func (m *requestsMaker) request(number int, r *requests.Request) Request {
	one := Request{
		Number: number, Goroutine: m.goroutine(r.Goroutine).Goroutine, From: time.Duration(r.From), Latency: r.Latency(),
		Parts: []OwnAndPath{}, Path: m.steps(r.Path.Steps),
	}
	for cause := range requests.Causes {
		if own, path := r.Times[cause], r.Path.Times[cause]; own > 0 || path > 0 {
			one.Parts = append(one.Parts, OwnAndPath{requests.Cause(cause).String(), own, path})
		}
	}
	slices.SortStableFunc(one.Parts,
		func(a, b OwnAndPath) int { return cmp.Compare(max(b.Own, b.Path), max(a.Own, a.Path)) })
	return one
}

func (m *requestsMaker) steps(steps []requests.Step) []Step {
	var list []Step
	for i := range steps {
		s := &steps[i]
		g := m.goroutine(s.Goroutine)
		step := Step{
			From: time.Duration(s.From), Took: s.Took(), Goroutine: g.Goroutine, Function: g.Function,
			Cause: s.Cause.String(), State: m.x.Code(s.Code), Stack: m.stack(s.Stack), Samples: s.Samples,
			Inside: m.steps(s.Inside), Merged: s.Merged,
		}
		if s.Waker > 0 {
			w := m.goroutine(s.Waker - 1)
			w.Stack = m.stack(s.WakerStack)
			step.WokenBy = &w
		}
		list = append(list, step)
	}
	return list
}

func (m *requestsMaker) stack(n uint32) int {
	if i, ok := m.stacks[n]; ok {
		return i
	}
	i := len(m.d.Stacks)
	m.stacks[n], m.d.Stacks = i, append(m.d.Stacks, m.x.Stack(n))
	return i
}

func (m *requestsMaker) goroutine(n uint32) Waker {
	w, ok := m.goroutines[n]
	if !ok {
		g, err := m.x.Goroutine(n)
		if err != nil {
			if m.err == nil {
				m.err = err
			}
			return Waker{}
		}
		w = Waker{Goroutine: g.ID, Function: m.x.Kinds()[g.Kind].Name}
		m.goroutines[n] = w
	}
	return w
}

// MarkOwn finds the own frames of steps; with nil, own code is unknown.
func (d *Requests) MarkOwn(own func(stacks.Frame) bool) {
	frames := make([]*stacks.Frame, len(d.Stacks))
	d.OwnFrames = make([][]bool, len(d.Stacks))
	for i, stack := range d.Stacks {
		if len(stack) == 0 {
			continue
		}
		for _, f := range stack {
			d.OwnFrames[i] = append(d.OwnFrames[i], own != nil && own(f))
		}
		at := slices.Index(d.OwnFrames[i], true)
		if at < 0 {
			at = len(stack) - 1 // identifies a library's goroutine better than where it waits
		}
		frames[i] = &stack[at]
	}
	var mark func([]Step)
	mark = func(steps []Step) {
		for i := range steps {
			s := &steps[i]
			s.Own, s.Owned = frames[s.Stack], slices.Contains(d.OwnFrames[s.Stack], true)
			if s.WokenBy != nil {
				s.WokenBy.Own = frames[s.WokenBy.Stack]
			}
			mark(s.Inside)
		}
	}
	for _, c := range d.Classes {
		for _, one := range c.Slowest {
			mark(one.Path)
		}
	}
}

// Only keeps the request with the given number, and its class. It reports whether there is one.
func (d *Requests) Only(number int) bool {
	for _, c := range d.Classes {
		for i, one := range c.Slowest {
			if one.Number == number {
				c.Slowest = c.Slowest[i : i+1]
				d.Classes = []RequestClass{c}
				return true
			}
		}
	}
	return false
}

// Worst returns what a request's path spends most time on, by cause and own line. If the goroutine
// has no own code, the line is that of the wait that led to it.
func (r *Request) Worst() (Step, time.Duration) {
	type key struct {
		cause string
		place stacks.Frame
	}
	took := map[key]time.Duration{}
	var worst Step
	most := time.Duration(0)
	var add func(steps []Step, outer *stacks.Frame)
	add = func(steps []Step, outer *stacks.Frame) {
		for _, s := range steps {
			if !s.Owned && outer != nil {
				s.Own = outer
			}
			if s.Inside != nil {
				inner := outer
				if s.Owned {
					inner = s.Own
				}
				add(s.Inside, inner)
				continue
			}
			k := key{cause: s.Cause}
			if s.Own != nil {
				k.place = *s.Own
			}
			if took[k] += s.Took; took[k] > most {
				worst, most = s, took[k]
			}
		}
	}
	add(r.Path, nil)
	return worst, most
}
