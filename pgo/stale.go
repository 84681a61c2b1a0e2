package pgo

import (
	"cmp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
)

// Staleness is how much of a profile no longer matches the program. Weights are those of calls, as
// the compiler counts them (see Edges).
type Staleness struct {
	Total int64 `json:"total"` // weight of all calls
	Stale int64 `json:"stale"` // of those that are no longer in the code

	// The same for calls from or to own code, which is what changes.
	Own      int64 `json:"own"`
	OwnStale int64 `json:"own_stale"`

	Functions []StaleFunction `json:"functions"` // heaviest first

	// What else differs between the recorded build and this one; empty if the recording does not
	// contain it.
	GoVersion string   `json:"go_version,omitempty"` // "go1.25.1, now go1.26.0"
	Modules   []string `json:"modules,omitempty"`    // "example.com/m v1.2.3, now v1.3.0"
}

// Share returns the stale share of the own code in the profile, or of all code if there is no own
// code. 0 is fresh, 1 is a different program.
func (s *Staleness) Share() float64 {
	switch {
	case s.Own > 0:
		return float64(s.OwnStale) / float64(s.Own)
	case s.Total > 0:
		return float64(s.Stale) / float64(s.Total)
	}
	return 0
}

// A StaleFunction is a function that differs between the profile and the code.
type StaleFunction struct {
	Function string `json:"function"`
	Own      bool   `json:"own"`
	Weight   int64  `json:"weight"` // of its calls that no longer exist
	Gone     bool   `json:"gone"`   // the function itself no longer exists

	// Calls that have changed, heaviest first, unless the function is gone.
	Calls []StaleCall `json:"calls,omitempty"`
}

// A StaleCall is a call that is no longer where it was.
type StaleCall struct {
	Callee string `json:"callee"`
	Offset int    `json:"offset"` // lines below the start of the caller
	File   string `json:"file"`   // when the profile was taken
	Line   int    `json:"line"`
	Weight int64  `json:"weight"`
}

// A state is whether code matches an edge.
type state uint8

const (
	fresh state = iota
	callerGone
	calleeGone
	moved
)

// stale compares the calls of a profile with those in the code of a program that was built without
// it. own reports whether a function is own code, by its name.
func stale(edges []Edge, c *callCode, own func(function string) bool) Staleness {
	var s Staleness
	at := map[string]int{}
	blame := func(function string, gone bool, e Edge) {
		i, ok := at[function]
		if !ok {
			i = len(s.Functions)
			at[function] = i
			s.Functions = append(s.Functions, StaleFunction{Function: function, Own: own(function), Gone: gone})
		}
		f := &s.Functions[i]
		f.Weight += e.Weight
		if !gone {
			f.Calls = append(f.Calls, StaleCall{
				Callee: e.Callee, Offset: e.Offset, File: e.File, Line: e.Line, Weight: e.Weight,
			})
		}
	}
	for _, e := range edges {
		ours := own(e.Caller) || own(e.Callee)
		is := c.state(e)
		s.Total += e.Weight
		if ours {
			s.Own += e.Weight
		}
		if is == fresh {
			continue
		}
		s.Stale += e.Weight
		if ours {
			s.OwnStale += e.Weight
		}
		switch is {
		case callerGone:
			blame(e.Caller, true, e)
		case calleeGone:
			blame(e.Callee, true, e)
		case moved, fresh:
			blame(e.Caller, false, e)
		}
	}
	slices.SortStableFunc(s.Functions, func(a, b StaleFunction) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Function, b.Function))
	})
	return s
}

// state returns how a call of the profile matches the code.
func (c *callCode) state(e Edge) state {
	switch {
	case e.Caller == "" || e.Callee == "" || goruntime.In(e.Caller) && goruntime.In(e.Callee):
		// Functions without symbols cannot be looked up; the runtime is entered and left by other
		// means than calls.
		return fresh
	case !c.functions[e.Caller] && !goruntime.Virtual(e.Caller):
		return callerGone
	case !c.functions[e.Callee] && !goruntime.Virtual(e.Callee):
		return calleeGone
	}
	at := c.sites[site{e.Caller, e.Offset}]
	switch {
	case goruntime.Virtual(e.Caller) || goruntime.In(e.Caller):
		return fresh // goexit "calls" the function of a go statement
	case at == nil:
		return moved
	case at.callees[e.Callee] != 0 || at.indirect || at.callees[goruntime.Returns] != 0:
		return fresh // a returning function calls its deferred functions
	case goruntime.In(e.Callee):
		return fresh // the runtime interrupts any line
	}
	for callee := range at.callees {
		if isWrapper(callee) || c.jumps(callee, e.Callee, maxJumps) {
			return fresh
		}
	}
	return moved
}

// maxJumps limits the chain of functions that jump to the next.
const maxJumps = 4

// jumps reports whether a call of one function can appear as a call of another, because it jumps
// there.
func (c *callCode) jumps(from, to string, left int) bool {
	for _, next := range c.tails[from] {
		if next == to || left > 0 && c.jumps(next, to, left-1) {
			return true
		}
	}
	return false
}

// isWrapper reports whether a function is a wrapper that the compiler creates for a go or defer
// statement or a method value. The runtime omits them from stacks.
func isWrapper(function string) bool {
	last := function[strings.LastIndexByte(function, '.')+1:]
	return strings.HasPrefix(last, "deferwrap") || strings.HasPrefix(last, "gowrap") || strings.HasSuffix(last, "-fm")
}
