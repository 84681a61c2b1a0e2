package timeline

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// ErrQuery is wrapped by errors about invalid queries. Other errors are those of reading the index.
var ErrQuery = errors.New("bad query")

// A queryError is an ErrQuery with a reason.
type queryError struct{ text string }

func (e *queryError) Error() string        { return e.text }
func (e *queryError) Is(target error) bool { return target == ErrQuery }

func badQuery(format string, args ...any) error { return &queryError{fmt.Sprintf(format, args...)} }

// Schema is the version of the JSON of this package's types.
const Schema = "whet.timeline/1"

// A Timeline answers the queries of one trace.
type Timeline struct {
	x       *index.Index
	name    string
	kinds   []string // by number
	metrics map[string]uint32

	mu    sync.Mutex
	lists []*list // of rows, most recently used first

	finding  sync.Mutex // held while requests are searched for
	requests *found     // nil until first used

	goroutineKinds []uint32 // by index; nil until first used

	kind func(stacks.Frame) string // whose code a frame is; nil if unknown
}

// New returns the timeline of an index, which must remain open. name is for display.
func New(x *index.Index, name string) *Timeline {
	t := &Timeline{x: x, name: name, metrics: map[string]uint32{}}
	for _, k := range x.Kinds() {
		t.kinds = append(t.kinds, k.Name)
	}
	for _, n := range x.Names(index.Metrics) {
		t.metrics[x.Name(n.Name)] = n.Name
	}
	return t
}

// Trace describes a trace as a whole.
type Trace struct {
	Schema   string      `json:"schema"`
	Name     string      `json:"name"`
	Duration int64       `json:"duration"` // nanoseconds
	Events   int64       `json:"events"`
	Damage   string      `json:"damage,omitempty"` // what ended the trace before its end
	States   []State     `json:"states"`           // a span's state is an index into it
	Types    []TypeCount `json:"types"`
	Metrics  []string    `json:"metrics"` // names, for [Timeline.Metric]
}

// A State is a state that rows can be in.
type State struct {
	Name  string `json:"name"`
	Group string `json:"group"` // running, runnable, syscall, gc, waiting, unknown, or function
}

// A TypeCount is the number of rows of a type. For requests it is -1 until their first use.
type TypeCount struct {
	Type  string `json:"type"`
	Count int64  `json:"count"`
}

// Types of rows.
const (
	Proc      = "proc"      // a processor of Go's scheduler: which goroutine it runs
	Thread    = "thread"    // of the operating system: which processor it has
	Goroutine = "goroutine" // its states
	Task      = "task"      // of runtime/trace: the states of the goroutine that began it
	Request   = "request"   // of a server: the states of its goroutine
	Range     = "range"     // of the garbage collector, and stop-the-world phases, by name
	Region    = "region"    // of runtime/trace, by name
)

// rowTypes lists all types, with the first letter of their IDs.
func rowTypes() []rowType {
	return []rowType{
		{Proc, 'p'},
		{Thread, 'm'},
		{Goroutine, 'g'},
		{Task, 't'},
		{Request, 'r'},
		{Range, 'c'},
		{Region, 'u'},
	}
}

type rowType struct {
	name   string
	letter byte
}

// parseID returns the type and the number of an ID.
func parseID(id string) (of rowType, n uint64, err error) {
	for _, one := range rowTypes() {
		if id != "" && id[0] == one.letter {
			if n, err := strconv.ParseUint(id[1:], 10, 64); err == nil {
				return one, n, nil
			}
		}
	}
	return rowType{}, 0, badQuery("invalid row %q (want p, m, g, t, r, c or u, and a number)", id)
}

func formatID(of string, n uint64) string {
	i := slices.IndexFunc(rowTypes(), func(one rowType) bool { return one.name == of })
	return string(rowTypes()[i].letter) + strconv.FormatUint(n, 10)
}

// Trace returns a description of the whole trace.
func (t *Timeline) Trace() Trace {
	info := t.x.Info
	trace := Trace{
		Schema: Schema, Name: t.name, Duration: info.Duration, Events: info.Events, Damage: info.Damage, Metrics: []string{},
	}
	for code := range t.x.Codes() {
		name := t.x.Code(index.Code(code))
		trace.States = append(trace.States, State{name, group(index.Code(code), name)})
	}
	trace.States = append(trace.States, State{"active", "running"})
	for _, kind := range t.kinds[:min(len(t.kinds), maxFunctions)] {
		trace.States = append(trace.States, State{kind, FunctionGroup})
	}
	for _, one := range rowTypes() {
		trace.Types = append(trace.Types, TypeCount{one.name, t.count(one.name)})
	}
	trace.Metrics = slices.AppendSeq(trace.Metrics, maps.Keys(t.metrics))
	slices.Sort(trace.Metrics)
	return trace
}

// active returns the state of rows that are not goroutines.
func (t *Timeline) active() int { return t.x.Codes() }

// group returns the group of states with the same color.
func group(code index.Code, name string) string {
	switch code {
	case index.Unknown:
		return "unknown"
	case index.Running:
		return "running"
	case index.Assist:
		return "gc"
	case index.Runnable:
		return "runnable"
	case index.Syscall, index.SyscallBlocked:
		return "syscall"
	case index.Waiting:
	}
	if r, _ := index.ReasonOf(name); r == index.ForCollector {
		return "gc"
	}
	return "waiting"
}

// count returns the number of rows of a type; -1 if it is not known yet.
func (t *Timeline) count(of string) int64 {
	switch of {
	case Proc:
		return int64(t.x.Procs())
	case Thread:
		return int64(len(t.x.Threads()))
	case Goroutine:
		return int64(t.x.Info.Goroutines)
	case Task:
		return t.x.Count(index.Tasks)
	case Range:
		return int64(len(t.x.Names(index.Ranges)))
	case Region:
		return int64(len(t.x.Names(index.Regions)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.requests == nil {
		return -1
	}
	return int64(len(t.requests.all))
}

// A Point has the values of a metric since the previous point, up to its own time.
type Point struct {
	At   int64  `json:"at"` // nanoseconds since the start of the trace
	Min  uint64 `json:"min"`
	Max  uint64 `json:"max"`
	Last uint64 `json:"last"`
}

// Metric returns the values of a metric in a window: at most width points. The first is the value
// when the window began, if the trace has it. To 0 means the end of the trace.
func (t *Timeline) Metric(name string, from, to int64, width int) ([]Point, error) {
	number, ok := t.metrics[name]
	if !ok {
		return nil, badQuery("unknown metric %q (want %s)", name, strings.Join(slices.Sorted(maps.Keys(t.metrics)), ", "))
	}
	w, err := t.window(from, to, width)
	if err != nil {
		return nil, err
	}
	all, err := t.x.Metric(number, w)
	points := make([]Point, len(all))
	for i, p := range all {
		points[i] = Point{p.At, p.Least, p.Most, p.Last}
	}
	return points, err
}

// maxWidth bounds the width of windows, to that of several screens.
const maxWidth = 16384

// window returns a window within the trace.
func (t *Timeline) window(from, to int64, width int) (index.Window, error) {
	if to == 0 {
		to = t.x.Info.Duration
	}
	if from < 0 || to < from || width < 1 || width > maxWidth {
		return index.Window{}, badQuery("invalid window from %d to %d of width %d (want times of 0 or more, an end "+
			"that is not "+
			"before the start, and a width of 1 to %d)", from, to, width, maxWidth)
	}
	return index.Window{From: min(from, t.x.Info.Duration), To: min(to, t.x.Info.Duration), Width: width}, nil
}
