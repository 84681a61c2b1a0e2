package traces

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/stacks"
	"github.com/whet-go/whet/unit"
)

// RequestsSchema is the schema of TraceRequests.
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
	Stacks [][]profiles.Frame `json:"stacks"`

	own [][]bool // of the frames of Stacks
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
	State     string        `json:"state"` // in the trace's words
	Stack     int           `json:"stack"` // number in Stacks
	// Own is the innermost own frame of the stack, else the function that the goroutine runs.
	Own     *profiles.Frame `json:"own,omitempty"`
	Samples int             `json:"cpu_samples,omitempty"` // that have Stack
	WokenBy *Waker          `json:"woken_by,omitempty"`    // the goroutine that ended a wait, or started this one
	Inside  []Step          `json:"inside,omitempty"`      // what that goroutine did meanwhile
	Merged  int             `json:"merged,omitempty"`      // number of short steps merged into this one

	owned bool // Own is of own code
}

// A Waker is a goroutine that woke or started another.
type Waker struct {
	Goroutine int64           `json:"goroutine"`
	Function  string          `json:"function"` // that it runs
	Stack     int             `json:"stack"`    // where it did
	Own       *profiles.Frame `json:"own,omitempty"`
}

// NewRequests returns the document of a result of an index whose slowest requests all have paths.
func NewRequests(name string, r *requests.Result, x *index.Index) (Requests, error) {
	d := Requests{
		Schema: RequestsSchema, Name: name, Count: r.Count, Tasks: r.Tasks, Open: r.Open, Profiling: r.Profiling,
		Dropped: r.Dropped,
		Classes: []RequestClass{}, Stacks: [][]profiles.Frame{{}},
	}
	m := &traceRequestsMaker{d: &d, x: x, stacks: map[uint32]int{0: 0}, goroutines: map[uint32]Waker{}}
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

// A traceRequestsMaker adds stacks and goroutines to a document.
type traceRequestsMaker struct {
	d          *Requests
	x          *index.Index
	stacks     map[uint32]int
	goroutines map[uint32]Waker
	err        error // the first error
}

func (m *traceRequestsMaker) request(number int, r *requests.Request) Request {
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

func (m *traceRequestsMaker) steps(steps []requests.Step) []Step {
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

func (m *traceRequestsMaker) stack(n uint32) int {
	if i, ok := m.stacks[n]; ok {
		return i
	}
	var frames []profiles.Frame
	for _, f := range m.x.Stack(n) {
		frames = append(frames, profiles.Frame{Name: f.Func, File: f.File, Line: f.Line})
	}
	i := len(m.d.Stacks)
	m.stacks[n], m.d.Stacks = i, append(m.d.Stacks, frames)
	return i
}

func (m *traceRequestsMaker) goroutine(n uint32) Waker {
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
	frames := make([]*profiles.Frame, len(d.Stacks))
	d.own = make([][]bool, len(d.Stacks))
	for i, stack := range d.Stacks {
		if len(stack) == 0 {
			continue
		}
		for _, f := range stack {
			d.own[i] = append(d.own[i], own != nil && own(stacks.Frame{Func: f.Name, File: f.File, Line: f.Line}))
		}
		at := slices.Index(d.own[i], true)
		if at < 0 {
			at = len(stack) - 1 // identifies a library's goroutine better than where it waits
		}
		frames[i] = &stack[at]
	}
	var mark func([]Step)
	mark = func(steps []Step) {
		for i := range steps {
			s := &steps[i]
			s.Own, s.owned = frames[s.Stack], slices.Contains(d.own[s.Stack], true)
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

// WriteRequests writes the document as text.
func WriteRequests(w io.Writer, style layout.Style, d Requests) error {
	t := layout.NewWriter(w)
	head := layout.Plural(d.Count, "request", "requests")
	if d.Tasks > 0 {
		head += " and " + layout.Plural(d.Tasks, "user task", "user tasks")
	}
	t.Line(style.Paint(layout.Bold, head+" in the trace of "+layout.Clean(d.Name)))
	if d.Profiling > 0 {
		t.Line("left out: ", layout.Plural(d.Profiling, "request", "requests"), " for profiles of the service")
	}
	if d.Open > 0 {
		t.Line("left out: ", layout.Plural(d.Open, "request", "requests"), " that began before the trace or ended after it")
	}
	if d.Dropped > 0 {
		t.Line(style.Paint(layout.Gold,
			"left out: "+layout.Plural(d.Dropped, "task", "tasks")+"; --from and --to select a part"))
	}
	if len(d.Classes) == 0 {
		t.Line("whet knows servers of net/http (HTTP/1 and 2), net/rpc and gRPC, and tasks of")
		t.Line("runtime/trace")
		return t.Result()
	}
	for i := range d.Classes {
		t.Line()
		d.Classes[i].write(t, style)
	}
	d.unnamed(t, style)
	t.Line()
	t.Line(style.Paint(layout.Dim, "path: the critical path of the slowest, which continues in the goroutines they"))
	t.Line(style.Paint(layout.Dim, "waited for. --request N shows one in full."))
	return t.Result()
}

// unnamed writes how many requests have no handler's name, why, and how to name them.
func (d *Requests) unnamed(t *layout.Writer, style layout.Style) {
	n := 0
	for i := range d.Classes {
		if !requests.HandlerSeen(d.Classes[i].Handler) {
			n += d.Classes[i].Count
		}
	}
	if n == 0 {
		return
	}
	t.Line()
	share := unit.Percent(int64(n), int64(d.Count))
	t.Line(style.Paint(layout.Gold, "The handler of "+share+" of the requests is unknown: it did not block, so no stack"))
	t.Line("shows it. A region of runtime/trace in the handler names its requests:")
	t.Line("  defer trace.StartRegion(r.Context(), \"NAME\").End()")
}

func (c *RequestClass) write(t *layout.Writer, style layout.Style) {
	head := unit.Count(c.Count).Short() + " x "
	t.Line(style.Paint(layout.Bold,
		head+layout.FitName(layout.Clean(c.Handler), style.Remaining(layout.Columns(head), 20))))
	t.Line("  p50 ", unit.Duration(c.P50), "  p90 ", unit.Duration(c.P90), "  p99 ", unit.Duration(c.P99), "  max ",
		unit.Duration(c.Max))
	t.Line(style.Paint(layout.Dim, "  "+layout.Left("spent on", 16)+layout.Right("typical", 17)+
		layout.Right("slowest 1%", 17)+layout.Right("path", 17)))
	middle, slow, path := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, p := range c.Parts {
		middle, slow, path = middle+p.Middle, slow+p.Slow, path+p.Path
	}
	for _, p := range c.Parts {
		if max(unit.Share(int64(p.Middle), int64(middle)), unit.Share(int64(p.Slow), int64(slow)),
			unit.Share(int64(p.Path), int64(path))) < leastShown {
			continue
		}
		t.Line("  ", layout.Left(p.Cause, 16), shared(style, p.Middle, middle), shared(style, p.Slow, slow),
			shared(style, p.Path, path))
	}
	for i := range c.Slowest {
		one := &c.Slowest[i]
		most := slices.MaxFunc(one.Parts, func(a, b OwnAndPath) int { return cmp.Compare(a.Own, b.Own) })
		t.Line(
			"  ", layout.Left(fmt.Sprintf("#%d", one.Number), 5), layout.Right(unit.Duration(one.Latency), 9), "  at ",
			unit.Duration(one.From), ", goroutine ", fmt.Sprint(one.Goroutine), ": ",
			durationShare(most.Own, one.Latency), " ", most.Cause,
		)
		if worst, took := one.worst(); took > 0 {
			lead := layout.Spaces(7) + "path: " + durationShare(took, one.Latency) + " " + worst.Cause
			if worst.Own == nil {
				t.Line(lead)
				continue
			}
			t.Line(lead, " in ", profiles.FrameText(style, *worst.Own, layout.Cyan, layout.Columns(lead)+4))
		}
	}
}

// leastShown is the smallest share of a cause in text; JSON has all.
const leastShown = 0.005

// shared formats a duration and its share of a total, in 17 columns.
func shared(s layout.Style, d, total time.Duration) layout.Painted {
	if d == 0 {
		return layout.Join(layout.Spaces(17))
	}
	return layout.Join(layout.Right(unit.Duration(d), 11), s.Paint(layout.Heat(unit.Share(int64(d), int64(total))),
		layout.Right(durationShare(d, total), 6)))
}

func durationShare(d, total time.Duration) string {
	return fmt.Sprintf("%.0f%%", 100*unit.Share(int64(d), int64(total)))
}

// worst returns what a request's path spends most on, by cause and own line. Without own code in
// the goroutine, it is the line of the wait that led to it.
func (r *Request) worst() (Step, time.Duration) {
	type key struct {
		cause, name, file string
		line              int
	}
	took := map[key]time.Duration{}
	var worst Step
	most := time.Duration(0)
	var add func(steps []Step, outer *profiles.Frame)
	add = func(steps []Step, outer *profiles.Frame) {
		for _, s := range steps {
			if !s.owned && outer != nil {
				s.Own = outer
			}
			if s.Inside != nil {
				inner := outer
				if s.owned {
					inner = s.Own
				}
				add(s.Inside, inner)
				continue
			}
			k := key{cause: s.Cause}
			if s.Own != nil {
				k.name, k.file, k.line = s.Own.Name, s.Own.File, s.Own.Line
			}
			if took[k] += s.Took; took[k] > most {
				worst, most = s, took[k]
			}
		}
	}
	add(r.Path, nil)
	return worst, most
}
