package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/benchmarks"
)

// benchProfileFlags are the flags of whet bench profile.
type benchProfileFlags struct {
	benchFlags
	Dir       string
	BenchTime time.Duration
	Own       []string
	Force     bool
	JSON      bool
}

func (a *app) benchProfileCommand() *cobra.Command {
	f := &benchProfileFlags{}
	cmd := &cobra.Command{
		Use:   "profile PACKAGE...",
		Short: "Record each benchmark into a separate file",
		Long: `Record each benchmark and sub-benchmark into a separate .whet file: CPU, memory,
block and mutex profiles, an execution trace, and the source of the hot lines.
Unlike go test -cpuprofile, it accepts several packages.

Each benchmark runs alone, so its profiles contain no other: once for CPU and
memory, and once, shorter, for the profiles that disturb more. For each file one
line of output shows the most expensive line of own code. Ctrl-C keeps the
finished files.`,
		Example: `  whet bench profile ./encode
  whet bench profile ./... --bench XML -o profiles
  whet top profiles/encode.XML.whet`,
		Args: someArgs("no package given", "name packages, or ./... for all: `whet bench profile ./...`"),
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.registerBench(cmd)
	fs.DurationVar(&f.BenchTime, "benchtime", time.Second, "run each benchmark for this time")
	fs.StringVarP(&f.Dir, "output", "o", ".", "write the recordings to `DIR`")
	fs.BoolVar(&f.Force, "force", false, "replace existing files")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.checkBench(); err != nil {
			return err
		}
		if f.BenchTime <= 0 || f.BenchTime >= f.Timeout {
			return diag.Usagef("--benchtime", fmt.Sprintf("%v is not between 0 and the timeout, %v", f.BenchTime, f.Timeout),
				"give a time such as 1s, or raise --timeout")
		}
		return a.benchProfile(cmd.Context(), f, args)
	}
	return cmd
}

// benchProfile records the benchmarks one after the other.
func (a *app) benchProfile(ctx context.Context, f *benchProfileFlags, packages []string) error {
	dir, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return fmt.Errorf("record benchmarks: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	view := progress.NewBenchmarks(a.newLine())
	jobs, failures, err := view.Prepare(ctx, f.source,
		gotest.PrepareOptions{Patterns: packages, Match: f.match(), Dir: dir, Run: gotest.RunOptions{Timeout: f.Timeout}})
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		return f.nothing(packages, failures)
	}
	files, err := collect.BenchmarkFiles(f.Dir, jobs, f.Force)
	if err != nil {
		return err
	}
	doc := &benchmarks.Profiles{Schema: benchmarks.ProfilesSchema}
	o := collect.Options{BenchTime: f.BenchTime.String(), Own: f.Own, Version: version().Version}
	interrupted, failed := collect.Benchmarks(ctx, jobs, files, o, collect.BenchmarkCalls{
		Begin: func(i int) { view.Recording(i, len(jobs), jobs[i]) },
		Made: func(job gotest.Job, sum *collect.Summary) error {
			view.End()
			a.warn(sum.Warnings...)
			hottest, err := a.hottest(ctx, sum.Path, f.Own)
			made := benchmarks.Profile{
				Package: job.Binary.Package.ImportPath, Benchmark: job.Name, Path: sum.Path, Hottest: hottest,
			}
			doc.Recordings = append(doc.Recordings, made)
			if f.JSON {
				return err
			}
			return errors.Join(err, a.write(func(w io.Writer) error { return benchmarks.WriteProfile(w, a.style, made) }))
		},
	})
	view.End()
	doc.Interrupted = interrupted
	failures = append(failures, failed...)
	for _, err := range failures {
		doc.Failures = append(doc.Failures, rounds.NewFailure(err))
	}
	err = nil
	if f.JSON {
		doc.Warnings = a.warned
		err = a.writeJSON(doc)
	}
	switch {
	case len(doc.Recordings) == 0:
		err = errors.Join(err, ctx.Err())
	case doc.Interrupted:
		_, _ = fmt.Fprintf(a.stderr, "whet: interrupted; recorded %d of %d benchmarks\n", len(doc.Recordings), len(jobs))
	}
	return errors.Join(err, benchFailures(failures))
}

// hottest returns the most expensive line of own code in a recording's CPU profile; nil
// if there is none.
func (a *app) hottest(ctx context.Context, file string, own []string) (*owncode.Line, error) {
	f := &viewFlags{}
	f.register(&cobra.Command{Use: "top"}) // the defaults
	f.Own = own
	in, err := a.open(ctx, []string{file}, f)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	dir, _ := os.Getwd() // without it paths are less short
	lines := documents.NewOwn(f.header(in), in.View.Own(in.Own.Match), nil, 1, dir).Own.Lines
	if in.Part != "cpu" || len(lines) == 0 {
		return nil, nil
	}
	return &lines[0], nil
}
