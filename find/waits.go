package find

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find/advice"
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
	traces   advice.Traces
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
	return found.Dropped, w.traces.Add(x, found)
}

// Requests is what execution traces show about requests.
type Requests struct {
	Count int           `json:"count"` // complete ones
	Time  time.Duration `json:"time_ns"`
	// Waits are what all of them wait for, on any line, the longest first; waiting for a CPU is the cause "runnable".
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
	Ended []Waker `json:"ended_by,omitempty"`
}

// A Waker is a line that ended waits.
type Waker struct {
	// relative to the module; for lines outside it, directory and name
	File     string  `json:"file"`
	Own      bool    `json:"own,omitempty"` // the line is in the module
	Line     int     `json:"line"`
	Function string  `json:"function"`
	Share    float64 `json:"share"` // of the time of all requests
}

// maxEnders is the number of lines kept that end a wait.
const maxEnders = 3

// lineWaits are the waits of requests, by the module's line. Nothing is charged, and findings keep
// their order: a wait on a line does not show what a rewrite saves.
type lineWaits struct {
	requests *Requests
	at       map[sourceLine][]Wait
	stale    []Stale // functions that differ in the source
	minShare float64
}

// onLines maps the waits to lines. Without requests, or in a module after rewrites, there are none.
func (w *Waits) onLines(c *lineCosts, o Options) *lineWaits {
	l := &lineWaits{at: map[sourceLine][]Wait{}, minShare: c.minShare}
	if w == nil || w.requests == 0 || o.OriginalDir != "" {
		return l
	}
	l.requests = &Requests{Count: w.requests, Time: w.time, Waits: l.shown(w.causes())}
	own := func(frame stacks.Frame) bool { return o.Own(profile.Function{Name: frame.Func, File: frame.File}) }
	lost := map[[2]string]*Stale{}
	for i := range w.stacks {
		one := &w.stacks[i]
		j := slices.IndexFunc(one.stack, own)
		if j < 0 {
			continue
		}
		took := share(int64(one.Time), int64(w.time))
		here, reason := c.source.locateFrame(one.stack[j])
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
			wait.Ended = []Waker{c.source.ender(frame, took)}
		}
		l.at[here] = append(l.at[here], wait)
	}
	for _, s := range lost {
		if s.Share >= c.minShare {
			l.stale = append(l.stale, *s)
		}
	}
	slices.SortFunc(l.stale, compareStale)
	return l
}

// withStale returns stale functions of profiles, and those of the waits that are not among them.
func (l *lineWaits) withStale(stale []Stale) []Stale {
	all := slices.Clone(stale)
	for _, s := range l.stale {
		if !slices.ContainsFunc(all, func(o Stale) bool { return o.Function == s.Function }) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, compareStale)
	return all
}

func compareStale(a, b Stale) int {
	return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File))
}

// withFindings returns findings with what requests wait for on the lines of their places.
func (l *lineWaits) withFindings(found []Finding) []Finding {
	found = slices.Clone(found)
	for i := range found {
		var waits []Wait
		for _, at := range found[i].lines() {
			waits = append(waits, l.at[at]...)
		}
		found[i].Waits = l.shown(waits)
	}
	return found
}

// lines returns the lines of all places.
func (f *Finding) lines() []sourceLine {
	var lines []sourceLine
	for _, p := range f.Places {
		for line := p.Line; line <= p.EndLine; line++ {
			lines = append(lines, sourceLine{p.File, line})
		}
	}
	return lines
}

// divide divides the lines without a finding into those whose CPU time or memory is hot, in their
// order, and those that only wait, the longest first.
func (l *lineWaits) divide(
	lines []HotLine, found []Finding, c *lineCosts, code *hotCode,
) (hot, waiting []HotLine) {
	hot = []HotLine{}
	listed := map[sourceLine]bool{}
	for i := range found {
		for _, at := range found[i].lines() {
			listed[at] = true
		}
	}
	for _, h := range lines {
		here := sourceLine{h.File, h.Line}
		listed[here] = true
		h.Waits = l.shown(l.at[here])
		if c.busy(here) {
			hot = append(hot, h)
		} else {
			waiting = append(waiting, h)
		}
	}
	for _, here := range sortedPlaces(l.at) {
		waits := l.shown(l.at[here])
		if listed[here] || len(waits) == 0 {
			continue
		}
		h := code.hotLine(here, c.source)
		h.Evidence, h.Waits = []Evidence{}, waits
		waiting = append(waiting, h)
	}
	slices.SortStableFunc(waiting, func(a, b HotLine) int {
		return cmp.Or(cmp.Compare(waitShare(b.Waits), waitShare(a.Waits)),
			cmp.Compare(largest(b.Evidence), largest(a.Evidence)))
	})
	return hot, waiting
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

// waitShare returns the share of requests' time spent waiting on a line.
func waitShare(waits []Wait) float64 {
	sum := 0.0
	for _, w := range waits {
		sum += w.Share
	}
	return sum
}

// shown returns the waits worth showing, the longest first, one per cause.
func (l *lineWaits) shown(waits []Wait) []Wait {
	byCause := map[string]*Wait{}
	for _, w := range waits {
		one := byCause[w.Cause]
		if one == nil {
			one = &Wait{Cause: w.Cause}
			byCause[w.Cause] = one
		}
		one.Count, one.Time, one.Share, one.Max = one.Count+w.Count, one.Time+w.Time, one.Share+w.Share, max(one.Max, w.Max)
		for _, e := range w.Ended {
			i := slices.IndexFunc(one.Ended, func(o Waker) bool {
				return o.File == e.File && o.Line == e.Line && o.Function == e.Function
			})
			if i < 0 {
				i = len(one.Ended)
				one.Ended = append(one.Ended, Waker{File: e.File, Line: e.Line, Function: e.Function})
			}
			one.Ended[i].Share += e.Share
		}
	}
	var shown []Wait
	for _, cause := range slices.Sorted(maps.Keys(byCause)) {
		one := byCause[cause]
		if one.Share < l.minShare {
			continue
		}
		slices.SortStableFunc(one.Ended, func(a, b Waker) int {
			return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		one.Ended = one.Ended[:min(len(one.Ended), maxEnders)]
		shown = append(shown, *one)
	}
	slices.SortStableFunc(shown, func(a, b Wait) int { return cmp.Compare(b.Share, a.Share) })
	return shown
}

// locateFrame returns the place of a trace's frame, or why there is none.
func (x *matcher) locateFrame(frame stacks.Frame) (sourceLine, string) {
	file := path.Clean(strings.ReplaceAll(frame.File, `\`, "/"))
	here, reason := x.locate(spot{file, int32(frame.Line)}, &account{function: profile.Generic(frame.Func)})
	if reason == "" {
		// Traces do not contain the first lines of functions, so names must do. An inlined closure
		// has the name of the function around it, followed by its own.
		if d := x.source(here.file).Decl(here.line); d != nil &&
			!slices.Contains(nameParts(frame.Func), d.Name.Name) {
			return sourceLine{}, reasonMoved
		}
	}
	return here, reason
}

// nameParts returns the parts of a function's name after its package. The body of a range over a
// function has the name of the function around it, followed by -range1.
func nameParts(function string) []string {
	name := profile.Generic(function)
	name, _, _ = strings.Cut(name, "[")
	if rest := strings.SplitN(function, "]", 2); len(rest) == 2 {
		name += rest[1] // a method of a generic type
	}
	parts := strings.Split(name[strings.LastIndexByte(name, '/')+1:], ".")
	for i := range parts {
		parts[i], _, _ = strings.Cut(parts[i], "-range")
	}
	return parts
}

// ender names a line that ends waits: as the module does, or by the last elements of its path.
func (x *matcher) ender(frame stacks.Frame, took float64) Waker {
	e := Waker{Line: frame.Line, Function: profile.Generic(frame.Func), Share: took}
	if here, reason := x.locateFrame(frame); reason == "" {
		e.File, e.Line, e.Own = here.file, here.line, true
		return e
	}
	file := strings.ReplaceAll(frame.File, `\`, "/")
	e.File = path.Join(path.Base(path.Dir(file)), path.Base(file))
	return e
}

// Where returns the line as file:line.
func (e Waker) Where() string { return fmt.Sprintf("%s:%d", e.File, e.Line) }
