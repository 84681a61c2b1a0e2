package benchmarks

import (
	"errors"
	"slices"

	"github.com/whet-go/whet/bench/gotest"
)

// Add appends what was measured of jobs to the document and returns the errors of those that failed.
func (d *Run) Add(jobs []gotest.Job, measured []gotest.Measured) (failures []error) {
	for i, m := range measured {
		b := jobs[i].Binary
		if !slices.ContainsFunc(d.Binaries, func(have Binary) bool { return have.Package == b.Package.ImportPath }) {
			d.Binaries = append(d.Binaries, Binary{
				Package: b.Package.ImportPath, Build: b.Build, Bytes: b.Size, SHA256: b.SHA256,
			})
		}
		if m.Err != nil {
			failures = append(failures, m.Err)
		}
		if len(m.Results) == 0 {
			continue
		}
		for _, r := range m.Results {
			d.Inside += r.Inside()
		}
		d.Benchmarks = append(d.Benchmarks, Measured{
			Package: b.Package.ImportPath, Name: jobs[i].Name, Procs: m.Results[0].Procs, Rounds: RoundsOf(m.Results),
			Results: m.Results,
		})
	}
	return failures
}

// NewFailure describes an error of package gotest.
func NewFailure(err error) Failure {
	out := Failure{Error: err.Error()}
	var f *gotest.Failure
	var b *gotest.BuildError
	switch {
	case errors.As(err, &f):
		out = Failure{Package: f.Package, Benchmark: f.Benchmark, Error: f.Err.Error(), Output: f.Output}
	case errors.As(err, &b):
		out.Package, out.Output = b.Package, b.Output
	}
	return out
}
