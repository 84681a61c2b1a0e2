package rounds

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// Options configure Measure.
type Options struct {
	Source   gotest.Source
	Flags    string // Source's flags and environment as the user gave them
	Procs    []int  // GOMAXPROCS of each benchmark; 0 is the default
	Run      gotest.RunOptions
	Count    int     // rounds
	Seed     uint64  // of the order; 0 chooses one
	Failures []error // of benchmarks that could not be prepared
	// Progress, if not nil, returns the function to call after each round of the jobs.
	Progress func(jobs []gotest.Job) func(gotest.Progress)
}

// Measure measures benchmarks in rounds. It returns all failures, those of Options first. When ctx
// ends, the result has what was measured until then.
func Measure(ctx context.Context, prepared []gotest.Job, o Options) (*Result, []error, error) {
	var jobs []gotest.Job
	for _, j := range prepared {
		for _, n := range o.Procs {
			j.Options = o.Run
			j.Options.Procs = n
			jobs = append(jobs, j)
		}
	}
	d, err := describe(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	rounds := gotest.RoundsOptions{Count: o.Count, Seed: d.Seed}
	if o.Progress != nil {
		rounds.Progress = o.Progress(jobs)
	}
	begin := time.Now()
	measured := gotest.Rounds(ctx, jobs, rounds)
	d.Elapsed = time.Since(begin)
	d.Interrupted = ctx.Err() != nil
	failures := append(slices.Clone(o.Failures), d.Add(jobs, measured)...)
	for _, err := range failures {
		d.Failures = append(d.Failures, NewFailure(err))
	}
	if len(d.Benchmarks) > 0 { // what was measured counts even if ctx has ended
		err = d.SetSummary(context.WithoutCancel(ctx))
	}
	return d, failures, err
}

// describe returns a result without measurements.
func describe(ctx context.Context, o Options) (*Result, error) {
	version, err := gotest.GoVersion(ctx, o.Source)
	if err != nil {
		return nil, err
	}
	d := &Result{
		Schema: Schema, Machine: ab.ThisMachine(), Go: version, Flags: strings.TrimSpace(o.Flags), GOGC: "100",
		Rounds: o.Count, Seed: o.Seed,
	}
	d.Commit, d.Modified = gotest.Commit(ctx, "")
	for _, kv := range append(os.Environ(), o.Source.Env...) {
		if value, ok := strings.CutPrefix(kv, "GOGC="); ok && value != "" {
			d.GOGC = value
		}
	}
	if d.Seed == 0 {
		d.Seed = rand.Uint64()
	}
	return d, nil
}
