package fix

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/diag"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.fix/1"

// Options say how fixes are tried.
type Options struct {
	Flags []string // of go build
	Env   []string // KEY=value, for the go command and what it runs

	Bench    string        // benchmarks that may be used, as go test's -bench takes them; "" is all
	Timeout  time.Duration // of a test run, and of one process of a benchmark; 0 is DefaultTimeout
	FuzzTime time.Duration // for which each changed function is fuzzed; 0 is DefaultFuzzTime
	AB       ab.Options

	// Review also tries the fixes that need somebody to review them.
	Review bool

	// Program compares the program of two builds under load instead of benchmarks: each build is a
	// folder of the module and flags of go build. Nil: benchmarks.
	Program func(ctx context.Context, a, b builds.Side) (*ab.Result, error)

	// Temp is the folder for the scratch copy; "" is the system's.
	Temp string

	// Progress is called with what is done; nil: not.
	Progress func(what string)
}

// What zero means in Options.
const (
	DefaultTimeout  = 5 * time.Minute
	DefaultFuzzTime = 5 * time.Second
)

// A Result is what became of the findings of a module.
type Result struct {
	Schema   string    `json:"schema"`
	Module   string    `json:"module"`
	Dir      string    `json:"dir"`
	Attempts []Attempt `json:"attempts"` // in the order of the findings
	// Failing are the packages whose tests fail without any change, and were not asked.
	Failing []string `json:"failing,omitempty"`
	// Total compares the original with all that was kept; nil when nothing was.
	Total *Measured `json:"total,omitempty"`
	// Interrupted is set when not all findings were tried.
	Interrupted bool `json:"interrupted,omitempty"`

	Warnings []error `json:"-"`

	changed map[string]change // by file, all that was kept
}

// A change is a file before and after.
type change struct{ before, after []byte }

// Stage is how far a fix came.
type Stage string

// Stages, in their order.
const (
	StageRewrite Stage = "rewrite"
	StageBuild   Stage = "build"
	StageVet     Stage = "vet"
	StageTest    Stage = "test"
	StageCompare Stage = "compare answers"
	StageMeasure Stage = "measure"
	StageKept    Stage = "kept"
)

// An Attempt is what became of a finding.
type Attempt struct {
	Finding find.Finding `json:"finding"`
	Stage   Stage        `json:"stage"`            // StageKept, or where it was dropped
	Reason  string       `json:"reason,omitempty"` // why it was dropped
	// Answers is what calling the old and the new functions has shown.
	Answers *Answers `json:"answers,omitempty"`
	// Measured is the comparison without and with this rewrite.
	Measured *Measured `json:"measured,omitempty"`
	// Diff is the rewrite on top of what was kept before.
	Diff string `json:"diff,omitempty"`
}

// Kept tells whether the rewrite is proven.
func (a *Attempt) Kept() bool { return a.Stage == StageKept }

// Answers says how the old and the new functions were compared.
type Answers struct {
	Functions []string `json:"functions"` // that were compared
	Inputs    int64    `json:"inputs"`    // on which they answered alike
	// ErrorTexts is on how many of these inputs only the texts of errors differ: two builds of the
	// same source may have other ones.
	ErrorTexts int64 `json:"error_texts,omitempty"`
	// Not says which changed functions could not be compared, and why.
	Not []string `json:"not,omitempty"`
}

// Measured is a comparison, A without and B with a rewrite.
type Measured struct {
	Benchmarks []string `json:"benchmarks,omitempty"` // that were run; none: a service
	// Written is the source of the benchmarks that whet wrote, as no benchmark of the module reaches
	// the lines; "" when they are the module's own.
	Written string     `json:"written,omitempty"`
	AB      *ab.Result `json:"ab"`
}

// Run tries the fixes of findings on the module in r.Dir. When ctx ends, the result is of what was
// tried until then. It is an error when the module does not build as it is.
func Run(ctx context.Context, r *find.Result, o Options) (result *Result, err error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.FuzzTime == 0 {
		o.FuzzTime = DefaultFuzzTime
	}
	f := &fixer{o: o, found: r, result: &Result{Schema: Schema, Module: r.Module, Dir: r.Dir, changed: map[string]change{}}}
	o.Progress("copy the module")
	if f.scratch, err = newScratch(ctx, r.Dir, o); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.scratch.close()) }()
	if err := f.baseline(ctx); err != nil {
		return nil, err
	}
	for i := range r.Findings {
		if ctx.Err() != nil {
			f.result.Interrupted = true
			break
		}
		x := &r.Findings[i]
		if x.Fix == nil {
			continue
		}
		f.o.Progress(fmt.Sprintf("%d of %d: %s at %s:%d", i+1, len(r.Findings), x.Title, x.Places[0].File, x.Places[0].Line))
		f.result.Attempts = append(f.result.Attempts, f.attempt(ctx, x))
	}
	if len(f.result.changed) > 0 && ctx.Err() == nil {
		f.o.Progress("compare the original with all that was kept")
		f.total(ctx)
	}
	return f.result, nil
}

// A fixer is one run.
type fixer struct {
	o       Options
	found   *find.Result
	scratch *scratch
	result  *Result
	vetted  map[string]bool           // what vet says of the module as it is
	edits   map[string][]rewrite.Edit // that were kept, by file, of the original
	reached []reach                   // nil: not known yet
	written map[string]*writtenFile   // by folder
}

// baseline builds, vets and tests the module as it is.
func (f *fixer) baseline(ctx context.Context) error {
	f.edits = map[string][]rewrite.Edit{}
	f.o.Progress("build the module as it is")
	if out, err := f.scratch.run(ctx, nil, "build", "./..."); err != nil {
		return &diag.Error{Op: "build", Subject: f.found.Dir, Err: errors.New(lastLines(out)), Hint: "the module must build before it can be made faster"}
	}
	out, _ := f.scratch.run(ctx, nil, "vet", "./...") // what it says is the point
	f.vetted = vetLines(out)
	f.o.Progress("test the module as it is")
	out, err := f.scratch.run(ctx, nil, "test", "-timeout="+f.o.Timeout.String(), "./...")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		f.result.Failing = failing(out)
		f.result.Warnings = append(f.result.Warnings, fmt.Errorf("tests fail before anything was changed, and are not asked: %s", strings.Join(f.result.Failing, ", ")))
	}
	return nil
}

// attempt tries one finding's fix on top of what was kept.
func (f *fixer) attempt(ctx context.Context, x *find.Finding) Attempt {
	a := Attempt{Finding: *x, Stage: StageRewrite}
	drop := func(stage Stage, format string, args ...any) Attempt {
		a.Stage, a.Reason = stage, fmt.Sprintf(format, args...)
		return a
	}
	if x.Needs != rules.Free && !(f.o.Review && x.Needs == rules.Review) {
		return drop(StageRewrite, "it needs a %s", x.Needs)
	}
	changes, err := f.rewrite(x.Fix)
	if err != nil {
		return drop(StageRewrite, "%v", err)
	}
	if err := refuse(changes); err != nil {
		return drop(StageRewrite, "%v", err)
	}
	a.Diff = diffOf(changes)
	over, err := f.scratch.overlay(contents(changes))
	if err != nil {
		return drop(StageRewrite, "%v", err)
	}
	if out, err := f.scratch.run(ctx, over, "build", "./..."); err != nil {
		return drop(StageBuild, "%s", lastLines(out))
	}
	out, _ := f.scratch.run(ctx, over, "vet", "./...")
	for line := range vetLines(out) {
		if !f.vetted[line] {
			return drop(StageVet, "%s", line)
		}
	}
	if out, err := f.scratch.run(ctx, over, "test", "-timeout="+f.o.Timeout.String(), "./..."); err != nil && ctx.Err() == nil {
		for _, pkg := range failing(out) {
			if !slices.Contains(f.result.Failing, pkg) {
				return drop(StageTest, "%s", lastLines(out))
			}
		}
	}
	f.o.Progress("compare the answers of old and new")
	if a.Answers, err = f.compare(ctx, changes); err != nil {
		return drop(StageCompare, "%v", err)
	}
	f.o.Progress("measure")
	if a.Measured, err = f.measure(ctx, x, changes); err != nil {
		return drop(StageMeasure, "%v", err)
	}
	if ctx.Err() != nil {
		return drop(StageMeasure, "interrupted")
	}
	if reason := judge(a.Measured.AB); reason != "" {
		return drop(StageMeasure, "%s", reason)
	}
	if err := f.keep(x, changes); err != nil {
		return drop(StageRewrite, "%v", err)
	}
	a.Stage = StageKept
	return a
}

// rewrite is what a fix makes of its files, on top of what was kept: the edits of all are edits of
// the original.
func (f *fixer) rewrite(fix *find.Fix) (map[string]change, error) {
	changes := map[string]change{}
	for _, e := range fix.Files {
		original, err := f.scratch.original(e.File)
		if err != nil {
			return nil, err
		}
		before, err := rewrite.Apply(original, f.edits[e.File], e.Names)
		if err != nil {
			return nil, err
		}
		after, err := rewrite.Apply(original, slices.Concat(f.edits[e.File], e.Edits), e.Names)
		if errors.Is(err, rewrite.ErrOverlap) {
			return nil, errors.New("a rewrite that was kept changes the same code")
		}
		if err != nil {
			return nil, err
		}
		changes[e.File] = change{before, after}
	}
	return changes, nil
}

// keep writes a proven rewrite to the scratch copy.
func (f *fixer) keep(x *find.Finding, changes map[string]change) error {
	for file, c := range changes {
		if err := f.scratch.write(file, c.after); err != nil {
			return err
		}
		original, err := f.scratch.original(file)
		if err != nil {
			return err
		}
		f.result.changed[file] = change{original, c.after}
	}
	for _, e := range x.Fix.Files {
		f.edits[e.File] = append(f.edits[e.File], e.Edits...)
	}
	return nil
}

// judge says why a comparison does not show a gain; "" when it does.
func judge(r *ab.Result) string {
	gains := false
	undecided := false
	for _, s := range r.Subjects {
		if s.Error != "" {
			return s.Name + ": " + s.Error
		}
		for _, u := range s.Units {
			switch u.Verdict {
			case ab.Worse:
				return fmt.Sprintf("%s has more %s: %s", s.Name, u.Unit, percent(float64(u.Ratio)))
			case ab.Better:
				gains = true
			case ab.Undecided:
				undecided = true
			case ab.Same:
			}
		}
	}
	switch {
	case gains:
		return ""
	case undecided:
		return "no gain that the noise leaves to be seen"
	}
	return "no gain"
}

func percent(ratio float64) string { return fmt.Sprintf("%+.1f%%", 100*(ratio-1)) }

func contents(changes map[string]change) map[string][]byte {
	files := map[string][]byte{}
	for name, c := range changes {
		files[name] = c.after
	}
	return files
}

// dirs are the folders of changed files, relative to the module.
func dirs(changes map[string]change) []string {
	var list []string
	for file := range changes {
		if dir := path.Dir(file); !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return list
}
