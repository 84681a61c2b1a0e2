package gotest

import (
	"context"
	"math/rand/v2"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// A Job is a benchmark to run. Run runs it under Options.
type Job struct {
	Binary  *Binary
	Name    string // as Benchmarks returns it
	Options RunOptions
}

// run runs the job once.
func (j Job) run(ctx context.Context) (*Result, error) { return j.Binary.Run(ctx, j.Name, j.Options) }

// PrepareOptions select the benchmarks to build.
type PrepareOptions struct {
	Patterns []string // of packages; none means "./..."
	Match    string   // of benchmarks, as go test's -bench; "" means all
	Dir      string   // for the binaries; it must exist, and outlive the jobs
	// Run is copied to each job. Its Timeout is also that of finding the names.
	Run RunOptions
	// Progress is called before each step ("building", "looking into"); may be nil.
	Progress func(step string, pkg Package)
}

// Prepare lists and builds the packages of a source and finds their benchmarks, in the order of
// packages and declarations. What cannot be built or run is among failures, each a *BuildError or a
// *Failure, and the others continue. When ctx ends there is an error.
func Prepare(ctx context.Context, src Source, o PrepareOptions) (jobs []Job, failures []error, err error) {
	if _, err := regexp.Compile(o.Match); err != nil {
		return nil, nil, badMatch(o.Match, err)
	}
	pkgs, failed, err := List(ctx, src, o.Patterns)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range failed {
		failures = append(failures, &f)
	}
	step := func(what string, p Package) {
		if o.Progress != nil {
			o.Progress(what, p)
		}
	}
	for i, p := range pkgs {
		if !slices.ContainsFunc(p.Benchmarks, func(top string) bool { return mayMatch(o.Match, top) }) {
			continue
		}
		step("building", p)
		// Its name appears in profiles, and its own directory makes it unique.
		out := filepath.Join(o.Dir, strconv.Itoa(i), path.Base(p.ImportPath)+".test")
		if runtime.GOOS == "windows" {
			out += ".exe"
		}
		b, err := Compile(ctx, src, p, out)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		step("looking into", p)
		names, failed, err := b.Benchmarks(ctx, o.Match, o.Run)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range failed {
			failures = append(failures, &f)
		}
		for _, name := range names {
			jobs = append(jobs, Job{Binary: b, Name: name, Options: o.Run})
		}
	}
	return jobs, failures, nil
}

// A Progress is the progress of Rounds.
type Progress struct {
	Job      int // the job that has just ended a round
	Done, Of int // rounds of all jobs
	Elapsed  time.Duration
	Left     time.Duration // estimate
	Result   *Result       // nil when it failed
	Finished bool          // the job has no more rounds
}

// RoundsOptions configure Rounds.
type RoundsOptions struct {
	Count    int    // number of rounds; 0 means one
	Seed     uint64 // of the order
	Progress func(Progress)
}

// A JobResult is the outcome of one job.
type JobResult struct {
	Results []*Result // of the rounds, in order of time
	Err     error     // a *Failure, after which the job had no more rounds; nil if none
}

// Rounds runs the jobs round-robin: each once, in random order, then each again. Temporary slowness
// of the machine is thus spread over all of them. The first round finds how many iterations take
// Options.Time; the others use the same number. A job that fails is left out of further rounds.
// When ctx ends, it returns what was measured so far. Results are in the order of jobs.
func Rounds(ctx context.Context, jobs []Job, o RoundsOptions) []JobResult {
	out := make([]JobResult, len(jobs))
	count := max(1, o.Count)
	random := rand.New(rand.NewPCG(o.Seed, 0))
	begin := time.Now()
	done := 0
	took := make([]time.Duration, len(jobs)) // by a round of each job; 0 means unknown
	jobs = slices.Clone(jobs)
	for round := range count {
		for _, i := range random.Perm(len(jobs)) {
			m := &out[i]
			if m.Err != nil {
				continue
			}
			start := time.Now()
			res, err := jobs[i].run(ctx)
			if ctx.Err() != nil {
				return out
			}
			took[i] = time.Since(start)
			if m.Err = err; err == nil {
				m.Results = append(m.Results, res)
				done++
				if opt := &jobs[i].Options; opt.Iterations == 0 && opt.Time > 0 {
					opt.Iterations = iterationsFor(opt.Time, perOperation(res.Measurements[0], res.Wall, opt.Time))
				}
			} else {
				done += count - round
			}
			if o.Progress != nil {
				o.Progress(Progress{
					Job: i, Done: done, Of: count * len(jobs), Elapsed: time.Since(begin), Left: left(out, took, count), Result: res,
					Finished: err != nil || len(m.Results) == count,
				})
			}
		}
	}
	return out
}

// left estimates how long the remaining rounds will take: as the job's earlier ones, or as the
// average of the others.
func left(jobs []JobResult, took []time.Duration, count int) time.Duration {
	var sum, known, rest time.Duration
	unknown := time.Duration(0)
	for i, m := range jobs {
		if took[i] > 0 {
			sum, known = sum+took[i], known+1
		}
		if m.Err != nil {
			continue
		}
		if n := time.Duration(count - len(m.Results)); took[i] > 0 {
			rest += n * took[i]
		} else {
			unknown += n
		}
	}
	if known > 0 {
		rest += unknown * sum / known
	}
	return rest
}
