package prove

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/benchmarks"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// compare calls the old and the new functions of changed files with the same inputs for some time.
// It returns an error, with the input and both results, if a result differs.
func (f *Prover) compare(ctx context.Context, changes scratch.Changes, reviewed bool) (*Answers, error) {
	answers := &Answers{Functions: []string{}}
	if err := os.RemoveAll(f.corpus()); err != nil {
		return nil, err
	}
	dirs := f.judgedDirs(changes)
	for i, dir := range dirs {
		sources, err := syntax.SourcesIn(f.scratch, dir, changes)
		if err != nil {
			return nil, err
		}
		if len(sources.Before) == 0 {
			continue // there is no old code
		}
		o := f.differOptions(dir, reviewed)
		o.Pace = f.paceOf(ctx, len(dirs)-i)
		r, err := differ.Compare(ctx, f.scratch, dir, changes, o)
		if err != nil {
			return answers, err
		}
		for _, outcome := range r.Outcomes {
			answers.add(outcome)
		}
		answers.NotCompared = append(answers.NotCompared, r.NotCompared...)
		answers.addOutside(dir, r.Outside)
		answers.Blocks, answers.Reached = answers.Blocks+r.Blocks, answers.Reached+r.Reached
		if len(r.Tests) == 0 {
			continue
		}
		answers.Separate = append(answers.Separate, fmt.Sprintf("%s: %s", dir, r.Separate))
		side := f.Side("")
		pkg, err := f.load(ctx, dir)
		if err != nil {
			return answers, err
		}
		if err := f.comparePackageBuilds(ctx, answers, pkg, r.Files, r.Tests, side, side, changes.After()); err != nil {
			return answers, err
		}
	}
	return answers, f.compareDependents(ctx, answers, changes)
}

// corpus returns the directory for the inputs of the last comparison.
func (f *Prover) corpus() string { return filepath.Join(f.scratch.Temp, "corpus") }

// corpusOf returns the one for inputs of the package in a directory.
func (f *Prover) corpusOf(dir string) string { return filepath.Join(f.corpus(), url.PathEscape(dir)) }

// differOptions returns how the package in a directory is compared.
func (f *Prover) differOptions(dir string, reviewed bool) differ.Options {
	o := differ.Options{
		Flags: f.o.Flags, Env: f.o.Env, FuzzTime: f.o.fuzzTime(), Timeout: f.o.Timeout, Joined: reviewed,
		Inputs: changeInputs, Seed: buildSeed, Captured: f.Captured,
	}
	if f.o.MutantTime > 0 {
		o.Corpus = f.corpusOf(dir)
	}
	return o
}

// load loads the package in a directory of the scratch copy, with more flags.
func (f *Prover) load(ctx context.Context, dir string, more ...string) (*packages.Package, error) {
	flags := slices.Concat(f.o.Flags, more)
	pkgs, err := driver.Load(ctx, driver.Options{Dir: f.scratch.Dir, Flags: flags, Env: f.o.Env}, "./"+dir)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 || pkgs[0].IllTyped {
		return nil, fmt.Errorf("the package in %s cannot be loaded", dir)
	}
	return pkgs[0], nil
}

// changeOf returns what changes in the package in a directory, as it was loaded from the copy.
func (f *Prover) changeOf(dir string, pkg *packages.Package, changes Changes) (c benchmarks.Change, err error) {
	c = benchmarks.Change{Dir: dir, Package: pkg}
	decls, err := syntax.ChangedFunctions(f.scratch.Dir, pkg.Fset, pkg.Syntax, changes)
	if err != nil {
		return c, err
	}
	for _, d := range decls {
		lines, err := syntax.ChangedLines(f.scratch.Dir, pkg.Fset, d, changes)
		if err != nil {
			return c, err
		}
		c.Functions = append(c.Functions, benchmarks.Function{Decl: d, Lines: lines})
	}
	return c, nil
}

// changesOf returns what changes in each package that is judged.
func (f *Prover) changesOf(ctx context.Context, changes Changes) (list []benchmarks.Change, err error) {
	over, err := f.scratch.Overlay(changes.After())
	if err != nil {
		return nil, err
	}
	for _, dir := range f.judgedDirs(changes) {
		pkg, err := f.load(ctx, dir)
		if err != nil {
			return nil, err
		}
		c, err := f.changeOf(dir, pkg, changes)
		if err != nil {
			return nil, err
		}
		if c.After, err = f.load(ctx, dir, over...); err != nil {
			c.After = nil // the package may be gone
		}
		list = append(list, c)
	}
	return list, nil
}

// Predict compares the benchmarks that decided with the recording, and predicts what the program gains; nil if unknown.
func (f *Prover) Predict(ctx context.Context, v *Verdict, code Changes) (p *Prediction) {
	if f.Recorded == nil || !v.mayBeAccepted() || ctx.Err() != nil {
		return nil
	}
	changes, err := f.changesOf(ctx, code)
	if err == nil {
		p, err = f.benchmarks.Predict(ctx, v.Measured, changes, f.Recorded)
	}
	if f.addWarnings(); err != nil && ctx.Err() == nil {
		f.warnings.Add(fmt.Errorf("predict the gain of the service: %w", err))
	}
	return p
}
