package prove

import (
	"context"
	"fmt"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/processes"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// The number of inputs per function for comparing two builds of the same source, and their seed.
// They are constant, because the source is.
const (
	buildInputs = 2000
	buildSeed   = 1
)

// changeInputs is the number of inputs when both versions of a package cannot be compiled into one
// program.
const changeInputs = 10_000

// compareBuilds calls the functions around some places with the same inputs in two builds of the
// scratch copy. For a function that cannot be called, its callers in the package are called
// instead. It returns an error if results differ in more than an error's text; what could not be
// compared is listed in the answers.
func (f *Prover) compareBuilds(ctx context.Context, places []find.Place, a, b builds.Side) (*Answers, error) {
	answers := &Answers{Functions: []string{}}
	for _, dir := range placesDirs(places) {
		pkgs, err := driver.Load(ctx, driver.Options{Dir: f.scratch.Dir, Flags: a.Flags, Env: a.Env}, "./"+dir)
		if err != nil {
			return answers, err
		}
		if len(pkgs) != 1 || pkgs[0].IllTyped {
			return answers, fmt.Errorf("the package in %s cannot be loaded", dir)
		}
		files, tests, errs := differ.Dump(pkgs[0], f.funcsAt(pkgs[0], places), buildInputs, buildSeed, f.Captured)
		for _, err := range errs {
			if !slices.Contains(answers.NotCompared, err.Error()) {
				answers.NotCompared = append(answers.NotCompared, err.Error())
			}
		}
		if err := f.comparePackageBuilds(ctx, answers, pkgs[0], files, tests, a, b, nil); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// placesDirs returns the directories of places, relative to the module.
func placesDirs(places []find.Place) []string {
	files := scratch.Changes{}
	for _, p := range places {
		files[p.File] = scratch.Change{}
	}
	return files.Dirs()
}

// funcsAt returns the functions of a package that contain places.
func (f *Prover) funcsAt(pkg *packages.Package, places []find.Place) (decls []*ast.FuncDecl) {
	for _, file := range pkg.Syntax {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := pkg.Fset.Position(fn.Pos()), pkg.Fset.Position(fn.End())
			if slices.ContainsFunc(places, func(p find.Place) bool {
				return f.scratch.Path(p.File) == from.Filename && p.Line <= to.Line && from.Line <= max(p.Line, p.EndLine)
			}) {
				decls = append(decls, fn)
			}
		}
	}
	return decls
}

// dumpTimes is how many times the fuzzer's time the same inputs may take in each of two processes.
const dumpTimes = 3

// comparePackageBuilds runs the tests of differ.Dump in two builds. changed are the files that
// differ in the second one, by their names in the module; it may be nil.
func (f *Prover) comparePackageBuilds(
	ctx context.Context, answers *Answers, pkg *packages.Package, files map[string][]byte, tests []differ.Test,
	a, b builds.Side, changed map[string][]byte,
) error {
	o := processes.Options{Timeout: f.o.Timeout, Changed: changed}
	if f.o.FuzzInputs == 0 {
		o.Limit = untilDeadline(ctx, dumpTimes*f.o.FuzzTime, compareShare, 2*len(tests))
	}
	r, err := processes.Compare(ctx, f.scratch, pkg, files, tests, [2]builds.Side{a, b}, o)
	for _, outcome := range r.Outcomes {
		answers.add(outcome)
	}
	answers.ErrorTexts += r.ErrorTexts
	answers.NotCompared = append(answers.NotCompared, r.NotCompared...)
	f.warnings = append(f.warnings, r.Warnings...)
	return err
}
