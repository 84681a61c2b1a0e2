package strength

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/whet-go/whet/internal/prove/mutants"
)

const (
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

// NoneNoticed reports whether enough mutants were tried and none was noticed. It is false for nil.
func (s *Strength) NoneNoticed() bool {
	return s != nil && s.Mutants >= enoughMutants && s.Noticed == 0
}

// A Witness is a program that may notice mutants.
type Witness struct {
	What   string
	Inputs bool // it calls functions with inputs; otherwise it runs the tests of a package
	// Run runs the program with more environment. It fails if the program notices a mutant.
	Run func(ctx context.Context, env ...string) error

	took    time.Duration // without a mutant
	reached map[int]bool  // numbers of the mutants that it reaches
}

// Try runs programs with one mutant after the other, for some time, and adds what they notice.
// Programs that do not pass without a mutant, or take too long, are left out, as Not reports. diff
// returns the file of a mutant and the diff from version B to it. temp is a directory for files.
func (s *Strength) Try(
	ctx context.Context, list []mutants.Mutant, all []*Witness, limit time.Duration, temp string,
	diff func(*mutants.Mutant) (file, diff string, err error),
) error {
	return s.try(ctx, list, s.reliable(ctx, all, temp, limit), limit, diff)
}

// reliable returns the witnesses that pass without a mutant, and soon enough to run often, the
// fastest first.
func (s *Strength) reliable(
	ctx context.Context, all []*Witness, temp string, limit time.Duration,
) (list []*Witness) {
	for i, w := range all {
		log := filepath.Join(temp, "reached"+strconv.Itoa(i))
		began := time.Now()
		err := within(ctx, limit/4, func(ctx context.Context) error { return w.Run(ctx, mutants.ReachedEnv+"="+log) })
		w.took = time.Since(began)
		text, _ := os.ReadFile(log) // it does not exist if nothing is reached
		w.reached = mutants.ReadReached(text)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			s.Not = append(s.Not, w.What+" take too long to run with each mutant")
		case err != nil:
			s.Not = append(s.Not, w.What+" do not pass in a build with mutants")
		default:
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b *Witness) int { return int(a.took - b.took) })
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
func (s *Strength) try(
	ctx context.Context, list []mutants.Mutant, all []*Witness, limit time.Duration,
	diff func(*mutants.Mutant) (file, diff string, err error),
) error {
	ends := time.Now().Add(limit)
	order := mutants.Spread(len(list))
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
				return w.Run(ctx, mutants.Env+"="+strconv.Itoa(at+1))
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
			if w.Inputs {
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
		file, text, err := diff(&list[at])
		if err != nil {
			return err
		}
		s.Survivors = append(s.Survivors, Survivor{
			File: file, Line: list[at].Line, Mutator: list[at].Mutator, Diff: text,
			Reached: slices.ContainsFunc(all, func(w *Witness) bool { return w.reached[at+1] }),
		})
	}
	return nil
}
