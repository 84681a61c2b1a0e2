package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/fix/scratch"
	"github.com/whet-go/whet/service"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.fix/1"

// Options configure Run.
type Options struct {
	Flags []string // of go build
	Env   []string // KEY=value, for the go command and the processes it starts

	Bench    string        // benchmarks to use, as in go test's -bench; "" means all
	Timeout  time.Duration // of a test run, and of one process of a benchmark; 0 means DefaultTimeout
	FuzzTime time.Duration // per changed function; 0 means DefaultFuzzTime
	// FuzzInputs, if positive, is the number of inputs per changed function, however long that
	// takes; it replaces FuzzTime.
	FuzzInputs int
	AB         ab.Options

	// Review also tries fixes that need review.
	Review bool

	// Settings also tries the build and run settings that findings name.
	Settings bool

	// Profiles and Find are the arguments that the findings came from. Between rounds, find.Find
	// looks for the same in the module with everything that was kept. Without Find.Own there is one
	// round, in which findings that overlap a kept rewrite are not tried.
	Profiles find.Profiles
	Find     find.Options
	// Rounds is the maximum number of times that findings are looked for and tried; 0 means
	// DefaultRounds. Rewrites that can only gain together are tried after the last one.
	Rounds int

	// Service configures how the program is started and loaded. It measures rewrites that no
	// benchmark runs, and the total in addition to the benchmarks. If it is nil, only benchmarks
	// are used.
	Service *service.Program

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

// Defaults of Options.
const (
	DefaultTimeout  = 5 * time.Minute
	DefaultFuzzTime = 5 * time.Second
	DefaultRounds   = 4
)

// fuzzTime returns the limit of the fuzzer in the form of go test's flag.
func (o *Options) fuzzTime() string {
	if o.FuzzInputs > 0 {
		return fmt.Sprintf("%dx", o.FuzzInputs)
	}
	return o.FuzzTime.String()
}

// A Result is the outcome for the findings of a module.
type Result struct {
	Schema   string    `json:"schema"`
	Module   string    `json:"module"`
	Dir      string    `json:"dir"`
	Attempts []Attempt `json:"attempts"` // in the order tried
	// Untried are findings without a rewrite, and lines that rules could not analyze.
	Untried []Untried `json:"untried,omitempty"`
	// Rounds is the number of times the rules ran.
	Rounds int `json:"rounds"`
	// Failing are the tests that already fail and are ignored while they fail the same way, each
	// with its package's import path; the path alone is a package whose tests do not build.
	Failing []string `json:"failing,omitempty"`
	// Flaky are the tests that do not do the same each time without a change. They are ignored.
	Flaky []string `json:"flaky,omitempty"`
	// Broken are the packages that do not build. Nothing that they are needed for is rewritten.
	Broken []Broken `json:"broken,omitempty"`
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
	// Took is the duration of each step over all attempts, in the order in which they first ran.
	Took []Took `json:"took,omitempty"`

	Warnings find.Warnings `json:"warnings,omitempty"`

	changed scratch.Changes // by file, everything that was kept
}

// Untried is a cost without a rewrite that could be tried.
type Untried struct {
	Title    string  `json:"title"` // of the finding; "" for a line that rules could not analyze
	File     string  `json:"file"`  // relative to the module, or the name in the profile
	Line     int     `json:"line,omitempty"`
	Function string  `json:"function"`
	Reason   string  `json:"reason"`
	Share    float64 `json:"share"` // same as Finding.Saving
	// Waiting describes a line that only waits; nil otherwise.
	Waiting *find.HotLine `json:"waiting,omitempty"`
}

// Broken is a package that does not build.
type Broken struct {
	Package string `json:"package"` // import path
	Reason  string `json:"reason"`
}

// Took is the total duration of a step.
type Took struct {
	What string        `json:"what"`
	Time time.Duration `json:"ns"`
}

// A Stage is how far a fix has got.
type Stage string

// Stages, in order.
const (
	StageNeeds   Stage = "needs" // requires something that whet does not do: not tried
	StageRewrite Stage = "rewrite"
	StageBuild   Stage = "build"
	StageVet     Stage = "vet"
	StageTest    Stage = "test"
	StageCompare Stage = "compare answers"
	StageMeasure Stage = "measure"
	StageWhole   Stage = "test all" // the whole module's tests fail with everything that was kept
	StageKept    Stage = "kept"
)

// An Attempt is the outcome for a finding.
type Attempt struct {
	Finding find.Finding `json:"finding"`
	Stage   Stage        `json:"stage"`            // StageKept, or where it was dropped
	Reason  string       `json:"reason,omitempty"` // why it was dropped
	// Tested is the number of packages whose tests passed: those that the rewrite can affect. It is
	// 0 if the attempt was dropped before.
	Tested int `json:"tested,omitempty"`
	// Ignored is the number of tests of these packages that already fail, or are flaky.
	Ignored int `json:"ignored,omitempty"`
	// Answers is the comparison of the old and the new functions' results.
	Answers *Answers `json:"answers,omitempty"`
	// Measured is the comparison without and with this rewrite.
	Measured *Measured `json:"measured,omitempty"`
	// Open lists the figures whose interval shows neither a gain nor a loss, as sentences.
	Open []string `json:"open,omitempty"`
	// Together is the number of other rewrites it was kept with: each alone gains too little to
	// measure, and Measured is for all of them.
	Together int `json:"together,omitempty"`
	// Diff is the rewrite relative to what was kept before.
	Diff string `json:"diff,omitempty"`
	// Round is the round in which it was found, starting at 1.
	Round int `json:"round"`
	// Took is the duration of each stage.
	Took []Took `json:"took,omitempty"`

	undo  map[string][]byte // original files, if it was kept
	retry bool              // it was dropped because of what was kept before it in its round
	key   string            // fixer.keyOf
	weak  bool              // it was dropped only because no gain was measured
}

// String returns what logs and tests print; an Attempt contains whole files.
func (a Attempt) String() string {
	return fmt.Sprintf("%s: %s: %s", a.Finding.Title, a.Stage, a.Reason)
}

// Kept reports whether the rewrite is proven.
func (a *Attempt) Kept() bool { return a.Stage == StageKept }

// Answers is how the old and the new functions were compared.
type Answers struct {
	Functions []string `json:"functions"` // functions that were compared
	Inputs    int64    `json:"inputs"`    // inputs with the same results
	// ErrorTexts is the number of these inputs for which only the texts of errors differ: two
	// builds of the same source may have different ones.
	ErrorTexts int64 `json:"error_texts,omitempty"`
	// Not lists the changed functions that could not be compared, and why.
	Not []string `json:"not,omitempty"`
}

// Measured is a comparison of A, without a rewrite, and B, with it.
type Measured struct {
	Benchmarks []string `json:"benchmarks,omitempty"` // benchmarks that were run; empty for a service
	// Written is the source of the benchmarks that whet wrote because no benchmark of the module
	// runs the lines; "" if the module's own were used.
	Written string `json:"written,omitempty"`
	// Paths describe what the written benchmarks execute in the changed functions, compared with
	// the recording.
	Paths []string   `json:"paths,omitempty"`
	AB    *ab.Result `json:"ab"`

	covering []benchmark // the benchmarks
}

// Run tries the fixes of findings on the module in r.Dir. If ctx ends, the result covers what was
// tried until then. It is an error if there is something to try and the module does not build.
func Run(ctx context.Context, r *find.Result, o Options) (result *Result, err error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.bench == nil {
		o.bench = builds.Run
	}
	if o.Tried == nil {
		o.Tried = func(int, int) {}
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.FuzzTime == 0 {
		o.FuzzTime = DefaultFuzzTime
	}
	o.Rounds = cmp.Or(o.Rounds, DefaultRounds)
	f := &fixer{
		o: o, found: r, program: r.Program,
		result: &Result{Schema: Schema, Module: r.Module, Dir: r.Dir, changed: scratch.Changes{}},
	}
	began := time.Now()
	o.Progress("copy the module")
	copied := scratch.Options{Flags: o.Flags, Env: o.Env, Timeout: o.Timeout, Temp: o.Temp}
	if f.scratch, err = scratch.New(ctx, r.Dir, copied); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.scratch.Close()) }()
	f.took("copy", began)
	if slices.ContainsFunc(r.Findings, f.tries) {
		if err := f.baseline(ctx); err != nil {
			return nil, err
		}
	}
	f.listUntried(r)
	f.rounds(ctx)
	f.result.Interrupted = f.result.Interrupted || ctx.Err() != nil
	f.whole(ctx)
	f.total(ctx)
	if o.Settings {
		f.settings(ctx, r)
	}
	f.result.Interrupted = f.result.Interrupted || ctx.Err() != nil
	return f.result, nil
}

// A fixer is one run of Run.
type fixer struct {
	o              Options
	found          *find.Result // findings to try in this round
	program        string       // import path of the main package, or ""
	scratch        *scratch.Module
	packages       *scratch.Packages
	result         *Result
	vetted         []scratch.Complaint       // vet's diagnostics for the original module
	tests          *scratch.Baseline         // what the tests of the original module do
	edits          map[string][]rewrite.Edit // kept in this round, by file, relative to the start of the round
	round          int                       // starting at 1
	done           map[string]int            // rewrites not to be tried again, and their number
	benchmarks     []benchmark               // of the module, at the start of the round; nil: unknown
	written        map[string]*writtenFile   // benchmarks, by directory
	keptBenchmarks []benchmark               // benchmarks that run something that was kept
	// testedAll is set if the tests of all packages have run with everything that was kept.
	testedAll bool
}

// took adds the time since began to the duration of a step.
func (f *fixer) took(what string, began time.Time) {
	f.result.Took = addTook(f.result.Took, what, began)
}

func addTook(list []Took, what string, began time.Time) []Took {
	i := slices.IndexFunc(list, func(t Took) bool { return t.What == what })
	if i < 0 {
		i, list = len(list), append(list, Took{What: what})
	}
	list[i].Time += time.Since(began)
	return list
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

// has reports whether a fix may be tried that needs something.
func (f *fixer) has(need rules.Need) bool {
	return need == rules.Free || f.o.Review && need == rules.Review
}

// baseline builds, vets and tests the original module.
func (f *fixer) baseline(ctx context.Context) (err error) {
	began := time.Now()
	f.o.Progress("build the original module")
	if f.packages, err = f.scratch.Packages(ctx); err != nil {
		return err
	}
	var failed *scratch.OutputError
	err = f.scratch.Build(ctx, nil, f.packages.All)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, &failed) {
		f.packages.MarkBroken(failed.Output)
	}
	for _, b := range f.packages.Broken {
		f.result.Broken = append(f.result.Broken, Broken(b))
	}
	if err := f.refuseBroken(); err != nil {
		return err
	}
	f.took("build", began)

	began = time.Now()
	f.vetted = f.scratch.Vet(ctx, nil, f.packages.All)
	f.took("vet", began)

	began = time.Now()
	f.o.Progress("test the original module")
	f.tests = f.scratch.Baseline(ctx, f.packages.All)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, t := range f.tests.Failing() {
		f.result.Failing = append(f.result.Failing, t.String())
	}
	if names := f.result.Failing; len(names) > 0 {
		f.result.Warnings = append(f.result.Warnings,
			fmt.Errorf("tests that already fail are ignored: %s", strings.Join(names, ", ")))
	}
	f.took("test", began)
	return nil
}

// refuseBroken returns an error if no rewrite could be tried because what it changes does not
// build.
func (f *fixer) refuseBroken() error {
	if len(f.packages.Broken) == 0 {
		return nil
	}
	whole := len(f.packages.All) == 0
	if !whole {
		for _, b := range f.packages.Broken {
			f.result.Warnings = append(f.result.Warnings,
				fmt.Errorf("package %s does not build: %s", b.Package, b.FirstLine()),
			)
		}
		return nil
	}
	first := f.packages.Broken[0]
	return &diag.Error{
		Op: "build", Subject: f.found.Dir, Err: errors.New(first.Reason),
		Hint: "the module must build before it can be made faster",
	}
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f%%", 100*(ratio-1)) }
