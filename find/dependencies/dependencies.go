package dependencies

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/profile"
)

// Limits of what a call lists.
const (
	maxCalls        = 10
	maxLines        = 5
	maxWork         = 5
	maxAlternatives = 3
)

// An Input is a program's profiles, and the module that they are joined with.
type Input struct {
	CPU, Allocs *profile.Profile            // nil if not recorded
	Own         func(profile.Function) bool // whether a function is own code
	// File returns the module's file for a file name in a profile, relative to the module; "" if there is none.
	File     func(name string) string
	Dir      string   // of the module
	Flags    []string // of go build
	Env      []string // KEY=value, for the go command
	Requests float64  // that were served while the CPU profile was taken; 0 if unknown
}

// A Call is a line of the module, but not of a test, that calls a function of another module, and spends at least
// diagnosis.MinShare of the CPU time or of the allocated bytes there.
type Call struct {
	File     string `json:"file"` // of the calling line, relative to the module, with slashes
	Line     int    `json:"line"`
	Callee   string `json:"callee"`           // as profiles name it
	Module   string `json:"module,omitempty"` // that has the callee; "" if unknown
	Version  string `json:"version,omitempty"`
	CPU      Amount `json:"cpu"`
	Memory   Amount `json:"alloc_space"`
	Requests int64  `json:"requests,omitempty"` // that Counts and PerRequest are about; 0 if unknown
	// PerRequest is the CPU time per request in nanoseconds; 0 if requests were not counted.
	PerRequest int64 `json:"cpu_per_request_ns,omitempty"`

	Hottest []Line  `json:"hottest"`          // lines of other modules, the most expensive first
	Work    []Work  `json:"work,omitempty"`   // what these lines do, the largest share first
	Counts  []Count `json:"counts,omitempty"` // what the call makes

	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Unread is why the source of the dependency was not read; "" if it was.
	Unread string `json:"unread,omitempty"`

	pkg string // of the callee
}

// An Amount is what a profile charges.
type Amount struct {
	Value int64   `json:"value"`
	Share float64 `json:"share"` // of the profile's total
}

// A Line is a line of another module.
type Line struct {
	Module   string  `json:"module,omitempty"`
	Version  string  `json:"version,omitempty"`
	File     string  `json:"file"` // relative to the module, or the name in the profile
	Line     int     `json:"line"`
	Function string  `json:"function"` // as profiles name it
	Code     string  `json:"code,omitempty"`
	Share    float64 `json:"share"`  // of the CPU time, or of allocated bytes if there is no CPU profile
	Memory   float64 `json:"memory"` // share of allocated bytes

	profileFile, pkg string
}

// Work is what lines of other modules do, by kind of cost.
type Work struct {
	Kind      diagnosis.Kind `json:"kind"`
	Share     float64        `json:"share"`
	Functions []string       `json:"functions,omitempty"` // of the standard library, called there, the largest first
}

// A Count is how often the call does something, by sampled allocations.
type Count struct {
	What       string  `json:"what"`  // such as "files opened"
	Times      int64   `json:"times"` // about, in the recording
	PerRequest float64 `json:"per_request,omitempty"`
}

// Find returns the calls of other modules that cost most, the largest share first. With an error, which says why
// their source could not be read, they lack what the source shows.
func Find(ctx context.Context, in Input) ([]Call, error) {
	t := newTally(&in)
	t.add(in.CPU, "cpu", func(c *charge) *charged { return &c.cpu })
	t.add(in.Allocs, "alloc_space", func(c *charge) *charged { return &c.memory })
	t.count(in.Allocs)
	calls := t.calls()
	if len(calls) == 0 {
		return nil, nil
	}
	return calls, readSources(ctx, &in, calls)
}

// calls returns the charges that reach the minimum share.
func (t *tally) calls() (list []Call) {
	for key, c := range t.charges {
		cpu, memory := t.amount(c.cpu.value, "cpu"), t.amount(c.memory.value, "alloc_space")
		if max(cpu.Share, memory.Share) < diagnosis.MinShare {
			continue
		}
		file := t.in.File(key.file)
		if file == "" || strings.HasSuffix(file, "_test.go") {
			continue // not a line of this module's program
		}
		one := Call{
			File: file, Line: int(key.line), Callee: key.callee, CPU: cpu, Memory: memory, Requests: int64(t.in.Requests),
			Hottest: t.hottest(c), Work: t.work(c), Counts: t.counts(c),
		}
		if t.in.Requests >= 1 {
			one.PerRequest = int64(float64(cpu.Value) / t.in.Requests)
		}
		from := t.origins[key.callee]
		one.Module, one.Version, one.pkg = from.module, from.version, from.pkg
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.CPU.Share, a.CPU.Share), cmp.Compare(b.Memory.Share, a.Memory.Share),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Callee, b.Callee))
	})
	return list[:min(len(list), maxCalls)]
}
