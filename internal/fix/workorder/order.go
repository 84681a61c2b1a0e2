package workorder

import (
	"slices"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/prove"
)

// Schema is the version of an Order's JSON.
const Schema = "whet.workorder/1"

// An Order is what is known about an expensive line.
type Order struct {
	Schema string `json:"schema"`
	Module string `json:"module"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	// Function is the function around the line, as written in Go source: (*T).Name; "" outside of functions.
	Function string `json:"function,omitempty"`
	// Share is what the profiles charge to the line: its share of the CPU time, including the
	// collector's share for what it allocates.
	Share    float64         `json:"share"`
	Evidence []find.Evidence `json:"evidence,omitempty"`
	Finding  *Finding        `json:"finding,omitempty"`
	Source   Source          `json:"source"`
	Callers  []Call          `json:"callers,omitempty"`
	Callees  []Call          `json:"callees,omitempty"`
	// Allocations are the lines of the function that allocate.
	Allocations []Allocation `json:"allocations,omitempty"`
	Notes       []lines.Line `json:"notes,omitempty"`
	// Captured is what was passed to the function; nil if the recording does not have it.
	Captured *Captured `json:"captured,omitempty"`
	// Benchmarks run the line, the most focused first.
	Benchmarks []string `json:"benchmarks,omitempty"`
	// Proposed are whet's own candidates for the line. Nothing is proven about them.
	Proposed []Proposal `json:"proposed,omitempty"`
	// Failed are the candidates that were tried and not kept.
	Failed []Failed `json:"failed,omitempty"`
	// LeftOut describes what was left out to limit the size.
	LeftOut []string `json:"left_out,omitempty"`

	Warnings find.Warnings `json:"warnings,omitempty"`
}

// A Finding is the part of a find.Finding that explains a line.
type Finding struct {
	ID    string `json:"id"`
	Rule  string `json:"rule"`
	Title string `json:"title"`
	Why   string `json:"why"`
	// Safe is why the rewrite keeps behavior, and Diff the rewrite, if there is one.
	Safe string `json:"safe,omitempty"`
	Diff string `json:"diff,omitempty"`
	// NoRewrite is why there is none.
	NoRewrite string `json:"no_rewrite,omitempty"`
}

// FindingOf returns the part of a finding that explains its line.
func FindingOf(x *find.Finding) *Finding {
	f := &Finding{ID: x.ID, Rule: x.Rule, Title: x.Title, Why: x.Why, NoRewrite: x.NoFix}
	if x.Fix != nil {
		f.Safe, f.Diff = x.Safe, x.Fix.Diff
	}
	return f
}

// Source is a part of a file.
type Source struct {
	First int    `json:"first_line"`
	Text  string `json:"text"`
}

// A Call is a function that calls another one, or is called by it.
type Call struct {
	Function string `json:"function"`
	// Share is the call's part of the cost of the function that the order is about.
	Share float64 `json:"share"`
}

// An Allocation is a line that allocates.
type Allocation struct {
	Line int `json:"line"`
	// Bytes and Objects are shares of all that the program allocates.
	Bytes   float64 `json:"bytes_share"`
	Objects float64 `json:"objects_share"`
}

// A Proposal is the part of a find.Candidate that describes a change.
type Proposal struct {
	Generator string `json:"generator"`
	Message   string `json:"message"` // what it does
	Why       string `json:"why"`     // why it may be faster
	Assumes   string `json:"assumes"` // what the proof has to check
	Diff      string `json:"diff"`
}

// ProposedFor returns the candidates of a line that are not among those that failed.
func ProposedFor(list []find.Candidate, failed []Failed, file string, line int) (proposed []Proposal) {
	for i := range list {
		c := &list[i]
		tried := slices.ContainsFunc(failed, func(f Failed) bool { return f.Diff == c.Change.Diff })
		if c.Place.File == file && c.Place.Line == line && !tried {
			proposed = append(proposed, Proposal{c.Generator, c.Change.Message, c.Why, c.Assumes, c.Change.Diff})
		}
	}
	return proposed
}

// Failed is a candidate that was not kept.
type Failed struct {
	Diff    string        `json:"diff"`
	Outcome prove.Outcome `json:"outcome"`
	// Reason is why: the input with both results, the test that fails, the figure that became
	// worse, or the compiler's error.
	Reason string `json:"reason"`
	// Test is the source of a test that passes without the candidate and fails with it; "" if there is none.
	Test string `json:"test,omitempty"`
}
