package rules

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// A Rule is a pattern that costs.
type Rule struct {
	// Analyzer finds the pattern. Its name is the rule's, and the folder's. It has no facts,
	// and its diagnostics have the category of one of the causes.
	Analyzer *analysis.Analyzer

	// Causes are the kinds of the pattern, at least one.
	Causes []Cause

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
}

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
	Free       Need = ""              // nothing: behaviour is kept
	Review     Need = "review"        // somebody who knows what the program is for
	Dependency Need = "dependency"    // another module
	Setting    Need = "build setting" // a flag, or a variable of the environment
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
