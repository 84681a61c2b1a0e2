package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/mutants"
	"github.com/whet-go/whet/internal/prove/scratch"
)

const (
	// maxMutants is the number of mutants of a package that are built.
	maxMutants = 500
	// maxSurvivors is the number of mutants that are listed.
	maxSurvivors = 5
	// leastPatience is the least time that a run with a mutant gets.
	leastPatience = 3 * time.Second
	// enoughMutants is the number of mutants of which some must be noticed.
	enoughMutants = 5
)

// Strength is how many mutants of the changed lines are noticed: versions of B with one small error
// each, which the tests and the inputs of the proof run again.
type Strength struct {
	Mutants  int `json:"mutants"` // that were tried
	Noticed  int `json:"noticed"` // of these, by ByInputs or ByTests
	ByInputs int `json:"by_inputs"`
	ByTests  int `json:"by_tests"`
	// TimedOut are the noticed ones with which a run did not end in time, and Unreached the others that
	// neither a test nor an input runs.
	TimedOut  int `json:"timed_out,omitempty"`
	Unreached int `json:"unreached,omitempty"`
	// Untried are those that there was no time for. Those that were tried are spread over the lines.
	Untried int `json:"untried,omitempty"`
	// Survivors are the first ones that were not noticed.
	Survivors []Survivor `json:"survivors,omitempty"`
	// Not lists what was not mutated, or not run with mutants, and why.
	Not []string `json:"not,omitempty"`
}

// A Survivor is a mutant that was not noticed. It may be equivalent to the original.
type Survivor struct {
	File    string `json:"file"` // relative to the module
	Line    int    `json:"line"` // in version B
	Mutator string `json:"mutator"`
	Reached bool   `json:"reached"` // a test or an input runs it
	Diff    string `json:"diff"`    // from version B to the mutant
}

// nothing reports whether enough mutants were tried and none was noticed.
func (s *Strength) nothing() bool { return s != nil && s.Mutants >= enoughMutants && s.Noticed == 0 }

// A witness is a program that may notice mutants.
type witness struct {
	what    string
	inputs  bool // it calls functions with inputs; otherwise it runs the tests of a package
	run     func(ctx context.Context, env ...string) error
	took    time.Duration // without a mutant
	reached map[int]bool  // numbers of the mutants that it reaches
}

// strengthen tries mutants of a candidate that passed its tests and the comparison. It returns nil if
// there are none, and an error if it does not get to the end.
func (f *Prover) strengthen(ctx context.Context, c Candidate, v *Verdict) (*Strength, error) {
	s := &Strength{}
	began := time.Now()
	dirs := c.Changes.Dirs()
	limit := untilDeadline(ctx, f.o.MutantTime, mutantShare, 1)
	for _, dir := range dirs {
		f.o.Progress("build mutants of the changed lines")
		m, err := differ.Mutate(ctx, f.scratch, dir, c.Changes, f.differOptions(dir, c.Reviewed), maxMutants)
		if err == nil {
			s.Not = append(s.Not, m.Left...)
			err = errors.Join(f.tryMutants(ctx, c, v, m, limit/time.Duration(len(dirs)), s), m.Close())
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.Not = append(s.Not, fmt.Sprintf("no mutants of the package in %s: %v", dir, err))
		}
	}
	v.Took = AddStepTime(v.Took, "mutants", began)
	if s.Mutants == 0 && s.Untried == 0 && len(s.Not) == 0 {
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
	var all []*witness
	if m.Calls() {
		all = append(all, &witness{what: "the inputs of the comparison", inputs: true, run: m.Run})
	}
	tests, err := f.testsWith(ctx, c, v, m, temp, limit, s)
	if err != nil {
		return err
	}
	all = append(all, tests...)
	f.o.Progress("try mutants of the changed lines")
	return f.try(ctx, m, f.reliable(ctx, all, temp, limit, s), limit, s)
}

// testsWith builds the tests of the packages that the candidate can affect, with mutants, for as long
// as the limit.
func (f *Prover) testsWith(
	ctx context.Context, c Candidate, v *Verdict, m *differ.Mutated, temp string, limit time.Duration, s *Strength,
) (all []*witness, err error) {
	src := gotest.Source{Dir: f.scratch.Dir, Flags: f.o.Flags, Env: f.o.Env, Overlay: map[string]string{}}
	files := c.Changes.After()
	for name, text := range m.Files {
		files[name] = text
	}
	for name, text := range files {
		file := ""
		if text != nil {
			file = filepath.Join(temp, "files", filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				return nil, err
			}
		}
		src.Overlay[f.scratch.Path(name)] = file
	}
	began := time.Now()
	pkgs := slices.Clone(v.tested)
	if own := slices.IndexFunc(pkgs, func(p string) bool { return f.packages.Dir(p) == f.scratch.Path(m.Dir) }); own > 0 {
		pkgs[0], pkgs[own] = pkgs[own], pkgs[0]
	}
	for i, pkg := range pkgs {
		if i > 0 && time.Since(began) > limit {
			s.Not = append(s.Not, fmt.Sprintf("the tests of %d more packages were not run with mutants", len(pkgs)-i))
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
			s.Not = append(s.Not, fmt.Sprintf("the tests of %s do not build with mutants", pkg))
			continue
		}
		all = append(all, &witness{what: "the tests of " + pkg, run: func(ctx context.Context, env ...string) error {
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
	cmd := exec.CommandContext(ctx, bin.Path, args...)
	cmd.Dir = bin.Package.Dir
	cmd.Env = slices.Concat(os.Environ(), f.scratch.TrialEnv(), f.o.Env, env)
	cmd.WaitDelay = 5 * time.Second
	procgroup.OwnAndKill(cmd)
	defer f.clearTrial()
	_, err := scratch.Output(cmd)
	return err
}

// reliable returns the witnesses that pass without a mutant, and soon enough to run often, the
// fastest first.
func (f *Prover) reliable(
	ctx context.Context, all []*witness, temp string, limit time.Duration, s *Strength,
) (list []*witness) {
	for i, w := range all {
		log := filepath.Join(temp, "reached"+strconv.Itoa(i))
		began := time.Now()
		err := within(ctx, limit/4, func(ctx context.Context) error { return w.run(ctx, mutants.ReachedEnv+"="+log) })
		w.took = time.Since(began)
		text, _ := os.ReadFile(log) // it does not exist if nothing is reached
		w.reached = mutants.ReadReached(text)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			s.Not = append(s.Not, w.what+" take too long to run with each mutant")
		case err != nil:
			s.Not = append(s.Not, w.what+" do not pass in a build with mutants")
		default:
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b *witness) int { return int(a.took - b.took) })
	return list
}

// within runs something for at most some time. The error is context.DeadlineExceeded if that was not
// enough.
func within(ctx context.Context, limit time.Duration, run func(context.Context) error) error {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := run(inner)
	if err != nil && inner.Err() != nil {
		return inner.Err()
	}
	return err
}

// try runs the witnesses with one mutant after the other until the time is up.
func (f *Prover) try(ctx context.Context, m *differ.Mutated, all []*witness, limit time.Duration, s *Strength) error {
	ends := time.Now().Add(limit)
	order := mutants.Spread(len(m.Mutants))
	if len(all) == 0 {
		s.Untried += len(order)
		return nil
	}
	var survivors []int
	for i, at := range order {
		if time.Now().After(ends) {
			s.Untried += len(order) - i
			break
		}
		reached, noticed := false, false
		for _, w := range all {
			if !w.reached[at+1] {
				continue
			}
			reached = true
			err := within(ctx, max(10*w.took, leastPatience), func(ctx context.Context) error {
				return w.run(ctx, mutants.Env+"="+strconv.Itoa(at+1))
			})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				continue
			}
			noticed = true
			if errors.Is(err, context.DeadlineExceeded) {
				s.TimedOut++
			}
			if w.inputs {
				s.ByInputs++
			} else {
				s.ByTests++
			}
			break
		}
		s.Mutants++
		switch {
		case noticed:
			s.Noticed++
			continue
		case !reached:
			s.Unreached++
		}
		survivors = append(survivors, at)
	}
	slices.Sort(survivors)
	for _, at := range survivors {
		if len(s.Survivors) == maxSurvivors {
			break
		}
		file, diff, err := m.Diff(&m.Mutants[at])
		if err != nil {
			return err
		}
		s.Survivors = append(s.Survivors, Survivor{
			File: file, Line: m.Mutants[at].Line, Mutator: m.Mutants[at].Mutator, Diff: diff,
			Reached: slices.ContainsFunc(all, func(w *witness) bool { return w.reached[at+1] }),
		})
	}
	return nil
}
