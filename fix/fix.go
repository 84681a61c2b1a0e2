package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/service"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.fix/2"

// Options configure Run.
type Options struct {
	Flags []string // of go build
	Env   []string // KEY=value, for the go command and the processes it starts

	Bench    string        // benchmarks to use, as in go test's -bench; "" means all
	Timeout  time.Duration // of a test run, and of one process of a benchmark; 0 means prove.DefaultTimeout
	FuzzTime time.Duration // per changed function; 0 means prove.DefaultFuzzTime
	// FuzzInputs, if positive, is the number of inputs per changed function, however long that
	// takes; it replaces FuzzTime.
	FuzzInputs int
	AB         ab.Options

	// Review also tries fixes that need review, and keeps rewrites whose results could not be compared.
	Review bool

	// Settings also tries the build and run settings that findings name.
	Settings bool

	// Profiles and Find are the arguments that the findings came from. Between rounds, find.Find
	// runs with the same arguments on the module with everything that was kept. Without Find.Own
	// there is one round, in which findings that overlap a kept rewrite are not tried.
	Profiles find.Profiles
	Find     find.Options
	// Captured are calls that the program made, from the recordings; nil means that there are none.
	Captured *prove.Captured
	// Recordings have the captured arguments that work orders for Candidates describe. They must be open.
	Recordings []*recording.Recording
	// Rounds is the maximum number of times that findings are determined and tried; 0 means
	// DefaultRounds. Rewrites that can only gain together are tried after the last one.
	Rounds int

	// Service configures how the program is started and loaded. It measures rewrites that no
	// benchmark runs, and the total in addition to the benchmarks. If it is nil, only benchmarks
	// are used.
	Service *service.Program

	// Importers are modules that use this one, and whose benchmarks measure rewrites, too.
	Importers []*prove.Importer

	// Budget limits how long candidates of package find are tried, after the rewrites; 0 means that none is.
	Budget time.Duration

	// Candidates configure a program that writes changes of expensive lines, after the rewrites.
	Candidates Candidates

	// Wrap returns the beginning of the command lines of processes that run code of the module, and need to write
	// only below a directory; nil means none. Candidates.Command runs without it.
	Wrap func(dir string) ([]string, error)
	// Temp is the parent of the scratch copy; "" means the system's directory for temporary files.
	Temp string

	// Progress is called with the current step; it may be nil.
	Progress func(what string)
	// Tried is called before the first rewrite of a round is tried, and after each one, with the
	// number of rewrites done; it may be nil.
	Tried func(done, of int)

	// Tests replace benchmarks, Service and find.
	bench   func(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error)
	compare func(ctx context.Context, a, b builds.Side) (*ab.Result, error)
	look    func(ctx context.Context, dir string) (*find.Result, error)
}

// DefaultRounds is the default of Options.Rounds.
const DefaultRounds = 4

// A Result is the outcome for the findings of a module.
type Result struct {
	Schema   string    `json:"schema"`
	Module   string    `json:"module"`
	Version  string    `json:"version,omitempty"` // of a dependency; "" for the module itself
	Dir      string    `json:"dir"`
	Attempts []Attempt `json:"attempts"` // in the order tried
	// Untried are findings without a rewrite, and lines that rules could not analyze.
	Untried []Untried `json:"untried,omitempty"`
	// Rounds is the number of times the rules ran.
	Rounds     int `json:"rounds"`
	prove.Base     // of the original module

	// Total compares the original with everything that was kept, by all benchmarks that run some of
	// it, and Service does so under load; nil if nothing was kept, or if it was not measured that
	// way.
	Total   *Measured `json:"total,omitempty"`
	Service *Measured `json:"service,omitempty"`
	// Settings are the outcomes for build and run settings, each tried alone on top of everything
	// that was kept. Proven settings have StageKept; whet never applies them.
	Settings []Attempt `json:"settings,omitempty"`
	// WithSettings compares the original with everything that was kept and the proven settings; nil
	// if no setting is proven.
	WithSettings *Measured `json:"with_settings,omitempty"`
	// Interrupted is set if not all findings were tried.
	Interrupted bool `json:"interrupted,omitempty"`
	// Sandboxed is set if all code of the module ran without a network and could write only to the copy.
	Sandboxed bool `json:"sandboxed,omitempty"`

	// Upstream are the outcomes in copies of dependencies: their kept rewrites are for the authors of these.
	Upstream []*Result `json:"upstream,omitempty"`

	Warnings find.Warnings `json:"warnings,omitempty"`

	changed prove.Changes // by file, everything that was kept
}

// Untried is a cost without a rewrite that could be tried.
type Untried struct {
	Title    string  `json:"title"` // of the finding; "" for a line that rules could not analyze
	File     string  `json:"file"`  // relative to the module, or the name in the profile
	Line     int     `json:"line,omitempty"`
	Function string  `json:"function"`
	Reason   string  `json:"reason"`
	Share    float64 `json:"share"` // same as Finding.Saving
	// Tier is find.Proposed for a candidate for which the budget was too small; "" for all else.
	Tier find.Tier `json:"tier,omitempty"`
	// Waiting describes a line that only waits; nil otherwise.
	Waiting *find.HotLine `json:"waiting,omitempty"`
}

// A Stage is how far a fix has got.
type Stage = prove.Stage

// Stages, in order; those from StageBuild to StageMeasure are those of package prove.
const (
	StageNeeds   Stage = "needs" // requires something that whet does not do: not tried
	StageRewrite Stage = "rewrite"
	StageBuild   Stage = prove.StageBuild
	StageVet     Stage = prove.StageVet
	StageCode    Stage = prove.StageCode
	StageTest    Stage = prove.StageTest
	StageCompare Stage = prove.StageCompare
	StageRace    Stage = prove.StageRace
	StageConfigs Stage = prove.StageConfigs
	StageMeasure Stage = prove.StageMeasure
	// StageUnproven is a rewrite that passed the stages above, but whose results were not compared, or
	// on too few inputs.
	StageUnproven Stage = prove.StageUnproven
	StageWhole    Stage = "test all" // the whole module's tests fail with everything that was kept
	StageKept     Stage = "kept"
)

// Parts of a proof.
type (
	// Answers is how the old and the new functions were compared.
	Answers = prove.Answers
	// Measured is a comparison of A, without a rewrite, and B, with it.
	Measured = prove.Measured
	// Broken is a package that does not build.
	Broken = prove.Broken
	// StepTime is the total duration of a step.
	StepTime = prove.StepTime
)

// An Attempt is the outcome for a finding.
type Attempt struct {
	Finding find.Finding `json:"finding"`
	Stage   Stage        `json:"stage"`            // StageKept, or where it was dropped
	Reason  string       `json:"reason,omitempty"` // why it was dropped
	Hint    string       `json:"hint,omitempty"`   // what could decide it; may be empty
	// Outcome is what was proven of a candidate; "" for the rewrite of a rule.
	Outcome prove.Outcome `json:"outcome,omitempty"`
	// Tested is the number of packages whose tests passed: those that the rewrite can affect. It is
	// 0 if the attempt was dropped before.
	Tested int `json:"tested,omitempty"`
	// Ignored is the number of tests of these packages that already fail, or are flaky.
	Ignored int `json:"ignored,omitempty"`
	// Answers is the comparison of the old and the new functions' results.
	Answers *Answers `json:"answers,omitempty"`
	// Unproven is why the comparison is not a proof, and what would decide; "" if it is one. Such a
	// rewrite is kept only with Options.Review.
	Unproven string `json:"unproven,omitempty"`
	// Measured is the comparison without and with this rewrite.
	Measured *Measured `json:"measured,omitempty"`
	// Predicted is the change of the recorded program's CPU time that the benchmarks of a kept change show, and how much
	// they are like the program; nil if they cannot tell.
	Predicted *prove.Prediction `json:"predicted,omitempty"`
	// Open lists the figures whose interval shows neither a gain nor a loss, as sentences.
	Open []string `json:"open,omitempty"`
	// IgnoredLosses lists losses of generated benchmarks, with their inputs. They do not count.
	IgnoredLosses []string `json:"aside,omitempty"`
	// Together is the number of other rewrites it was kept with: each alone gains too little to
	// measure, and Measured is for all of them.
	Together int `json:"together,omitempty"`
	// Diff is the rewrite relative to what was kept before.
	Diff string `json:"diff,omitempty"`
	// Round is the round in which it was found, starting at 1.
	Round int `json:"round"`
	// Candidate is its number among those of the program of Options.Candidates for this line; 0 for all else.
	Candidate int `json:"candidate,omitempty"`
	// Took is the duration of each stage.
	Took []StepTime `json:"took,omitempty"`

	undo  map[string][]byte // original files, if it was kept
	retry bool              // it was dropped because of what was kept before it in its round
	key   string            // fixer.keyOf
	weak  bool              // it was dropped only because no gain was measured
	// testedAll is set if the tests of all packages have run.
	testedAll bool
}

// String returns what logs and tests print; an Attempt contains whole files.
func (a Attempt) String() string {
	return fmt.Sprintf("%s: %s: %s", a.Finding.Title, a.Stage, a.Reason)
}

// Kept reports whether the rewrite is proven.
func (a *Attempt) Kept() bool { return a.Stage == StageKept }

// Kept returns the proven rewrites, in order.
func (r *Result) Kept() []*Attempt {
	var list []*Attempt
	for i := range r.Attempts {
		if a := &r.Attempts[i]; a.Kept() {
			list = append(list, a)
		}
	}
	return list
}

// Run tries the fixes of findings on the module in r.Dir. If ctx ends, the result covers what was
// tried until then. It is an error if there is something to try and the module does not build.
func Run(ctx context.Context, r *find.Result, o Options) (result *Result, err error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Tried == nil {
		o.Tried = func(int, int) {}
	}
	o.Rounds = cmp.Or(o.Rounds, DefaultRounds)
	f := &fixer{
		o: o, found: r,
		result: &Result{
			Schema: Schema, Module: r.Module, Dir: r.Dir, Sandboxed: o.Wrap != nil, changed: prove.Changes{},
		},
	}
	if f.prover, err = prove.New(ctx, r.Dir, r.Module, prove.Options{
		Flags: o.Flags, Env: o.Env, Bench: o.Bench, Timeout: o.Timeout, FuzzTime: o.FuzzTime, FuzzInputs: o.FuzzInputs,
		Race: true, MutantTime: prove.DefaultMutantTime, AB: o.AB, Service: o.Service, Program: r.Program, Temp: o.Temp,
		Wrap: o.Wrap, Progress: o.Progress, Importers: o.Importers,
		RunBenchmarks: o.bench, RunService: o.compare,
	}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.prover.Close()) }()
	f.prover.Charged, f.prover.Recorded = f.found.Charged, o.Profiles.CPU
	f.prover.Captured = o.Captured
	if len(o.Candidates.Command) > 0 || o.Budget > 0 && len(r.Candidates) > 0 ||
		slices.ContainsFunc(r.Findings, f.tries) {
		if err := f.prover.Prepare(ctx); err != nil {
			return nil, err
		}
	}
	f.addProver()
	f.listUntried(r)
	f.rounds(ctx)
	f.proposed(ctx)
	f.candidates(ctx)
	f.result.Interrupted = f.result.Interrupted || ctx.Err() != nil
	f.whole(ctx)
	f.total(ctx)
	if o.Settings {
		f.settings(ctx, r)
	}
	f.addProver()
	f.result.Interrupted = f.result.Interrupted || ctx.Err() != nil
	return f.result, nil
}

// A fixer is one run of Run.
type fixer struct {
	o              Options
	found          *find.Result // findings to try in this round
	prover         *prove.Prover
	result         *Result
	took           []StepTime                // of steps that are not the prover's
	edits          map[string][]rewrite.Edit // kept in this round, by file, relative to the start of the round
	round          int                       // starting at 1
	done           map[string]int            // rewrites not to be tried again, and their number
	keptBenchmarks []prove.Benchmark         // benchmarks that run something that was kept
	// testedAll is set if the tests of all packages have run with everything that was kept.
	testedAll bool
}

// addProver adds to the result what the prover knows about the original module, and its warnings.
func (f *fixer) addProver() {
	f.result.Base = f.prover.Base()
	f.result.Took = slices.Concat(f.result.Took, f.took)
	f.result.Warnings = append(f.result.Warnings, f.prover.Warnings()...)
}

// addTook adds the time since began to the duration of a step.
func (f *fixer) addTook(what string, began time.Time) {
	f.took = prove.AddStepTime(f.took, what, began)
}

// tries reports whether a finding has a fix that is tried.
func (f *fixer) tries(x find.Finding) bool {
	switch {
	case x.Fix == nil:
		return false
	case x.Fix.Setting != nil:
		return f.o.Settings
	}
	return f.has(x.Needs)
}

// has reports whether a fix with this need may be tried.
func (f *fixer) has(need rules.Need) bool {
	return need == rules.Free || f.o.Review && need == rules.Review
}
