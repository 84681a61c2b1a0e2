package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/layout"
)

// benchRunFlags are the flags of whet bench.
type benchRunFlags struct {
	outputFlags
	benchFlags
	Count     int
	BenchTime string
	CPU       string
	Seed      uint64
	JSON      bool

	procs []int             // of CPU; 0 is the default
	round gotest.RunOptions // of BenchTime
}

// benchFlags select the benchmarks to run, and how they are built. Several
// commands share them.
type benchFlags struct {
	Bench   string
	Flags   string
	Timeout time.Duration

	source gotest.Source // of Flags
}

func (f *benchFlags) registerBench(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Bench, "bench", ".", "run benchmarks that match `REGEXP`, as in go test")
	fs.StringVar(&f.Flags, "flags", "", "go build `FLAGS` and KEY=value environment, to build and run with")
	fs.DurationVar(&f.Timeout, "timeout", gotest.DefaultTimeout, "kill a benchmark's process after this time")
}

// checkBench parses and checks the flags.
func (f *benchFlags) checkBench() error {
	if f.Timeout <= 0 {
		return diag.Usagef("--timeout", "must be positive", "give a time such as 1m")
	}
	flags, env, err := gotest.ParseFlags(f.Flags)
	if err != nil {
		return &diag.Error{Op: "--flags", Err: err, Kind: diag.Usage}
	}
	f.source = gotest.Source{Flags: flags, Env: env}
	return nil
}

func (f *benchRunFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	f.registerBench(cmd)
	fs.IntVar(&f.Count, "count", 10, "measure each benchmark in `N` rounds")
	fs.StringVar(&f.BenchTime, "benchtime", "100ms", "measure for this `duration` in each round, such as 1s or 1000x")
	fs.StringVar(&f.CPU, "cpu", "", "measure with each GOMAXPROCS in `LIST`, such as 1,2,4")
	fs.Uint64Var(&f.Seed, "seed", 0, "seed the random order with `N` (default: random)")
	f.registerOutput(cmd)
	fs.Lookup("output").Usage = "write the results to `FILE` in benchmark format; " +
		"- is standard output, instead of the table"
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
}

func (f *benchRunFlags) check() error {
	if err := f.checkBench(); err != nil {
		return err
	}
	if f.Count < 1 {
		return diag.Usagef("--count", fmt.Sprintf("must be positive, not %d", f.Count),
			"use ten rounds or more for a useful interval")
	}
	if f.JSON && f.Output == "-" {
		return diag.Usagef("bench", "--json and -o - are mutually exclusive", "name a file for the benchmark output")
	}
	var err error
	if f.procs, err = gotest.ParseProcs(f.CPU); err != nil {
		return &diag.Error{Op: "--cpu", Err: err, Kind: diag.Usage}
	}
	if f.round, err = gotest.ParseBenchTime(f.BenchTime, f.Timeout); err != nil {
		return &diag.Error{Op: "--benchtime", Err: err, Kind: diag.Usage}
	}
	return f.checkThere()
}

// benchRun measures the benchmarks of the packages and shows them.
func (a *app) benchRun(ctx context.Context, f *benchRunFlags, packages []string) error {
	dir, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	view := progress.NewBenchmarks(a.newLine())
	built, failures, err := view.Prepare(ctx, f.source,
		gotest.PrepareOptions{Patterns: packages, Match: f.match(), Dir: dir, Run: gotest.RunOptions{Timeout: f.Timeout}})
	if err != nil {
		return err
	}
	if len(built) == 0 {
		return f.nothing(packages, failures)
	}
	doc, failures, err := rounds.Measure(ctx, built, rounds.Options{
		Source: f.source, Flags: f.Flags, Procs: f.procs, Run: f.round, Count: f.Count, Seed: f.Seed,
		Failures: failures, Progress: view.Rounds,
	})
	view.End()
	if err != nil {
		return err
	}
	if len(doc.Benchmarks) == 0 {
		return errors.Join(ctx.Err(), benchFailures(failures))
	}
	err = errors.Join(a.writeBenchRun(f, doc), benchFailures(failures))
	if err == nil && !f.JSON {
		a.next(append([]string{"bench", "--base", "HEAD~"}, packages...)...)
	}
	return err
}

// match returns the pattern of benchmarks; "" matches all.
func (f *benchFlags) match() string {
	if f.Bench == "." {
		return ""
	}
	return f.Bench
}

// nothing returns the error for a run without benchmarks.
func (f *benchFlags) nothing(packages []string, failures []error) error {
	if len(failures) > 0 {
		return benchFailures(failures)
	}
	e := &diag.Error{
		Op: "bench", Subject: strings.Join(packages, " "), Err: errors.New("no benchmarks found"),
		Hint: "write one: func BenchmarkName(b *testing.B) { for b.Loop() { … } }",
	}
	if f.match() != "" {
		e.Err = fmt.Errorf("no benchmark matches %q", f.Bench)
		e.Hint = "leave out --bench to run all; `go test -list Benchmark` lists them"
	}
	return e
}

func (a *app) writeBenchRun(f *benchRunFlags, d *rounds.Result) error {
	var errs []error
	switch {
	case f.JSON:
		d.Warnings = a.warned
		errs = append(errs, a.writeJSON(d))
	case f.Output != "-":
		errs = append(errs, a.write(func(w io.Writer) error { return benchmarks.WriteRun(w, a.style, d) }))
	}
	if f.Output != "" {
		errs = append(errs, a.writeOutput(&f.outputFlags, d.WriteFormat))
	}
	return errors.Join(errs...)
}

// benchFailures joins the failures, with the output of the programs.
func benchFailures(failures []error) error {
	out := make([]error, 0, len(failures))
	for _, err := range failures {
		e := &diag.Error{Err: err}
		if f := (*gotest.Failure)(nil); errors.As(err, &f) && f.Output != "" {
			text := &strings.Builder{}
			for line := range strings.Lines(f.Output) {
				fmt.Fprintf(text, "\n  | %s", layout.Clean(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\r\n ")))
			}
			e.Err = fmt.Errorf("%w%s", err, text)
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}
