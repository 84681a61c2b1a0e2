package find

import (
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.find/2"

// Options configure Find. The zero value runs all rules on the module in the current directory.
type Options struct {
	Dir   string   // of the module; "" is the current one
	Flags []string // of go build
	Env   []string // KEY=value, for the go command

	// Own reports whether a function in the profiles is own code; nil means that the functions of the
	// module are, and those of package main.
	Own func(profile.Function) bool

	// Recorded returns a source file as it was when it was recorded, by its name in profiles; false
	// if it is not available. Without it, functions that moved cannot be followed.
	Recorded func(file string) ([]byte, bool)

	// OriginalDir is the module before any rewrite was applied: profiles are joined with its lines,
	// which are then followed to those of Dir. "" means Dir.
	OriginalDir string

	// MinShare is the minimum share of a profile's total that is reported; 0 is 0.5%.
	MinShare float64

	// Rules are the rules to run; nil means all (package find/rules/index).
	Rules []*rules.Rule

	// Generators reports whether a generator of candidates runs, by its name; nil means that all do.
	Generators func(name string) bool

	// Observed returns the length that most recorded results of a function have, by its package and its name in
	// Go source: one number for each result, 0 where none is known. nil means that no calls were copied.
	Observed func(pkg, function string) []int

	// Target is what else is known about the recorded program: see TargetOf.
	Target Target

	// Notes is the directory that caches the compiler's notes between runs; "" disables notes.
	Notes string

	// Progress is called with the current step; it may be nil.
	Progress func(what string)
}

// DefaultMinShare is the default of Options.MinShare.
const DefaultMinShare = 0.005

// Profiles are the profiles of a program by kind; nil for kinds that were not recorded. One is enough.
type Profiles struct {
	CPU, Allocs, Mutex, Block *profile.Profile
	Waits                     *Waits // of execution traces

	// Heap is what the live heap gained, and Goroutines are those at the end, compared with those at
	// the start of the Window. They are evidence for advice only.
	Heap       *profile.Profile
	Goroutines *goroutines.Snapshot
	Window     time.Duration
}

// FromRecording returns the profiles in a recording, and options with what it contains about its
// program: the recorded source, the build and the runtime statistics. The recording must stay open
// while they are used. Execution traces are not read: see Waits.
func FromRecording(rec *recording.Recording) (Profiles, Options, error) {
	var p Profiles
	var names []string
	var into []**profile.Profile
	for _, kind := range []struct {
		name string
		into **profile.Profile
	}{{"cpu", &p.CPU}, {"allocs", &p.Allocs}, {"mutex", &p.Mutex}, {"block", &p.Block}} {
		if slices.Contains(rec.ProfileNames(), kind.name) {
			names, into = append(names, kind.name), append(into, kind.into)
		}
	}
	read, err := rec.Profiles(names)
	if err != nil {
		return Profiles{}, Options{}, err
	}
	for i, one := range read {
		*into[i] = one
	}
	return p, Options{Recorded: rec.SourceFile, Target: TargetOf(rec)}, nil
}

// A Cost is a kind of cost.
type Cost string

// Kinds of cost.
const (
	CPU          Cost = "cpu"
	AllocSpace   Cost = "alloc_space"
	AllocObjects Cost = "alloc_objects"
	Mutex        Cost = "mutex"
	Block        Cost = "block"
)

// costs returns all kinds of cost, in display order.
func costs() []Cost { return []Cost{CPU, AllocSpace, AllocObjects, Mutex, Block} }

// Warnings are what the reader of a result must know.
type Warnings = diag.Warnings

// A Result contains what Find found in a recording.
type Result struct {
	Schema string `json:"schema"`
	Module string `json:"module"`
	Dir    string `json:"dir"`
	// Version is that of a dependency; "" for the module itself.
	Version string `json:"version,omitempty"`
	// Program is the import path of the recorded main package; "" when it is unknown or not in this module.
	Program string  `json:"program,omitempty"`
	Totals  []Total `json:"totals"` // of the available profiles

	// PerRequest is the CPU time per request, by the CPU profile and the requests of the recording's load; 0 if
	// they were not counted.
	PerRequest time.Duration `json:"cpu_per_request_ns,omitempty"`

	// GC is the share of the CPU time spent in garbage collection, as profile.Collection defines
	// it, and GCBackground that of the collector's own goroutines, which is included in GC. The
	// rest is spent in goroutines that allocate, and charged to their lines.
	GC           float64 `json:"gc"`
	GCBackground float64 `json:"gc_background"`

	Findings []Finding `json:"findings"` // by Saving, largest first
	// Advice is about causes that no single line shows, the largest share first. Nothing is charged
	// to it: its samples may be those of findings, too.
	Advice []advice.Advice `json:"advice,omitempty"`
	// Unexplained are hot lines without a finding, hottest first.
	Unexplained []HotLine `json:"unexplained"`
	// Candidates are proposed rewrites of hot lines that no rule can rewrite, the line that can save most
	// first. They are not fixes: nothing is proven.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Dependencies are calls of other modules that cost, and Upstream what was found in copies of these.
	Dependencies []dependencies.Call `json:"dependencies,omitempty"`
	Upstream     []*Result           `json:"upstream,omitempty"`
	// Diagnoses are what kind of cost the most expensive lines have, with and without a finding, the
	// most expensive first.
	Diagnoses []diagnosis.Line `json:"diagnoses,omitempty"`
	// Requests is what execution traces show about requests; nil if no trace contains complete ones.
	Requests *Requests `json:"requests,omitempty"`
	// Waiting are lines where requests or goroutines wait, but whose CPU time and memory are below
	// the minimum share; those that requests wait at longest come first.
	Waiting []HotLine `json:"waiting,omitempty"`
	// Stale are functions in the profiles that the source does not have where they were.
	Stale []Stale `json:"stale,omitempty"`
	// Against is the comparison with a baseline; nil without one.
	Against *BaselineComparison `json:"against,omitempty"`
	// Rules is the number of rules that ran.
	Rules int `json:"rules"`

	Warnings Warnings `json:"warnings,omitempty"`

	charged map[sourceLine]float64
}

// Charged returns what the profiles charge to a line of the module, as the largest share of any
// profile's total; 0 if they charge nothing, or if the result was not returned by Find.
func (r *Result) Charged(file string, line int) float64 { return r.charged[sourceLine{file, line}] }

// A Total is the total of a profile.
type Total struct {
	Cost  Cost   `json:"cost"`
	Unit  string `json:"unit"`
	Value int64  `json:"value"`
	Own   int64  `json:"own"` // of it, below own lines
}

// A Finding is one cause of cost.
type Finding struct {
	ID   string `json:"id"`   // the same in the next run on the same source
	Rule string `json:"rule"` // name
	// Identity stays the same while the source around the finding changes. Known is set when a baseline accepts it.
	Identity Identity `json:"identity"`
	Known    bool     `json:"known,omitempty"`

	Title string     `json:"title"`
	Why   string     `json:"why"`  // about this place
	Safe  string     `json:"safe"` // why the rewrite keeps behavior: the rule's Safety
	Needs rules.Need `json:"needs,omitempty"`
	// Tier is how much is known about the rewrite; "" without one, and for one with Needs.
	Tier Tier `json:"tier,omitempty"`

	// Places are where it costs, the hottest first; empty when it is about the program as a whole.
	Places   []Place `json:"places"`
	Function string  `json:"function"` // around the first place, as written in Go source: (*T).Name

	// Saving is the share of the CPU time that a fix can save at most: the time of the calls, and
	// the collector's share for what they allocate, or the part of it that the rule considers
	// avoidable. Each sample counts for one finding, so the sum over findings is at most 1.
	Saving float64 `json:"saving"`
	// PerRequest is Saving in CPU time per request; 0 if requests were not counted.
	PerRequest time.Duration `json:"saving_per_request_ns,omitempty"`
	// Alone is what the fix can save at most if it is the only one: including the Shared samples.
	Alone    float64    `json:"saving_alone"`
	Evidence []Evidence `json:"evidence"`
	// Shared are samples that the finding also covers, but that are charged to others.
	Shared []Shared `json:"shared,omitempty"`
	// Waits are what requests wait for on the lines of the places. They are not part of Saving.
	Waits []Wait       `json:"waits,omitempty"`
	Notes []notes.Note `json:"notes,omitempty"`

	Fix *Fix `json:"fix,omitempty"` // nil without a rewrite or setting
	// NoFix is the reason why there is no rewrite, with what would make one possible, or what to do by hand.
	NoFix string `json:"no_fix,omitempty"`
}

// Where returns the first place as file:line, for display; "the whole program" if there is none.
func (f *Finding) Where() string {
	if len(f.Places) == 0 {
		return "the whole program"
	}
	return fmt.Sprintf("%s:%d", f.Places[0].File, f.Places[0].Line)
}

// Rewrites reports whether the finding has a fix that changes source.
func (f *Finding) Rewrites() bool { return f.Fix != nil && f.Fix.Setting == nil }

// A Place is a range of lines of the module's source.
type Place struct {
	File    string `json:"file"` // relative to the module, with slashes
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	EndLine int    `json:"end_line"`
	Code    string `json:"code"` // the source of the lines
}

// Shared is evidence for a finding that is charged to another one.
type Shared struct {
	With     string     `json:"with"` // ID of the other finding; "" means all findings about lines
	Evidence []Evidence `json:"evidence"`
}

// Evidence is what a profile charges to a finding or line.
type Evidence struct {
	Cost    Cost     `json:"cost"`
	Value   int64    `json:"value"`
	Share   float64  `json:"share"` // of the profile's total
	Callees []Callee `json:"callees,omitempty"`
}

// A Callee is a function called directly by a hot line.
type Callee struct {
	Function string  `json:"function"`
	Value    int64   `json:"value"`
	Share    float64 `json:"share"` // of the profile's total
}

// A Fix is a rewrite of source, or a setting that leaves the source as it is.
type Fix struct {
	Message string     `json:"message"` // what it does, in the imperative
	Files   []FileEdit `json:"files,omitempty"`
	Diff    string     `json:"diff,omitempty"` // unified, relative to the module

	Setting *rules.Setting `json:"setting,omitempty"` // nil for a rewrite
}

// A FileEdit is what a fix changes in a file, as byte offsets into the source that was analyzed.
type FileEdit struct {
	File  string         `json:"file"` // relative to the module, with slashes
	Edits []rewrite.Edit `json:"edits"`
	// Names are the names of the packages that the file imports, by path, as rewrite.Apply takes them.
	Names map[string]string `json:"names,omitempty"`
}

// A HotLine is a line that is expensive or waits, and that no rule explains.
type HotLine struct {
	Place
	Function string       `json:"function"`
	Saving   float64      `json:"share"` // of the CPU time, including the collector's share for what it allocates
	Evidence []Evidence   `json:"evidence"`
	Waits    []Wait       `json:"waits,omitempty"` // what requests wait for here
	Notes    []notes.Note `json:"notes,omitempty"`
	// Why is what kept the rules from analyzing it: generated code, a test, a package that does not
	// build; "" when they did.
	Why string `json:"why,omitempty"`
}

// Stale is a function in the profiles that the source does not have where it was.
type Stale struct {
	Function string  `json:"function"` // name in the profile
	File     string  `json:"file"`     // name in the profile
	Reason   string  `json:"reason"`
	Share    float64 `json:"share"` // largest share of any profile's total
}
