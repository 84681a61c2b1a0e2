package benchmarks

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/coverage"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/profile"
)

// A Benchmark is a benchmark of the module, or one that was written, with the code that it runs.
type Benchmark struct {
	pkg, name string // import path, function
	dir       string // of the package, relative to the module
	blocks    []coverage.Block
	written   bool
	missed    string           // note for a written benchmark that does not run the lines
	path      string           // what a written benchmark executes, compared with the recording
	inputs    string           // what a written benchmark calls its function with
	bin       *gotest.Binary   // counts what it runs; nil for written ones
	took      time.Duration    // with one iteration
	importer  *Importer        // whose benchmark it is; nil for one of the module
	sampled   *profile.Profile // of a written benchmark that was compared with the recording
}

// String returns the name used in results.
func (b Benchmark) String() string { return path.Base(b.pkg) + "." + b.name }

// is reports whether both are the same function of the same package.
func (b Benchmark) is(other Benchmark) bool {
	return b.pkg == other.pkg && b.name == other.name && b.importer == other.importer
}

// Merge returns list and those of more that are not in it.
func Merge(list, more []Benchmark) []Benchmark {
	for _, b := range more {
		if !slices.ContainsFunc(list, b.is) {
			list = append(list, b)
		}
	}
	return list
}

// Focused returns at most most benchmarks of list: those that run the least code, and the one that
// runs the most, since a change may affect inlining decisions.
func Focused(list []Benchmark, most int) []Benchmark {
	list = slices.Clone(list)
	sortByFocus(list)
	if len(list) <= most {
		return list
	}
	return append(list[:most-1], list[len(list)-1])
}

func sortByFocus(hits []Benchmark) {
	slices.SortStableFunc(hits, func(a, b Benchmark) int { return cmp.Compare(len(a.blocks), len(b.blocks)) })
}

// covering returns the benchmarks that run a line of the places, in order of how little code they
// run.
func covering(all []Benchmark, places []find.Place) []Benchmark {
	var hits []Benchmark
	for _, r := range all {
		if slices.ContainsFunc(r.blocks, func(b coverage.Block) bool { return isIn(b, places) }) {
			hits = append(hits, r)
		}
	}
	sortByFocus(hits)
	return hits
}

// isIn reports whether a block has a line of the places.
func isIn(b coverage.Block, places []find.Place) bool {
	return slices.ContainsFunc(places, func(p find.Place) bool {
		return b.File == p.File && b.From <= p.EndLine && p.Line <= b.To
	})
}

// Options configure New.
type Options struct {
	Module  string        // its path
	Flags   []string      // of go build
	Env     []string      // KEY=value, for the go command and the processes it starts
	Match   string        // benchmarks of the module to use, as in go test's -bench; "" means all
	Timeout time.Duration // of a process
	// Corpus returns the directory of the inputs that a comparison of the package in a directory found; may be nil.
	Corpus func(dir string) string
	// Run replaces builds.Run; nil means that.
	Run func(ctx context.Context, a, b builds.Side, o builds.Options) (*builds.Result, error)
	// Importers are other modules, built with the copy: their benchmarks measure changes, too.
	Importers []*Importer
}

// A Set is the benchmarks of a module, and those that were written for it.
type Set struct {
	o        Options
	scratch  *scratch.Module
	scope    Scope                   // of the last search
	found    []Scope                 // searched since New or Forget
	own      []Benchmark             // of the module
	written  map[string]*writtenFile // by directory
	warnings find.Warnings
}

// New returns a Set for the copy of a module, which must outlive it.
func New(m *scratch.Module, o Options) *Set {
	if o.Run == nil {
		o.Run = builds.Run
	}
	return &Set{o: o, scratch: m, written: map[string]*writtenFile{}}
}

// A Scope limits which benchmarks are looked for, and what they are found to run.
type Scope struct {
	Packages []string // import paths of those whose benchmarks are run; empty means all of the module
	Covered  []string // import paths of those whose code counts; empty means all of the module
}

// Find runs each benchmark of a scope once and records which code it runs. Those that do not build
// or fail are left out, with a warning.
func (s *Set) Find(ctx context.Context, scope Scope) error {
	s.found, s.scope = append(s.found, scope), scope
	src := gotest.Source{Dir: s.scratch.Dir, Flags: s.coverFlags("atomic", "./..."), Env: s.o.Env}
	if err := s.find(ctx, src, scope.Packages, nil); err != nil {
		return err
	}
	for _, from := range s.o.Importers {
		if err := s.findIn(ctx, from); err != nil && ctx.Err() == nil {
			s.warnings.Add(fmt.Errorf("the benchmarks of %s do not measure the change: %w", from.Name, err))
		}
	}
	return ctx.Err()
}

// find is Find for packages of the module, or of one that imports it.
func (s *Set) find(ctx context.Context, src gotest.Source, packages []string, from *Importer) error {
	pkgs, failures, err := gotest.List(ctx, src, packages)
	if err != nil {
		return err
	}
	for _, bad := range failures {
		s.warnings.Add(&bad)
	}
	match, err := regexp.Compile(cmp.Or(s.o.Match, "."))
	if err != nil {
		return err
	}
	for i, pkg := range pkgs {
		names := slices.DeleteFunc(slices.Clone(pkg.Benchmarks), func(name string) bool { return !match.MatchString(name) })
		if len(names) == 0 {
			continue
		}
		dir, err := filepath.Rel(src.Dir, pkg.Dir)
		if err != nil {
			return err
		}
		bin, err := gotest.Compile(ctx, src, pkg, s.coverProgram(from, i))
		if err != nil {
			s.warnings.Add(err)
			continue
		}
		for _, name := range names {
			began := time.Now()
			blocks, _, err := s.coverOne(ctx, bin, name, nil, 1)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				s.warnings.Add(fmt.Errorf("%s.%s: %w", pkg.ImportPath, name, err))
				continue
			}
			s.own = append(s.own, Benchmark{
				pkg: pkg.ImportPath, name: name, dir: filepath.ToSlash(dir), blocks: blocks, bin: bin, took: time.Since(began),
				importer: from,
			})
		}
	}
	return nil
}

// Found reports whether Find was called with a scope since New or Forget.
func (s *Set) Found(scope Scope) bool {
	return slices.ContainsFunc(s.found, func(o Scope) bool {
		return slices.Equal(o.Packages, scope.Packages) && slices.Equal(o.Covered, scope.Covered)
	})
}

// Forget drops what Find has found, because the copy has changed.
func (s *Set) Forget() { s.found, s.own = nil, nil }

// Covering returns the benchmarks of the module that run a line of the places, in order of how
// little code they run.
func (s *Set) Covering(places []find.Place) []Benchmark { return covering(s.own, places) }

// Others returns the benchmarks of the module that run code in some directories and are not among
// those that were chosen.
func (s *Set) Others(dirs []string, chosen []Benchmark) (list []Benchmark) {
	for _, b := range s.own {
		ran := slices.ContainsFunc(b.blocks, func(block coverage.Block) bool {
			return slices.Contains(dirs, path.Dir(block.File))
		})
		if ran && b.importer == nil && !slices.ContainsFunc(chosen, b.is) {
			list = append(list, b)
		}
	}
	return list
}

// How many iterations show what they run, rather than what comes before them, in benchmarks that take at most
// quickly with one.
const (
	fewIterations, moreIterations = 2, 12

	quickly = 300 * time.Millisecond
)

// Measuring returns those of some benchmarks whose iterations run a line of the places: others run them only before
// they measure, which a warning says. share is the largest share of these lines in what the iterations of a benchmark
// run, by how often blocks of code run. A benchmark for which it would take long to find out is one of them; its
// share includes what comes before.
func (s *Set) Measuring(
	ctx context.Context, list []Benchmark, places []find.Place,
) (measuring []Benchmark, share float64) {
	for _, b := range list {
		of, err := s.shareOf(ctx, b, places)
		if err != nil {
			of = 1
		}
		if of == 0 {
			s.warnings.Add(fmt.Errorf("%s does not measure the changed lines: it runs them only before its iterations", b))
			continue
		}
		measuring, share = append(measuring, b), max(share, of)
	}
	return measuring, share
}

// shareOf returns the share of the places in what the iterations of a benchmark run.
func (s *Set) shareOf(ctx context.Context, b Benchmark, places []find.Place) (float64, error) {
	if b.took > quickly {
		changed, all := timesOf(b.blocks, places)
		return float64(changed) / float64(all), nil
	}
	var changed, all [2]int64
	for i, n := range []int{fewIterations, moreIterations} {
		blocks, _, err := s.coverOne(ctx, b.bin, b.name, nil, n)
		if err != nil {
			return 0, err
		}
		changed[i], all[i] = timesOf(blocks, places)
	}
	if changed[1] <= changed[0] {
		return 0, nil
	}
	return min(1, float64(changed[1]-changed[0])/float64(max(1, all[1]-all[0]))), nil
}

// timesOf returns how often blocks of the places ran, and how often all did.
func timesOf(blocks []coverage.Block, places []find.Place) (changed, all int64) {
	for _, block := range blocks {
		all += block.Times
		if isIn(block, places) {
			changed += block.Times
		}
	}
	return changed, all
}

// Warnings returns the warnings since the last call.
func (s *Set) Warnings() find.Warnings {
	list := s.warnings
	s.warnings = nil
	return list
}

// coverFlags returns the flags of go test for coverage, in a mode, of what benchmarks run of the packages with some
// patterns, or of those in the scope.
func (s *Set) coverFlags(mode string, patterns ...string) []string {
	if len(s.scope.Covered) > 0 {
		patterns = s.scope.Covered
	}
	return slices.Concat(s.o.Flags, []string{"-cover", "-coverpkg=" + strings.Join(patterns, ","), "-covermode=" + mode})
}

// coverProgram names the n-th program that says what benchmarks of a module run, of the last search.
func (s *Set) coverProgram(from *Importer, n int) string {
	of := 1 + slices.Index(s.o.Importers, from)
	return filepath.Join(s.scratch.Temp, fmt.Sprintf("cover%d-%d-%d.test", len(s.found), of, n))
}

// coverOne runs some iterations of a benchmark, and returns the blocks that ran, and those that did not.
func (s *Set) coverOne(
	ctx context.Context, bin *gotest.Binary, name string, env []string, iterations int,
) (ran, missed []coverage.Block, err error) {
	profile := filepath.Join(s.scratch.Temp, "cover.out")
	flags := []string{fmt.Sprintf("-test.benchtime=%dx", iterations), "-test.coverprofile=" + profile}
	if err := s.runBenchmark(ctx, bin, name, env, flags...); err != nil {
		return nil, nil, err
	}
	file, err := os.Open(profile)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	return coverage.Read(file, s.o.Module)
}

// runBenchmark runs a benchmark with more flags and environment, and does not read its results.
func (s *Set) runBenchmark(ctx context.Context, bin *gotest.Binary, name string, env []string, flags ...string) error {
	flags = slices.Concat([]string{"-test.run=^$", "-test.bench=" + gotest.Pattern(name)}, flags)
	_, _, err := s.runProgram(ctx, bin, env, flags)
	return err
}

// runProgram runs a test program with flags and more environment, and returns what it printed.
func (s *Set) runProgram(
	ctx context.Context, bin *gotest.Binary, env, flags []string,
) (output string, state *os.ProcessState, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin.Path, flags...)
	cmd.Dir, cmd.Env = bin.Package.Dir, slices.Concat(os.Environ(), s.scratch.TrialEnv(), s.o.Env, env)
	defer s.clearTrial()
	procgroup.OwnAndKill(cmd)
	out, err := s.scratch.Output(cmd)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, scratch.LastLines(out))
	}
	return out, cmd.ProcessState, err
}

// clearTrial removes the files that benchmarks have left.
func (s *Set) clearTrial() { s.warnings.Add(s.scratch.ClearTrial()) }
