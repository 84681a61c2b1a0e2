package advice

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/trace/stacks"
	"github.com/whet-go/whet/unit"
)

// minWaiting is the number of goroutines that wait for a lock, on average, from which on it is
// reported.
const minWaiting = 0.05

// minHeld is the share of the CPU time spent while one lock is held from which on it is reported even
// if few goroutines wait for it: only one at a time can do that work, however many CPUs there are.
const minHeld = 0.03

// minBlocked is the part of the waits during which the holder waits, from which on that is the cause.
const minBlocked = 0.02

// A held lock is what is known about a lock.
type held struct {
	sections  []syntax.Section
	count     int64
	time      time.Duration
	waits     map[syntax.Line]time.Duration // where others wait
	meanwhile map[syntax.Line]*part         // what the holder waits for, by the line in the section
	running   float64                       // of the time of waits, the part in which the holder runs
	computing map[syntax.Line]*part         // what it computes
	cpu       int64
	exclusive int64 // of cpu, while requests are answered and no other goroutine may hold the lock
}

// A part is what happens on a line of a section while the lock is held.
type part struct {
	weight float64
	below  marks
	inner  syntax.Line // the innermost own line
	callee string
}

// heldLocks finds locks that goroutines wait for while their holders wait or compute.
func heldLocks(e *evidence) []Advice {
	t := cmp.Or(e.in.Traces, &Traces{})
	locks := map[types.Object]*held{}
	sections := e.code.Sections()
	for i := range sections {
		s := &sections[i]
		if locks[s.Lock] == nil {
			locks[s.Lock] = &held{
				waits: map[syntax.Line]time.Duration{}, meanwhile: map[syntax.Line]*part{}, computing: map[syntax.Line]*part{},
			}
		}
		locks[s.Lock].sections = append(locks[s.Lock].sections, *s)
	}
	for i := range t.locks {
		e.addWaits(locks, &t.locks[i])
	}
	var all []Advice
	for _, h := range locks {
		waiting := 0.0
		if t.length > 0 {
			waiting = float64(h.time) / float64(t.length)
		}
		e.addComputing(h)
		if waiting >= minWaiting && h.count >= 10 || e.cpuShare(h.exclusive) >= minHeld && e.sampled(h.exclusive) {
			all = append(all, e.heldLock(h, waiting))
		}
	}
	return all
}

// addWaits adds the waits at a stack to the lock that it waits for.
func (e *evidence) addWaits(locks map[types.Object]*held, c *contended) {
	if !locksItself(c.waiting) {
		return
	}
	p := e.path(c.waiting)
	if len(p.own) == 0 {
		return
	}
	for _, h := range locks {
		if !slices.ContainsFunc(h.sections, func(s syntax.Section) bool { return s.From == p.own[0] }) {
			continue
		}
		h.count += c.count
		h.time += c.time
		h.waits[p.own[0]] += c.time
		for _, d := range c.meanwhile {
			if d.stack == nil {
				h.running += d.share * float64(c.time)
				continue
			}
			if locksItself(d.stack) { // in the queue, before it held the lock
				continue
			}
			if holder := e.path(d.stack); len(holder.own) > 0 {
				add(h.meanwhile, h.sections, &holder, d.share*float64(c.time))
			}
		}
	}
}

// locksItself reports whether the innermost function outside the runtime is a method of a mutex.
func locksItself(stack []stacks.Frame) bool {
	for _, f := range stack {
		switch {
		case strings.HasPrefix(f.Func, "runtime."), strings.HasPrefix(f.Func, "internal/sync."),
			strings.HasPrefix(f.Func, "sync.runtime_"):
		case strings.HasPrefix(f.Func, "sync.(*Mutex)."), strings.HasPrefix(f.Func, "sync.(*RWMutex)."):
			return true
		default:
			return false
		}
	}
	return false
}

// add adds what a path does within a section, and returns that; nil if it is in none.
func add(to map[syntax.Line]*part, sections []syntax.Section, p *path, weight float64) *syntax.Section {
	for _, at := range p.own {
		for i := range sections {
			s := &sections[i]
			if !s.Has(at) || at == s.From {
				continue
			}
			one := to[at]
			if one == nil {
				one = &part{}
				to[at] = one
			}
			if weight > one.weight/2 || one.callee == "" {
				one.inner, one.callee = p.own[0], p.callee
			}
			one.weight += weight
			one.below |= p.below
			return s
		}
	}
	return nil
}

// addComputing adds the CPU time that is spent while a lock is held.
func (e *evidence) addComputing(h *held) {
	for _, s := range e.cpu.list {
		in := add(h.computing, h.sections, &s.path, float64(s.value))
		if in == nil {
			continue
		}
		h.cpu += s.value
		if s.served && !in.Reading {
			h.exclusive += s.value
		}
	}
}

// heldLock describes a lock.
func (e *evidence) heldLock(h *held, waiting float64) Advice {
	byWeight := func(m map[syntax.Line]*part) []syntax.Line {
		return slices.SortedFunc(maps.Keys(m), func(a, b syntax.Line) int {
			return cmp.Or(cmp.Compare(m[b].weight, m[a].weight), syntax.Compare(a, b))
		})
	}
	waits := slices.SortedFunc(maps.Keys(h.waits), func(a, b syntax.Line) int {
		return cmp.Or(cmp.Compare(h.waits[b], h.waits[a]), syntax.Compare(a, b))
	})
	blocked := 0.0
	for _, p := range h.meanwhile {
		blocked += p.weight
	}
	from := h.computing
	blocks := blocked > h.running && blocked >= minBlocked*float64(h.time)
	if blocks {
		from = h.meanwhile
	}
	lines := byWeight(from)
	held := h.busiest(lines, waits)
	a := Advice{
		Kind: HeldLock, Title: "hot lock", Place: e.place(held.From, ""), Share: min(1, waiting), Of: ofTrace,
		Do: "hold it for less: compute before or after, keep copies, or divide what it guards (shards, one lock per key)",
	}
	a.Evidence = fmt.Sprintf("%d waits for %s, %v in total: on average %.2f goroutines wait for it",
		h.count, held.Name, unit.Duration(h.time), waiting)
	a.Share, a.Of = e.cpuShare(h.cpu), e.ofCPU()
	if share := e.requestShare(float64(h.time)); share > a.Share {
		a.Share, a.Of = min(1, share), ofRequests
	}
	switch {
	case blocks:
		doing := cmp.Or(from[lines[0]].below.does(), "a wait")
		a.Title = "lock held during " + doing
		a.Evidence += "; while it holds the lock, its holder mostly waits itself"
		a.Do = "do not hold it during " + doing + ": read before it, decide under it, and write after it; or let the " +
			"database or a lock per key decide"
	case len(lines) > 0:
		a.Evidence += fmt.Sprintf("; %s of %s is spent while it is held", percent(e.cpuShare(h.cpu)), e.ofCPU())
		top := from[lines[0]]
		sorting := slices.ContainsFunc(lines, func(at syntax.Line) bool {
			return from[at].below.does() == "sorting" && from[at].weight >= float64(h.cpu)/5
		})
		f, loop := e.code.Loop(lines[0])
		switch doing := top.below.does(); {
		case sorting:
			a.Title = "lock held while sorting"
			a.Do = "copy what is needed under the lock, and sort the copy after it; or keep the order up to date"
		case doing == "iterating over a map" || loop != nil && held.Has(f.At(loop.Pos())):
			a.Title = "lock held during a loop"
			a.Do = "do the loop elsewhere: at intervals, on a copy or a snapshot, or for a few entries at a time"
		case doing != "":
			a.Title = "lock held during " + doing
		}
	}
	for _, at := range lines[:min(2, len(lines))] {
		p := from[at]
		what := "meanwhile"
		if does := p.below.does(); does != "" {
			what += ": " + does
		}
		a.Also = append(a.Also, e.place(at, what))
		if p.inner != at && p.inner.Line > 0 {
			a.Also = append(a.Also, e.place(p.inner, "which is here"))
		}
	}
	others := slices.DeleteFunc(waits, func(at syntax.Line) bool { return at == held.From })
	for _, at := range others[:min(2, len(others))] {
		a.Also = append(a.Also, e.place(at, "others wait here"))
	}
	return a
}

// busiest returns the section that has the first of the lines of the holder, else the one where
// others wait longest.
func (h *held) busiest(lines, waits []syntax.Line) *syntax.Section {
	for _, at := range lines {
		if i := slices.IndexFunc(h.sections, func(s syntax.Section) bool { return s.Has(at) }); i >= 0 {
			return &h.sections[i]
		}
	}
	for _, at := range waits {
		if i := slices.IndexFunc(h.sections, func(s syntax.Section) bool { return s.From == at }); i >= 0 {
			return &h.sections[i]
		}
	}
	return &h.sections[0]
}
