package contention

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Kind is what a goroutine waits for.
type Kind uint8

// Kinds.
const (
	Lock      Kind = iota // sync.Mutex, sync.RWMutex and what is built on them
	WaitGroup             // sync.WaitGroup
	Cond                  // sync.Cond
	Send                  // sending to a channel
	Receive               // receiving from a channel
	Select                // several channels at once
	Network               // the network, or an answer in net/http's client
	Runtime               // the runtime's own locks, such as the garbage collector's
	Forever               // a nil channel, or a select without cases
	kinds
)

func (k Kind) String() string {
	return [kinds]string{
		"lock", "WaitGroup", "Cond", "channel send", "channel receive", "select", "network",
		"runtime lock", "forever",
	}[k]
}

// Options configure Find.
type Options struct {
	// From and To are a window, in nanoseconds since the start of the trace; To 0 means its end. Of
	// waits that extend beyond, only the part inside counts.
	From, To int64
	// Goroutines selects the goroutines whose waits count, by the function that they run; nil means
	// all.
	Goroutines *regexp.Regexp
	Network    bool // include waits for the network
	Idle       bool // include idle waits
	Most       int  // pairs with quantiles; 0 means 1000, the maximum
}

// A Pair sums the waits at one stack that were ended from one other stack.
type Pair struct {
	Kind    Kind
	Waiting uint32 // stack of the wait
	// Waking is the stack of the goroutine that ended the waits: for a lock, where it was released.
	// 0 if no goroutine did, but a timer, the network, or the end of the trace.
	Waking uint32
	// Open means that these waits had not ended by the end of the trace or of the window.
	Open bool
	Idle bool

	Count    int64
	Total    time.Duration
	P50, P99 time.Duration // within 1%; 0 beyond Options.Most
	Max      time.Duration
	// Waiter and Waker are the functions that most of the goroutines run.
	Waiter, Waker string
	Longest       []Wait // longest first
	// Meanwhile is what the wakers did during the longest waits, by descending time.
	Meanwhile []Doing
}

// A Wait is one wait.
type Wait struct {
	From, To  int64  // nanoseconds since the start of the trace
	Goroutine uint32 // index
	Waker     uint32 // index + 1; 0 means none
}

// Doing is a state of goroutines.
type Doing struct {
	Code  index.Code
	Stack uint32 // of the wait; 0 while running
	Time  time.Duration
	Share float64 // of the time of the waits
}

// A Result is the contention in a trace.
type Result struct {
	From, To int64
	Pairs    []*Pair // by descending time
	Count    int64   // number of waits in Pairs
	Total    time.Duration
	// Left are the idle pairs that were left out, by descending time, with their sums.
	Left      []*Pair
	LeftCount int64
	LeftTotal time.Duration
	Dropped   int64 // waits at pairs of stacks beyond the bound
}

// Bounds.
const (
	maxPairs = 100_000
	mostShow = 1000
	longest  = 8 // waits kept per pair
)

// Find finds the contention of a trace.
func Find(x *index.Index, o Options) (*Result, error) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	if o.From < 0 || o.From > o.To || o.Most < 0 {
		return nil, errors.New("find contention: invalid window or number of pairs (want an end that is not before the " +
			"start, and a number " +
			"that is not negative)")
	}
	f := newAnalysis(x, o)
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

// A key identifies a pair while waits are summed.
type key struct {
	kind            Kind
	waiting, waking uint32
	open            bool
}

// A wait is a wait during the analysis.
type wait struct {
	key
	from, to  int64
	goroutine uint32
	waker     uint32 // index + 1
}

// cut returns the length of the part of a wait that is in the window.
func (f *analysis) cut(w *wait) int64 { return min(w.to, f.o.To) - max(w.from, f.o.From) }

type analysis struct {
	x       *index.Index
	o       Options
	kindOf  []uint32 // by goroutine
	parent  []uint32 // by goroutine: index + 1
	chosen  []bool   // by kind
	life    []int64  // by goroutine, in the window
	codes   []reason // by code
	sites   map[uint32]*site
	lastAt  []uint32 // by goroutine: the site of a possible earlier idle wait
	groups  map[string]*group
	pairs   map[key]*pairSum
	dropped int64
}

// A reason is the meaning of a code of the index.
type reason struct {
	counts bool
	kind   Kind
	sync   bool // a lock or a WaitGroup: the stack decides
}

func newAnalysis(x *index.Index, o Options) *analysis {
	n := x.Info.Goroutines
	f := &analysis{
		x: x, o: o, kindOf: make([]uint32, n), parent: make([]uint32, n), lastAt: make([]uint32, n),
		chosen: make([]bool, len(x.Kinds())), life: make([]int64, n), groups: map[string]*group{},
		sites: map[uint32]*site{}, pairs: map[key]*pairSum{},
	}
	for i, k := range x.Kinds() {
		// The runtime's own goroutines only wait for work; main is excluded from these by its
		// function.
		f.chosen[i] = (o.Goroutines == nil || o.Goroutines.MatchString(k.Name)) &&
			(!goruntime.In(k.Name) || k.Name == goruntime.Main)
	}
	for code := range x.Codes() {
		f.codes = append(f.codes, reasonOf(index.Code(code), x.Code(index.Code(code))))
	}
	return f
}

// reasonOf returns the meaning of a code. Sleeping, the garbage collector and debuggers are not
// contention of the program.
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

// goroutines collects what is known about each goroutine, and how long it exists in the window.
func (f *analysis) goroutines() error {
	return f.x.Goroutines(func(g *index.Goroutine) bool {
		f.kindOf[g.Index], f.parent[g.Index] = g.Kind, g.Parent
		f.life[g.Index] = max(min(g.To, f.o.To)-max(g.From, f.o.From), 0)
		return true
	})
}

// waits calls yield with all waits of the window, those of one goroutine in order. The wait is
// valid only during the call.
func (f *analysis) waits(yield func(*wait)) error {
	open := map[uint32]index.Span{} // by goroutine: its current wait
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
				one.waking = 0 // the runtime's own stack is not informative
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

// kind returns what a span waits for.
func (f *analysis) kind(s *index.Span) Kind {
	r := f.codes[s.Code]
	p := f.site(s.Stack)
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

// A pairSum is the sum of the waits of a pair.
type pairSum struct {
	Pair
	waker map[uint32]int64 // time by kind
}

// count adds a wait to the sums.
func (f *analysis) count(w *wait) {
	took := f.cut(w)
	f.rest(w, took)
	p := f.pairs[w.key]
	if p == nil {
		if len(f.pairs) >= maxPairs {
			f.dropped++
			return
		}
		p = &pairSum{Pair: Pair{Kind: w.kind, Waiting: w.waiting, Waking: w.waking, Open: w.open}, waker: map[uint32]int64{}}
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

// result sorts the pairs, and leaves out idle ones.
func (f *analysis) result() *Result {
	r := &Result{From: f.o.From, To: f.o.To, Dropped: f.dropped}
	for k, p := range f.pairs {
		p.Idle = unwoken(k) || f.rested(k) || k.kind == Forever && p.Waiter == goruntime.Main
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

// mostly returns the kind with the most time.
func (f *analysis) mostly(times map[uint32]int64) string {
	best, most := "", int64(-1)
	for kind, took := range times {
		if name := f.x.Kinds()[kind].Name; took > most || took == most && name < best {
			best, most = name, took
		}
	}
	return best
}

// Place returns the most informative frame of a stack for the program's author: the innermost of
// own code; if there is none or own is nil, the innermost outside the standard library; otherwise
// the innermost exported one. ok is false for an empty stack.
func Place(stack []stacks.Frame, own func(stacks.Frame) bool) (f stacks.Frame, ok bool) {
	if len(stack) == 0 {
		return f, false
	}
	if own != nil {
		if i := slices.IndexFunc(stack, own); i >= 0 {
			return stack[i], true
		}
	}
	if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return !goruntime.Standard(f.Func) }); i >= 0 {
		return stack[i], true
	}
	if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return !isPlumbing(f.Func) }); i >= 0 {
		return stack[i], true
	}
	return stack[0], true
}
