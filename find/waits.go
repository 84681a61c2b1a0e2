package find

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/trace/contention"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/stacks"
)

// Waits are where the requests of execution traces wait. The zero value is empty.
type Waits struct {
	requests int
	time     time.Duration
	times    requests.Times
	stacks   []waitStack
}

// A waitStack is what requests waited for with one stack.
type waitStack struct {
	requests.Wait
	stack, waking []stacks.Frame
}

// Add adds the waits of a trace. It does not retain the index.
func (w *Waits) Add(x *index.Index) (dropped int, err error) {
	found, err := requests.WaitsOf(x)
	if err != nil {
		return 0, err
	}
	w.requests += found.Requests
	w.time += found.Time
	for c, d := range found.Times {
		w.times[c] += d
	}
	for _, one := range found.Waits {
		w.stacks = append(w.stacks, waitStack{one, x.Stack(one.Stack), x.Stack(one.Waking)})
	}
	return found.Dropped, nil
}

// Requests is what execution traces show about requests.
type Requests struct {
	Count int           `json:"count"` // complete ones
	Time  time.Duration `json:"time_ns"`
	// Waits are what all of them wait for, on any line, the longest first; waiting for a CPU is the
	// cause "runnable".
	Waits []Wait `json:"waits,omitempty"`
}

// A Wait is what requests wait for: a cause of package requests.
type Wait struct {
	Cause string        `json:"cause"`
	Count int64         `json:"count,omitempty"`
	Time  time.Duration `json:"time_ns"`
	Share float64       `json:"share"` // of the time of all requests
	Max   time.Duration `json:"max_ns,omitempty"`
	// Ended are the lines that ended waits for locks and channels, the longest first; for a lock,
	// the line that released it.
	Ended []Ender `json:"ended_by,omitempty"`
}

// An Ender is a line that ended waits.
type Ender struct {
	// relative to the module; for lines outside of it, directory and name
	File     string  `json:"file"`
	Own      bool    `json:"own,omitempty"` // the line is in the module
	Line     int     `json:"line"`
	Function string  `json:"function"`
	Share    float64 `json:"share"` // of the time of all requests
}

// maxEnders is the number of lines kept that end a wait.
const maxEnders = 3

// wait attaches what requests wait for to lines and findings, and lists the lines that only wait.
// Nothing is charged, and findings keep their order: a wait on a line does not show what a rewrite
// saves.
func (f *finder) wait(w *Waits) {
	at := map[place][]Wait{}
	if w != nil && w.requests > 0 && f.o.OriginalDir == "" {
		f.result.Requests = &Requests{Count: w.requests, Time: w.time, Waits: f.shownWaits(w.causes())}
		at = f.waits(w)
	}
	listed := map[place]bool{}
	for i := range f.result.Findings {
		x := &f.result.Findings[i]
		for _, p := range x.Places {
			for line := p.Line; line <= p.EndLine; line++ {
				here := place{p.File, line}
				x.Waits = append(x.Waits, at[here]...)
				listed[here] = true
			}
		}
		x.Waits = f.shownWaits(x.Waits)
	}
	var hot []HotLine
	for _, h := range f.result.Unexplained {
		here := place{h.File, h.Line}
		listed[here] = true
		h.Waits = f.shownWaits(at[here])
		if f.busy(here) {
			hot = append(hot, h)
		} else {
			f.result.Waiting = append(f.result.Waiting, h)
		}
	}
	f.result.Unexplained = append([]HotLine{}, hot...)
	for _, here := range sortedPlaces(at) {
		waits := f.shownWaits(at[here])
		if listed[here] || len(waits) == 0 {
			continue
		}
		h := HotLine{
			Place: f.placeOf(here.file, here.line, 1, here.line), Function: f.function(here.file, here.line),
			Evidence: []Evidence{}, Waits: waits, Why: f.why[here.file],
		}
		if strings.HasSuffix(here.file, "_test.go") {
			h.Why = "test code"
		}
		f.result.Waiting = append(f.result.Waiting, h)
	}
	slices.SortStableFunc(f.result.Waiting, func(a, b HotLine) int {
		return cmp.Or(cmp.Compare(waitShare(b.Waits), waitShare(a.Waits)),
			cmp.Compare(largest(b.Evidence), largest(a.Evidence)))
	})
}

// causes returns what all requests wait for.
func (w *Waits) causes() []Wait {
	var all []Wait
	for c, took := range w.times {
		if cause := requests.Cause(c); cause != requests.Running && took > 0 {
			all = append(all, Wait{Cause: cause.String(), Time: took, Share: share(int64(took), int64(w.time))})
		}
	}
	return all
}

// busy reports whether the CPU time or memory of a line reaches the minimum share.
func (f *finder) busy(at place) bool {
	return slices.ContainsFunc(f.ledgers, func(l *ledger) bool {
		var sum int64
		for _, a := range f.places[at][l.cost] {
			sum += a.value
		}
		return l.cost != Mutex && l.cost != Block && share(sum, l.total) >= f.o.MinShare
	})
}

// waitShare returns the share of requests' time spent waiting on a line.
func waitShare(waits []Wait) float64 {
	sum := 0.0
	for _, w := range waits {
		sum += w.Share
	}
	return sum
}

// shownWaits returns the waits worth showing, the longest first, one per cause.
func (f *finder) shownWaits(waits []Wait) []Wait {
	byCause := map[string]*Wait{}
	for _, w := range waits {
		one := byCause[w.Cause]
		if one == nil {
			one = &Wait{Cause: w.Cause}
			byCause[w.Cause] = one
		}
		one.Count, one.Time, one.Share, one.Max = one.Count+w.Count, one.Time+w.Time, one.Share+w.Share, max(one.Max, w.Max)
		for _, e := range w.Ended {
			i := slices.IndexFunc(one.Ended, func(o Ender) bool {
				return o.File == e.File && o.Line == e.Line && o.Function == e.Function
			})
			if i < 0 {
				i = len(one.Ended)
				one.Ended = append(one.Ended, Ender{File: e.File, Line: e.Line, Function: e.Function})
			}
			one.Ended[i].Share += e.Share
		}
	}
	var shown []Wait
	for _, cause := range slices.Sorted(maps.Keys(byCause)) {
		one := byCause[cause]
		if one.Share < f.o.MinShare {
			continue
		}
		slices.SortStableFunc(one.Ended, func(a, b Ender) int {
			return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		one.Ended = one.Ended[:min(len(one.Ended), maxEnders)]
		shown = append(shown, *one)
	}
	slices.SortStableFunc(shown, func(a, b Wait) int { return cmp.Compare(b.Share, a.Share) })
	return shown
}

// waits maps waits to the module's lines. Functions that differ in the source are listed as stale
// once, like those of profiles.
func (f *finder) waits(w *Waits) map[place][]Wait {
	own := func(frame stacks.Frame) bool { return f.o.Own(profile.Function{Name: frame.Func, File: frame.File}) }
	at := map[place][]Wait{}
	lost := map[[2]string]*Stale{}
	for i := range w.stacks {
		one := &w.stacks[i]
		j := slices.IndexFunc(one.stack, own)
		if j < 0 {
			continue
		}
		took := share(int64(one.Time), int64(w.time))
		here, reason := f.locateFrame(one.stack[j])
		if reason != "" {
			s := &Stale{Function: profile.Generic(one.stack[j].Func), File: one.stack[j].File, Reason: reason}
			key := [2]string{s.Function, s.File}
			if lost[key] == nil {
				lost[key] = s
			}
			lost[key].Share += took
			continue
		}
		wait := Wait{Cause: one.Cause.String(), Count: one.Count, Time: one.Time, Share: took, Max: one.Max}
		if frame, ok := contention.Place(one.waking, own); ok &&
			(one.Cause == requests.Lock || one.Cause == requests.Channel) {
			wait.Ended = []Ender{f.ender(frame, took)}
		}
		at[here] = append(at[here], wait)
	}
	for _, s := range lost {
		known := slices.ContainsFunc(f.result.Stale, func(o Stale) bool { return o.Function == s.Function })
		if s.Share >= f.o.MinShare && !known {
			f.result.Stale = append(f.result.Stale, *s)
		}
	}
	slices.SortFunc(f.result.Stale, func(a, b Stale) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File))
	})
	return at
}

// locateFrame returns the place of a trace's frame, or why there is none.
func (f *finder) locateFrame(frame stacks.Frame) (place, string) {
	file := path.Clean(strings.ReplaceAll(frame.File, `\`, "/"))
	here, reason := f.matcher.locate(spot{file, int32(frame.Line)}, &account{function: profile.Generic(frame.Func)})
	if reason == "" {
		// Traces do not contain the first lines of functions, so names must do. An inlined closure
		// has the name of the function around it, followed by its own.
		if d := f.matcher.source(here.file).decl(here.line); d != nil &&
			!slices.Contains(nameParts(frame.Func), d.Name.Name) {
			return place{}, reasonMoved
		}
	}
	return here, reason
}

// nameParts returns the parts of a function's name after its package.
func nameParts(function string) []string {
	name := profile.Generic(function)
	name, _, _ = strings.Cut(name, "[")
	if rest := strings.SplitN(function, "]", 2); len(rest) == 2 {
		name += rest[1] // a method of a generic type
	}
	return strings.Split(name[strings.LastIndexByte(name, '/')+1:], ".")
}

// ender names a line that ends waits: as the module does, or by the last elements of its path.
func (f *finder) ender(frame stacks.Frame, took float64) Ender {
	e := Ender{Line: frame.Line, Function: profile.Generic(frame.Func), Share: took}
	if here, reason := f.locateFrame(frame); reason == "" {
		e.File, e.Line, e.Own = here.file, here.line, true
		return e
	}
	file := strings.ReplaceAll(frame.File, `\`, "/")
	e.File = path.Join(path.Base(path.Dir(file)), path.Base(file))
	return e
}

// Where returns the line as file:line.
func (e Ender) Where() string { return fmt.Sprintf("%s:%d", e.File, e.Line) }
