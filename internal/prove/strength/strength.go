package strength

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/internal/prove/mutants"
)

const (
	// maxSurvivors is the number of mutants that are listed.
	maxSurvivors = 5
	// leastPatience is the least time that a run with a mutant gets.
	leastPatience = 1500 * time.Millisecond
	// enoughMutants is the number of mutants of which most must be noticed.
	enoughMutants = 5
	// leastNoticed is the share of mutants, of 4, that tests and inputs must notice to be evidence. Of the changes of
	// docs/measured/power.md that were wrongly accepted, 3 of 4 had less, and of those rightly accepted, 1 of 7.
	leastNoticed = 3
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
	// Skipped lists what was not mutated, or not run with mutants, and why.
	Skipped []string `json:"not,omitempty"`
}

// A Survivor is a mutant that was not noticed. It may be equivalent to the original.
type Survivor struct {
	File    string `json:"file"` // relative to the module
	Line    int    `json:"line"` // in version B
	Mutator string `json:"mutator"`
	Reached bool   `json:"reached"` // a test or an input runs it
	Diff    string `json:"diff"`    // from version B to the mutant
}

// Weak reports whether enough mutants were tried and so few noticed that tests and inputs are no evidence. It is false
// for nil.
func (s *Strength) Weak() bool {
	return s != nil && s.Mutants >= enoughMutants && s.Noticed*4 < s.Mutants*leastNoticed
}

// A Check is a program that may notice mutants.
type Check struct {
	What   string
	Inputs bool // it calls functions with inputs; otherwise it runs the tests of a package
	// Run runs the program with more environment. It fails if the program notices a mutant.
	Run func(ctx context.Context, env ...string) error

	took    time.Duration // without a mutant
	reached map[int]bool  // numbers of the mutants that it reaches
}

// Try runs programs with one mutant after the other, for about the limit, and adds what they notice.
// Programs that do not pass without a mutant, or take too long, are left out and listed in Skipped. diff
// returns the file of a mutant and the diff from version B to it. temp is a directory for files.
func (s *Strength) Try(
	ctx context.Context, list []mutants.Mutant, all []*Check, limit time.Duration, temp string,
	diff func(*mutants.Mutant) (file, diff string, err error),
) error {
	ends := time.Now().Add(limit)
	all = s.reliable(ctx, all, temp, limit)
	return s.try(ctx, list, all, max(time.Until(ends), limit/2), diff)
}

// reliable returns the checks that pass without a mutant, and soon enough to run often, the
// fastest first.
func (s *Strength) reliable(
	ctx context.Context, all []*Check, temp string, limit time.Duration,
) (list []*Check) {
	for i, c := range all {
		log := filepath.Join(temp, "reached"+strconv.Itoa(i))
		began := time.Now()
		err := within(ctx, limit/4, func(ctx context.Context) error { return c.Run(ctx, mutants.ReachedEnv+"="+log) })
		c.took = time.Since(began)
		text, _ := os.ReadFile(log) // it does not exist if nothing is reached
		c.reached = mutants.ReadReached(text)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			s.skip(c.What + " take too long to run with each mutant")
		case err != nil:
			s.skip(c.What + " do not pass in a build with mutants")
		default:
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *Check) int { return int(a.took - b.took) })
	return list
}

// skip adds to Skipped.
func (s *Strength) skip(what string) {
	if !slices.Contains(s.Skipped, what) {
		s.Skipped = append(s.Skipped, what)
	}
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

// A trial is the mutants being tried, by several goroutines.
type trial struct {
	all      []*Check
	ends     time.Time
	tests    sync.Mutex // held while tests run: those of two mutants may use the same files or addresses
	results  sync.Mutex // held while what follows is used
	strength *Strength
	order    []int // indexes of the mutants that are left
	survived []int // indexes of mutants
}

// try runs the checks with each mutant until the time is up. Inputs run on each processor, tests one
// after the other.
func (s *Strength) try(
	ctx context.Context, list []mutants.Mutant, all []*Check, limit time.Duration,
	diff func(*mutants.Mutant) (file, diff string, err error),
) error {
	t := &trial{all: all, ends: time.Now().Add(limit), strength: s, order: mutants.Spread(len(list))}
	if len(all) > 0 {
		group, ctx := errgroup.WithContext(ctx)
		for range runtime.GOMAXPROCS(0) {
			group.Go(func() error { return t.work(ctx) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	s.Untried += len(t.order)
	return s.list(list, all, t.survived, diff)
}

// work tries mutants until the time is up or none is left.
func (t *trial) work(ctx context.Context) error {
	for {
		at, ok := t.next()
		if !ok {
			return nil
		}
		reached, by, err := t.notice(ctx, at)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.add(at, reached, by, err)
	}
}

// next takes a mutant.
func (t *trial) next() (at int, ok bool) {
	t.results.Lock()
	defer t.results.Unlock()
	if len(t.order) == 0 || time.Now().After(t.ends) {
		return 0, false
	}
	at, t.order = t.order[0], t.order[1:]
	return at, true
}

// notice runs the checks with a mutant, until one notices it. by is nil if none does; err is how it
// noticed.
func (t *trial) notice(ctx context.Context, at int) (reached bool, by *Check, err error) {
	for _, c := range t.all {
		if !c.reached[at+1] {
			continue
		}
		reached = true
		if err := t.run(ctx, c, at); err != nil {
			return true, c, err
		}
	}
	return reached, nil, nil
}

// run runs a check with a mutant.
func (t *trial) run(ctx context.Context, c *Check, at int) error {
	if !c.Inputs {
		t.tests.Lock()
		defer t.tests.Unlock()
	}
	return within(ctx, max(5*c.took, leastPatience), func(ctx context.Context) error {
		return c.Run(ctx, mutants.Env+"="+strconv.Itoa(at+1))
	})
}

// add counts a mutant that was tried.
func (t *trial) add(at int, reached bool, by *Check, err error) {
	t.results.Lock()
	defer t.results.Unlock()
	s := t.strength
	s.Mutants++
	if by == nil {
		t.survived = append(t.survived, at)
		if !reached {
			s.Unreached++
		}
		return
	}
	s.Noticed++
	if errors.Is(err, context.DeadlineExceeded) {
		s.TimedOut++
	}
	if by.Inputs {
		s.ByInputs++
	} else {
		s.ByTests++
	}
}

// list adds the first survivors, with their diffs.
func (s *Strength) list(
	list []mutants.Mutant, all []*Check, survivors []int,
	diff func(*mutants.Mutant) (file, diff string, err error),
) error {
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
			Reached: slices.ContainsFunc(all, func(c *Check) bool { return c.reached[at+1] }),
		})
	}
	return nil
}
