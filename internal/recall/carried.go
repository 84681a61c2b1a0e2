package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/prove"
)

// A carriedBenchmark is a file with a benchmark for a case whose module has none.
type carriedBenchmark struct {
	dir  string // of its package, below the module's
	file []byte
}

// carriedFile is the name of a carried benchmark's file, and carriedBench matches the benchmark.
const (
	carriedFile  = "whet_recall_test.go"
	carriedBench = "^BenchmarkRecall$"
)

var declared = regexp.MustCompile(`(?m)^func BenchmarkRecall\(\w+ \*testing\.B\) \{$`)

// readCarried reads the benchmarks of a directory, benchmarks/*.txtar, by case. A file of an archive is named after the
// case, a colon and the directory of the package.
func readCarried(dir string) (map[string]*carriedBenchmark, error) {
	names, err := filepath.Glob(filepath.Join(dir, "benchmarks", "*.txtar"))
	if err != nil {
		return nil, err
	}
	all := map[string]*carriedBenchmark{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			return nil, err
		}
		for _, f := range archive.Files {
			c, in, found := strings.Cut(f.Name, ":")
			switch {
			case !found || !filepath.IsLocal(filepath.FromSlash(in)):
				return nil, fmt.Errorf("read benchmarks %q: file %q (want CASE:DIR)", name, f.Name)
			case all[c] != nil:
				return nil, fmt.Errorf("read benchmarks %q: two of case %s", name, c)
			case !declared.Match(f.Data):
				return nil, fmt.Errorf("read benchmarks %q: that of case %s does not declare BenchmarkRecall", name, c)
			}
			all[c] = &carriedBenchmark{in, f.Data}
		}
	}
	return all, nil
}

// prepare adds a carried benchmark to the versions a and b in a directory, and to a copy of a next to them, which keeps
// the module's tests if they build.
func prepare(ctx context.Context, dir string, c *carriedBenchmark) (*benched, error) {
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	files, diff, err := difference(a, b)
	if err != nil {
		return nil, err
	}
	out := &benched{dir: filepath.Join(dir, "benched"), patterns: "./" + c.dir, bench: carriedBench}
	out.changed = prove.Changed{Files: files, Diff: diff}
	if err := os.CopyFS(out.dir, os.DirFS(a)); err != nil {
		return nil, err
	}
	tests := filepath.Join(out.dir, filepath.FromSlash(c.dir))
	_, broken := modproxy.Output(ctx, tests, "go", "test", "-c", "-vet=off", "-o", os.DevNull, ".")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, side := range []string{a, b, out.dir} {
		in := filepath.Join(side, filepath.FromSlash(c.dir))
		// The module's own tests may not build with the change, and none of them is needed.
		if side != out.dir || broken != nil {
			if err := removeTests(in); err != nil {
				return nil, err
			}
		}
		if err := os.WriteFile(filepath.Join(in, carriedFile), c.file, 0o600); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// carry measures the change from a to b in a directory by a carried benchmark. Nothing else of the change is proven:
// that it behaves the same is its reviewer's label.
func carry(ctx context.Context, dir string, c *carriedBenchmark, e effort) (*benched, error) {
	out, err := prepare(ctx, dir, c)
	if err != nil {
		return nil, err
	}
	a, b, env := filepath.Join(dir, "a"), filepath.Join(dir, "b"), []string{"GOWORK=off"}
	r, err := builds.Run(ctx, builds.Side{Name: "before", Dir: a, Env: env}, builds.Side{Name: "after", Dir: b, Env: env},
		builds.Options{
			Patterns: []string{out.patterns}, Bench: out.bench,
			AB: ab.Options{Precision: e.precision, MaxTime: e.maxTime},
		})
	if r != nil {
		for _, f := range r.Failures {
			err = errors.Join(err, fmt.Errorf("%v: %s", f, f.Output))
		}
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.measured = &r.Result
	_, err = modproxy.Output(ctx, out.dir, "git", "init", "-q")
	return out, err
}

// removeTests removes the tests of the package in a directory.
func removeTests(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// difference returns the Go files that differ, without tests, and how, as a unified diff.
func difference(a, b string) (files []string, diff string, err error) {
	changes := scratch.Changes{}
	err = filepath.WalkDir(b, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		path, err := filepath.Rel(b, name)
		if err != nil {
			return err
		}
		after, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		before, err := os.ReadFile(filepath.Join(a, path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !bytes.Equal(before, after) {
			path = filepath.ToSlash(path)
			files = append(files, path)
			changes[path] = scratch.Change{Before: before, After: after}
		}
		return nil
	})
	slices.Sort(files)
	return files, changes.Diff(), err
}
