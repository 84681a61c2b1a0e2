package builds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// Run builds both sides and compares them. When ctx ends during the measurement, the result covers
// what was measured so far. The errors are those of sides that cannot be built at all, of the
// journal, and ErrNoCommon, with a result that has the failures.
func Run(ctx context.Context, a, b Side, o Options) (r *Result, err error) {
	c := &comparison{Options: o, result: &Result{}}
	defer func() { err = errors.Join(err, c.close()) }()
	for i, s := range []Side{a, b} {
		c.AB.Sides[i] = s.name()
		if err := c.prepare(ctx, ab.Side(i), s); err != nil {
			return nil, err
		}
	}
	// Next to a tree, the binaries are removed with it even if this process is killed.
	near := ""
	for _, t := range c.trees {
		if t != nil {
			near = t.Temp
		}
	}
	if c.temp, err = os.MkdirTemp(near, "whet-bench-"); err != nil {
		return nil, fmt.Errorf("compare builds: %w", err)
	}
	if err := c.list(ctx); err != nil {
		return nil, err
	}
	if err := c.build(ctx); err != nil {
		return nil, err
	}
	subjects, err := c.find(ctx)
	if err != nil {
		return nil, err
	}
	if len(subjects) == 0 {
		return c.result, ErrNoCommon
	}
	return c.measure(ctx, subjects)
}

// A comparison is a run in progress. Arrays have one element per side.
type comparison struct {
	Options
	temp     string
	trees    [2]*gotest.Tree
	sources  [2]gotest.Source
	packages [2][]gotest.Package
	binaries [2]map[string]*gotest.Binary // by import path
	result   *Result
}

func (c *comparison) close() (err error) {
	if c.temp != "" {
		err = os.RemoveAll(c.temp)
	}
	for _, t := range c.trees {
		if t != nil {
			err = errors.Join(err, t.Close())
		}
	}
	return err
}

func (c *comparison) stage(format string, args ...any) {
	if c.Stage != nil {
		c.Stage(fmt.Sprintf(format, args...))
	}
}

// side returns a side's part of the result.
func (c *comparison) side(side ab.Side) *BuiltSide {
	if side == ab.A {
		return &c.result.A
	}
	return &c.result.B
}

func (c *comparison) fail(f Failure) { c.result.Failures = append(c.result.Failures, f) }

func (c *comparison) warn(format string, args ...any) {
	c.result.Warnings.Addf(format, args...)
}

// prepare makes a source of a side.
func (c *comparison) prepare(ctx context.Context, side ab.Side, s Side) error {
	b := c.side(side)
	b.Flags, b.Env = s.Flags, s.Env
	src := gotest.Source{Name: side.String(), Dir: s.Dir, Flags: s.Flags, Env: s.Env, Wrap: s.Wrap, Watch: s.Watch}
	if s.Ref != "" {
		c.stage("check out %s", s.Ref)
		tree, err := gotest.Worktree(ctx, src, s.Ref)
		if err != nil {
			return err
		}
		c.trees[side] = tree
		src, b.Commit = tree.Source, tree.Commit
	}
	c.sources[side] = src
	return nil
}

// list finds the packages, and carries test files over.
func (c *comparison) list(ctx context.Context) error {
	for side, src := range c.sources {
		var failures []gotest.Failure
		var err error
		c.packages[side], failures, err = gotest.List(ctx, src, c.Patterns)
		if err != nil {
			return err
		}
		for i := range failures {
			c.fail(failureOf(ab.Side(side), failures[i].Package, &failures[i]))
		}
	}
	if c.BenchmarksFrom == nil {
		return nil
	}
	from := *c.BenchmarksFrom
	to := 1 - from
	overlay, warnings, err := gotest.CarryBenchmarks(ctx, c.sources[from], c.sources[to], c.packages[from])
	if err != nil {
		return err
	}
	c.result.Warnings = append(c.result.Warnings, warnings...)
	c.sources[to].Overlay = overlay
	// The packages are those whose tests were carried, where the other side has them.
	c.packages[to], _, err = gotest.List(ctx, c.sources[to], c.Patterns)
	return err
}

// build compiles the packages that both sides have, each for both at once.
func (c *comparison) build(ctx context.Context) error {
	for side := range c.sources {
		c.binaries[side] = map[string]*gotest.Binary{}
	}
	for i, pkg := range c.packages[ab.A] {
		if !has(c.packages[ab.B], pkg.ImportPath) {
			continue
		}
		c.stage("build A and B: %s", pkg.ImportPath)
		var binaries [2]*gotest.Binary
		var errs [2]error
		var group sync.WaitGroup
		for side, src := range c.sources {
			k := slices.IndexFunc(c.packages[side], func(p gotest.Package) bool { return p.ImportPath == pkg.ImportPath })
			out := filepath.Join(c.temp, fmt.Sprintf("%v%d.test", ab.Side(side), i))
			group.Go(func() { binaries[side], errs[side] = gotest.Compile(ctx, src, c.packages[side][k], out) })
		}
		group.Wait()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for side, bin := range binaries {
			if err := errs[side]; err != nil {
				c.fail(failureOf(ab.Side(side), pkg.ImportPath, err))
				continue
			}
			c.binaries[side][pkg.ImportPath] = bin
			b := c.side(ab.Side(side))
			b.Binaries = append(b.Binaries, Binary{pkg.ImportPath, bin.Size, bin.Build, bin.SHA256})
		}
	}
	return nil
}

func has(packages []gotest.Package, path string) bool {
	return slices.ContainsFunc(packages, func(p gotest.Package) bool { return p.ImportPath == path })
}

// find runs each benchmark once and pairs those of both sides.
func (c *comparison) find(ctx context.Context) ([]ab.Subject, error) {
	o := gotest.RunOptions{Timeout: c.Timeout}
	var names [2][]string
	both := map[string][2]*gotest.Binary{}
	plain := map[string]string{}
	for side := range c.packages {
		for _, pkg := range c.packages[side] {
			bin := c.binaries[side][pkg.ImportPath]
			if bin == nil {
				if !has(c.packages[1-side], pkg.ImportPath) {
					for _, name := range pkg.Benchmarks {
						names[side] = append(names[side], c.label(pkg, name))
					}
				}
				continue
			}
			c.stage("try the benchmarks of %v: %s", ab.Side(side), pkg.ImportPath)
			got, failures, err := bin.Benchmarks(ctx, c.Bench, o)
			if err != nil {
				return nil, err
			}
			for i := range failures {
				c.fail(failureOf(ab.Side(side), pkg.ImportPath, &failures[i]))
			}
			for _, name := range got {
				label := c.label(pkg, name)
				names[side] = append(names[side], label)
				pair := both[label]
				pair[side] = bin
				both[label], plain[label] = pair, name
			}
		}
	}
	c.result.OnlyA, c.result.OnlyB = without(names[ab.A], names[ab.B]), without(names[ab.B], names[ab.A])
	var subjects []ab.Subject
	relinkers := map[string]*gotest.Relinker{} // by import path
	for _, label := range names[ab.A] {
		pair := both[label]
		if pair[ab.A] == nil || pair[ab.B] == nil || c.Only != nil && !slices.Contains(c.Only, label) {
			continue
		}
		s := gotest.NewSubject(label, plain[label], pair[ab.A], pair[ab.B], o)
		subjects = append(subjects, s)
		if !c.VaryLayout {
			continue
		}
		pkg := pair[ab.A].Package
		if relinkers[pkg.ImportPath] == nil {
			dir, err := os.MkdirTemp(c.temp, "orders-")
			if err != nil {
				return nil, fmt.Errorf("compare builds: %w", err)
			}
			relinkers[pkg.ImportPath] = gotest.NewRelinker(dir, c.sources,
				[2]gotest.Package{pkg, pair[ab.B].Package})
		}
		s.Relink(relinkers[pkg.ImportPath])
	}
	if identical(c.result.A, c.result.B) {
		c.warn("A and B are the same programs in the same environment")
	}
	return subjects, nil
}

// label returns a benchmark's name: with its package when there are several.
func (c *comparison) label(pkg gotest.Package, name string) string {
	name = strings.TrimPrefix(name, "Benchmark")
	if len(c.packages[ab.A]) <= 1 && len(c.packages[ab.B]) <= 1 {
		return name
	}
	return pkg.ImportPath + "." + name
}

func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(others, n) })
}

func identical(a, b BuiltSide) bool {
	return slices.Equal(a.Env, b.Env) && slices.EqualFunc(a.Binaries, b.Binaries, func(x, y Binary) bool {
		return x.SHA256 == y.SHA256
	})
}

// identity identifies the builds for the journal, independent of their location.
func (c *comparison) identity() (string, error) {
	type side struct {
		Commit     string
		Flags, Env []string
		Binaries   []string
	}
	var sides []side
	for _, b := range []BuiltSide{c.result.A, c.result.B} {
		s := side{Commit: b.Commit, Flags: b.Flags, Env: b.Env}
		if b.Commit == "" {
			for _, bin := range b.Binaries {
				s.Binaries = append(s.Binaries, bin.SHA256)
			}
		}
		sides = append(sides, s)
	}
	if c.VaryLayout {
		sides = append(sides, side{Flags: []string{"varied layout"}})
	}
	data, err := json.Marshal(sides)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:]), nil
}

// measure compares the subjects.
func (c *comparison) measure(ctx context.Context, subjects []ab.Subject) (r *Result, err error) {
	if c.AB.Unit == "" {
		c.AB.Instead = gotest.CPUTime
	}
	if c.VaryLayout {
		c.stage("link both sides for each pair, with their functions in another order")
	}
	if c.AB.Identity, err = c.identity(); err != nil {
		return nil, err
	}
	if c.Journal != "" {
		file, err := c.openJournal()
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		c.AB.Journal = file
	}
	measured, err := ab.Run(ctx, subjects, c.AB)
	if err != nil {
		return nil, err
	}
	for i := range measured.Subjects {
		measured.Subjects[i].VariedLayout = c.VaryLayout
	}
	measured.Warnings = append(c.result.Warnings, measured.Warnings...)
	c.result.Result = *measured
	if c.Journal != "" && !slices.ContainsFunc(measured.Subjects,
		func(s ab.SubjectResult) bool { return s.Stopped != ab.Precise }) {
		// There is nothing left to continue.
		return c.result, os.Remove(c.Journal)
	}
	return c.result, nil
}

// openJournal opens the journal for writing, and reads it first if the run continues from it.
func (c *comparison) openJournal() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(c.Journal), 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if !c.Continue {
		file, err := os.OpenFile(c.Journal, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		return file, nil
	}
	file, err := os.OpenFile(c.Journal, os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &ab.JournalError{Err: errors.New("no journal of this comparison")}
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if c.AB.Resume, err = ab.ReadJournal(file); err == nil {
		// The truncated part is written again.
		if err = file.Truncate(c.AB.Resume.Size); err == nil {
			_, err = file.Seek(0, io.SeekEnd)
		}
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return file, nil
}
