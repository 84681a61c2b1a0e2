package prove

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/differ/dumps"
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

// comparePackageBuilds runs the tests of differ.Dump in two builds. changed are the files that
// differ in the second one, by their names in the module; it may be nil.
func (f *Prover) comparePackageBuilds(
	ctx context.Context, answers *Answers, pkg *packages.Package, files map[string][]byte, tests []differ.Test,
	a, b builds.Side, changed map[string][]byte,
) error {
	if len(tests) == 0 {
		return nil
	}
	temp, err := os.MkdirTemp(f.scratch.Temp, "answers")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	dir := filepath.Dir(pkg.GoFiles[0])
	overlay := map[string]string{}
	for name, text := range files {
		file := filepath.Join(temp, strconv.Itoa(len(overlay))+".go")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		overlay[filepath.Join(dir, name)] = file
	}
	replaced, err := f.scratch.OverlayIn(filepath.Join(temp, "changed"), changed)
	if err != nil {
		return err
	}
	maps.Copy(replaced, overlay)
	overlays := [2]map[string]string{overlay, replaced}
	var bins [2]*gotest.Binary
	for i, side := range []builds.Side{a, b} {
		src := gotest.Source{
			Name: string("AB"[i]), Dir: f.scratch.Dir,
			Flags: side.Flags, Env: side.Env, Overlay: overlays[i],
		}
		bins[i], err = gotest.Compile(ctx, src,
			gotest.Package{ImportPath: pkg.PkgPath, Dir: dir},
			filepath.Join(temp, strconv.Itoa(i)+".test"),
		)
		if err != nil {
			return err
		}
	}
	limit := time.Duration(0) // none
	if f.o.FuzzInputs == 0 {
		limit = untilDeadline(ctx, dumpTimes*f.o.FuzzTime, compareShare, 2*len(tests))
	}
	for _, t := range tests {
		var names [2]string
		for i, bin := range bins {
			names[i] = filepath.Join(temp, t.Name+string("AB"[i]))
			if err := f.dump(ctx, bin, t.Name, names[i], limit); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if i == 0 { // the original functions cannot be called that way
					answers.NotCompared = append(answers.NotCompared, fmt.Sprintf("%s cannot be compared: %v", t.Function, err))
					break
				}
				return &DifferenceError{Function: t.Function, Output: err.Error()}
			}
		}
		if names[1] == "" {
			continue
		}
		if err := readDumps(answers, t, names[0], names[1]); err != nil {
			return err
		}
	}
	return nil
}

// dumpTimes is how many times the fuzzer's time the same inputs may take in each of two processes.
const dumpTimes = 3

// dump runs a test that writes its results to a file, for at most some time; 0 means no limit.
func (f *Prover) dump(ctx context.Context, bin *gotest.Binary, test, file string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin.Path, "-test.run=^"+test+"$", "-test.count=1")
	cmd.Dir = bin.Package.Dir
	cmd.Env = slices.Concat(os.Environ(), f.scratch.TrialEnv(), bin.Source.Env, []string{
		differ.DumpEnv + "=" + file, differ.LimitEnv + "=" + limit.String(),
	})
	procgroup.OwnAndKill(cmd)
	defer f.clearTrial()
	if out, err := f.scratch.Output(cmd); err != nil {
		return fmt.Errorf("%w: %s", err, scratch.LastLines(out))
	}
	return nil
}

// readDumps compares what two builds wrote for a function.
func readDumps(answers *Answers, t differ.Test, nameA, nameB string) error {
	a, err := os.Open(nameA)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	b, err := os.Open(nameB)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	d, err := dumps.Compare(a, b)
	var differs *dumps.DifferenceError
	switch {
	case errors.As(err, &differs):
		return &DifferenceError{Function: t.Function, Output: err.Error()}
	case err != nil:
		return err
	}
	answers.add(differ.DumpOutcome(t, d))
	answers.ErrorTexts += d.Texts
	return nil
}
