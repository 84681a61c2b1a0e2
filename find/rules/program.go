package rules

import (
	"regexp"
	"time"

	"golang.org/x/tools/go/analysis"
)

// A Program is what a recording says of a program as a whole.
type Program struct {
	// Command is set when the program is known to be a command: not a test binary, of which only
	// the benchmarks' lines are meant, and for which others choose the settings.
	Command  bool
	Settings map[string]string // of its build, by key, as go version -m prints them; nil when not known
	Go       string            // that built it, as runtime.Version has it: "go1.26.1"; "" when not known
	Newest   string            // the newest Go that is known to be released, by the same form
	// Level is that of GOAMD64 which the machine is good for, v1 to v4; "" when not known.
	Level string

	CPU     time.Duration // of the CPU profile; 0 without one
	Samples int           // of the CPU profile
	// Own is the share of the CPU time that is spent in own functions themselves, and Below that of
	// them and all they call.
	Own, Below float64
	Collecting float64 // the share of the CPU time that goes into garbage collection (profile.Collection)
	// Share is the share of the CPU time in functions that match, and in what they call.
	Share func(*regexp.Regexp) float64

	Heap *Heap // nil when not known
}

// A Heap is what the runtime says of a program's memory.
type Heap struct {
	Collections int64         // in the window
	Paused      time.Duration // by them
	Goal        int64         // bytes at which the next collection starts, at the window's end
	System      int64         // bytes that the program has from the operating system, at the window's end
}

// A Verdict is what a rule says of a whole program.
type Verdict struct {
	Category string  // of the cause
	Message  string  // why it costs
	Share    float64 // of the CPU time that it is about
	Saving   float64 // of the CPU time, at most
	Setting  Setting
	// Collector is set when Share is the garbage collector's, so that it overlaps with what lines
	// allocate.
	Collector bool
}

// OfProgram is the analyzer of a rule that has a Judge: it reports nothing of source.
func OfProgram(name, doc string) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: doc, Run: func(*analysis.Pass) (any, error) { return nil, nil }}
}
