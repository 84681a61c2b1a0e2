package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/benchmarks"
	"github.com/whet-go/whet/internal/prove/dependencies"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/service"
)

// Options configure New.
type Options struct {
	Flags []string // of go build
	Env   []string // KEY=value, for the go command and the processes it starts

	Bench    string        // benchmarks to use, as in go test's -bench; "" means all
	Timeout  time.Duration // of a test run, and of one process of a benchmark; 0 means DefaultTimeout
	FuzzTime time.Duration // per changed function; 0 means DefaultFuzzTime
	// FuzzInputs, if positive, is the number of inputs per changed function, however long that
	// takes; it replaces FuzzTime.
	FuzzInputs int
	// Race runs the tests of changed files with the race detector, too, if their packages start
	// goroutines and there is a C compiler.
	Race bool
	// Configs are further build configurations, in which a change must build and vet.
	Configs []Config
	// MutantTime limits how long mutants of a candidate's changed lines are tried; 0 means not at all.
	// Building them takes additional time.
	MutantTime time.Duration
	AB         ab.Options

	// Service configures how the program is started and loaded. It measures changes that no
	// benchmark runs. If it is nil, only benchmarks are used.
	Service *service.Program
	Program string // import path of the main package that Service runs; "" means that in the module's directory

	// Importers are other modules whose benchmarks measure changes, too.
	Importers []*Importer

	tree *scratch.Tree // replaces the repository that contains the module

	// Wrap returns the beginning of the command lines of processes that run code of either version, and need
	// to write only below a directory; nil means none.
	Wrap func(dir string) ([]string, error)
	// Temp is the parent of the scratch copy; "" means the system's directory for temporary files.
	Temp string

	// Progress is called with the current step; it may be nil.
	Progress func(what string)

	// RunBenchmarks replaces builds.Run, and RunService replaces Service; nil means these.
	RunBenchmarks func(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error)
	RunService    func(ctx context.Context, a, b builds.Side) (*ab.Result, error)
}

// Defaults of Options.
const (
	DefaultTimeout  = 5 * time.Minute
	DefaultFuzzTime = 5 * time.Second
	// DefaultMutantTime is for callers that want mutants.
	DefaultMutantTime = 5 * time.Second
)

// fuzzTime returns the limit of the fuzzer in the form of go test's flag.
func (o *Options) fuzzTime() string {
	if o.FuzzInputs > 0 {
		return fmt.Sprintf("%dx", o.FuzzInputs)
	}
	return o.FuzzTime.String()
}

// A Prover proves changes of one module, in a scratch copy of it. The copy is the base that changes
// are compared with; Write changes it.
type Prover struct {
	// Charged returns what a recording charges to a line of the original module, as a share of a
	// profile's total. A benchmark that is written must run lines that cost. If it is nil, the cost
	// is unknown.
	Charged func(file string, line int) float64
	// Recorded is the CPU profile of the original module. The profile of a benchmark that is written
	// must be like it. If it is nil, that is not compared.
	Recorded *profile.Profile
	Captured *Captured // calls that the original module made: inputs of comparisons and benchmarks

	o          Options
	module     string   // module path
	only       []string // directories of the packages that are judged; nil means all
	scratch    *scratch.Module
	packages   *scratch.Packages
	scope      *scope                     // what is prepared; nil: the module
	vetted     func() []scratch.Complaint // vet's diagnostics for the base
	tests      *scratch.Baseline          // what the tests of the base do
	benchmarks *benchmarks.Set            // of the base, and those that are written
	base       Base
	warnings   find.Warnings
	dependents dependencies.Dependents // what a change of go.mod may affect
}

// Base is what is known about the module before any change.
type Base struct {
	// Failing are the tests that already fail and are ignored while they fail the same way, each
	// with its package's import path; the path alone is a package whose tests do not build.
	Failing []string `json:"failing,omitempty"`
	// Flaky are the tests whose outcome varies without a change. They are ignored.
	Flaky []string `json:"flaky,omitempty"`
	// Broken are the packages that do not build. Changes that need them cannot be proven.
	Broken []Broken `json:"broken,omitempty"`
	// Took is the duration of each step.
	Took []StepTime `json:"took,omitempty"`
}

// Broken is a package that does not build.
type Broken struct {
	Package string `json:"package"` // import path
	Reason  string `json:"reason"`
}

// StepTime is the total duration of a step.
type StepTime struct {
	What string        `json:"what"`
	Time time.Duration `json:"ns"`
}

// AddStepTime adds the time since began to the duration of a step.
func AddStepTime(list []StepTime, what string, began time.Time) []StepTime {
	return addStep(list, StepTime{What: what, Time: time.Since(began)})
}

func addStep(list []StepTime, t StepTime) []StepTime {
	i := slices.IndexFunc(list, func(o StepTime) bool { return o.What == t.What })
	if i < 0 {
		return append(list, t)
	}
	list[i].Time += t.Time
	return list
}

// inAll returns the duration of steps.
func inAll(list []StepTime) (sum time.Duration) {
	for _, t := range list {
		sum += t.Time
	}
	return sum
}

// New copies the module in dir, whose path is module; "" means the one in its go.mod. The caller closes
// the result.
func New(ctx context.Context, dir, module string, o Options) (*Prover, error) {
	o.Timeout, o.FuzzTime = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.FuzzTime, DefaultFuzzTime)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	p := &Prover{o: o, module: module, Charged: func(string, int) float64 { return 0 }}
	began := time.Now()
	o.Progress("copy the module")
	var err error
	p.scratch, err = scratch.New(ctx, dir, scratch.Options{
		Flags: o.Flags, Env: o.Env, Timeout: o.Timeout, Temp: o.Temp, Wrap: o.Wrap, Tree: o.tree,
	})
	if err != nil {
		return nil, err
	}
	if p.module == "" {
		if p.module, err = scratch.ModulePath(p.Dir()); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	p.benchmarks = benchmarks.New(p.scratch, benchmarks.Options{
		Module: p.module, Flags: o.Flags, Env: o.Env, Match: o.Bench, Timeout: o.Timeout, Run: o.RunBenchmarks,
		Corpus: p.corpusOf, Importers: o.Importers,
	})
	p.base.Took = AddStepTime(p.base.Took, "copy", began)
	return p, nil
}

// Close removes the copy.
func (f *Prover) Close() error { return f.scratch.Close() }

// Base returns what Prepare has found, and the flaky tests found since then.
func (f *Prover) Base() Base { return f.base }

// Warnings returns the warnings since the last call.
func (f *Prover) Warnings() find.Warnings {
	list := f.warnings
	f.warnings = nil
	return list
}

// Dir returns the directory of the module in the copy.
func (f *Prover) Dir() string { return f.scratch.Dir }

// Original returns a file of the base as it was when it was first read after New or Rebase.
func (f *Prover) Original(file string) ([]byte, error) { return f.scratch.Original(file) }

// Write replaces a file of the base.
func (f *Prover) Write(file string, data []byte) error { return f.scratch.Write(file, data) }

// Rebase makes the current files of the copy the base of Original, and of the lines that benchmarks run.
func (f *Prover) Rebase() {
	f.scratch.Forget()
	f.benchmarks.Forget()
}

// TestedAll reports whether v has run the tests of all packages of the module that build.
func (f *Prover) TestedAll(v *Verdict) bool { return len(v.tested) == len(f.packages.All) }

// A scope is what a change can affect.
type scope struct {
	packages []string // import paths of packages to build and test
	changed  []string // import paths of those with changed files
}

// Prepare builds and tests the module before any change. It is an error if no package builds, or if
// ctx ends.
func (f *Prover) Prepare(ctx context.Context) error {
	if err := f.PrepareFor(ctx, nil); err != nil {
		return err
	}
	began := time.Now()
	f.o.Progress("test the original module")
	f.tests = f.scratch.Baseline(ctx, f.inScope(), nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f.addFailing()
	f.base.Took = AddStepTime(f.base.Took, "test", began)
	return nil
}

// PrepareFor is Prepare for one candidate: it builds only the packages that changes can affect, and Prove
// runs the tests before and after the change at the same time. Only these changes, or parts of them, can be
// proven.
func (f *Prover) PrepareFor(ctx context.Context, changes Changes) (err error) {
	began := time.Now()
	f.o.Progress("build the original module")
	if f.packages, err = f.scratch.Packages(ctx); err != nil {
		return err
	}
	f.scope = f.scopeOf(changes)
	var failed *scratch.OutputError
	err = f.scratch.Build(ctx, nil, f.packages.Buildable(f.inScope()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, &failed) {
		f.packages.MarkBroken(failed.Output)
	}
	for _, b := range f.packages.Broken {
		f.base.Broken = append(f.base.Broken, Broken(b))
	}
	if err := f.refuseBroken(); err != nil {
		return err
	}
	f.base.Took = AddStepTime(f.base.Took, "build", began)
	f.vetted = sync.OnceValue(func() []scratch.Complaint { return f.scratch.Vet(ctx, nil, f.inScope()) })
	return nil
}

// addFailing adds the tests that already fail, or are flaky, to the base.
func (f *Prover) addFailing() {
	for _, t := range f.tests.Failing() {
		f.base.Failing = append(f.base.Failing, t.String())
	}
	f.addFlaky()
	if names := f.base.Failing; len(names) > 0 {
		f.warnings.Addf("tests that already fail are ignored: %s", strings.Join(names, ", "))
	}
}

// scopeOf returns what changes can affect; nil if that is the module, or unknown.
func (f *Prover) scopeOf(changes Changes) *scope {
	dirs, everything := f.packageDirs(changes)
	if everything || len(dirs) == 0 {
		return nil
	}
	tested, err := f.packages.Affected(dirs)
	if err != nil {
		return nil
	}
	s := &scope{packages: tested}
	for _, p := range tested {
		rel, err := filepath.Rel(f.scratch.Dir, f.packages.Dir(p))
		if err == nil && slices.Contains(dirs, filepath.ToSlash(rel)) {
			s.changed = append(s.changed, p)
		}
	}
	return s
}

// inScope returns the packages to build and test: those of the module, or what a change can affect.
func (f *Prover) inScope() []string {
	if f.scope == nil {
		return f.packages.All
	}
	return slices.DeleteFunc(slices.Clone(f.scope.packages), func(p string) bool {
		return !slices.Contains(f.packages.All, p) // it does not build
	})
}

// refuseBroken returns an error if nothing could be proven because no package builds.
func (f *Prover) refuseBroken() error {
	if len(f.packages.Broken) == 0 {
		return nil
	}
	if len(f.packages.All) > 0 {
		for _, b := range f.packages.Broken {
			f.warnings.Addf("package %s does not build: %s", b.Package, b.FirstLine())
		}
		return nil
	}
	return &diag.Error{
		Op: "build", Subject: f.module, Err: errors.New(f.packages.Broken[0].Reason),
		Hint: "the module must build before it can be made faster",
	}
}

// addFlaky adds the flaky tests that are not in the base yet.
func (f *Prover) addFlaky() {
	for _, t := range f.tests.Flaky() {
		if name := t.String(); !slices.Contains(f.base.Flaky, name) {
			f.base.Flaky = append(f.base.Flaky, name)
		}
	}
}

// test runs the tests of packages, and compares what they do with what they did before any change.
// Those that seem to differ run again in original.
func (f *Prover) test(ctx context.Context, changed, original scratch.Trial, pkgs []string) error {
	if f.tests != nil {
		err := f.tests.Compare(ctx, changed, original, pkgs)
		f.addFlaky()
		return err
	}
	f.o.Progress("test both versions")
	both := pkgs
	if f.scope != nil {
		both = slices.DeleteFunc(slices.Clone(pkgs), func(p string) bool { return !slices.Contains(f.scope.changed, p) })
	}
	tests, err := f.scratch.TestBoth(ctx, changed, pkgs, both)
	if tests == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	f.tests = tests
	f.addFailing()
	return err
}

// TestAll runs the tests of the whole module as the copy is now, and compares what they do with what
// they did before any change: tests may read files of other packages. The original does not run
// again, because tests may read files that an overlay does not replace.
func (f *Prover) TestAll(ctx context.Context) error {
	return f.test(ctx, scratch.Trial{Module: f.scratch}, scratch.Trial{}, f.packages.All)
}
