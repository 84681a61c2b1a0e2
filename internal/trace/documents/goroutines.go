package documents

import (
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/trace/summary"
)

// GoroutinesSchema is the schema of Goroutines.
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

// A Group is goroutines that run the same function or were created at the same place.
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
			Time: g.Time, Longest: g.Longest.ID, Life: g.Longest.Life, States: statesOf(g.Stays, g.Time),
			Ranges: rangesOf(g.Ranges),
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
			States: statesOf(g.Stays, g.To-g.From),
		})
	}
}
