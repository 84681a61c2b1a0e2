package pgo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/diag"
)

// Benchmarks select the benchmarks for judging a profile. The zero value selects all of the
// packages that are built, or of the whole module if they have none.
type Benchmarks struct {
	Match string            // as in go test's -bench; "" means all
	Run   gotest.RunOptions // Timeout, Procs and Env for each run
}

// benchPackage is a package with benchmarks, whose test binary is built for both sides.
type benchPackage struct {
	gotest.Package
	binaries [2]*gotest.Binary
}

// testBinaries returns the executables of a side.
func (r *runner) testBinaries(side ab.Side) (paths []string) {
	for _, p := range r.suites {
		paths = append(paths, p.binaries[side].Path)
	}
	return paths
}

// needsTests reports whether test binaries are examined or measured.
func (r *runner) needsTests() bool {
	return r.result.Target.Main == "" || r.result.Profile.Bench || !r.serves() && !r.NoMeasure
}

// listTests finds the packages with benchmarks, before any long-running step.
func (r *runner) listTests(ctx context.Context) (err error) {
	if r.needsTests() {
		r.packages, err = r.benchmarked(ctx)
	}
	return err
}

// buildTests builds the test binaries of the packages with benchmarks.
func (r *runner) buildTests(ctx context.Context) error {
	var failed error
	for i, p := range r.packages {
		bp := benchPackage{Package: p}
		if err := r.compile(ctx, &bp, i); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			// The other packages can still be compared.
			if failed = err; len(r.packages) > 1 {
				r.result.Warnings.Add(err)
			}
			continue
		}
		r.suites = append(r.suites, bp)
	}
	if len(r.suites) == 0 {
		return failed // nil if there was nothing to build
	}
	return nil
}

// compile builds both test binaries of the i-th package.
func (r *runner) compile(ctx context.Context, p *benchPackage, i int) (err error) {
	for side, with := range r.tests.profiles() {
		name := sideName(ab.Side(side))
		r.Progress(fmt.Sprintf("building the benchmarks of %s %s", p.ImportPath, name))
		src := gotest.Source{Name: name, Dir: r.Dir, Flags: append(slices.Clone(r.Flags), "-pgo="+with), Env: r.Env}
		out := filepath.Join(r.Work, fmt.Sprintf("tests%d.%s", i, ab.Side(side)))
		if p.binaries[side], err = gotest.Compile(ctx, src, p.Package, out); err != nil {
			return err
		}
	}
	return nil
}

// benchmarked lists the packages with benchmarks: the requested ones, or those of the module if
// nothing was requested and the main package has none.
func (r *runner) benchmarked(ctx context.Context) ([]gotest.Package, error) {
	src := gotest.Source{Dir: r.Dir, Flags: r.Flags, Env: r.Env}
	asked := r.Packages
	if len(asked) == 0 {
		asked = []string{"."}
		if r.result.Target.Main != "" {
			asked = []string{r.result.Target.Main}
		}
	}
	packages, failures, err := gotest.List(ctx, src, asked)
	if err == nil && len(packages) == 0 && len(r.Packages) == 0 {
		packages, failures, err = gotest.List(ctx, src, []string{r.result.Target.Module + "/..."})
	}
	if err != nil {
		return nil, err
	}
	for _, f := range failures {
		r.result.Warnings.Add(&f)
	}
	if len(packages) == 0 && !r.NoMeasure && !r.serves() {
		return nil, &diag.Error{
			Op: "compare", Err: fmt.Errorf("no benchmarks in %s", strings.Join(asked, " ")),
			Hint: "name packages with benchmarks after the profiles, or measure a service under load with --service; " +
				"--no-measure only reports what the profile changes",
		}
	}
	return packages, nil
}

// measure compares both builds.
func (r *runner) measure(ctx context.Context) error {
	if r.NoMeasure {
		return nil
	}
	r.Progress("comparing")
	r.AB.Sides = [2]string{sideName(ab.A), sideName(ab.B)}
	if r.serves() {
		c, warnings, err := r.load(ctx, r.main)
		r.result.Comparison = c
		r.result.Warnings = append(r.result.Warnings, warnings...)
		return err
	}
	subjects, err := r.subjects(ctx)
	if err != nil {
		return err
	}
	r.result.Comparison, err = ab.Run(ctx, subjects, r.AB)
	return err
}

// subjects returns the benchmarks that both sides have.
func (r *runner) subjects(ctx context.Context) ([]ab.Subject, error) {
	var out []ab.Subject
	for _, p := range r.suites {
		r.Progress("listing the benchmarks of " + p.ImportPath)
		names, failures, err := p.binaries[ab.A].Benchmarks(ctx, r.Benchmarks.Match, r.Benchmarks.Run)
		if err != nil {
			return nil, err
		}
		for _, f := range failures {
			r.result.Warnings.Add(&f)
		}
		for _, name := range names {
			title := name
			if len(r.suites) > 1 {
				title = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, r.result.Target.Module), "/") + "." + name
			}
			out = append(out, gotest.NewSubject(title, name, p.binaries[ab.A], p.binaries[ab.B], r.Benchmarks.Run))
		}
	}
	if len(out) == 0 {
		return nil, &diag.Error{
			Op: "compare", Err: errors.New("no benchmark can be run"),
			Hint: "--bench takes a regular expression, as go test -bench does",
		}
	}
	return out, nil
}
