package traces

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// GoroutinesSchema is the schema of TraceGoroutines.
const GoroutinesSchema = "whet.trace-goroutines/2"

// Goroutines is the document of whet trace goroutines: groups, or single goroutines.
type Goroutines struct {
	Schema   string        `json:"schema"`
	Name     string        `json:"name"`
	GroupBy  string        `json:"group_by"`    // start, creation, none
	Duration time.Duration `json:"duration_ns"` // of the whole trace
	From     time.Duration `json:"from_ns"`     // start of what is shown
	To       time.Duration `json:"to_ns"`
	Count    int64         `json:"count"` // number of goroutines

	Groups     []Group     `json:"groups,omitempty"`
	Goroutines []Goroutine `json:"goroutines,omitempty"`
	Hidden     int         `json:"hidden"` // groups or goroutines left out because of -n
	// Warnings are those of the trace.
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A Group is goroutines with something in common.
type Group struct {
	Function   string        `json:"function"` // that they run, or that has their go statement; "" if unknown
	File       string        `json:"file,omitempty"`
	Line       int           `json:"line,omitempty"`
	MadeBy     string        `json:"made_by,omitempty"` // start function of their creators, if the go statement is unknown
	Goroutines int64         `json:"goroutines"`
	Created    int64         `json:"created"`
	Ended      int64         `json:"ended"`
	Time       time.Duration `json:"time_ns"`    // for which they existed, in total
	Longest    int64         `json:"longest"`    // the goroutine that existed longest
	Life       time.Duration `json:"longest_ns"` // and for how long
	States     []State       `json:"states"`
	Ranges     []Range       `json:"ranges"` // of garbage collection work that they did; overlaps with states
}

// A Goroutine is one goroutine.
type Goroutine struct {
	ID       int64         `json:"goroutine"`
	Function string        `json:"function"`
	File     string        `json:"created_file,omitempty"` // of its go statement
	Line     int           `json:"created_line,omitempty"`
	Creator  string        `json:"created_in,omitempty"`
	From     time.Duration `json:"from_ns"`
	To       time.Duration `json:"to_ns"`
	Old      bool          `json:"old,omitempty"`   // it started before the trace
	Ended    bool          `json:"ended,omitempty"` // within the trace
	States   []State       `json:"states"`
}

// NewGoroutines returns a document without goroutines.
func NewGoroutines(name, groupBy string, from, to, duration time.Duration) *Goroutines {
	return &Goroutines{Schema: GoroutinesSchema, Name: name, GroupBy: groupBy, Duration: duration, From: from, To: to}
}

// AddGroups adds the first n groups; 0 is all.
func (d *Goroutines) AddGroups(groups []summary.Group, n int) {
	for i, g := range groups {
		d.Count += g.Goroutines
		if n > 0 && i >= n {
			d.Hidden++
			continue
		}
		d.Groups = append(d.Groups, Group{
			Function: g.Name, File: g.Place.File, Line: g.Place.Line, MadeBy: g.Parent, Goroutines: g.Goroutines,
			Created: g.Created, Ended: g.Ended,
			Time: g.Time, Longest: g.Longest.ID, Life: g.Longest.Life, States: traceStates(g.Stays, g.Time),
			Ranges: traceRanges(g.Ranges),
		})
	}
}

// AddGoroutines adds single goroutines; others were left out.
func (d *Goroutines) AddGoroutines(list []summary.Goroutine, others int) {
	d.Count, d.Hidden = int64(len(list)+others), others
	for _, g := range list {
		d.Goroutines = append(d.Goroutines, Goroutine{
			ID: g.ID, Function: g.Function, Creator: g.Place.Func, File: g.Place.File, Line: g.Place.Line, From: g.From,
			To: g.To, Old: g.Old, Ended: g.Ended,
			States: traceStates(g.Stays, g.To-g.From),
		})
	}
}

// WriteGoroutines writes the document as text.
func WriteGoroutines(w io.Writer, style layout.Style, d *Goroutines) error {
	t := layout.NewWriter(w)
	head := layout.Plural(int(d.Count), "goroutine", "goroutines") + " in the trace of " + layout.Clean(d.Name)
	if d.From != 0 || d.To != d.Duration {
		head += ", from " + unit.Duration(d.From) + " to " + unit.Duration(d.To)
	}
	t.Line(style.Paint(layout.Bold, layout.Cut(head, style.Remaining(0, 40))))
	for i := range d.Groups {
		d.Groups[i].write(t, style, d.GroupBy)
	}
	if len(d.Goroutines) > 0 {
		singles(t, style, d.Goroutines)
	}
	if d.Hidden > 0 {
		what := layout.Plural(d.Hidden, "more group", "more groups")
		if len(d.Goroutines) > 0 {
			what = layout.Plural(d.Hidden, "more goroutine", "more goroutines")
		}
		t.Line()
		t.Line(what + " (-n 0 shows all)")
	}
	return t.Result()
}

func (g *Group) write(t *layout.Writer, style layout.Style, by string) {
	t.Line()
	head := fmt.Sprintf("%d x ", g.Goroutines)
	place := ""
	name := layout.Clean(g.Function)
	switch {
	case g.Line > 0:
		head += "made in "
		place = fmt.Sprintf(" %s:%d", layout.Clean(path.Base(strings.ReplaceAll(g.File, `\`, "/"))), g.Line)
	case g.MadeBy != "":
		head += "made by "
		name = layout.Clean(g.MadeBy)
	case name == "" && by == string(summary.ByCreation):
		name = "(older than the trace)"
	case name == "":
		name = "(no stack)"
	}
	t.Line(style.Paint(layout.Bold,
		head+layout.FitName(name, style.Remaining(layout.Columns(head)+layout.Columns(place), 20))+place))
	t.Line(fmt.Sprintf(
		"  %d created, %d ended; alive for %s in total, longest %s (goroutine %d)", g.Created, g.Ended,
		unit.Duration(g.Time), unit.Duration(g.Life), g.Longest,
	))
	writeStates(t, style, g.States)
	for _, r := range g.Ranges {
		writeRange(t, "+ "+r.Name, r)
	}
}

// singles writes a table of goroutines.
func singles(t *layout.Writer, style layout.Style, list []Goroutine) {
	t.Line()
	table := layout.Table{
		Head:  []string{"goroutine", "from", "there", "running", "runnable", "syscall", "waiting", "runs"},
		Align: "rrrrrrrl", Wide: 7, Least: 14, HeadColor: layout.Dim,
		Fit: func(row, n int) string { return layout.FitName(layout.Clean(list[row].Function), n) },
	}
	name := func(code index.Code, s State) bool { return s.State == codeName(code) }
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
		row := []string{fmt.Sprint(g.ID), unit.Duration(g.From)}
		if g.Old {
			row[1] = "before"
		}
		for _, d := range []time.Duration{g.To - g.From, running, runnable, syscall, waiting} {
			row = append(row, unit.Duration(d))
		}
		table.Rows = append(table.Rows, append(row, layout.Clean(g.Function)))
	}
	table.Write(t, style)
}

// codeName returns the name of a state that is not a wait reason.
func codeName(c index.Code) string { return (&index.Index{}).Code(c) }
