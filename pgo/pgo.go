package pgo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/service"
	"github.com/whet-go/whet/source/objfile"
)

// Schema is the schema of Result as JSON.
const Schema = "whet.pgo/2"

// fewSamples is the number of samples below which a profile hardly shows which calls are hot.
const fewSamples = 1000

// Options configure Run. With only Profile set, it builds the main package in the current
// directory.
type Options struct {
	// Profile is a CPU profile, not yet reduced.
	Profile *profile.Profile
	// Recording is where the profile comes from; nil if unknown. It determines the main package,
	// and the versions to compare.
	Recording *recording.Meta

	Dir      string   // of the module, or in it; "" is the current directory
	Packages []string // patterns; none means the recording's main package, or "."
	Flags    []string // of go build, without -pgo
	Env      []string // KEY=value, in addition to the environment of this process

	// BuildTime measures the build time, by building without the build cache, which is slow.
	BuildTime bool

	// Benchmarks selects the benchmarks for the comparison, unless Service is set.
	Benchmarks Benchmarks
	// Service configures how the program is started and loaded, to compare it under load. If it is
	// nil, benchmarks are compared.
	Service *service.Program
	// NoMeasure skips the comparison.
	NoMeasure bool
	AB        ab.Options // how to compare

	// MaxStale is the share of stale calls above which there is a warning; 0 disables it.
	MaxStale float64
	// MinGain is the minimum speedup as a fraction: 0.02 is 2%. 0 accepts any significant gain.
	MinGain float64

	// Found is called with the target before anything is built; its error ends the run. It may be
	// nil.
	Found func(*Target) error

	Work     string       // an existing directory for the builds
	Progress func(string) // is called with the current step; may be nil

	compare func(ctx context.Context, paths [2]string) (*ab.Result, bench.Warnings, error) // tests: instead of Service
}

// serves reports whether the program is compared under load.
func (o *Options) serves() bool { return o.Service != nil || o.compare != nil }

// load compares the executables under load. The second result is the reasons to distrust it.
func (o *Options) load(ctx context.Context, paths [2]string) (*ab.Result, bench.Warnings, error) {
	if o.compare != nil {
		return o.compare(ctx, paths)
	}
	r, err := o.Service.Compare(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	return r.AB, r.Warnings, nil
}

// A Result is the effect of a profile on a program.
type Result struct {
	Schema  string  `json:"schema"`
	Target  Target  `json:"target"`
	Profile Summary `json:"profile"`

	Stale Staleness `json:"stale"`

	// A is built with -pgo=off, even if there is a default.pgo, and B with the profile.
	A *Build `json:"a"`
	B *Build `json:"b"`

	Changes []ChangedCall `json:"changes"` // calls; own ones and the heaviest first
	Frames  []GrownFrame  `json:"frames"`  // of the profile's functions; the largest growth first

	Comparison *ab.Result `json:"comparison,omitempty"` // nil if nothing was measured
	Gain       *Gain      `json:"gain,omitempty"`       // nil if it is unknown
	MinGain    float64    `json:"min_gain"`

	// Pays is set if the program became faster by at least MinGain, with the interval's confidence.
	// Why is the reason.
	Pays bool   `json:"pays"`
	Why  string `json:"why"`

	// Written is the path of the profile that Save wrote, or "".
	Written string `json:"written,omitempty"`

	Warnings bench.Warnings `json:"warnings,omitempty"`

	reduced *profile.Profile
}

// A Summary describes the profile.
type Summary struct {
	Samples  int64         `json:"samples"` // 0 if the profile does not count them
	Duration time.Duration `json:"duration_ns,omitempty"`
	Time     time.Time     `json:"time,omitzero"` // when it was started; zero when unknown
	Calls    int           `json:"calls"`         // calls that the compiler finds in it
	Hot      int           `json:"hot"`           // of them, with 99% of the weight
	Bytes    int64         `json:"bytes"`         // of the profile to be written
	Bench    bool          `json:"bench"`         // it is of benchmarks, not of a program
}

// Gain is the deciding ratio of B to A, below 1 if the profile makes the program faster.
type Gain struct {
	Unit  string      `json:"unit"`
	Of    int         `json:"of"` // number of benchmarks of which it is the geometric mean
	Ratio bench.Float `json:"ratio"`
	Low   bench.Float `json:"low"`
	High  bench.Float `json:"high"` // infinite with too few measurements
}

// WriteProfile writes the profile for the compiler, gzipped.
func (r *Result) WriteProfile(w io.Writer) error { return r.reduced.Write(w) }

// Save writes the profile to the main package's default.pgo, replacing a file of that name, and sets Written.
func (r *Result) Save() error {
	file := r.Target.Default()
	n, err := tempfile.Replace(file, r.WriteProfile)
	if err != nil {
		return &diag.Error{Op: "write", Subject: file, Err: err}
	}
	r.Profile.Bytes, r.Written = n, file
	return nil
}

// Run builds a program with and without a profile and returns the differences. If ctx ends during
// the comparison, it returns what is known so far, and otherwise ctx's error.
func Run(ctx context.Context, o Options) (*Result, error) {
	r := &runner{Options: o, module: module{dir: o.Dir, flags: o.Flags, env: o.Env}}
	if r.Progress == nil {
		r.Progress = func(string) {}
	}
	r.result = &Result{Schema: Schema, MinGain: o.MinGain, Changes: []ChangedCall{}, Frames: []GrownFrame{}}
	for _, step := range []func(context.Context) error{
		r.prepare, r.listTests, r.buildMain, r.buildTests, r.readCode, r.measure,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	r.judge()
	return r.result, nil
}

// A runner is one run of Run.
type runner struct {
	Options
	module
	result *Result
	own    func(function string) bool

	// Profiles for the program and for test binaries, which differ in the name of the main package;
	// the same file if the name is the same.
	program, tests variant

	main     [2]string // executables, "" for a library
	packages []gotest.Package
	suites   []benchPackage
}

// A variant is the profile for one kind of build.
type variant struct {
	path  string
	edges []Edge
}

// prepare reduces the profile, finds the target and writes the profiles for its builds.
func (r *runner) prepare(ctx context.Context) error {
	reduced, err := Reduce(r.Profile)
	if err != nil {
		return err
	}
	want := ""
	if r.Recording != nil && r.Recording.Build != nil {
		want = r.Recording.Build.Path
	}
	patterns := r.Packages
	if len(patterns) == 0 {
		patterns = []string{"."}
		if _, err := r.run(ctx, "list", append(r.listFlags(), "--", want)); err == nil && want != "" {
			patterns = []string{want}
		}
	}
	t, err := r.findTarget(ctx, patterns, want)
	if err != nil {
		return err
	}
	r.result.Target = *t
	if r.serves() && t.Main == "" {
		return diag.Usagef("compare", "a library has no program to start", "name the main package after the profiles")
	}
	if r.Found != nil {
		if err := r.Found(t); err != nil {
			return err
		}
	}
	matcher := profile.OwnMatcher([]string{t.Module}, reduced.Dependencies([]string{t.Module}))
	r.own = func(function string) bool { return matcher(profile.Function{Name: function}) }

	forProgram, forTests := reduced, reduced
	if t.Main != "" {
		if forProgram, err = renamePackage(reduced, t.Main, "main"); err != nil {
			return err
		}
		if forTests, err = renamePackage(reduced, "main", t.Main); err != nil {
			return err
		}
	}
	r.result.reduced = forProgram
	if r.program, err = r.write(forProgram, "program.pgo"); err != nil {
		return err
	}
	if r.tests, err = r.write(forTests, "tests.pgo"); err != nil {
		return err
	}
	return r.summarize(forProgram)
}

func (r *runner) write(p *profile.Profile, name string) (v variant, err error) {
	v.edges = Edges(p)
	v.path = filepath.Join(r.Work, name)
	file, err := os.Create(v.path)
	if err != nil {
		return v, fmt.Errorf("write profile: %w", err)
	}
	if err = errors.Join(p.Write(file), file.Close()); err != nil {
		return v, fmt.Errorf("write profile: %w", err)
	}
	return v, nil
}

func (r *runner) summarize(p *profile.Profile) error {
	fi, err := os.Stat(r.program.path)
	if err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	s := &r.result.Profile
	*s = Summary{
		Duration: p.Duration, Time: p.Time, Bytes: fi.Size(),
		Calls: len(r.program.edges), Hot: len(hotEdges(r.program.edges)),
		Bench: slices.ContainsFunc(r.Profile.Functions, func(f profile.Function) bool {
			return f.Name == "testing.(*B).runN"
		}),
	}
	if i := slices.Index(p.SampleTypes, profile.ValueType{Type: "samples", Unit: "count"}); i >= 0 {
		for k := range p.NumSamples() {
			s.Samples += p.Value(k, i)
		}
		if s.Samples < fewSamples {
			r.warnf("the profile has only %d samples, too few to show what is hot: a minute under load has thousands", s.Samples)
		}
	}
	if m := r.Recording; m != nil && m.Build != nil &&
		m.Build.Main.Path != "" && m.Build.Main.Path != r.result.Target.Module {
		r.warnf("the recording is of module %s, and this is %s", m.Build.Main.Path, r.result.Target.Module)
	}
	return nil
}

func (r *runner) warnf(format string, args ...any) {
	r.result.Warnings.Addf(format, args...)
}

// profiles returns the values of -pgo for the two sides.
func (v variant) profiles() [2]string { return [2]string{"off", v.path} }

// sideName returns the name of a side for progress messages.
func sideName(side ab.Side) string {
	if side == ab.A {
		return "without the profile"
	}
	return "with the profile"
}

// buildMain builds the main package, or a library, to measure the build time.
func (r *runner) buildMain(ctx context.Context) error {
	t := &r.result.Target
	var builds [2]*Build
	for side, with := range r.program.profiles() {
		pkgs, out := r.Packages, ""
		switch {
		case t.Main != "":
			pkgs, out = []string{t.Main}, filepath.Join(r.Work, "program."+ab.Side(side).String())
		case len(pkgs) == 0:
			pkgs = []string{"."}
		}
		how := ""
		if r.BuildTime {
			how = ", all packages from scratch"
		}
		r.Progress(fmt.Sprintf("building %s%s", sideName(ab.Side(side)), how))
		b, err := r.build(ctx, with, out, r.BuildTime, pkgs...)
		if err != nil {
			return err
		}
		builds[side], r.main[side] = b, out
	}
	r.result.A, r.result.B = builds[ab.A], builds[ab.B]
	return nil
}

// readCode compares the code of the builds and looks up the profile in it.
func (r *runner) readCode(ctx context.Context) error {
	r.Progress("reading the machine code")
	sides := func(of func(side ab.Side) []string) (codes [2]*callCode, err error) {
		for _, side := range []ab.Side{ab.A, ab.B} {
			for _, path := range of(side) {
				if err := ctx.Err(); err != nil {
					return codes, err
				}
				c, err := readProgram(path)
				if err != nil {
					return codes, err
				}
				if codes[side] == nil {
					codes[side] = c
				} else {
					codes[side].merge(c)
				}
			}
		}
		return codes, nil
	}
	var program, tests [2]*callCode
	var err error
	if r.main[ab.A] != "" {
		if program, err = sides(func(side ab.Side) []string { return []string{r.main[side]} }); err != nil {
			return err
		}
	}
	if program[ab.A] == nil || r.result.Profile.Bench {
		if tests, err = sides(r.testBinaries); err != nil {
			return err
		}
	}
	// The code that benchmarks run is in the test binaries.
	judge, edges := program[ab.A], r.program.edges
	if tests[ab.A] != nil {
		judge, edges = tests[ab.A], r.tests.edges
	}
	if judge == nil {
		return &diag.Error{
			Op:   "determine what the profile changes",
			Err:  errors.New("no main package and no benchmarks"),
			Hint: "name the main package that was profiled after the profile",
		}
	}
	r.result.Stale = stale(edges, judge, r.own)
	if share := r.result.Stale.Share(); r.MaxStale > 0 && share > r.MaxStale {
		r.warnf("%.0f%% of the profile is code that no longer exists: record the current program", share*100)
	}
	if edges = r.program.edges; program[ab.A] == nil {
		program, edges = tests, r.tests.edges
	}
	r.result.Changes = append(r.result.Changes, changedCalls(program[ab.A], program[ab.B], edges, r.own)...)
	r.result.Frames = append(r.result.Frames, grownFrames(program[ab.A], program[ab.B], edges, r.own)...)
	return r.compareVersions()
}

func readProgram(path string) (*callCode, error) {
	b, err := objfile.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := readCalls(b)
	return c, errors.Join(err, b.Close())
}

// compareVersions records what else has changed since the recording.
func (r *runner) compareVersions() error {
	if r.main[ab.A] == "" || r.Recording == nil {
		return nil
	}
	b, err := objfile.Open(r.main[ab.A])
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // read-only
	info, err := b.BuildInfo()
	if err != nil {
		return err
	}
	r.result.Stale.differences(r.Recording, &r.result.Target, recording.BuildOf(info).Deps)
	return nil
}

// judge decides whether the profile pays off.
func (r *runner) judge() {
	res := r.result
	switch c := res.Comparison; {
	case c == nil:
		res.Why = "nothing was measured"
	case c.Interrupted:
		res.Why = "the measurement was interrupted"
		res.Gain = gainOf(c)
	default:
		res.Gain = gainOf(c)
		res.Pays, res.Why = res.Gain.pays(res.MinGain)
	}
}

// gainOf returns the deciding figure of a comparison: the geometric mean of several benchmarks, or
// the ratio of one. If benchmarks have different units, it uses the most common one. It returns nil
// if there is none.
func gainOf(c *ab.Result) *Gain {
	deciding := map[string]bool{c.Unit: true}
	for _, s := range c.Subjects {
		if len(s.Units) > 0 {
			deciding[s.Units[0].Unit] = true
		}
	}
	var most *Gain
	for _, m := range c.Geomean {
		if deciding[m.Unit] && m.Of > 1 && (most == nil || m.Of > most.Of || m.Of == most.Of && m.Unit == c.Unit) {
			most = &Gain{Unit: m.Unit, Of: m.Of, Ratio: m.Ratio, Low: m.Low, High: m.High}
		}
	}
	if most != nil {
		return most
	}
	for _, s := range c.Subjects {
		for i, u := range s.Units {
			if u.Unit == c.Unit || i == 0 && !slices.ContainsFunc(s.Units, func(o ab.Unit) bool { return o.Unit == c.Unit }) {
				return &Gain{Unit: u.Unit, Of: 1, Ratio: u.Ratio, Low: u.Low, High: u.High}
			}
		}
	}
	return nil
}

// pays judges a gain, which may be nil.
func (g *Gain) pays(least float64) (bool, string) {
	switch {
	case g == nil || !(g.Low > 0 && g.High < 1e9):
		return false, "too few measurements to decide"
	case float64(g.High) < 1-least:
		return true, "the program is faster with the profile"
	case g.High < 1:
		return false, fmt.Sprintf("the program is faster, but not certainly by the required %.3g%%", least*100)
	case g.Low > 1:
		return false, "the program is slower with the profile"
	}
	return false, "no proven gain: the interval includes no change"
}
