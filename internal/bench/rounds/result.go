package rounds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// Schema is the schema of Result.
const Schema = "whet.bench-run/1"

// Result is the document of whet bench: its measurements.
type Result struct {
	Schema      string           `json:"schema"`
	Machine     ab.Machine       `json:"machine"`
	Go          string           `json:"go"`                 // version that built the benchmarks
	Commit      string           `json:"commit,omitempty"`   // hash of the commit built; "" without a repository
	Modified    bool             `json:"modified,omitempty"` // the tree had uncommitted changes
	Flags       string           `json:"flags,omitempty"`    // how it was built and run
	GOGC        string           `json:"gogc"`
	Rounds      int              `json:"rounds"` // requested
	Seed        uint64           `json:"seed"`   // of their order
	Binaries    []Binary         `json:"binaries"`
	Benchmarks  []Benchmark      `json:"benchmarks"`
	Failures    []Failure        `json:"failures,omitempty"`
	Interrupted bool             `json:"interrupted,omitempty"`
	Elapsed     time.Duration    `json:"elapsed_ns"` // of the rounds
	Inside      time.Duration    `json:"inside_ns"`  // the part of Elapsed inside the measured code
	Summary     bench.Comparison `json:"summary"`    // as benchstat computes it
	Warnings    bench.Warnings   `json:"warnings,omitempty"`
}

// A Binary is a test binary that was built.
type Binary struct {
	Package string        `json:"package"`
	Build   time.Duration `json:"build_ns"` // the go command has a cache
	Bytes   int64         `json:"bytes"`
	SHA256  string        `json:"sha256"`
}

// A Benchmark is the rounds of a benchmark.
type Benchmark struct {
	Package string           `json:"package"`
	Name    string           `json:"name"`
	Procs   int              `json:"gomaxprocs"`
	Rounds  []Round          `json:"rounds"`
	Results []*gotest.Result `json:"-"`
}

// A Round has the measurements of one process.
type Round struct {
	Iterations int                `json:"iterations"`
	Values     map[string]float64 `json:"values"` // by unit, tidied
	Wall       time.Duration      `json:"wall_ns"`
	CPU        time.Duration      `json:"cpu_ns"`
}

// A Failure is a package or a benchmark that failed.
type Failure struct {
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark,omitempty"`
	Error     string `json:"error"`
	Output    string `json:"output,omitempty"`
}

// roundsOf converts results to their JSON form.
func roundsOf(results []*gotest.Result) []Round {
	rounds := []Round{}
	for _, r := range results {
		for _, m := range r.Measurements {
			round := Round{Iterations: m.Iterations, Values: map[string]float64{}, Wall: r.Wall, CPU: r.CPU}
			for _, v := range m.Values {
				round.Values[v.Unit] = v.Value
			}
			rounds = append(rounds, round)
		}
	}
	return rounds
}

// config returns the configuration of a result: from go test and from whet.
func (d *Result) config(r *gotest.Result) []benchfmt.Config {
	var out []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			out = append(out, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	cpu := d.Machine.CPU
	for _, f := range r.Config {
		if f.Key == "cpu" {
			cpu = ""
		}
		add(f.Key, f.Value)
	}
	add("cpu", cpu)
	commit := d.Commit
	if d.Modified {
		commit += "+changes"
	}
	values := []string{d.Go, strconv.Itoa(r.Procs), d.GOGC, d.Flags, d.Machine.Load, commit}
	for i, key := range bench.DescriptiveKeys() {
		add(key, strings.Join(strings.Fields(values[i]), " "))
	}
	return out
}

// WriteFormat writes all measurements in Go's benchmark format
// (https://go.dev/design/14313-benchmark-format), benchmark by benchmark, the rounds of each in
// order of time.
func (d *Result) WriteFormat(w io.Writer) error {
	out := benchfmt.NewWriter(w)
	for _, b := range d.Benchmarks {
		for _, r := range b.Results {
			config := d.config(r)
			name := strings.TrimPrefix(r.Name, "Benchmark")
			if r.Procs != 1 {
				name += "-" + strconv.Itoa(r.Procs)
			}
			for _, m := range r.Measurements {
				if err := out.Write(&benchfmt.Result{
					Config: config, Name: benchfmt.Name(name), Iters: m.Iterations,
					Values: m.Values,
				}); err != nil {
					return fmt.Errorf("write results: %w", err)
				}
			}
		}
	}
	return nil
}

// SetSummary sets d.Summary, computed by package bench as benchstat does.
func (d *Result) SetSummary(ctx context.Context) error {
	var text bytes.Buffer
	if err := d.WriteFormat(&text); err != nil {
		return err
	}
	procs := map[int]bool{}
	for _, b := range d.Benchmarks {
		procs[b.Procs] = true
	}
	o := bench.Options{Stdin: &text}
	if len(procs) > 1 {
		o.Ignore = "gomaxprocs" // it is part of the names, and another table would add nothing
	}
	c, err := bench.Compare(ctx, []bench.Input{{Path: "-", Label: "measured"}}, o)
	if err != nil {
		return fmt.Errorf("summarize: %w", err)
	}
	d.Summary = *c
	return nil
}

// Add appends what was measured of jobs to the document and returns the errors of those that failed.
func (d *Result) Add(jobs []gotest.Job, measured []gotest.JobResult) (failures []error) {
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
		d.Benchmarks = append(d.Benchmarks, Benchmark{
			Package: b.Package.ImportPath, Name: jobs[i].Name, Procs: m.Results[0].Procs, Rounds: roundsOf(m.Results),
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
