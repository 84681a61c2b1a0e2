package goroutines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/waits"
)

// AddTrace completes s from an execution trace of the same time: creators that the stacks do not
// show, and how long goroutines with a group's stack have been waiting. A goroutine that did not
// run during the whole trace has been waiting for at least as long.
func (s *Snapshot) AddTrace(rep *waits.Report) {
	type known struct {
		wait    Wait
		reason  string
		creator Creator
	}
	byKey := make(map[uint64]*known)
	// If only one function was seen to start another, it also started goroutines that are older
	// than the trace; nil means that several did.
	starter := make(map[string]*Creator)
	starts := func(fn string, by waits.Frame) {
		fn = symbol(fn)
		if have, ok := starter[fn]; !ok {
			starter[fn] = &Creator{by.Func, by.File, by.Line, EvidenceOthers}
		} else if have != nil && have.Func != by.Func {
			starter[fn] = nil
		}
	}
	for _, c := range rep.Creations {
		if c.Start != "" && c.Creator.Func != "" {
			starts(c.Start, c.Creator)
		}
	}
	// Goroutines share their stacks' slices, so each stack is read once.
	type stack struct {
		key  uint64
		root string
	}
	hashed := make(map[*waits.Frame]stack)
	for i := range rep.Goroutines {
		g := &rep.Goroutines[i]
		if len(g.Stack) == 0 {
			continue
		}
		st, ok := hashed[&g.Stack[0]]
		if !ok {
			frames := canonical(fromTrace(g.Stack))
			st = stack{stackKey(frames), frames[len(frames)-1].Func}
			hashed[&g.Stack[0]] = st
		}
		k := byKey[st.key]
		if k == nil {
			k = &known{}
			byKey[st.key] = k
		}
		if g.State == waits.Waiting && g.In > k.wait.For {
			k.wait = Wait{For: g.In, AtLeast: g.AtLeast, From: EvidenceTrace}
			k.reason = traceReason(g.Reason)
		}
		if len(g.Creator) > 0 {
			// The trace names the wrapper of a go statement with arguments; the stack contains what
			// it runs.
			starts(st.root, g.Creator[0])
			if f := g.Creator[0]; k.creator.Func == "" {
				k.creator = Creator{f.Func, f.File, f.Line, EvidenceTrace}
			}
		}
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		k := byKey[g.Key()]
		if k != nil {
			if k.wait.For > g.Longest.For {
				g.Longest = k.wait
			}
			if g.Reason == "" && k.reason != "" {
				g.Reason, g.ReasonFrom = k.reason, EvidenceTrace
			}
		}
		if g.Creator.From == EvidenceDump {
			continue
		}
		switch {
		case k != nil && k.creator.Func != "":
			g.Creator = k.creator
		case len(g.Stack) > 0 && !g.Truncated && g.Creator.From != EvidenceTrace:
			if c := starter[symbol(g.Stack[len(g.Stack)-1].Func)]; c != nil {
				g.Creator = *c
			}
		}
	}
	s.Warnings = append(s.Warnings, rep.Warnings...)
}

func fromTrace(stack []waits.Frame) []Frame {
	fs := make([]Frame, len(stack))
	for i, f := range stack {
		fs[i] = Frame(f)
	}
	return fs
}

// symbol returns the form of a function's name that is used in keys.
func symbol(fn string) string {
	if !strings.Contains(fn, "[") {
		return fn
	}
	var b strings.Builder
	writeSymbol(&b, fn)
	return b.String()
}

// traceReason translates a trace's wait reason (runtime.traceBlockReasonStrings) to the runtime's
// name for it; "" if the mapping is not unique.
func traceReason(r string) string {
	switch r {
	case "chan receive", "chan send", "select", "sleep":
		return r
	case "network":
		return "IO wait"
	case "sync.(*Cond).Wait":
		return "sync.Cond.Wait"
	}
	return ""
}

// CompareWith compares s with an earlier snapshot of the same program. It sets Before and Delta of
// each group, adds the groups that have disappeared (with Count 0), and sorts by growth. Groups
// with evidence of a leak (growth of goroutines that only other goroutines can wake) become
// suspects, with the reason; only the garbage collector can prove a leak.
func (s *Snapshot) CompareWith(earlier *Snapshot) {
	s.Earlier, s.EarlierTotal = earlier.Name, earlier.Total
	before := make(map[growthKey]int64)
	for i := range earlier.Groups {
		g := &earlier.Groups[i]
		before[g.growthKey()] += g.Count
	}
	stacks := make(map[uint64]bool, len(earlier.Groups))
	for i := range earlier.Groups {
		stacks[earlier.Groups[i].Key()] = true
	}
	common := false
	for i := range s.Groups {
		g := &s.Groups[i]
		k := g.growthKey()
		// Groups that differ only in their creator share a key; the first, which is the largest,
		// takes the earlier count.
		g.Before = before[k]
		delete(before, k)
		g.Delta = g.Count - g.Before
		common = common || stacks[g.Key()]
	}
	window := s.Time.Sub(earlier.Time)
	if s.Time.IsZero() || earlier.Time.IsZero() {
		window = 0
	}
	for i := range s.Groups {
		s.Groups[i].suspect(window, s.LeaksKnown)
	}
	for i := range earlier.Groups {
		g := earlier.Groups[i]
		k := g.growthKey()
		n, ok := before[k]
		if !ok {
			continue
		}
		delete(before, k)
		g.Before, g.Delta, g.Count = n, -n, 0
		g.Verdict, g.Why, g.Leaked = Fine, "", 0
		s.Groups = append(s.Groups, g)
	}
	if !common && len(earlier.Groups) > 0 && len(s.Groups) > 0 {
		s.Warnings.Add(fmt.Errorf("compare goroutines of %s with %s: %w", s.Name, earlier.Name, errNotComparable))
	}
	slices.SortStableFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Delta, a.Delta), cmp.Compare(b.Count, a.Count), compareStacks(a.Stack, b.Stack))
	})
}

// growthKey identifies groups across snapshots. It includes the wait reason only where the stack is
// not enough ("running" and "chan receive" on one line), and only if both sources contain it.
type growthKey struct {
	stack  uint64
	parked bool
}

func (g *Group) growthKey() growthKey {
	moving := g.Reason == "running" || g.Reason == "runnable" || g.Reason == "syscall"
	return growthKey{g.Key(), !moving}
}

const (
	// minGrowth is the minimum growth that counts as evidence: one more waiting goroutine is normal
	// between any two snapshots of a service.
	minGrowth = 2
	// minLockWait is how long a goroutine must have waited for a lock before that is unusual: the
	// number of goroutines that wait for a lock depends on the load.
	minLockWait = 10 * time.Second
)

// waitsForLock reports whether a goroutine waits for a lock, which its holder releases.
func waitsForLock(reason string) bool {
	switch reason {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "semacquire":
		return true
	}
	return false
}

// looksLeaked reports whether there is evidence of a leak: a wait that nothing can end; or growth
// of goroutines that only others wake, unless even their longest wait is known to be short.
func (g *Group) looksLeaked(window time.Duration) bool {
	switch known := g.Longest.For > 0; {
	case g.Verdict == Leak || g.Delta <= 0:
		return false
	case blockedForever(g.Reason):
		return true
	case g.Delta < minGrowth || !blockedOnOthers(g.Reason):
		return false
	case waitsForLock(g.Reason):
		return known && g.Longest.For >= minLockWait
	case known && !g.Longest.AtLeast && window > 0:
		// It was seen since it began: those that leaked during the window are half its age on
		// average.
		return g.Longest.For >= window/4
	}
	return true
}

func (g *Group) suspect(window time.Duration, leaksKnown bool) {
	if !g.looksLeaked(window) {
		return
	}
	g.Verdict = Suspect
	var b strings.Builder
	fmt.Fprintf(&b, "grew by %d", g.Delta)
	if window > 0 {
		fmt.Fprintf(&b, " in %v", window.Round(100*time.Millisecond))
	}
	switch {
	case blockedForever(g.Reason):
		fmt.Fprintf(&b, "; nothing can end the wait (%s)", g.Reason)
	case g.Longest.AtLeast && g.Longest.From == EvidenceTrace:
		fmt.Fprintf(&b, "; only another goroutine can end the wait (%s), and at least one did not move during the "+
			"whole trace", g.Reason)
	case g.Longest.From == EvidenceDump:
		fmt.Fprintf(&b, "; only another goroutine can end the wait (%s), and one has waited for %d minutes", g.Reason,
			int64(g.Longest.For.Minutes()))
	case g.Longest.For > 0:
		fmt.Fprintf(&b, "; only another goroutine can end the wait (%s), and one has waited for %v", g.Reason,
			g.Longest.For.Round(time.Millisecond))
	default:
		fmt.Fprintf(&b, "; only another goroutine can end the wait (%s), and how long they have waited is unknown", g.Reason)
	}
	if leaksKnown {
		b.WriteString("; not proven: what could wake them is still reachable")
	}
	g.Why = b.String()
}

// A CreatorGroup is all goroutines that one function started.
type CreatorGroup struct {
	Creator       Creator // zero: unknown
	Count         int64
	Before, Delta int64
	Groups        int // number of distinct groups
	Leaked        int64
}

// ByCreator sums groups by the function that started them, most goroutines first. Goroutines with
// an unknown creator are one entry with a zero Creator. The creator's position is that of the
// largest group.
func ByCreator(groups []Group) []CreatorGroup {
	at := make(map[string]int)
	var out []CreatorGroup
	for i := range groups {
		g := &groups[i]
		name := symbol(g.Creator.Func)
		j, ok := at[name]
		if !ok {
			j = len(out)
			at[name] = j
			out = append(out, CreatorGroup{Creator: g.Creator})
		}
		c := &out[j]
		c.Count += g.Count
		c.Before += g.Before
		c.Delta += g.Delta
		c.Leaked += g.Leaked
		c.Groups++
	}
	slices.SortStableFunc(out, func(a, b CreatorGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Creator.Func, b.Creator.Func))
	})
	return out
}

// OwnFrame returns the innermost frame for which own returns true; else the group's innermost frame
// and false.
func (g *Group) OwnFrame(own func(Frame) bool) (Frame, bool) {
	if own != nil {
		for _, f := range g.Stack {
			if own(f) {
				return f, true
			}
		}
	}
	if len(g.Stack) == 0 {
		return Frame{}, false
	}
	return g.Stack[0], false
}
