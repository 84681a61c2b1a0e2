package report

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// TraceGoroutinesSchema is the schema of TraceGoroutines.
const TraceGoroutinesSchema = "whet.trace-goroutines/1"

// TraceGoroutines is what whet trace goroutines shows: groups, or single goroutines.
type TraceGoroutines struct {
	Schema   string        `json:"schema"`
	Name     string        `json:"name"`
	GroupBy  string        `json:"group_by"`    // start, creation, none
	Duration time.Duration `json:"duration_ns"` // of the whole trace
	From     time.Duration `json:"from_ns"`     // of what is shown
	To       time.Duration `json:"to_ns"`
	Count    int64         `json:"count"` // of goroutines

	Groups     []TraceGroup     `json:"groups,omitempty"`
	Goroutines []TraceGoroutine `json:"goroutines,omitempty"`
	Hidden     int              `json:"hidden"` // groups or goroutines left out because of -n
}

// A TraceGroup is goroutines that have something in common.
type TraceGroup struct {
	Function   string        `json:"function"` // that they run, or that has their go statement; "" is not known
	File       string        `json:"file,omitempty"`
	Line       int           `json:"line,omitempty"`
	MadeBy     string        `json:"made_by,omitempty"` // what those run who made them, when the go statement is not known
	Goroutines int64         `json:"goroutines"`
	Created    int64         `json:"created"`
	Ended      int64         `json:"ended"`
	Time       time.Duration `json:"time_ns"`    // that they were there, together
	Longest    int64         `json:"longest"`    // the goroutine that was there longest
	Life       time.Duration `json:"longest_ns"` // and for how long
	States     []TraceState  `json:"states"`
	Ranges     []TraceRange  `json:"ranges"` // of the collector's work that they did; overlaps with states
}

// A TraceGoroutine is one.
type TraceGoroutine struct {
	ID       int64         `json:"goroutine"`
	Function string        `json:"function"`
	File     string        `json:"created_file,omitempty"` // of its go statement
	Line     int           `json:"created_line,omitempty"`
	Creator  string        `json:"created_in,omitempty"`
	From     time.Duration `json:"from_ns"`
	To       time.Duration `json:"to_ns"`
	Old      bool          `json:"old,omitempty"`   // it is older than the trace
	Ended    bool          `json:"ended,omitempty"` // within the trace
	States   []TraceState  `json:"states"`
}

// NewTraceGoroutines makes a document without goroutines.
func NewTraceGoroutines(name, groupBy string, from, to, duration time.Duration) *TraceGoroutines {
	return &TraceGoroutines{Schema: TraceGoroutinesSchema, Name: name, GroupBy: groupBy, Duration: duration, From: from, To: to}
}

// AddGroups adds the first n groups; 0 is all.
func (d *TraceGoroutines) AddGroups(groups []summary.Group, n int) {
	for i, g := range groups {
		d.Count += g.Goroutines
		if n > 0 && i >= n {
			d.Hidden++
			continue
		}
		d.Groups = append(d.Groups, TraceGroup{
			Function: g.Name, File: g.Place.File, Line: g.Place.Line, MadeBy: g.Parent, Goroutines: g.Goroutines, Created: g.Created, Ended: g.Ended,
			Time: g.Time, Longest: g.Longest.ID, Life: g.Longest.Life, States: traceStates(g.Stays, g.Time), Ranges: traceRanges(g.Ranges),
		})
	}
}

// AddGoroutines adds single goroutines; so many others were left out.
func (d *TraceGoroutines) AddGoroutines(list []summary.Goroutine, others int) {
	d.Count, d.Hidden = int64(len(list)+others), others
	for _, g := range list {
		d.Goroutines = append(d.Goroutines, TraceGoroutine{
			ID: g.ID, Function: g.Function, Creator: g.Place.Func, File: g.Place.File, Line: g.Place.Line, From: g.From, To: g.To, Old: g.Old, Ended: g.Ended,
			States: traceStates(g.Stays, g.To-g.From),
		})
	}
}

// WriteTraceGoroutines writes the document as text.
func WriteTraceGoroutines(w io.Writer, style Style, d *TraceGoroutines) error {
	t := &text{w: w}
	head := plural(int(d.Count), "goroutine", "goroutines") + " in the trace of " + Clean(d.Name)
	if d.From != 0 || d.To != d.Duration {
		head += ", from " + unit.Duration(d.From) + " to " + unit.Duration(d.To)
	}
	t.line(style.paint(bold, cut(head, style.room(0, 40))))
	for i := range d.Groups {
		d.Groups[i].write(t, style, d.GroupBy)
	}
	if len(d.Goroutines) > 0 {
		singles(t, style, d.Goroutines)
	}
	if d.Hidden > 0 {
		what := plural(d.Hidden, "more group", "more groups")
		if len(d.Goroutines) > 0 {
			what = plural(d.Hidden, "more goroutine", "more goroutines")
		}
		t.line()
		t.line(what + " (-n 0 shows all)")
	}
	return t.result()
}

func (g *TraceGroup) write(t *text, style Style, by string) {
	t.line()
	head := fmt.Sprintf("%d x ", g.Goroutines)
	place := ""
	name := Clean(g.Function)
	switch {
	case g.Line > 0:
		head += "made in "
		place = fmt.Sprintf(" %s:%d", Clean(path.Base(strings.ReplaceAll(g.File, `\`, "/"))), g.Line)
	case g.MadeBy != "":
		head += "made by "
		name = Clean(g.MadeBy)
	case name == "" && by == string(summary.ByCreation):
		name = "(older than the trace)"
	case name == "":
		name = "(no stack told)"
	}
	t.line(style.paint(bold, head+FitName(name, style.room(columns(head)+columns(place), 20))+place))
	t.line(fmt.Sprintf(
		"  %d made and %d ended meanwhile; there for %s together, goroutine %d longest: %s", g.Created, g.Ended,
		unit.Duration(g.Time), g.Longest, unit.Duration(g.Life),
	))
	t.states(style, g.States)
	for _, r := range g.Ranges {
		t.line(
			"  ", left(cut("+ "+Clean(r.Name), 26), 26), right(unit.Count(r.Count).Short(), 8), right(unit.Duration(r.Total), 10), blanks(7),
			right(quantileText(r.P50), 9), right(quantileText(r.P99), 9), right(unit.Duration(r.Max), 9),
		)
	}
}

// singles writes a table of goroutines.
func singles(t *text, style Style, list []TraceGoroutine) {
	t.line()
	head := right("goroutine", 10) + right("from", 9) + right("there", 9) + right("running", 9) + right("runnable", 9) + right("syscall", 9) + right("waiting", 9)
	t.line(style.paint(dim, head+"  runs"))
	name := func(code index.Code, s TraceState) bool { return s.State == codeName(code) }
	for _, g := range list {
		var running, runnable, syscall, waiting time.Duration
		for _, s := range g.States {
			switch {
			case s.Waiting:
				waiting += s.Total
			case name(index.Running, s), name(index.Assist, s):
				running += s.Total
			case name(index.Runnable, s):
				runnable += s.Total
			default:
				syscall += s.Total
			}
		}
		from := unit.Duration(g.From)
		if g.Old {
			from = "before"
		}
		t.line(
			right(fmt.Sprint(g.ID), 10), right(from, 9), right(unit.Duration(g.To-g.From), 9), right(unit.Duration(running), 9), right(unit.Duration(runnable), 9),
			right(unit.Duration(syscall), 9), right(unit.Duration(waiting), 9), "  ", FitName(Clean(g.Function), style.room(columns(head)+2, 14)),
		)
	}
}

// codeName is the name of a state that is no reason to wait.
func codeName(c index.Code) string { return (&index.Index{}).Code(c) }
