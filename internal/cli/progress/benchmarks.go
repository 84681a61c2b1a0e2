package progress

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/whet-go/whet/bench/gotest"
)

// Benchmarks shows benchmarks being built, measured and recorded.
type Benchmarks struct {
	line  *Line
	begin time.Time
}

// NewBenchmarks returns a view of benchmarks. End must be called.
func NewBenchmarks(line *Line) *Benchmarks { return &Benchmarks{line: line, begin: time.Now()} }

// Prepare calls gotest.Prepare and shows its steps.
func (v *Benchmarks) Prepare(
	ctx context.Context, src gotest.Source, o gotest.PrepareOptions,
) ([]gotest.Job, []error, error) {
	o.Progress = func(step string, p gotest.Package) {
		v.line.Show(Status{Elapsed: time.Since(v.begin), Running: []string{step + " " + p.ImportPath}})
	}
	defer v.line.Clear()
	return gotest.Prepare(ctx, src, o)
}

// Rounds returns what shows the rounds of jobs: gotest.RoundsOptions.Progress.
func (v *Benchmarks) Rounds(jobs []gotest.Job) func(gotest.Progress) {
	return func(p gotest.Progress) {
		job := jobs[p.Job]
		name := path.Base(job.Binary.Package.ImportPath) + "." + job.Name
		s := Status{Elapsed: p.Elapsed, Running: []string{fmt.Sprintf("round %d of %d", p.Done, p.Of), name}}
		if p.Left > 0 {
			s.Total = p.Elapsed + p.Left
		}
		switch {
		case p.Result == nil:
			s.Note = name + ": failed"
		case p.Finished && !v.line.live:
			s.Note = fmt.Sprintf("%s: done, %d of %d rounds", name, p.Done, p.Of)
		}
		v.line.Show(s)
	}
}

// Recording shows that job is being recorded, after done of all the jobs.
func (v *Benchmarks) Recording(done, of int, job gotest.Job) {
	elapsed := time.Since(v.begin)
	s := Status{Elapsed: elapsed, Running: []string{fmt.Sprintf("recording %d of %d", done+1, of), job.Name}}
	if done > 0 {
		s.Total = elapsed * time.Duration(of) / time.Duration(done)
	}
	v.line.Show(s)
}

// End erases the line.
func (v *Benchmarks) End() { v.line.Clear() }
