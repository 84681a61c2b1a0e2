package live

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/owncode"
)

// Schema is the schema of a State.
const Schema = "whet.live/1"

// Limits and defaults.
const (
	DefaultWindow = 2 * time.Second
	MaxWindows    = 60     // that a State has
	recentWindows = 5      // that lines are ordered by
	maxLines      = 20_000 // that are added up
	retryAfter    = time.Second
)

// Options configure Run. URL is required.
type Options struct {
	URL    string        // of the service, as whet top takes it
	Name   string        // of the service in a State; "" means URL
	Window time.Duration // 0 means DefaultWindow; at least a second
	Total  time.Duration // how long to profile; 0 means until ctx ends
	Own    []string      // additional prefixes of own code
	Header http.Header   // sent with requests
	Dir    string        // paths of source are shortened relative to it; "" for none
	Lines  int           // at most this many are in a State; 0 means all

	unpaced bool // for tests: a window that ends early is not waited out
}

// A State is what own lines cost in the last windows, and since the start.
type State struct {
	Schema  string    `json:"schema"`
	Target  string    `json:"target"`
	Started time.Time `json:"started"`
	Windows []Window  `json:"windows"` // the last, oldest first; at most MaxWindows
	// Lines are own lines, those that cost most in the last few windows first. Hidden lines are left out.
	Lines  []Line `json:"lines"`
	Hidden int    `json:"hidden"`
	// Profiled is how long the windows were that did not fail, CPU what all code used in them, and
	// OwnCPU what own lines caused. Alloc and OwnAlloc are bytes; -1 if allocations are unknown.
	Profiled int64 `json:"profiled_ns"`
	CPU      int64 `json:"cpu_ns"`
	OwnCPU   int64 `json:"own_cpu_ns"`
	Alloc    int64 `json:"alloc_bytes"`
	OwnAlloc int64 `json:"own_alloc_bytes"`
	// NoOwn is set if no own code was found, so that Lines is empty.
	NoOwn    bool          `json:"no_own,omitempty"`
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A Window is one profile.
type Window struct {
	Start  time.Time `json:"start"`
	Length int64     `json:"length_ns"`
	CPU    int64     `json:"cpu_ns"`
	OwnCPU int64     `json:"own_cpu_ns"`
	Alloc  int64     `json:"alloc_bytes"` // -1 if it is unknown
	// Error is why there is no profile, and Hint what to do; "" if there is one.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// A Line is an own line with its cost in each window of a State, and in all since the start.
type Line struct {
	Function  string  `json:"function"`
	File      string  `json:"file"`
	Path      string  `json:"path"` // shortened
	Line      int     `json:"line"`
	CPU       []int64 `json:"cpu_ns"`
	Alloc     []int64 `json:"alloc_bytes"`
	CPUSum    int64   `json:"cpu_sum_ns"`
	AllocSum  int64   `json:"alloc_sum_bytes"`
	recentCPU int64
	recent    float64 // the larger of its shares
}

// Run profiles a service until ctx ends or the time is over, which are no errors, and calls update after each
// window. It fails if the first window does. It returns the last State; nil if no window ended.
func Run(ctx context.Context, o Options, update func(*State)) (*State, error) {
	r := &runner{o: o, lines: map[place]*Line{}, start: time.Now()}
	r.o.Window = cmp.Or(r.o.Window, DefaultWindow)
	if o.Total > 0 {
		r.o.Window = min(r.o.Window, o.Total)
	}
	r.o.Window = max(r.o.Window.Round(time.Second), time.Second)
	var last *State
	for n := 0; ; n++ {
		began := time.Now()
		w := r.window(ctx)
		if ctx.Err() != nil {
			return last, nil //nolint:nilerr // the caller ends it
		}
		if w.err != nil && n == 0 {
			return nil, w.err
		}
		r.add(w)
		last = r.state()
		if update != nil {
			update(last)
		}
		if o.Total > 0 && time.Since(r.start) >= o.Total {
			return last, nil
		}
		pause := r.o.Window - time.Since(began) // of a server that answers at once
		if r.o.unpaced {
			pause = 0
		}
		if w.err != nil {
			pause = retryAfter
		}
		if pause > 0 {
			select {
			case <-ctx.Done():
				return last, nil
			case <-time.After(pause):
			}
		}
	}
}

// A place identifies a line.
type place struct {
	function, file string
	line           int
}

type runner struct {
	o        Options
	start    time.Time
	windows  []Window
	lines    map[place]*Line
	sum      State
	noAllocs bool // the service does not report them
}

// measured is what one window has shown.
type measured struct {
	Window
	cpu, alloc *owncode.Result
	own        bool // own code was found
	err        error
	warnings   diag.Warnings
}

// window profiles the service once.
func (r *runner) window(ctx context.Context) measured {
	m := measured{Window: Window{Start: time.Now(), Alloc: -1}}
	var wait sync.WaitGroup
	var allocs measured
	if !r.noAllocs {
		wait.Go(func() { allocs = r.fetch(ctx, "allocs:alloc_space", true) })
	}
	cpu := r.fetch(ctx, "cpu", false)
	wait.Wait()
	m.Length = int64(time.Since(m.Start))
	if m.err = cpu.err; m.err != nil {
		m.Error, m.Hint = m.err.Error(), diag.Hint(m.err)
		return m
	}
	m.cpu, m.CPU, m.OwnCPU, m.own = cpu.cpu, cpu.CPU, cpu.cpu.Cost, cpu.own
	switch {
	case r.noAllocs:
	case allocs.err != nil:
		if len(r.windows) == 0 {
			r.noAllocs = true
			m.warnings.Add(allocs.err)
		}
	default:
		m.alloc, m.Alloc = allocs.cpu, allocs.CPU
	}
	return m
}

// fetch gets one profile of a window; its total is in CPU, its own lines are in cpu.
func (r *runner) fetch(ctx context.Context, typ string, delta bool) (m measured) {
	o := &input.Opener{Op: "top", Header: r.o.Header, Duration: r.o.Window, Delta: delta}
	in, err := o.Open(ctx, []string{r.o.URL}, input.Options{Type: typ, Own: r.o.Own})
	if err != nil {
		m.err = err
		return m
	}
	defer in.Close()
	m.CPU, m.own = in.View.Total(), in.Own.Known
	m.cpu = &owncode.Result{}
	if in.Own.Known {
		m.cpu = owncode.New(in.View.Own(in.Own.Match), nil, owncode.Options{
			Total: m.CPU, Dir: r.o.Dir, Main: in.Own.Main,
		})
	}
	return m
}

// add makes a window the last column.
func (r *runner) add(m measured) {
	r.windows = append(r.windows, m.Window)
	drop := max(len(r.windows)-MaxWindows, 0)
	r.windows = slices.Delete(r.windows, 0, drop)
	n := len(r.windows)
	for at, l := range r.lines {
		l.CPU = append(slices.Delete(l.CPU, 0, drop), 0)
		l.Alloc = append(slices.Delete(l.Alloc, 0, drop), 0)
		if l.CPUSum == 0 && l.AllocSum == 0 {
			delete(r.lines, at)
		}
	}
	s := &r.sum
	s.Warnings = append(s.Warnings, m.warnings...)
	if m.err != nil {
		return
	}
	s.Profiled += m.Length
	s.CPU += m.CPU
	s.OwnCPU += m.OwnCPU
	s.NoOwn = !m.own && m.CPU > 0 && len(r.lines) == 0
	charge := func(list *owncode.Result, to func(*Line) ([]int64, *int64)) {
		if list == nil {
			return
		}
		for i := range list.Lines {
			from := &list.Lines[i]
			at := place{from.Function, from.File, from.Line}
			l := r.lines[at]
			if l == nil {
				if len(r.lines) >= maxLines {
					continue
				}
				l = &Line{
					Function: from.Function, File: from.File, Path: from.Path, Line: from.Line,
					CPU: make([]int64, n), Alloc: make([]int64, n),
				}
				r.lines[at] = l
			}
			column, sum := to(l)
			column[n-1] += from.Cost
			*sum += from.Cost
		}
	}
	charge(m.cpu, func(l *Line) ([]int64, *int64) { return l.CPU, &l.CPUSum })
	charge(m.alloc, func(l *Line) ([]int64, *int64) { return l.Alloc, &l.AllocSum })
	if m.alloc != nil {
		s.Alloc += m.Alloc
		s.OwnAlloc += m.alloc.Cost
	}
}

// state returns a copy of what is known.
func (r *runner) state() *State {
	s := r.sum
	s.Schema, s.Target, s.Started = Schema, cmp.Or(r.o.Name, r.o.URL), r.start.UTC()
	s.Windows, s.Warnings = slices.Clone(r.windows), slices.Clone(r.sum.Warnings)
	if r.noAllocs {
		s.Alloc, s.OwnAlloc = -1, -1
	}
	recent := r.windows[max(len(r.windows)-recentWindows, 0):]
	var cpu, alloc float64
	for _, w := range recent {
		cpu += float64(w.CPU)
		alloc += float64(max(w.Alloc, 0))
	}
	share := func(column []int64, all float64) (float64, int64) {
		sum := int64(0)
		for _, v := range column[max(len(column)-recentWindows, 0):] {
			sum += v
		}
		return float64(sum) / math.Max(all, 1), sum
	}
	s.Lines = make([]Line, 0, len(r.lines))
	for _, l := range r.lines {
		c := *l
		c.CPU, c.Alloc = slices.Clone(l.CPU), slices.Clone(l.Alloc)
		a, sum := share(c.CPU, cpu)
		b, _ := share(c.Alloc, alloc)
		c.recent, c.recentCPU = max(a, b), sum
		s.Lines = append(s.Lines, c)
	}
	slices.SortFunc(s.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.recent, a.recent), cmp.Compare(b.recentCPU, a.recentCPU),
			cmp.Compare(b.CPUSum, a.CPUSum), cmp.Compare(b.AllocSum, a.AllocSum), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	})
	if r.o.Lines > 0 && len(s.Lines) > r.o.Lines {
		s.Hidden = len(s.Lines) - r.o.Lines
		s.Lines = s.Lines[:r.o.Lines]
	}
	return &s
}
