package rules

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Rule is a known kind of waste.
type Rule struct {
	// Analyzer finds the pattern. Its name is that of the rule and its directory. It has no facts,
	// and the category of each diagnostic is that of one of the causes.
	Analyzer *analysis.Analyzer

	// Causes are the variants of the pattern, at least one.
	Causes []Cause

	// Judge judges a program as a whole from a recording. It is set for rules about how a program
	// is built and run, whose Analyzer reports nothing, and nil for rules about source.
	Judge func(*Program) []Verdict

	// Doc is the text of the rule's doc.go.
	Doc Doc
}

// A Cause is a variant of a pattern, and what profiles show for it.
//
// CPU, Alloc, Mutex and Block are regular expressions over the names of functions called by a hot
// line. A sample belongs to the cause if one of them matches. A sample in the line itself, with
// nothing below, is matched as "", so "^$" matches the line itself and "" matches everything.
// [Nothing] matches nothing.
//
// Allocation profiles omit the runtime's frames: there, an append is charged to the line itself.
type Cause struct {
	Category string // of the diagnostics; "" is the rule's name
	Title    string // title of its findings: "regexp compiled on each call"

	CPU, Alloc, Mutex, Block string

	Needs Need

	// Scope is what one finding covers; "" is a place.
	Scope Scope
	// Setting removes the cost instead of a rewrite; nil if none does.
	Setting *Setting
	// Part is the share of the charged cost that can be saved at most; 0 means all of it.
	Part float64
	// Profiled causes match much code that is cheap: without a profile that shows the cost, a match
	// means little. whet-vet reports them only if every match is requested.
	Profiled bool
	// ByHand is why places of the cause have no rewrite, and what to do by hand, as a clause. It is shown for
	// a place without a fix for which None gives no reason.
	ByHand string
}

// A Scope is what a finding covers.
type Scope string

// Scopes. A finding about a function or the module lists the places of all matches in it.
const (
	OfPlace    Scope = ""
	OfFunction Scope = "function"
	OfModule   Scope = "module"
)

// A Setting is a different way of building or running a program without changing its source.
type Setting struct {
	Build []string `json:"build,omitempty"` // flags of go build, and KEY=value for its environment
	Run   []string `json:"run,omitempty"`   // KEY=value for the environment of the program
}

// String returns the setting as written in a shell.
func (s *Setting) String() string { return strings.Join(slices.Concat(s.Build, s.Run), " ") }

// Nothing matches no function, nor the line itself.
const Nothing = `[^\s\S]`

// Line matches what is spent in the line itself.
const Line = `^$`

// Patterns for the runtime functions that do a kind of work, for Cause.CPU.
const (
	// Growing matches the growth of slices and maps.
	Growing = `^runtime\.(growslice|makeslice|mallocgc|memmove|memclrNoHeapPointers)|` +
		`^internal/runtime/maps\..*(grow|rehash|newTable|newGroups|split)`
	// Allocating matches all allocations.
	Allocating = `^runtime\.(mallocgc|newobject|makeslice|growslice|` +
		`rawstring|rawbyteslice|concatstring|slicebytetostring|stringtoslicebyte|convT)`
	// Converting matches conversions between strings and bytes.
	Converting = `^runtime\.(slicebytetostring|stringtoslicebyte|stringtoslicerune|` +
		`slicerunetostring|intstring|rawstring|rawbyteslice)`
	// Concatenating matches + on strings.
	Concatenating = `^runtime\.concatstring`
	// Boxing matches the conversion of a value to an interface.
	Boxing = `^runtime\.convT`
)

// A Need is what a rewrite requires before it may be applied.
type Need string

// Needs.
const (
	Free       Need = ""           // nothing: behavior is kept
	Review     Need = "review"     // approval by someone who knows the program
	Dependency Need = "dependency" // another module
	Settings   Need = "setting"    // a build flag or an environment variable
)

// Cause returns the cause for the category of a diagnostic, or nil if the rule has no such cause.
func (r *Rule) Cause(category string) *Cause {
	for i := range r.Causes {
		c := &r.Causes[i]
		if c.Category == category || c.Category == "" && category == r.Analyzer.Name {
			return c
		}
	}
	return nil
}

// noRewrite begins the message of a fix made by None, and of the related information made from it.
const noRewrite = "no rewrite: "

// None returns a fix without edits, for a cost that has no rewrite. The reason is a clause that names the
// obstacle at the place, and the edit by hand that makes a rewrite possible.
func None(reason string) analysis.SuggestedFix {
	return analysis.SuggestedFix{Message: noRewrite + reason}
}

// Reasons for None that many rules have.
const (
	LostComment = "a comment would be lost: move it above the statement"
	IsGenerated = "a program wrote the file: change what writes it"
	Shadowed    = "a name that the rewrite needs means something else here: rename what shadows it"
)

// A Span is a range of source that is not a node.
type Span struct{ From, To token.Pos }

// Pos returns the start of the span.
func (s Span) Pos() token.Pos { return s.From }

// End returns the end of the span.
func (s Span) End() token.Pos { return s.To }

// Report reports a cost on the range of a node under a category, with at most one fix. A fix
// without edits is ignored, except for the reason given to None: see Reason.
func Report(pass *analysis.Pass, at analysis.Range, category, message string, fix analysis.SuggestedFix) {
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Category: category, Message: message}
	switch {
	case len(fix.TextEdits) > 0:
		d.SuggestedFixes = []analysis.SuggestedFix{fix}
	case strings.HasPrefix(fix.Message, noRewrite):
		d.Related = []analysis.RelatedInformation{{Pos: at.Pos(), End: at.End(), Message: fix.Message}}
	}
	pass.Report(d)
}

// Reason returns why a diagnostic has no fix, as given to None; "" if it has one, or if its rule gives no
// reason.
func Reason(d analysis.Diagnostic) string {
	for _, r := range d.Related {
		if reason, ok := strings.CutPrefix(r.Message, noRewrite); ok {
			return reason
		}
	}
	return ""
}
