package find

import (
	"fmt"

	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/profile"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.find/1"

// Options say where to look and what for.
type Options struct {
	Dir   string   // of the module; "" is the current one
	Flags []string // of go build
	Env   []string // KEY=value, for the go command

	// Own tells own functions in the profiles. It must not be nil.
	Own func(profile.Function) bool

	// Recorded returns a source file as it was when it was recorded, by the name that profiles
	// give it; nil, or false, when it is not known.
	Recorded func(file string) ([]byte, bool)

	// Was is the directory of the module as it was before Dir was made from it by rewrites: profiles are
	// joined with that, and its lines followed to those of Dir. "" is Dir itself.
	Was string

	// MinShare is the least share of a profile's total that is reported; 0 is 0.5 %.
	MinShare float64

	// Rules are what is looked for.
	Rules []*rules.Rule

	// Target is what else is known of the program that was recorded.
	Target Target

	// Notes is the directory in which the compiler's notes are kept between runs; "" asks the
	// compiler for none.
	Notes string

	// Progress is called with what is done; nil: not.
	Progress func(what string)
}

// DefaultMinShare is the least share of a profile's total that is reported unless asked otherwise.
const DefaultMinShare = 0.005

// Profiles are what is known of a program, by kind; nil where it was not recorded.
type Profiles struct {
	CPU, Allocs, Mutex, Block *profile.Profile
	Waits                     *Waits // of execution traces
}

// Cost is a kind of cost.
type Cost string

// Costs.
const (
	CPU          Cost = "cpu"
	AllocSpace   Cost = "alloc_space"
	AllocObjects Cost = "alloc_objects"
	Mutex        Cost = "mutex"
	Block        Cost = "block"
)

// costs are all kinds of cost, in the order in which they are shown.
func costs() []Cost { return []Cost{CPU, AllocSpace, AllocObjects, Mutex, Block} }

// A Result is what was found in a recording.
type Result struct {
	Schema string `json:"schema"`
	Module string `json:"module"`
	Dir    string `json:"dir"`
	// Program is the import path of the main package that was recorded; "" when it is not known, or
	// not of this module.
	Program string  `json:"program,omitempty"`
	Totals  []Total `json:"totals"` // of the profiles that there are

	// GC is the share of the CPU time that went into garbage collection, as profile.Collection
	// defines it, and GCBackground that of the collector's own goroutines, which is part of it. The rest
	// is in goroutines that allocate, and charged to their lines.
	GC           float64 `json:"gc"`
	GCBackground float64 `json:"gc_background"`

	Findings []Finding `json:"findings"` // by Saving, largest first
	// Unexplained are hot lines that no finding is about, hottest first.
	Unexplained []HotLine `json:"unexplained"`
	// Requests is what execution traces tell about requests; nil when there is no trace that holds whole ones.
	Requests *Requests `json:"requests,omitempty"`
	// Waiting are lines that cost less CPU time and memory than is reported, and at which requests or
	// goroutines wait, the longest of requests first.
	Waiting []HotLine `json:"waiting,omitempty"`
	// Stale are functions of the profiles that the source does not have where they were.
	Stale []Stale `json:"stale,omitempty"`
	// Against is the comparison with a baseline; nil without one.
	Against *Against `json:"against,omitempty"`
	// Rules is how many rules were looked for.
	Rules int `json:"rules"`

	Warnings []error `json:"-"`

	charged map[place]float64
}

// Charged is what the profiles charge to a line of the module, as the largest share of any profile's
// total; 0 when they charge nothing, or the result was not made by Find.
func (r *Result) Charged(file string, line int) float64 { return r.charged[place{file, line}] }

// A Total is what a profile has in all.
type Total struct {
	Cost  Cost   `json:"cost"`
	Unit  string `json:"unit"`
	Value int64  `json:"value"`
	Own   int64  `json:"own"` // of it below own lines
}

// A Finding is a cause of cost.
type Finding struct {
	ID   string `json:"id"`   // the same in the next run on the same source
	Rule string `json:"rule"` // name
	// Identity stays the same while the source around the finding changes, and Known is set when a
	// baseline accepts it.
	Identity Identity `json:"identity"`
	Known    bool     `json:"known,omitempty"`

	Title string     `json:"title"`
	Why   string     `json:"why"`  // of this place
	Safe  string     `json:"safe"` // what the rewrite keeps: the rule's Safety
	Needs rules.Need `json:"needs,omitempty"`

	// Places are those that cost, the hottest first; none when it is about the program as a whole.
	Places   []Place `json:"places"`
	Function string  `json:"function"` // around the first place, as Go's source has it: (*T).Name

	// Saving is the share of the CPU time that a fix can save at most: that of the calls, and the
	// collector's share of what they allocate; or the part of it that the rule knows to be possible.
	// Each sample counts for one finding, so the sum over findings is at most 1.
	Saving float64 `json:"saving"`
	// Alone is what the fix can save at most if it is the only one: with the samples that are Shared.
	Alone    float64    `json:"saving_alone"`
	Evidence []Evidence `json:"evidence"`
	// Shared are samples that the finding is about too, but that others are charged.
	Shared []Shared `json:"shared,omitempty"`
	// Waits are what requests wait for on the lines of the places. They are no part of what the finding saves.
	Waits []Wait       `json:"waits,omitempty"`
	Notes []notes.Note `json:"notes,omitempty"`

	Fix *Fix `json:"fix,omitempty"` // nil without a rewrite or setting
	// NoFix says why there is no rewrite although the rule has one.
	NoFix string `json:"no_fix,omitempty"`
}

// Where names the first place, as file:line, for people; "the whole program" when there is none.
func (f *Finding) Where() string {
	if len(f.Places) == 0 {
		return "the whole program"
	}
	return fmt.Sprintf("%s:%d", f.Places[0].File, f.Places[0].Line)
}

// Rewrites reports whether the finding has a fix that changes source.
func (f *Finding) Rewrites() bool { return f.Fix != nil && f.Fix.Setting == nil }

// A Place is some lines of the module's source.
type Place struct {
	File    string `json:"file"` // relative to the module, with slashes
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	EndLine int    `json:"end_line"`
	Code    string `json:"code"` // the lines, as they are written
}

// Shared is the evidence of a finding that another one is charged.
type Shared struct {
	With     string     `json:"with"` // ID of the other finding; "" is all that are about lines
	Evidence []Evidence `json:"evidence"`
}

// Evidence is what a profile charges to a finding or line.
type Evidence struct {
	Cost    Cost     `json:"cost"`
	Value   int64    `json:"value"`
	Share   float64  `json:"share"` // of the profile's total
	Callees []Callee `json:"callees,omitempty"`
}

// A Callee is a function that a hot line called, the first below it.
type Callee struct {
	Function string  `json:"function"`
	Value    int64   `json:"value"`
	Share    float64 `json:"share"` // of the profile's total
}

// A Fix is a rewrite of source, or a setting that leaves the source as it is.
type Fix struct {
	Message string     `json:"message"` // what it does, as an order
	Files   []FileEdit `json:"files,omitempty"`
	Diff    string     `json:"diff,omitempty"` // unified, relative to the module

	Setting *rules.Setting `json:"setting,omitempty"` // nil: a rewrite
}

// A FileEdit is what a fix changes in a file, in bytes of the source that was looked at.
type FileEdit struct {
	File  string         `json:"file"` // relative to the module, with slashes
	Edits []rewrite.Edit `json:"edits"`
	// Names are those of the packages that the file imports, by path: rewrite.Apply asks for them.
	Names map[string]string `json:"names,omitempty"`
}

// A HotLine is a line that costs, or waits, and that no rule explains.
type HotLine struct {
	Place
	Function string       `json:"function"`
	Saving   float64      `json:"share"` // of the processor's time, with the collector's share of what it allocates
	Evidence []Evidence   `json:"evidence"`
	Waits    []Wait       `json:"waits,omitempty"` // what requests wait for here
	Notes    []notes.Note `json:"notes,omitempty"`
	// Why says what kept the rules from looking: generated code, a test, a package that does
	// not build; "" when they looked.
	Why string `json:"why,omitempty"`
}

// Stale is a function of the profiles that the source does not have where it was.
type Stale struct {
	Function string  `json:"function"` // as the profile names it
	File     string  `json:"file"`     // as the profile names it
	Reason   string  `json:"reason"`
	Share    float64 `json:"share"` // the largest of any profile's total
}
