package fix

import (
	"bufio"
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

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
)

// A reach is a benchmark and the code that it runs.
type reach struct {
	pkg, name string // import path, function
	blocks    []block
}

// A block is some lines of a file of the module that ran.
type block struct {
	file     string // relative to the module
	from, to int
}

// maxBenchmarks is how many benchmarks measure a rewrite: the most focused ones, and the one that
// runs the most code, since a rewrite may change what is inlined into what.
const maxBenchmarks = 4

// errNoBenchmark is why a rewrite that nothing measures is dropped.
var errNoBenchmark = errors.New("no benchmark reaches the line: write one, or load the service (--service)")

// measure compares the module without and with a rewrite.
func (f *fixer) measure(ctx context.Context, x *find.Finding, changes map[string]change) (*Measured, error) {
	over, err := f.scratch.overlay(contents(changes))
	if err != nil {
		return nil, err
	}
	a := builds.Side{Dir: f.scratch.dir, Flags: f.o.Flags, Env: f.o.Env}
	b := builds.Side{Dir: f.scratch.dir, Flags: slices.Concat(f.o.Flags, over), Env: f.o.Env}
	return f.versus(ctx, a, b, x.Places)
}

// versus compares two builds by the benchmarks that reach some places; without one, as a program under
// load.
func (f *fixer) versus(ctx context.Context, a, b builds.Side, places []find.Place) (*Measured, error) {
	if f.reached == nil {
		f.o.Progress("find out which benchmarks reach what")
		if err := f.cover(ctx); err != nil {
			return nil, err
		}
	}
	if chosen := focused(reaching(f.reached, places), maxBenchmarks); len(chosen) > 0 {
		return f.run(ctx, a, b, chosen)
	}
	if f.o.Program == nil {
		return nil, errNoBenchmark
	}
	r, err := f.o.Program(ctx, a, b)
	return &Measured{AB: r}, err
}

// run compares two builds by benchmarks.
func (f *fixer) run(ctx context.Context, a, b builds.Side, chosen []reach) (*Measured, error) {
	var pkgs, names []string
	m := &Measured{}
	for _, c := range chosen {
		if !slices.Contains(pkgs, c.pkg) {
			pkgs = append(pkgs, c.pkg)
		}
		if name := regexp.QuoteMeta(c.name); !slices.Contains(names, name) {
			names = append(names, name)
		}
		m.Benchmarks = append(m.Benchmarks, path.Base(c.pkg)+"."+c.name)
	}
	r, err := builds.Run(ctx, a, b, builds.Options{
		Patterns: pkgs, Bench: "^(" + strings.Join(names, "|") + ")$", Timeout: f.o.Timeout, AB: f.o.AB,
	})
	if err != nil {
		return nil, err
	}
	m.AB = &r.Result
	return m, nil
}

// reaching are the benchmarks that run a line of the places, the most focused first.
func reaching(all []reach, places []find.Place) []reach {
	var hits []reach
	for _, r := range all {
		if slices.ContainsFunc(r.blocks, func(b block) bool {
			return slices.ContainsFunc(places, func(p find.Place) bool { return b.file == p.File && b.from <= p.EndLine && p.Line <= b.to })
		}) {
			hits = append(hits, r)
		}
	}
	sortByFocus(hits)
	return hits
}

func sortByFocus(hits []reach) {
	slices.SortStableFunc(hits, func(a, b reach) int { return cmp.Compare(len(a.blocks), len(b.blocks)) })
}

// focused are at most so many of the benchmarks: the first, and the last.
func focused(hits []reach, most int) []reach {
	if len(hits) <= most {
		return hits
	}
	return append(hits[:most-1:most-1], hits[len(hits)-1])
}

// cover runs each benchmark of the module once and notes which code it runs.
func (f *fixer) cover(ctx context.Context) error {
	f.reached = []reach{}
	src := gotest.Source{Dir: f.scratch.dir, Flags: slices.Concat(f.o.Flags, []string{"-cover", "-coverpkg=./..."}), Env: f.o.Env}
	pkgs, failures, err := gotest.List(ctx, src, nil)
	if err != nil {
		return err
	}
	for _, bad := range failures {
		f.result.Warnings = append(f.result.Warnings, &bad)
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
		bin, err := gotest.Compile(ctx, src, pkg, filepath.Join(f.scratch.temp, "cover"+strconv.Itoa(i)+".test"))
		if err != nil {
			f.result.Warnings = append(f.result.Warnings, err)
			continue
		}
		for _, name := range names {
			blocks, err := f.coverOne(ctx, bin, name)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				f.result.Warnings = append(f.result.Warnings, fmt.Errorf("%s.%s: %w", pkg.ImportPath, name, err))
				continue
			}
			f.reached = append(f.reached, reach{pkg: pkg.ImportPath, name: name, blocks: blocks})
		}
	}
	return nil
}

// coverOne runs a benchmark once.
func (f *fixer) coverOne(ctx context.Context, bin *gotest.Binary, name string) ([]block, error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	profile := filepath.Join(f.scratch.temp, "cover.out")
	cmd := exec.CommandContext(ctx, bin.Path, "-test.run=^$", "-test.bench="+gotest.Pattern(name), "-test.benchtime=1x", "-test.coverprofile="+profile)
	cmd.Dir, cmd.Env = bin.Package.Dir, append(os.Environ(), f.o.Env...)
	ownGroup(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLines(string(out)))
	}
	return readCover(profile, f.found.Module)
}

// readCover reads the blocks that ran from a cover profile (cmd/cover): lines of
//
//	import/path/file.go:10.2,12.16 2 1
//
// where the last number is how often it ran.
func readCover(name, module string) ([]block, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var blocks []block
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		where, counts, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.HasSuffix(counts, " 0") || strings.HasPrefix(where, "mode:") {
			continue
		}
		i := strings.LastIndexByte(where, ':')
		if i < 0 {
			return nil, fmt.Errorf("%s: %q is no line of a cover profile", name, lines.Text())
		}
		var b block
		if _, err := fmt.Sscanf(where[i+1:], "%d.%d,%d.%d", &b.from, new(int), &b.to, new(int)); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		if b.file, ok = strings.CutPrefix(where[:i], module+"/"); ok {
			blocks = append(blocks, b)
		}
	}
	return blocks, lines.Err()
}
