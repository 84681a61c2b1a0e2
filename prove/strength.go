package prove

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/strength"
)

// maxMutants is the number of mutants of a package that are built.
const maxMutants = 500

// Strength is how many mutants of the changed lines are noticed.
type Strength = strength.Strength

// A Survivor is a mutant that was not noticed.
type Survivor = strength.Survivor

// strengthen tries mutants of a candidate that passed its tests and the comparison. It returns nil if
// there are none, and an error if it does not get to the end.
func (f *Prover) strengthen(ctx context.Context, c Candidate, v *Verdict) (*Strength, error) {
	s := &Strength{}
	dirs := f.judgedDirs(c.Changes)
	limit := untilDeadline(ctx, f.o.MutantTime, mutantShare, 1)
	for _, dir := range dirs {
		f.o.Progress("build mutants of the changed lines")
		began := time.Now()
		m, err := differ.Mutate(ctx, f.scratch, dir, c.Changes, f.differOptions(dir, c.Reviewed), maxMutants)
		v.Took = AddStepTime(v.Took, "build mutants", began)
		if err == nil {
			s.Skipped = append(s.Skipped, m.Left...)
			err = errors.Join(f.tryMutants(ctx, c, v, m, limit/time.Duration(len(dirs)), s), m.Close())
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.Skipped = append(s.Skipped, fmt.Sprintf("no mutants of the package in %s: %v", dir, err))
		}
	}
	if s.Mutants == 0 && s.Untried == 0 && len(s.Skipped) == 0 {
		return nil, nil //nolint:nilnil // nothing to report is no error
	}
	return s, nil
}

// tryMutants adds the mutants of a package to s.
func (f *Prover) tryMutants(
	ctx context.Context, c Candidate, v *Verdict, m *differ.Mutated, limit time.Duration, s *Strength,
) error {
	if len(m.Mutants) == 0 {
		return nil
	}
	temp, err := os.MkdirTemp(f.scratch.Temp, "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	var all []*strength.Check
	// Tests run at the same time, and what they leave behind is removed.
	own := []string{"HOME=" + temp, "TMPDIR=" + temp, "TMP=" + temp, "TEMP=" + temp}
	for _, target := range m.Targets {
		all = append(all, &strength.Check{
			What: "the inputs of the comparison", Inputs: true,
			Run: func(ctx context.Context, env ...string) error { return m.Run(ctx, target, slices.Concat(own, env)...) },
		})
	}
	began := time.Now()
	tests, err := f.testsWith(ctx, c, v, m, temp, limit, s)
	if v.Took = AddStepTime(v.Took, "build mutants", began); err != nil {
		return err
	}
	all = append(all, tests...)
	f.o.Progress("try mutants of the changed lines")
	began = time.Now()
	defer func() { v.Took = AddStepTime(v.Took, "try mutants", began) }()
	return s.Try(ctx, m.Mutants, all, limit, temp, m.Diff)
}

// testsWith builds the tests of the packages that the candidate can affect, with mutants, for as long
// as the limit.
func (f *Prover) testsWith(
	ctx context.Context, c Candidate, v *Verdict, m *differ.Mutated, temp string, limit time.Duration, s *Strength,
) (all []*strength.Check, err error) {
	src := gotest.Source{Dir: f.scratch.Dir, Flags: f.o.Flags, Env: f.o.Env}
	files := c.Changes.After()
	maps.Copy(files, m.Files)
	if src.Overlay, err = f.scratch.OverlayIn(filepath.Join(temp, "files"), files); err != nil {
		return nil, err
	}
	began := time.Now()
	pkgs := slices.Clone(v.tested)
	if own := slices.IndexFunc(pkgs, func(p string) bool { return f.packages.Dir(p) == f.scratch.Path(m.Dir) }); own > 0 {
		pkgs[0], pkgs[own] = pkgs[own], pkgs[0]
	}
	for i, pkg := range pkgs {
		if i > 0 && time.Since(began) > limit {
			s.Skipped = append(s.Skipped, fmt.Sprintf("the tests of %d more packages were not run with mutants", len(pkgs)-i))
			break
		}
		bin, err := gotest.Compile(ctx, src, gotest.Package{ImportPath: pkg, Dir: f.packages.Dir(pkg)},
			filepath.Join(temp, strconv.Itoa(i)+".test"))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, gotest.ErrNoTests) {
			continue
		}
		if err != nil {
			s.Skipped = append(s.Skipped, fmt.Sprintf("the tests of %s do not build with mutants", pkg))
			continue
		}
		all = append(all, &strength.Check{What: "the tests of " + pkg, Run: func(ctx context.Context, env ...string) error {
			return f.runTests(ctx, bin, env)
		}})
	}
	return all, nil
}

// runTests runs the tests of a package until one fails, without those that count for nothing.
func (f *Prover) runTests(ctx context.Context, bin *gotest.Binary, env []string) error {
	args := []string{"-test.failfast", "-test.paniconexit0", "-test.timeout=" + f.o.Timeout.String()}
	if skip := f.tests.Skip(bin.Package.ImportPath); skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	_, err := f.runBinary(ctx, bin, env, args...)
	return err
}

// runBinary runs the tests of a package, and returns the end of their output.
func (f *Prover) runBinary(ctx context.Context, bin *gotest.Binary, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, bin.Path, args...)
	cmd.Dir = bin.Package.Dir
	cmd.Env = slices.Concat(os.Environ(), f.scratch.TrialEnv(), f.o.Env, env)
	cmd.WaitDelay = 5 * time.Second
	procgroup.OwnAndKill(cmd)
	defer f.clearTrial()
	return f.scratch.Output(cmd)
}
