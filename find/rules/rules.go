package rules

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Rule is a pattern that costs.
type Rule struct {
	// Analyzer finds the pattern. Its name is the rule's, and the directory's. It has no facts,
	// and its diagnostics have the category of one of the causes.
	Analyzer *analysis.Analyzer

	// Causes are the kinds of the pattern, at least one.
	Causes []Cause

	// Judge says what a recording shows of a program as a whole: rules about how it is built and run
	// have one, and an Analyzer that reports nothing. Nil: the rule is about source.
	Judge func(*Program) []Verdict

	// Doc is the text of the rule's doc.go.
	Doc Doc
}

// A Cause is a kind of a pattern: what the profiles show of it.
//
// CPU, Alloc, Mutex and Block are regular expressions over the names of functions that a hot
// line called. A sample belongs to the cause if one of them matches; a sample in the line
// itself, with nothing below, is matched as "", so that "^$" is the line itself and ""
// everything. [Nothing] is none.
//
// A profile of allocations leaves out the runtime's frames: there, an append is the line itself.
type Cause struct {
	Category string // of the diagnostics; "" is the rule's name
	Title    string // as a finding is called: "regexp compiled on each call"

	CPU, Alloc, Mutex, Block string

	Needs Need

	// Scope is how far one finding reaches; "" is a place.
	Scope Scope
	// Setting takes the cost away in the place of a rewrite; nil: none does.
	Setting *Setting
	// Part is the share of what is charged that can be saved at most; 0 is all of it.
	Part float64
	// Profiled causes are in much code that costs nothing: without a profile that shows a cost, a
	// match is not worth a look. whet-vet leaves them out unless it is asked for every one.
	Profiled bool
}

// A Scope is how far a finding reaches.
type Scope string

// Scopes. A finding about a function or the module has the places of all matches there.
const (
	OfPlace    Scope = ""
	OfFunction Scope = "function"
	OfModule   Scope = "module"
)

// A Setting is how a program is built and run otherwise, with its source as it is.
type Setting struct {
	Build []string `json:"build,omitempty"` // flags of go build, and KEY=value of its environment
	Run   []string `json:"run,omitempty"`   // KEY=value of the environment in which the program runs
}

// String writes the setting as a shell has it: all that is to be set.
func (s *Setting) String() string { return strings.Join(slices.Concat(s.Build, s.Run), " ") }

// Nothing matches no function, and not the line itself either.
const Nothing = `[^\s\S]`

// Line matches what is spent in a line itself.
const Line = `^$`

// Runtime's functions that stand for a kind of work, for CPU in a Cause.
const (
	// Growing is what append, and maps without room, do.
	Growing = `^runtime\.(growslice|makeslice|mallocgc|memmove|memclrNoHeapPointers)|^internal/runtime/maps\..*(grow|rehash|newTable|newGroups|split)`
	// Allocating is all that takes memory.
	Allocating = `^runtime\.(mallocgc|newobject|makeslice|growslice|rawstring|rawbyteslice|concatstring|slicebytetostring|stringtoslicebyte|convT)`
	// Converting is what conversions between strings and bytes do.
	Converting = `^runtime\.(slicebytetostring|stringtoslicebyte|stringtoslicerune|slicerunetostring|intstring|rawstring|rawbyteslice)`
	// Concatenating is what + does to strings.
	Concatenating = `^runtime\.concatstring`
	// Boxing is what it takes to put a value into an interface.
	Boxing = `^runtime\.convT`
)

// A Need is what must be there before a rewrite may be used.
type Need string

// Needs.
const (
	Free       Need = ""           // nothing: behaviour is kept
	Review     Need = "review"     // somebody who knows what the program is for
	Dependency Need = "dependency" // another module
	Settings   Need = "setting"    // a flag of the build, or a variable of an environment
)

// Cause returns the cause of a diagnostic's category, nil when the rule has none such.
func (r *Rule) Cause(category string) *Cause {
	for i := range r.Causes {
		c := &r.Causes[i]
		if c.Category == category || c.Category == "" && category == r.Analyzer.Name {
			return c
		}
	}
	return nil
}

// Report reports a cost between two nodes' ends under a category, with one fix or none: a
// fix without edits is none.
func Report(pass *analysis.Pass, at ast.Node, category, message string, fix analysis.SuggestedFix) {
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Category: category, Message: message}
	if len(fix.TextEdits) > 0 {
		d.SuggestedFixes = []analysis.SuggestedFix{fix}
	}
	pass.Report(d)
}
