package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/service"
)

// benchServiceFlags are the flags of whet bench --service.
type benchServiceFlags struct {
	outputFlags
	serviceFlags
	Dirs      [2]string
	Precision share
	JSON      bool
	Record    string // the file of a recording of A
	captureFlags
}

const benchServiceLong = `Run two builds of a service side by side, load them alternately, and report by
how much they differ, with confidence intervals.

whet starts CMD_A and CMD_B as a shell would, but without pipes and variables:
'GOGC=200 ./server -addr {addr}'. In the commands and in --load, {addr} is
replaced by a free loopback address and {port} by its port; {addr2} to {addr9}
are further ones. Without them, give --load twice, for A and for B, or once for
services that both listen there: then only one of them runs at a time.

Slices of load alternate between the two until the interval of the ratio is as
narrow as --precision. Each slice measures CPU time, allocations (if the service
serves pprof), latency and rate. Failed requests, differing answers and warnings
about the load are reported before the figures. Ctrl-C ends the comparison and
prints what was measured; both services are always stopped.

--record writes a recording of A under the same load, made when the comparison
has ended, as whet record does; A must serve pprof. --capture adds arguments of
calls, for which A must be a command of the form 'go run PACKAGE'.

The exit code is 1 if a service did not start or ended early, and 2 for a usage
error.`

// addBenchService adds the comparison of services to whet bench.
func (a *app) addBenchService(bench *cobra.Command) {
	bench.AddCommand(a.benchServiceCommand())
	// serviceFlag removes it from the arguments; here it is only for the help.
	bench.Flags().Bool("service", false, "compare two builds of a service; see --service --help")
}

// serviceFlag turns whet bench --service into the command whet bench service, whose flags
// would make no sense among those of benchmarks.
func serviceFlag(args []string) []string {
	end := len(args)
	if i := slices.Index(args, "--"); i >= 0 {
		end = i
	}
	i := slices.Index(args[:end], "--service")
	if i < 1 || args[0] != "bench" {
		return args
	}
	return slices.Concat([]string{"bench", "service"}, args[1:i], args[i+1:])
}

func (a *app) benchServiceCommand() *cobra.Command {
	f := &benchServiceFlags{}
	cmd := &cobra.Command{
		Use:   "service CMD_A CMD_B --load URL",
		Short: "Compare two builds of a service under load",
		Long:  benchServiceLong,
		Example: `  whet bench --service './old -p {port}' './new -p {port}' --load http://{addr}/
  whet bench --service 'PORT={port} ./old' 'PORT={port} ./new' \
    --load http://{addr}/ -r 500
  whet bench --service './old -p {port}' 'GOGC=400 ./old -p {port}' \
    --load http://{addr}/ --precision 1% -o gogc.json
  whet bench --service './old -p 8001' './new -p 8002' \
    --load http://localhost:8001/ --load http://localhost:8002/
  whet bench --service 'go run . -addr {addr}' './new -addr {addr}' \
    --load http://{addr}/ --record a.whet --capture hot`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return diag.Usagef("bench --service", fmt.Sprintf("want two commands, got %d", len(args)),
					"put each in quotes: whet bench --service './old -addr {addr}' './new -addr {addr}' --load http://{addr}/")
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd, args); err != nil {
			return err
		}
		return a.benchService(cmd.Context(), f)
	}
	return cmd
}

func (f *benchServiceFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.URLs, "load", nil, "send the load to `URL`; twice for different URLs of A and B")
	f.Precision = defaultServicePrecision
	fs.Var(&f.Precision, "precision", "stop when the half width of the ratio's interval is below this")
	fs.DurationVar(&f.AB.MaxTime, "max-time", defaultServiceMaxTime, "stop after this time in any case")
	fs.StringVar(&f.Dirs[0], "dir-a", "", "run A in `DIR`")
	fs.StringVar(&f.Dirs[1], "dir-b", "", "run B in `DIR`")
	f.serviceFlags.register(cmd)

	fs.StringVar(&f.Record, "record", "", "also record A under the same load, when the comparison has ended, to `FILE`")
	f.captureFlags.register(cmd, "with --record, ")
	fs.StringVarP(&f.Output, "output", "o", "", "also write the result as JSON to `FILE`")
	fs.BoolVar(&f.Force, "force", false, "replace an existing file")
	fs.BoolVar(&f.JSON, "json", false, "write JSON")
}

// check validates arguments and flags.
func (f *benchServiceFlags) check(cmd *cobra.Command, args []string) error {
	const op = "bench --service"
	for i, text := range args {
		var err error
		if f.Commands[i], err = service.ParseCommand(text); err != nil {
			return err
		}
		if f.Commands[i].Dir = f.Dirs[i]; f.Dirs[i] == "" {
			continue
		}
		if fi, err := os.Stat(f.Dirs[i]); err != nil || !fi.IsDir() {
			return diag.Usagef(fmt.Sprintf("--dir-%c", 'a'+i), fmt.Sprintf("%s is not a directory", f.Dirs[i]),
				"name the directory to run the command in")
		}
	}
	if len(f.URLs) == 0 {
		return diag.Usagef(op, "no load given", "give --load http://{addr}/, where {addr} is also replaced in the commands")
	}
	if err := checkPrecision(op, f.Precision); err != nil {
		return err
	}
	f.AB.Precision = float64(f.Precision)
	if err := f.serviceFlags.check(cmd, op); err != nil {
		return err
	}
	if f.Output == "-" {
		return diag.Usagef(op, "standard output already receives the result",
			"use --json for JSON on standard output, or name a file")
	}
	if err := f.checkRecord(); err != nil {
		return err
	}
	return f.checkOutput()
}

// checkRecord rejects what a recording of A cannot be made of, before anything is measured.
func (f *benchServiceFlags) checkRecord() error {
	const op = "bench --service"
	if f.Record == "" {
		if f.Capture != "" || f.Redact != "" || f.rated() {
			return diag.Usagef(op, "--capture, --capture-rate and --redact have no effect without --record",
				"name the recording: --record a.whet")
		}
		return nil
	}
	if f.Redact != "" && f.Capture == "" {
		return diag.Usagef(op, "--redact has no effect without --capture", "give --capture hot")
	}
	if f.rated() && f.Capture == "" {
		return diag.Usagef(op, "--capture-rate has no effect without --capture", "give --capture hot")
	}
	o, err := f.recordOptions(f.Commands[0])
	if err == nil && o.Tests() {
		err = diag.Usagef(op, "go test is not a service", "give A as 'go run PACKAGE'")
	}
	if err == nil {
		err = o.Check()
	}
	return err
}

// recordOptions returns how A is recorded.
func (f *benchServiceFlags) recordOptions(c service.Command) (o collect.Options, err error) {
	o = collect.Options{Command: c.Args, Env: c.Env, Dir: c.Dir, Out: f.Record, Start: f.Start, Version: version().Version}
	o.Capture, err = f.captureFlags.options()
	return o, err
}

// recordService records A under the load of the comparison.
func (a *app) recordService(ctx context.Context, f *benchServiceFlags) error {
	c, l, err := f.Alone(0)
	if err != nil {
		return err
	}
	o, err := f.recordOptions(c)
	if err != nil {
		return err
	}
	o.Load = &l
	line := a.newLine()
	o.Progress = showRecording(line)
	done := make(chan struct{})
	defer close(done)
	o.Abort = secondSignal(done)
	if f.TargetLog != "" {
		log, err := os.OpenFile(f.TargetLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return &diag.Error{Op: "open --target-log", Err: err}
		}
		defer func() { _ = log.Close() }() // a log cut short is not worth failing for
		o.TargetLog = log
	}
	sum, err := collect.Run(ctx, o)
	line.Clear()
	if err != nil {
		return fmt.Errorf("record A: %w", err)
	}
	a.warn(sum.Warnings...)
	return errors.Join(sum.Failures...)
}

// benchService runs the comparison and shows it.
func (a *app) benchService(ctx context.Context, f *benchServiceFlags) error {
	if err := a.readServiceLoad(&f.serviceFlags); err != nil {
		return err
	}
	r, err := a.runServices(ctx, &f.serviceFlags)
	if err != nil {
		return err
	}
	var recorded error
	if f.Record != "" && !r.AB.Interrupted && r.Failure == nil {
		recorded = a.recordService(ctx, f)
	}
	if r.AB.Interrupted && len(r.AB.Subjects[0].Units) == 0 && r.Failure == nil {
		return context.Canceled // nothing was measured
	}
	if !f.JSON {
		err = a.write(func(w io.Writer) error { return benchmarks.WriteServices(w, a.style, r) })
	}
	r.Warnings = a.warnings(r.Warnings) // the text has only those that were not printed
	if f.JSON {
		err = a.writeJSON(r)
	}
	errs := []error{err, f.failure(r), recorded}
	if f.Output != "" {
		errs = append(errs, a.writeOutput(&f.outputFlags, func(w io.Writer) error { return report.JSON(w, r) }))
	}
	return errors.Join(errs...)
}

// failure returns the error of a service that ended early. The text report already shows it with
// the service's output, so the error is short there.
func (f *benchServiceFlags) failure(r *service.Result) error {
	if r.Failure == nil || f.JSON {
		return r.Failure
	}
	return &diag.Error{Op: "bench --service", Err: errors.New("the measurement ended early"), Hint: diag.Hint(r.Failure)}
}
