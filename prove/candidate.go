package prove

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/judgment"
	"github.com/whet-go/whet/internal/prove/machinecode"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// Changes are changed files before and after, by their names relative to the module.
type Changes = scratch.Changes

// A Change is a file before and after.
type Change = scratch.Change

// A Candidate is a change to prove: of files, or of settings.
type Candidate struct {
	// Changes are relative to the base.
	Changes Changes
	// Settings are build flags and environment that replace those of Options; nil without a change.
	Settings *Settings
	// Places are the lines of the base whose cost the change is to reduce. Benchmarks that run them
	// measure it. For settings, the functions around them are compared.
	Places []find.Place
	// Reviewed is set for a change that will be reviewed: writers may get the same bytes divided
	// differently, a type may have other fields, and a small loss is accepted for a large gain.
	Reviewed bool
	// Vouched is set for a change whose rule has an argument that it is right: no mutants of it are tried.
	Vouched bool
}

// Settings are how a module is built and run.
type Settings struct {
	Name  string   // for results
	Flags []string // of go build
	Env   []string // KEY=value, for building and running
	// SameProgram is set if only the environment of the program differs. Results are not compared.
	SameProgram bool
}

// A Stage is a stage of a proof.
type Stage string

// Stages, in order.
const (
	StageBuild   Stage = "build"
	StageVet     Stage = "vet"
	StageCode    Stage = "compare machine code"
	StageTest    Stage = "test"
	StageCompare Stage = "compare answers"
	StageRace    Stage = "test with the race detector"
	StageConfigs Stage = "build in other configurations"
	StageMeasure Stage = "measure"
	// StageUnproven is a change that passed all stages, but whose results were not compared, or on too
	// few inputs.
	StageUnproven Stage = "unproven"
)

// ErrUnproven is the error of a change that is faster, but whose results were not compared.
var ErrUnproven = errors.New("needs review")

// errSameCode is the reason for ending the proof of a change that the compiler makes nothing else of.
var errSameCode = errors.New("the compiler makes the same machine code of it")

// A Verdict is the outcome for a candidate.
type Verdict struct {
	// Stage is the last one that was begun. The change is proven faster if Err is nil.
	Stage Stage `json:"stage"`
	// Err is why it is not proven faster; nil if it is.
	Err error `json:"-"`
	// SameCode is the number of functions of which the compiler makes the same machine code with the change, and no
	// other ones: then nothing else is compared. It is 0 if something differs, or that was not compared.
	SameCode int `json:"same_code,omitempty"`
	// Tested is the number of packages whose tests passed: of those that the change can affect, those
	// that have tests. It is 0 if the proof ended before.
	Tested int `json:"tested,omitempty"`
	// Ignored is the number of tests of these packages that already fail, or are flaky.
	Ignored int `json:"ignored,omitempty"`
	// Raced is set if the tests ran with the race detector, too.
	Raced bool `json:"raced,omitempty"`
	// Answers is the comparison of the old and the new functions' results.
	Answers *Answers `json:"answers,omitempty"`
	// Unproven is why the comparison is not a proof, and what would decide; "" if it is one.
	Unproven string `json:"unproven,omitempty"`
	// Configs are the builds in further configurations.
	Configs []ConfigBuild `json:"configs,omitempty"`
	// Measured is the comparison without and with the change.
	Measured *Measured `json:"measured,omitempty"`
	// Open lists the figures whose interval shows neither a gain nor a loss, as sentences.
	Open []string `json:"open,omitempty"`
	// IgnoredLosses lists losses of generated benchmarks, with their inputs. They do not count against the
	// change, because the inputs are invented.
	IgnoredLosses []string `json:"aside,omitempty"`
	// Strength is how many small errors in the changed lines would be noticed; nil if that is unknown.
	Strength *Strength `json:"strength,omitempty"`
	// Took is the duration of each stage. Steps that take long are listed separately, and are not part of their
	// stage's duration.
	Took []StepTime `json:"took,omitempty"`

	tested []string // import paths of the packages whose tests passed, if they have any
}

// Proven reports whether the change behaves the same as far as that was compared, and is faster.
func (v *Verdict) Proven() bool { return v.Err == nil }

// mayBeAccepted reports whether the benchmarks ran and show no loss.
func (v *Verdict) mayBeAccepted() bool {
	return v.Measured != nil && len(v.Measured.Covering()) > 0 &&
		(v.Err == nil || errors.Is(v.Err, ErrUnproven) || errors.Is(v.Err, judgment.ErrNoGain) ||
			errors.Is(v.Err, judgment.ErrSmall))
}

// judge records the judgment of the measurement, and returns why the change is not proven.
func (v *Verdict) judge(reviewed bool) error {
	j := judgment.Of(v.Measured.AB, v.Measured.Generated(), reviewed)
	v.Open, v.IgnoredLosses = j.Open, j.IgnoredLosses
	return j.Err
}

// gains returns the figures that have become better.
func (v *Verdict) gains() string {
	if v.Measured == nil {
		return ""
	}
	return judgment.Gains(v.Measured.AB)
}

// Leans reports whether the figures point to a gain that could not be distinguished from noise.
func (v *Verdict) Leans() bool { return errors.Is(v.Err, judgment.ErrNotSeen) }

// Answers is how the old and the new functions were compared.
type Answers struct {
	Functions []string `json:"functions"` // functions that were compared
	Inputs    int64    `json:"inputs"`    // inputs on which they returned the same results
	// Distinct is the number of distinct results and effects.
	Distinct int64 `json:"distinct,omitempty"`
	// Compared has the counts of each function that was called, even if they prove nothing.
	Compared []Compared `json:"compared,omitempty"`
	// Blocks is the number of basic blocks on changed lines, and Reached how many of them inputs ran.
	Blocks  int `json:"blocks,omitempty"`
	Reached int `json:"reached,omitempty"`
	// Separate lists the packages whose two versions cannot be compiled into one program, and why. They
	// were compared in two processes, with random inputs that no coverage guides.
	Separate []string `json:"apart,omitempty"`
	// ErrorTexts is the number of these inputs for which only the texts of errors differ: two
	// builds of the same source may have different ones.
	ErrorTexts int64 `json:"error_texts,omitempty"`
	// NotCompared lists the changed functions that were not compared, or on too few inputs to prove anything,
	// and why.
	NotCompared []string `json:"not,omitempty"`

	// outside has the exported declarations that have changed, as in Changed.Declarations, with why other
	// modules are not known to see the same; "" if they are.
	outside map[string]string
}

// Compared is how many inputs a function was compared on.
type Compared = differ.Outcome

// add adds a function that was called on both sides, without a difference.
func (a *Answers) add(o Compared) {
	a.Compared = append(a.Compared, o)
	if o.Unproven != "" {
		a.NotCompared = append(a.NotCompared, o.Unproven)
		return
	}
	a.Functions = append(a.Functions, o.Function)
	a.Inputs += o.Returned
	a.Distinct += o.Distinct
}

// addOutside adds declarations of the package in a directory.
func (a *Answers) addOutside(dir string, outside map[string]string) {
	if a.outside == nil {
		a.outside = map[string]string{}
	}
	for name, why := range outside {
		if dir != "." {
			name = dir + "." + name
		}
		a.outside[name] = why
	}
}

// unproven returns why the comparison is not a proof, and what would decide; "" if every changed
// function was compared.
func (a *Answers) unproven() string {
	if a == nil || len(a.NotCompared) == 0 {
		return ""
	}
	return strings.Join(a.NotCompared, "; ") + ". To decide, review it with a test or benchmark that calls the function " +
		"with realistic arguments (the fuzzer uses the strings in a package's tests), or fuzz longer (--fuzz-time). " +
		"--review keeps it as it is"
}

// Refuse returns why changes cannot be tried; nil if they can.
func (f *Prover) Refuse(changes Changes) error { return syntax.Refuse(changes) }

// A step is a stage of a proof and what it does.
type step struct {
	stage Stage
	do    func() error
}

// Prove runs a candidate through all stages, each of which can reject it. If ctx ends, there is no
// verdict, and Err is the error of ctx. A candidate that was measured is then tried with mutants
// for up to Options.MutantTime; if ctx ends during that, only their result is lost. Call Prepare
// first.
func (f *Prover) Prove(ctx context.Context, c Candidate) *Verdict {
	v := f.prove(ctx, c)
	if f.o.MutantTime == 0 || c.Vouched || c.Settings != nil || ctx.Err() != nil ||
		v.Stage != StageMeasure && v.Stage != StageUnproven {
		return v
	}
	var err error
	if v.Strength, err = f.strengthen(ctx, c, v); err != nil {
		f.warnings.Add(fmt.Errorf("try mutants of the changed lines: %w", err))
	}
	return v
}

// Judge is Prove for a change of files that nothing vouches for, as Run judges it. What the proof lacks, what tests and
// benchmarks cannot show, and costs elsewhere leave it unproven.
func (f *Prover) Judge(ctx context.Context, c Candidate) *Verdict {
	changed := &Changed{}
	if err := f.analyze(c.Changes, changed); err != nil {
		return &Verdict{Stage: StageBuild, Err: err}
	}
	suspects, err := f.suspects(f.judgedFiles(c.Changes))
	if err != nil {
		return &Verdict{Stage: StageBuild, Err: err}
	}
	v := f.Prove(ctx, c)
	if v.Err != nil && !errors.Is(v.Err, ErrUnproven) {
		return v
	}
	missing := lacks(changed, suspects, v)
	if v.mayBeAccepted() {
		elsewhere, err := f.sideCosts(ctx, c, v)
		if f.warnings.Add(err); ctx.Err() != nil {
			v.Err = ctx.Err()
			return v
		}
		for _, cost := range elsewhere {
			missing = append(missing, Missing{What: notWeighed + cost.String(), Do: doWeigh})
		}
	}
	if len(missing) > 0 {
		var texts []string
		for _, m := range missing {
			texts = append(texts, m.What)
		}
		v.Stage, v.Unproven = StageUnproven, strings.Join(texts, "; ")
		v.Err = fmt.Errorf("%w: %s", ErrUnproven, v.Unproven)
	}
	return v
}

// prove runs the stages.
func (f *Prover) prove(ctx context.Context, c Candidate) *Verdict {
	v := &Verdict{Stage: StageBuild}
	steps, err := f.changeSteps(ctx, c, v)
	if c.Settings != nil {
		steps, err = f.settingSteps(ctx, c, v), nil
	}
	if err != nil {
		v.Err = err
		return v
	}
	for _, s := range steps {
		began, inner := time.Now(), inAll(v.Took)
		v.Stage = s.stage
		err := s.do()
		v.Took = addStep(v.Took, StepTime{What: string(s.stage), Time: time.Since(began) - (inAll(v.Took) - inner)})
		if v.Err = errors.Join(err, ctx.Err()); v.Err != nil {
			return v
		}
	}
	return v
}

// changeSteps returns the steps for changed files.
func (f *Prover) changeSteps(ctx context.Context, c Candidate, v *Verdict) ([]step, error) {
	over, err := f.scratch.Overlay(c.Changes.After())
	if err != nil {
		return nil, err
	}
	built, pkgs, err := f.affected(ctx, c.Changes, over)
	if errors.Is(err, errNotInBuild) && len(f.ignored(c.Changes, nil)) == 0 { // the package did not build before
		return []step{{StageBuild, func() error { return err }}}, nil
	}
	if errors.Is(err, errNotInBuild) {
		return []step{{StageConfigs, func() (failed error) {
			if v.Configs, failed = f.buildConfigs(ctx, c.Changes, over); failed != nil {
				return failed
			}
			return fmt.Errorf("%w: %s", err, strings.Join(f.ignored(c.Changes, v.Configs), "; "))
		}}}, nil
	}
	if err != nil {
		return nil, err
	}
	var race *scratch.RaceRun
	return []step{
		{StageBuild, func() error { return f.scratch.Build(ctx, over, built) }},
		{StageVet, func() error { return f.vet(ctx, over, pkgs) }},
		{StageCode, func() (err error) { return f.compareCode(ctx, c.Changes, over, built, v) }},
		{StageTest, func() error {
			err := f.test(ctx, scratch.Trial{Module: f.scratch, Flags: over}, scratch.Trial{Module: f.scratch}, pkgs)
			if err == nil {
				v.Tested, v.Ignored, v.tested = f.tests.WithTests(pkgs), f.tests.Ignored(pkgs), pkgs
			}
			return err
		}},
		{StageCompare, func() (err error) {
			f.o.Progress("compare the results of the old and the new code")
			race = f.beginRace(ctx, c.Changes, pkgs)
			if v.Answers, err = f.compare(ctx, c.Changes, c.Reviewed); err != nil || ctx.Err() != nil {
				race.Stop()
			}
			return err
		}},
		{StageRace, func() error { return f.endRace(race, v) }},
		{StageConfigs, func() (err error) {
			v.Configs, err = f.buildConfigs(ctx, c.Changes, over)
			v.Answers.NotCompared = append(v.Answers.NotCompared, f.ignored(c.Changes, v.Configs)...)
			v.Unproven = v.Answers.unproven()
			return err
		}},
		{StageMeasure, func() (err error) {
			f.o.Progress("measure")
			if v.Measured, err = f.measure(ctx, c, v); err != nil {
				return err
			}
			return f.bySize(ctx, c, v, v.judge(c.Reviewed))
		}},
		{StageUnproven, func() error {
			if v.Unproven != "" {
				return fmt.Errorf("%w: %s", ErrUnproven, v.Unproven)
			}
			return nil
		}},
	}, nil
}

// compareCode compares the machine code of the changed packages, then that of the others that may inline from them.
func (f *Prover) compareCode(ctx context.Context, changes Changes, over, built []string, v *Verdict) error {
	dirs, everything := f.packageDirs(changes)
	if everything || len(f.ignored(changes, nil)) > 0 || !machinecode.Decides(changes) {
		return nil
	}
	var changed, others []string
	for _, pkg := range built {
		if slices.Contains(dirs, path.Clean(f.relative(pkg))) {
			changed = append(changed, pkg)
		} else {
			others = append(others, pkg)
		}
	}
	for _, pkgs := range [][]string{changed, others} {
		if len(pkgs) == 0 {
			continue
		}
		if slices.ContainsFunc(pkgs, func(pkg string) bool { return hasAssembly(f.packages.Dir(pkg)) }) {
			v.SameCode = 0
			return nil
		}
		n, same, err := machinecode.Same(ctx, f.scratch, over, pkgs)
		if err != nil || !same {
			v.SameCode = 0
			return err
		}
		v.SameCode += n
	}
	if v.SameCode > 0 {
		return errSameCode
	}
	return nil
}

// hasAssembly reports whether a directory has files in assembly.
func hasAssembly(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.s")) // the pattern is valid
	return len(names) > 0
}

// errNotInBuild leaves a change open that is not in this build, or is in a package that did not build before.
var errNotInBuild = errors.New("the change cannot be built and compared")

// affected returns the packages that changes can break: those to build, which may be new, and those to test.
func (f *Prover) affected(ctx context.Context, changes Changes, over []string) (built, tested []string, err error) {
	dirs, everything := f.packageDirs(changes)
	sameFiles := true
	for _, c := range changes {
		sameFiles = sameFiles && c.Before != nil && c.After != nil
	}
	if sameFiles && !everything {
		if tested, err = f.packages.Affected(dirs); err != nil {
			err = fmt.Errorf("%w: %w", errNotInBuild, err)
		}
		return f.packages.Buildable(tested), tested, err
	}
	after, err := f.scratch.Packages(ctx, over...)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range after.Broken {
		if !slices.ContainsFunc(f.packages.Broken, func(o scratch.Broken) bool { return o.Package == b.Package }) {
			return nil, nil, fmt.Errorf("package %s does not build: %s", b.Package, b.FirstLine())
		}
	}
	built = after.All
	if !everything {
		if built, err = after.Affected(dirs); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errNotInBuild, err)
		}
	}
	for _, p := range f.packages.All {
		if slices.Contains(built, p) {
			tested = append(tested, p)
		}
	}
	return after.Buildable(built), tested, nil
}

// packageDirs returns the directories of the packages to judge that changed files belong to, relative
// to the module, and whether the changes affect all packages.
func (f *Prover) packageDirs(changes Changes) (dirs []string, everything bool) {
	for file := range changes {
		everything = everything || ofModule(file)
		if dir := f.packageDir(file); f.judges(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, everything
}

// settingSteps returns the steps for settings. They concern all packages.
func (f *Prover) settingSteps(ctx context.Context, c Candidate, v *Verdict) []step {
	before := f.Side("without " + c.Settings.Name)
	after := f.Side("with " + c.Settings.Name)
	after.Flags = slices.Concat(after.Flags, c.Settings.Flags)
	after.Env = slices.Concat(after.Env, c.Settings.Env)
	built := f.scratch.With(after.Flags, after.Env)
	return []step{
		{StageBuild, func() error { return built.Build(ctx, nil, f.packages.Buildable(f.packages.All)) }},
		{StageTest, func() error {
			return f.test(ctx, scratch.Trial{Module: built}, scratch.Trial{Module: f.scratch}, f.packages.All)
		}},
		{StageCompare, func() (err error) {
			if c.Settings.SameProgram {
				return nil
			}
			f.o.Progress("compare the results of the two builds")
			v.Answers, err = f.compareBuilds(ctx, c.Places, before, after)
			return err
		}},
		{StageMeasure, func() (err error) {
			f.o.Progress("measure " + c.Settings.Name)
			if v.Measured, err = f.Versus(ctx, before, after, c.Places); err != nil {
				return err
			}
			return v.judge(false)
		}},
	}
}

// vet returns the first diagnostic that go vet did not report before any change.
func (f *Prover) vet(ctx context.Context, over, pkgs []string) error {
	now := f.scratch.Vet(ctx, over, pkgs)
	if len(now) == 0 {
		return nil
	}
	if more := scratch.NewComplaints(f.vetted(), now); len(more) > 0 {
		return errors.New(more[0].String())
	}
	return nil
}

// Side returns a build of the copy with more flags, under a name for results.
func (f *Prover) Side(name string, more ...string) builds.Side {
	return builds.Side{
		Name: name, Dir: f.scratch.Dir, Flags: slices.Concat(f.o.Flags, more),
		Env: slices.Concat(f.scratch.TempEnv(), f.o.Env), Wrap: f.scratch.Wrap(), Watch: f.scratch.Watch,
	}
}

// SideWith returns a build of the copy with some files replaced.
func (f *Prover) SideWith(name string, files map[string][]byte) (builds.Side, error) {
	over, err := f.scratch.Overlay(files)
	return f.Side(name, over...), err
}
