package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/coverage"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Benchmark is a benchmark of the module, or one that was written, with the code that it runs.
type Benchmark struct {
	pkg, name string // import path, function
	blocks    []coverage.Block
	written   string // directory whose benchmarks were written, if this is one of them
	missed    string // note for a written benchmark that does not run the lines
	path      string // what a written benchmark executes, compared with the recording
	inputs    string // what a written benchmark calls its function with
}

// String returns the name used in results.
func (r Benchmark) String() string { return path.Base(r.pkg) + "." + r.name }

// maxBenchmarks is the number of benchmarks that measure a change: the most focused ones, and the one
// that runs the most code, since a change may affect inlining decisions.
const maxBenchmarks = 4

// enoughOfEffect is the half-width of an interval, as a share of the effect, that is enough: a change
// that halves the time is proven at -45 to -55% as well as at -49 to -51%.
const enoughOfEffect = 0.2

// errNoBenchmark is the reason for dropping a change that nothing measures.
var errNoBenchmark = errors.New("no benchmark runs this line; write one, or measure the service under load (--service)")

// measure compares the module without and with a change, by the benchmarks that run its places, or
// else by generated ones.
func (f *Prover) measure(ctx context.Context, c Candidate) (*Measured, error) {
	if err := f.cover(ctx); err != nil {
		return nil, err
	}
	chosen := Focused(f.Covering(c.Places), maxBenchmarks)
	if len(chosen) == 0 && !f.Serves() {
		f.o.Progress("write a benchmark")
		var err error
		if chosen, err = f.write(ctx, c.Changes); err != nil {
			return nil, err
		}
	}
	over, err := f.scratch.Overlay(c.Changes.After())
	if err != nil {
		return nil, err
	}
	return f.compareBy(ctx, f.Side("without the rewrite"), f.Side("with the rewrite", over...), chosen)
}

// Versus compares two builds by the benchmarks that run some places, or else as a program under
// load.
func (f *Prover) Versus(ctx context.Context, a, b builds.Side, places []find.Place) (*Measured, error) {
	if err := f.cover(ctx); err != nil {
		return nil, err
	}
	return f.compareBy(ctx, a, b, Focused(f.Covering(places), maxBenchmarks))
}

// compareBy compares two builds by benchmarks, or without any, as a program under load.
func (f *Prover) compareBy(ctx context.Context, a, b builds.Side, chosen []Benchmark) (*Measured, error) {
	if len(chosen) > 0 {
		return f.MeasureBy(ctx, a, b, chosen)
	}
	if !f.Serves() {
		return nil, errNoBenchmark
	}
	r, err := f.MeasureService(ctx, a, b)
	return &Measured{AB: r}, err
}

// Serves reports whether the program can be measured under load.
func (f *Prover) Serves() bool { return f.o.Service != nil || f.o.RunService != nil }

// MeasureService compares two builds of the program under load.
func (f *Prover) MeasureService(ctx context.Context, a, b builds.Side) (*ab.Result, error) {
	if f.o.RunService != nil {
		return f.o.RunService(ctx, a, b)
	}
	defer f.clearTrial()
	program := *f.o.Service
	program.AB.MaxTime = untilDeadline(ctx, program.AB.MaxTime, measureShare, 1)
	r, err := program.CompareBuilds(ctx, cmp.Or(f.o.Program, "."), a, b)
	if err != nil {
		return nil, err
	}
	f.warnings = append(f.warnings, r.Warnings...)
	return r.AB, nil
}

// clearTrial removes the files that code under trial has left behind.
func (f *Prover) clearTrial() {
	if err := f.scratch.ClearTrial(); err != nil {
		f.warnings.Add(fmt.Errorf("remove temporary files of the code under trial: %w", err))
	}
}

// MeasureBy compares two builds by benchmarks.
func (f *Prover) MeasureBy(ctx context.Context, a, b builds.Side, chosen []Benchmark) (*Measured, error) {
	return f.measureFor(ctx, a, b, chosen, untilDeadline(ctx, f.o.AB.MaxTime, measureShare, len(chosen)))
}

// measureFor compares two builds by benchmarks, each for at most some time; 0 means no limit.
func (f *Prover) measureFor(
	ctx context.Context, a, b builds.Side, chosen []Benchmark, most time.Duration,
) (m *Measured, err error) {
	var pkgs, names []string
	var installed []*writtenFile
	m = &Measured{covering: chosen}
	for _, c := range chosen {
		if !slices.Contains(pkgs, c.pkg) {
			pkgs = append(pkgs, c.pkg)
		}
		if name := regexp.QuoteMeta(c.name); !slices.Contains(names, name) {
			names = append(names, name)
		}
		m.Benchmarks = append(m.Benchmarks, c.String())
		if c.path != "" && !slices.Contains(m.Paths, c.path) {
			m.Paths = append(m.Paths, c.path)
		}
		if w := f.written[c.written]; w != nil && !slices.Contains(installed, w) {
			installed = append(installed, w)
			m.Written += w.text()
			defer func() { err = errors.Join(err, w.remove(f.scratch)) }()
			if err := w.install(f.scratch); err != nil {
				return nil, err
			}
		}
	}
	defer f.clearTrial()
	a.Env, b.Env = slices.Concat(f.scratch.TrialEnv(), a.Env), slices.Concat(f.scratch.TrialEnv(), b.Env)
	o := builds.Options{
		Patterns: pkgs, Bench: "^(" + strings.Join(names, "|") + ")$", Timeout: f.o.Timeout, AB: f.o.AB,
	}
	o.AB.MaxTime = most
	o.AB.OfEffect = cmp.Or(o.AB.OfEffect, enoughOfEffect)
	r, err := f.o.RunBenchmarks(ctx, a, b, o)
	if err != nil {
		return nil, err
	}
	m.AB = &r.Result
	return m, nil
}

// Covering returns the benchmarks of the base that run a line of the places, the most focused first.
// The base's benchmarks must have been run, as Prove and Versus do.
func (f *Prover) Covering(places []find.Place) []Benchmark { return coveringAny(f.benchmarks, places) }

// MergeBenchmarks returns list and those of more that are not in it.
func MergeBenchmarks(list, more []Benchmark) []Benchmark {
	for _, r := range more {
		if !slices.ContainsFunc(list, func(have Benchmark) bool { return have.pkg == r.pkg && have.name == r.name }) {
			list = append(list, r)
		}
	}
	return list
}

// coveringAny returns the benchmarks that run a line of the places, the most focused first.
func coveringAny(all []Benchmark, places []find.Place) []Benchmark {
	var hits []Benchmark
	for _, r := range all {
		if slices.ContainsFunc(r.blocks, func(b coverage.Block) bool {
			return slices.ContainsFunc(places, func(p find.Place) bool {
				return b.File == p.File && b.From <= p.EndLine && p.Line <= b.To
			})
		}) {
			hits = append(hits, r)
		}
	}
	sortByFocus(hits)
	return hits
}

func sortByFocus(hits []Benchmark) {
	slices.SortStableFunc(hits, func(a, b Benchmark) int { return cmp.Compare(len(a.blocks), len(b.blocks)) })
}

// Focused returns at most most of some benchmarks: the most focused ones, and the one that runs the
// most code.
func Focused(list []Benchmark, most int) []Benchmark {
	list = slices.Clone(list)
	sortByFocus(list)
	if len(list) <= most {
		return list
	}
	return append(list[:most-1], list[len(list)-1])
}

// coverFlags returns the flags of go test for coverage of what benchmarks run.
func (f *Prover) coverFlags(more ...string) []string {
	pattern := "./..."
	if f.scope != nil && len(f.scope.changed) > 0 {
		pattern = strings.Join(f.scope.changed, ",")
	}
	return slices.Concat(f.o.Flags, []string{"-cover", "-coverpkg=" + pattern}, more)
}

// cover runs each benchmark that can reach a change once, before anything is changed, and records
// which code it runs.
func (f *Prover) cover(ctx context.Context) error {
	if f.benchmarks != nil {
		return nil
	}
	f.o.Progress("find the benchmarks that run the lines")
	f.benchmarks = []Benchmark{}
	src := gotest.Source{Dir: f.scratch.Dir, Flags: f.coverFlags(), Env: f.o.Env}
	var patterns []string
	if f.scope != nil {
		patterns = f.inScope()
	}
	pkgs, failures, err := gotest.List(ctx, src, patterns)
	if err != nil {
		return err
	}
	for _, bad := range failures {
		f.warnings.Add(&bad)
	}
	match, err := regexp.Compile(cmp.Or(f.o.Bench, "."))
	if err != nil {
		return err
	}
	for i, pkg := range pkgs {
		names := slices.DeleteFunc(slices.Clone(pkg.Benchmarks), func(name string) bool { return !match.MatchString(name) })
		if len(names) == 0 {
			continue
		}
		bin, err := gotest.Compile(ctx, src, pkg, filepath.Join(f.scratch.Temp, "cover"+strconv.Itoa(i)+".test"))
		if err != nil {
			f.warnings.Add(err)
			continue
		}
		for _, name := range names {
			blocks, err := f.coverOne(ctx, bin, name)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				f.warnings.Add(fmt.Errorf("%s.%s: %w", pkg.ImportPath, name, err))
				continue
			}
			f.benchmarks = append(f.benchmarks, Benchmark{pkg: pkg.ImportPath, name: name, blocks: blocks})
		}
	}
	return nil
}

// coverOne runs a benchmark once.
func (f *Prover) coverOne(
	ctx context.Context, bin *gotest.Binary, name string, env ...string,
) ([]coverage.Block, error) {
	profile := filepath.Join(f.scratch.Temp, "cover.out")
	if err := f.runBenchmark(ctx, bin, name, env, "-test.benchtime=1x", "-test.coverprofile="+profile); err != nil {
		return nil, err
	}
	file, err := os.Open(profile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return coverage.Read(file, f.module)
}

// runBenchmark runs a benchmark with more flags and environment, and does not read its results.
func (f *Prover) runBenchmark(
	ctx context.Context, bin *gotest.Binary, name string, env []string, flags ...string,
) error {
	flags = slices.Concat([]string{"-test.run=^$", "-test.bench=" + gotest.Pattern(name)}, flags)
	_, _, err := f.runProgram(ctx, bin, env, flags)
	return err
}

// runProgram runs a test program with flags and more environment, and returns what it printed.
func (f *Prover) runProgram(
	ctx context.Context, bin *gotest.Binary, env, flags []string,
) (output string, state *os.ProcessState, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin.Path, flags...)
	cmd.Dir, cmd.Env = bin.Package.Dir, slices.Concat(os.Environ(), f.scratch.TrialEnv(), f.o.Env, env)
	defer f.clearTrial()
	procgroup.OwnAndKill(cmd)
	out, err := f.scratch.Output(cmd)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, scratch.LastLines(out))
	}
	return out, cmd.ProcessState, err
}
