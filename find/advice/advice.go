package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/stacks"
)

// A Kind is a kind of advice. The zero value is none.
type Kind string

// Kinds of advice.
const (
	CallsInLoop   Kind = "calls-in-loop"   // queries or requests to other servers, several per request
	SerialCalls   Kind = "serial-calls"    // calls that wait for each other without need
	HeldLock      Kind = "held-lock"       // others wait for a lock while its holder waits or computes
	GoroutineLeak Kind = "goroutine-leak"  // goroutines that never end
	Growth        Kind = "growth"          // a map or slice that only grows
	DecodedTwice  Kind = "decoded-twice"   // the same bytes are decoded again
	ParsedPerCall Kind = "parsed-per-call" // a template is parsed on each call
	ConstantWork  Kind = "constant-work"   // requests compute what depends on nothing in them
	BusyLoop      Kind = "busy-loop"       // a loop that asks again at once
	UnbufferedLog Kind = "unbuffered-log"  // each log entry is a system call
	LoopTimer     Kind = "loop-timer"      // each iteration of a loop makes a timer
)

// An Input is what is known about a program. Everything but Locate may be missing; what needs it is
// then not found.
type Input struct {
	// Packages are those with hot lines, with their syntax and types.
	Packages []*packages.Package
	// Relative returns the name of a source file in the module.
	Relative func(file string) (name string, ok bool)
	// Locate returns the line of the module that a frame of own code is on; false for other frames,
	// and for those whose source has changed.
	Locate func(stacks.Frame) (file string, line int, ok bool)
	// Describe returns the function around a line and its source.
	Describe func(file string, line int) (function, code string)

	CPU    *profile.Profile
	Allocs *profile.Profile
	Heap   *profile.Profile // what the heap gained during the window
	Traces *Traces
	// Goroutines are those at the end of the window, compared with those at its start.
	Goroutines *goroutines.Snapshot
	Window     time.Duration
}

// A Place is a line of the module's source.
type Place struct {
	File     string `json:"file"` // relative to the module, with slashes
	Line     int    `json:"line"`
	Function string `json:"function"` // around it, as written in Go source
	Code     string `json:"code"`
	// What is the role of the line; "" for the first place of an Advice.
	What string `json:"what,omitempty"`
}

// Where returns the place as file:line.
func (p Place) Where() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// An Advice is a cause, with its evidence and what to do about it.
type Advice struct {
	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	Place
	Also []Place `json:"also,omitempty"` // other lines of the same cause

	// Share is how large the cost is at most, of what Of says.
	Share float64 `json:"share"`
	Of    string  `json:"of"` // such as "the CPU time"
	// Evidence is what the recording shows, with numbers. Do is what to change.
	Evidence string `json:"evidence"`
	Do       string `json:"do"`
}

// What a share is of.
const (
	ofRequests = "the requests' time"
	ofCPU      = "the CPU time"
	ofGrowth   = "the heap's growth"
	ofTrace    = "the trace"
	ofStarted  = "the goroutines"

	ofAllocated = "the allocated bytes"
)

// Find returns the advice about a program, the largest share first.
func Find(in Input) []Advice {
	if in.Locate == nil {
		return nil
	}
	e := newEvidence(&in)
	all := busyLoops(e) // sets what the others need
	for _, find := range []func(*evidence) []Advice{
		callsInLoops, serialCalls, heldLocks, leaks, growth, decodedTwice, parsedPerCall, constantWork, unbufferedLogs,
		loopTimers,
	} {
		all = append(all, find(e)...)
	}
	slices.SortStableFunc(all, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line))
	})
	return all
}

// Files returns the files of the module that evidence other than CPU and allocation profiles is
// about, in order: their packages are needed in Input.Packages. It does not use Packages.
func Files(in Input) []string {
	if in.Locate == nil {
		return nil
	}
	in.Packages, in.CPU, in.Allocs = nil, nil, nil
	e := newEvidence(&in)
	files, grown := map[string]bool{}, map[string]int64{}
	for _, s := range e.heap.list {
		grown[s.own[0].File] += s.value
	}
	for file, v := range grown {
		files[file] = e.heap.share(v) >= minGrownShare
	}
	add := func(p path) {
		for _, at := range p.own {
			files[at.File] = true
		}
	}
	for i := range e.waits {
		if e.requestShare(float64(e.waits[i].wait.time)) >= minRequests/2 {
			add(e.waits[i].path)
		}
	}
	if t := in.Traces; t != nil {
		for i := range t.locks {
			add(e.path(t.locks[i].waiting))
		}
	}
	if s := in.Goroutines; s != nil {
		for i := range s.Groups {
			if s.Groups[i].Verdict != goroutines.Fine {
				add(e.path(frames(s.Groups[i].Stack)))
			}
		}
	}
	maps.DeleteFunc(files, func(_ string, needed bool) bool { return !needed })
	return slices.Sorted(maps.Keys(files))
}

// frames returns the stack of a goroutine as that of a trace.
func frames(stack []goroutines.Frame) []stacks.Frame {
	all := make([]stacks.Frame, len(stack))
	for i, f := range stack {
		all[i] = stacks.Frame(f)
	}
	return all
}

// place describes a line.
func (e *evidence) place(at syntax.Line, what string) Place {
	p := Place{File: at.File, Line: at.Line, What: what}
	if e.in.Describe != nil {
		p.Function, p.Code = e.in.Describe(at.File, at.Line)
	}
	return p
}

// percent formats a share.
func percent(share float64) string {
	switch {
	case share >= 0.1:
		return fmt.Sprintf("%.0f%%", 100*share)
	case share >= 0.01:
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.2f%%", 100*share)
}
