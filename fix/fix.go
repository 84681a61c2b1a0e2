package fix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/service"
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
	// FuzzInputs, if above zero, is how many inputs each changed function is fuzzed with, however long that
	// takes, instead of FuzzTime.
	FuzzInputs int
	AB         ab.Options

	// Review also tries the fixes that need somebody to review them.
	Review bool

	// Settings also tries the settings of the build and the run that findings name.
	Settings bool

	// Profiles and Find are what was found with. Between rounds the same is looked for in the module
	// with all that was kept. Without Find.Own there is one round: what overlaps a rewrite that was kept
	// is not tried.
	Profiles find.Profiles
	Find     find.Options
	// Rounds is how often findings are looked for and tried at most; 0 is DefaultRounds. What could
	// only gain together is tried after them.
	Rounds int

	// Service is how the program is started and loaded. It measures rewrites that no benchmark reaches,
	// and the total in addition to the benchmarks. Nil: there are only benchmarks.
	Service *service.Program

	// Benchmarks compares two builds by benchmarks. Nil: builds.Run.
	Benchmarks func(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error)

	// Temp is the folder for the scratch copy; "" is the system's.
	Temp string

	// Progress is called with what is done; nil: not.
	Progress func(what string)
	// Tried is called before the first rewrite of a round is tried, and after each, with how many of the
	// round's are done; nil: not.
	Tried func(done, of int)

	compare func(ctx context.Context, a, b builds.Side) (*ab.Result, error) // tests: instead of Service
	look    func(ctx context.Context, dir string) (*find.Result, error)     // tests: instead of find
}

// What zero means in Options.
const (
	DefaultTimeout  = 5 * time.Minute
	DefaultFuzzTime = 5 * time.Second
	DefaultRounds   = 4
)

// fuzzTime is the limit of the fuzzer as go test takes it.
func (o *Options) fuzzTime() string {
	if o.FuzzInputs > 0 {
		return fmt.Sprintf("%dx", o.FuzzInputs)
	}
	return o.FuzzTime.String()
}

// A Result is what became of the findings of a module.
type Result struct {
	Schema   string    `json:"schema"`
	Module   string    `json:"module"`
	Dir      string    `json:"dir"`
	Attempts []Attempt `json:"attempts"` // in the order in which they were tried
	// Untried are what was found without a rewrite, or what rules did not look at.
	Untried []Untried `json:"untried,omitempty"`
	// Rounds is how often the rules looked, the first time included.
	Rounds int `json:"rounds"`
	// Failing are the packages whose tests fail without any change, and were not asked.
	Failing []string `json:"failing,omitempty"`
	// Broken are the packages that do not build as they are. Nothing that needs them is rewritten.
	Broken []Broken `json:"broken,omitempty"`
	// Total compares the original with all that was kept by all benchmarks that reach some of it, and
	// Service does under load; nil when nothing was kept, or it was not measured so.
	Total   *Measured `json:"total,omitempty"`
	Service *Measured `json:"service,omitempty"`
	// Settings is what became of the settings of the build and the run, each tried alone on top of all
	// that was kept. One that is proven has StageKept, and is set by nobody but the user.
	Settings []Attempt `json:"settings,omitempty"`
	// WithSettings compares the original with all that was kept and the proven settings together; nil
	// when none is proven.
	WithSettings *Measured `json:"with_settings,omitempty"`
	// Interrupted is set when not all findings were tried.
	Interrupted bool `json:"interrupted,omitempty"`
	// Took is the time of what was done for all attempts, in the order in which it was begun first.
	Took []Took `json:"took,omitempty"`

	Warnings []error `json:"-"`

	changed map[string]change // by file, all that was kept
}

// Untried is what costs and has no rewrite that could be tried.
type Untried struct {
	Title    string  `json:"title"` // of the finding; "" is a line that rules did not look at
	File     string  `json:"file"`  // relative to the module, or as the profile names it
	Line     int     `json:"line,omitempty"`
	Function string  `json:"function"`
	Reason   string  `json:"reason"`
	Share    float64 `json:"share"` // as Finding.Saving
	// Waiting is what is known of a line that only waits; nil for one that costs.
	Waiting *find.HotLine `json:"waiting,omitempty"`
}

// Broken is a package that does not build.
type Broken struct {
	Package string `json:"package"` // import path
	Reason  string `json:"reason"`
}

// Took is how long something took, each time that it was done together.
type Took struct {
	What string        `json:"what"`
	Time time.Duration `json:"ns"`
}

// A change is a file before and after.
type change struct{ before, after []byte }

// Stage is how far a fix came.
type Stage string

// Stages, in their order.
const (
	StageNeeds   Stage = "needs" // something that whet does not do: it was not tried
	StageRewrite Stage = "rewrite"
	StageBuild   Stage = "build"
	StageVet     Stage = "vet"
	StageTest    Stage = "test"
	StageCompare Stage = "compare answers"
	StageMeasure Stage = "measure"
	StageWhole   Stage = "test all" // the whole module's tests fail with what was kept
	StageKept    Stage = "kept"
)

// An Attempt is what became of a finding.
type Attempt struct {
	Finding find.Finding `json:"finding"`
	Stage   Stage        `json:"stage"`            // StageKept, or where it was dropped
	Reason  string       `json:"reason,omitempty"` // why it was dropped
	// Tested is in how many packages the tests passed: those that the rewrite can affect. 0: it did not
	// come so far.
	Tested int `json:"tested,omitempty"`
	// Answers is what calling the old and the new functions has shown.
	Answers *Answers `json:"answers,omitempty"`
	// Measured is the comparison without and with this rewrite.
	Measured *Measured `json:"measured,omitempty"`
	// Open are the figures whose interval neither shows a gain nor a loss, as sentences.
	Open []string `json:"open,omitempty"`
	// Together is how many others it was kept with: each alone gains less than can be seen, and Measured
	// is of all.
	Together int `json:"together,omitempty"`
	// Diff is the rewrite on top of what was kept before.
	Diff string `json:"diff,omitempty"`
	// Round is the one in which it was found, from 1 on.
	Round int `json:"round"`
	// Took is the time of each stage.
	Took []Took `json:"took,omitempty"`

	undo  map[string][]byte // files as they were before it was kept
	retry bool              // it was dropped for what was kept before it in its round
	key   string            // fixer.keyOf
	weak  bool              // it was dropped because no gain was seen, and nothing else
}

// String is what logs and tests print: an Attempt holds whole files.
func (a Attempt) String() string {
	return fmt.Sprintf("%s: %s: %s", a.Finding.Title, a.Stage, a.Reason)
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
	Written string `json:"written,omitempty"`
	// Paths say where the written benchmarks go in the changed functions, compared with the recording.
	Paths []string   `json:"paths,omitempty"`
	AB    *ab.Result `json:"ab"`

	reached []reach // the benchmarks
}

// Run tries the fixes of findings on the module in r.Dir. When ctx ends, the result is of what was
// tried until then. It is an error when the module does not build as it is.
func Run(ctx context.Context, r *find.Result, o Options) (result *Result, err error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Benchmarks == nil {
		o.Benchmarks = builds.Run
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
	f := &fixer{o: o, found: r, program: r.Program, result: &Result{Schema: Schema, Module: r.Module, Dir: r.Dir, changed: map[string]change{}}}
	began := time.Now()
	o.Progress("copy the module")
	if f.scratch, err = newScratch(ctx, r.Dir, o); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.scratch.close()) }()
	f.took("copy", began)
	if err := f.baseline(ctx); err != nil {
		return nil, err
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

// A fixer is one run.
type fixer struct {
	o        Options
	found    *find.Result // what is tried in this round
	program  string       // import path of the main package; "" when it is not known
	scratch  *scratch
	packages *packageGraph
	result   *Result
	vetted   map[string]bool           // what vet says of the module as it is
	edits    map[string][]rewrite.Edit // that were kept in this round, by file, of what it began with
	round    int                       // from 1 on
	done     map[string]int            // rewrites that are not tried again, and how many are alike
	reached  []reach                   // by the source that the round began with; nil: not known yet
	written  map[string]*writtenFile   // benchmarks, by folder
	hit      []reach                   // benchmarks that reach something that was kept
	// testedAll is set when the tests of all packages have run with all that was kept.
	testedAll bool
}

// took adds the time since began to what something took.
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

// baseline builds, vets and tests the module as it is.
func (f *fixer) baseline(ctx context.Context) (err error) {
	began := time.Now()
	f.o.Progress("build the module as it is")
	if f.packages, err = f.scratch.listPackages(ctx); err != nil {
		return err
	}
	out, err := f.scratch.run(ctx, nil, "build", slices.Concat([]string{"-o", os.DevNull}, f.packages.all)...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		f.packages.markBroken(out)
	}
	f.result.Broken = f.packages.broken
	if err := f.refuseBroken(); err != nil {
		return err
	}
	f.took("build", began)

	began = time.Now()
	out, _ = f.scratch.run(ctx, nil, "vet", f.packages.all...) // what it says is the point
	f.vetted = vetLines(out)
	f.took("vet", began)

	began = time.Now()
	f.o.Progress("test the module as it is")
	out, err = f.scratch.run(ctx, nil, "test", f.testArgs(f.packages.all)...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		f.result.Failing = failing(out)
		f.result.Warnings = append(f.result.Warnings, fmt.Errorf("tests fail before anything was changed, and are not asked: %s", strings.Join(f.result.Failing, ", ")))
	}
	f.took("test", began)
	return nil
}

// refuseBroken is an error when no rewrite could be tried because what it changes does not build.
func (f *fixer) refuseBroken() error {
	if len(f.packages.broken) == 0 {
		return nil
	}
	whole := len(f.packages.all) == 0
	if !whole {
		for _, b := range f.packages.broken {
			f.result.Warnings = append(f.result.Warnings, fmt.Errorf("package %s does not build: %s", b.Package, firstLine(b.Reason)))
		}
		return nil
	}
	first := f.packages.broken[0]
	return &diag.Error{Op: "build", Subject: f.found.Dir, Err: errors.New(first.Reason), Hint: "the module must build before it can be made faster"}
}

func (f *fixer) testArgs(pkgs []string) []string {
	return slices.Concat([]string{"-timeout=" + f.o.Timeout.String()}, pkgs)
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
