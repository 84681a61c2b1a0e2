package contention

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Kind is what a goroutine waits for.
type Kind uint8

// Kinds.
const (
	Lock      Kind = iota // sync.Mutex, sync.RWMutex and what is made of them
	WaitGroup             // sync.WaitGroup
	Cond                  // sync.Cond
	Send                  // sending to a channel
	Receive               // receiving from a channel
	Select                // several channels at once
	Network               // the network, or a connection's answer in net/http's client
	Runtime               // locks of the runtime's own, such as the collector's
	Forever               // nothing: a nil channel, or a select without cases
	kinds
)

func (k Kind) String() string {
	return [kinds]string{
		"lock", "WaitGroup", "Cond", "channel send", "channel receive", "select", "network",
		"runtime lock", "forever",
	}[k]
}

// Options choose what is looked at.
type Options struct {
	// From and To are a window, in nanoseconds since the trace's begin; To 0 is its end. What reaches
	// beyond counts as far as it is inside.
	From, To int64
	// Goroutines are those whose waits count, by the function that they run; nil: all.
	Goroutines *regexp.Regexp
	Network    bool // waits for the network, too
	Idle       bool // idle waits, too
	Most       int  // pairs with quantiles; 0 is 1000, which is the most
}

// A Pair is the waits at one place that were ended from one place.
type Pair struct {
	Kind    Kind
	Waiting uint32 // stack of the wait
	// Waking is the stack of who ended it: of a lock, where it was given back. 0 when nobody did: a timer,
	// the network, or the trace's end.
	Waking uint32
	// Open is set when these waits had not ended when the trace or the window did.
	Open bool
	Idle bool

	Count    int64
	Total    time.Duration
	P50, P99 time.Duration // within 1 %; 0 beyond Options.Most
	Max      time.Duration
	// Waiter and Waker are the functions that most of the goroutines run.
	Waiter, Waker string
	Longest       []Wait // the longest first
	// Meanwhile is what the wakers did while the longest waits lasted, the most time first.
	Meanwhile []Doing
}

// A Wait is one.
type Wait struct {
	From, To  int64  // nanoseconds since the trace's begin
	Goroutine uint32 // index
	Waker     uint32 // index + 1; 0 is nobody
}

// Doing is a state of goroutines.
type Doing struct {
	Code  index.Code
	Stack uint32 // where they waited; 0 while they ran
	Time  time.Duration
	Share float64 // of the waits
}

// A Result is what a trace tells about contention.
type Result struct {
	From, To int64
	Pairs    []*Pair // the most time first
	Count    int64   // waits of Pairs
	Total    time.Duration
	// Left are the pairs that are idle and left out, the most time first, and their sums.
	Left      []*Pair
	LeftCount int64
	LeftTotal time.Duration
	Dropped   int64 // waits at more pairs of stacks than are kept
}

// Bounds.
const (
	maxPairs = 100_000
	mostShow = 1000
	longest  = 8 // waits that are noted of each pair
)

// Of finds the contention of a trace.
func Of(x *index.Index, o Options) (*Result, error) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	if o.From < 0 || o.From > o.To || o.Most < 0 {
		return nil, errors.New("find contention: want a window that does not end before it begins, and a number of pairs " +
			"that is not negative")
	}
	f := newFinder(x, o)
	if err := f.goroutines(); err != nil {
		return nil, err
	}
	if err := f.waits(func(w *wait) { f.count(w) }); err != nil {
		return nil, err
	}
	r := f.result()
	if err := f.detail(r.Pairs[:min(len(r.Pairs), cmp.Or(min(o.Most, mostShow), mostShow))]); err != nil {
		return nil, err
	}
	return r, nil
}

// A key is what waits are added up by.
type key struct {
	kind            Kind
	waiting, waking uint32
	open            bool
}

// A wait while it is looked at.
type wait struct {
	key
	from, to  int64
	goroutine uint32
	waker     uint32 // index + 1
}

// cut is the part of a wait that is in the window.
func (f *finder) cut(w *wait) int64 { return min(w.to, f.o.To) - max(w.from, f.o.From) }

type finder struct {
	x       *index.Index
	o       Options
	kindOf  []uint32 // by goroutine
	parent  []uint32 // by goroutine: index + 1
	chosen  []bool   // by kind
	life    []int64  // by goroutine, in the window
	codes   []reason // by code
	places  map[uint32]*place
	lastAt  []uint32 // by goroutine: the place where it may have rested before
	groups  map[string]*group
	pairs   map[key]*adding
	dropped int64
}

// A reason is what a code of the index means here.
type reason struct {
	counts bool
	kind   Kind
	sync   bool // a lock or a WaitGroup: the stack tells
}

func newFinder(x *index.Index, o Options) *finder {
	n := x.Info.Goroutines
	f := &finder{
		x: x, o: o, kindOf: make([]uint32, n), parent: make([]uint32, n), lastAt: make([]uint32, n),
		chosen: make([]bool, len(x.Kinds())), life: make([]int64, n), groups: map[string]*group{},
		places: map[uint32]*place{}, pairs: map[key]*adding{},
	}
	for i, k := range x.Kinds() {
		// The runtime's own goroutines wait for work only; main is one of them by its function.
		f.chosen[i] = (o.Goroutines == nil || o.Goroutines.MatchString(k.Name)) &&
			(!strings.HasPrefix(k.Name, "runtime.") || k.Name == mainKind)
	}
	for code := range x.Codes() {
		f.codes = append(f.codes, reasonOf(index.Code(code), x.Code(index.Code(code))))
	}
	return f
}

// reasonOf says what a code is here. Sleeping, the garbage collector and debuggers are none of the program's
// contention.
func reasonOf(code index.Code, name string) reason {
	if code < index.Waiting {
		return reason{}
	}
	switch r, _ := index.ReasonOf(name); r {
	case index.ForNetwork:
		return reason{counts: true, kind: Network}
	case index.ForSend:
		return reason{counts: true, kind: Send}
	case index.ForReceive:
		return reason{counts: true, kind: Receive}
	case index.ForSelect:
		return reason{counts: true, kind: Select}
	case index.ForCond:
		return reason{counts: true, kind: Cond}
	case index.ForSync:
		return reason{counts: true, kind: Lock, sync: true}
	case index.Forever:
		return reason{counts: true, kind: Forever}
	case index.OtherReason, index.ForSleep, index.ForCollector, index.ForBubble:
	}
	return reason{}
}

// goroutines notes what is known of each, and how long it lives in the window.
func (f *finder) goroutines() error {
	return f.x.Goroutines(func(g *index.Goroutine) bool {
		f.kindOf[g.Index], f.parent[g.Index] = g.Kind, g.Parent
		f.life[g.Index] = max(min(g.To, f.o.To)-max(g.From, f.o.From), 0)
		return true
	})
}

// waits calls yield with all waits of the window, those of a goroutine in order. The wait belongs to the
// finder.
func (f *finder) waits(yield func(*wait)) error {
	open := map[uint32]index.Span{} // by goroutine: the wait that it is in
	one := &wait{}
	emit := func(s *index.Span, next *index.Span) {
		*one = wait{from: s.From, to: s.To, goroutine: s.Goroutine}
		one.waiting, one.kind = s.Stack, f.kind(s)
		switch {
		case next == nil:
			one.open = true
		case next.Code == index.Runnable && next.From == s.To:
			one.waking, one.waker = next.Stack, next.With
			if next.With == 0 {
				one.waking = 0 // the runtime's own stack tells nothing
			}
		}
		if f.cut(one) > 0 && (one.kind != Network || f.o.Network) {
			yield(one)
		}
	}
	err := f.x.Spans(f.o.From, f.o.To, func(s index.Span) bool {
		if before, ok := open[s.Goroutine]; ok {
			delete(open, s.Goroutine)
			emit(&before, &s)
		}
		if int(s.Code) < len(f.codes) && f.codes[s.Code].counts && f.chosen[f.kindOf[s.Goroutine]] {
			open[s.Goroutine] = s
		}
		return true
	})
	if err != nil {
		return err
	}
	rest := make([]uint32, 0, len(open))
	for g := range open {
		rest = append(rest, g)
	}
	slices.Sort(rest)
	for _, g := range rest {
		s := open[g]
		emit(&s, nil)
	}
	return nil
}

// kind is what a span waits for.
func (f *finder) kind(s *index.Span) Kind {
	r := f.codes[s.Code]
	p := f.place(s.Stack)
	switch {
	case r.sync && p.group:
		return WaitGroup
	case r.sync && p.runtime:
		return Runtime
	case p.client && r.kind != Lock:
		return Network
	}
	return r.kind
}

// An adding pair.
type adding struct {
	Pair
	waker map[uint32]int64 // time by kind
}

// count adds a wait up.
func (f *finder) count(w *wait) {
	took := f.cut(w)
	f.rest(w, took)
	p := f.pairs[w.key]
	if p == nil {
		if len(f.pairs) >= maxPairs {
			f.dropped++
			return
		}
		p = &adding{Pair: Pair{Kind: w.kind, Waiting: w.waiting, Waking: w.waking, Open: w.open}, waker: map[uint32]int64{}}
		p.Waiter = f.x.Kinds()[f.kindOf[w.goroutine]].Name
		f.pairs[w.key] = p
	}
	p.Count++
	p.Total += time.Duration(took)
	p.Max = max(p.Max, time.Duration(took))
	if w.waker > 0 && int(w.waker) <= len(f.kindOf) {
		p.waker[f.kindOf[w.waker-1]] += took
	}
	if len(p.Longest) == longest && took <= length(p.Longest[longest-1]) {
		return
	}
	one := Wait{From: max(w.from, f.o.From), To: min(w.to, f.o.To), Goroutine: w.goroutine, Waker: w.waker}
	at, _ := slices.BinarySearchFunc(p.Longest, took, func(w Wait, took int64) int { return cmp.Compare(took, length(w)) })
	p.Longest = slices.Insert(p.Longest, at, one)
	p.Longest = p.Longest[:min(len(p.Longest), longest)]
}

func length(w Wait) int64 { return w.To - w.From }

// result sorts the pairs, and leaves idle ones out.
func (f *finder) result() *Result {
	r := &Result{From: f.o.From, To: f.o.To, Dropped: f.dropped}
	for k, p := range f.pairs {
		p.Idle = nobodys(k) || f.rested(k) || k.kind == Forever && p.Waiter == mainKind
		p.Waker = f.mostly(p.waker)
		if p.Idle && !f.o.Idle {
			r.Left = append(r.Left, &p.Pair)
			r.LeftCount += p.Count
			r.LeftTotal += p.Total
			continue
		}
		r.Pairs = append(r.Pairs, &p.Pair)
		r.Count += p.Count
		r.Total += p.Total
	}
	byTime := func(a, b *Pair) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Waiting, b.Waiting),
			cmp.Compare(a.Waking, b.Waking), cmp.Compare(a.Kind, b.Kind))
	}
	slices.SortFunc(r.Pairs, byTime)
	slices.SortFunc(r.Left, byTime)
	return r
}

// mostly is the kind with the most time.
func (f *finder) mostly(times map[uint32]int64) string {
	best, most := "", int64(-1)
	for kind, took := range times {
		if name := f.x.Kinds()[kind].Name; took > most || took == most && name < best {
			best, most = name, took
		}
	}
	return best
}

// Place is the frame that tells most of a stack to the program's author: the innermost that is own code,
// or else, as when own is nil, the innermost that is not of the standard library, or else the innermost
// exported one. ok is false for an empty stack.
func Place(stack []stacks.Frame, own func(stacks.Frame) bool) (f stacks.Frame, ok bool) {
	if len(stack) == 0 {
		return f, false
	}
	if own != nil {
		if i := slices.IndexFunc(stack, own); i >= 0 {
			return stack[i], true
		}
	}
	if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return !isStandard(f.Func) }); i >= 0 {
		return stack[i], true
	}
	if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return !isPlumbing(f.Func) }); i >= 0 {
		return stack[i], true
	}
	return stack[0], true
}
