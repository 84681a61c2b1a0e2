package rules

import (
	"fmt"
	"regexp"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/internal/find/memstats"
)

// A Program is what a recording contains about a program as a whole.
type Program struct {
	// Command is set when the program is known to be a command, not a test binary: in those only
	// the lines of benchmarks matter, and their settings are chosen elsewhere.
	Command  bool
	Settings map[string]string // build settings by key, as go version -m prints them; nil if unknown
	Go       string            // version that built it, in the form of runtime.Version: "go1.26.1"; "" if unknown
	Newest   string            // the newest Go release known, in the same form
	// Level is the GOAMD64 level that the machine supports, v1 to v4; "" if unknown.
	Level string

	CPU     time.Duration // of the CPU profile; 0 without one
	Samples int           // of the CPU profile
	// Own is the share of the CPU time spent in own functions themselves, Below the share of own
	// functions and everything they call.
	Own, Below float64
	Collecting float64 // share of the CPU time spent in garbage collection (profile.Collection)
	// Share returns the share of the CPU time in matching functions and everything they call.
	Share func(*regexp.Regexp) float64

	Heap *Heap // nil if unknown
}

// A Heap is the runtime's statistics of a program's memory.
type Heap struct {
	Collections int64         // during the window
	Paused      time.Duration // total pause time
	Goal        int64         // heap size in bytes at which the next collection starts, at the end of the window
	System      int64         // bytes obtained from the operating system, at the end of the window
}

// NewHeap returns the statistics of texts that the runtime wrote at the beginning and at the end of a window, and what
// of them cannot be read. It returns nil without the text of the end; without that of the beginning, nothing is known
// of the window.
func NewHeap(begin, end []byte) (h *Heap, unread []error) {
	before, err := memstats.Parse(begin)
	after, err2 := memstats.Parse(end)
	for _, err := range []error{err2, err} {
		if err != nil {
			unread = append(unread, fmt.Errorf("the runtime's statistics: %w", err))
		}
	}
	if after == nil {
		return nil, unread
	}
	h = &Heap{Goal: after["NextGC"], System: after["Sys"]}
	if before != nil {
		h.Collections = after["NumGC"] - before["NumGC"]
		h.Paused = time.Duration(after["PauseTotalNs"] - before["PauseTotalNs"])
	}
	return h, unread
}

// A Verdict is a rule's judgment of a whole program.
type Verdict struct {
	Category string  // of the cause
	Message  string  // why it is expensive
	Share    float64 // share of the CPU time that it is about
	Saving   float64 // share of the CPU time that can be saved at most
	Setting  Setting
	// Collector is set if Share is the garbage collector's, so that it overlaps with the
	// allocations of lines.
	Collector bool
}

// OfProgram returns the analyzer of a rule that has a Judge: it reports nothing.
func OfProgram(name, doc string) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: doc, Run: func(*analysis.Pass) (any, error) { return nil, nil }}
}
