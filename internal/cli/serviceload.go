package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/service"
)

// Defaults for comparing services: twice those for benchmarks, because a service has
// more noise.
const (
	defaultServicePrecision = 0.02
	defaultServiceMaxTime   = 2 * time.Minute
)

// serviceFlags are the flags of every comparison of services under load. The caller fills in the
// commands, the URLs and AB, except for its plans.
type serviceFlags struct {
	service.Options
	sharedLoad
	Slice     time.Duration
	TargetLog string
}

// register adds the flags to those of cmd; apart are flags of whet load whose names mean
// something else there.
func (f *serviceFlags) register(cmd *cobra.Command, separate ...string) {
	fs := cmd.Flags()
	fs.DurationVar(&f.Slice, "slice", 0, "length of a slice (default: chosen by the noise, A against A)")
	fs.DurationVar(&f.Warmup, "warmup", service.DefaultWarmup, "load each service for this long before measuring")
	fs.BoolVar(&f.SameAnswers, "same-answers", false, "fail if A and B answer differently (default: warn)")
	fs.DurationVar(&f.Start, "start-timeout", service.DefaultStart, "limit on the time until a service listens")
	fs.StringVar(&f.TargetLog, "target-log", "", "write the output of both services to `FILE`")

	f.names = []string{"slice", "warmup", "same-answers", "start-timeout", "target-log"}
	f.bind(cmd, nil, separate)
}

// check rejects invalid values, and fills in the options. op is the command for
// errors.
func (f *serviceFlags) check(cmd *cobra.Command, op string) error {
	for _, d := range []struct {
		name  string
		value time.Duration
		least time.Duration
	}{{"max-time", f.AB.MaxTime, 1}, {"start-timeout", f.Start, 1}, {"warmup", f.Warmup, 0}, {"slice", f.Slice, 0}} {
		if d.value < d.least {
			return diag.Usagef(op, fmt.Sprintf("--%s %v is too short", d.name, d.value), "omit it for the default")
		}
	}
	if f.Warmup == 0 {
		f.Warmup = -1 // none, where 0 is the default
	}
	switch {
	case f.Slice > 0:
		f.AB.Plans = []ab.Plan{{Length: f.Slice}}
	case cmd.Flags().Changed("slice"):
		return diag.Usagef(op, "--slice 0s is too short", "omit it for the default")
	}
	if strings.Contains(f.load.Rate, "..") {
		return diag.Usagef(op, "a rising rate would give each slice a different load", "use one rate, such as -r 2000")
	}
	return f.checkLoad()
}

// readServiceLoad reads the requests to send, from flags and the files that they name.
func (a *app) readServiceLoad(f *serviceFlags) (err error) {
	f.Load, err = a.loadOptions(nil, &f.load)
	return f.renamed(err)
}

// runServices runs a comparison and shows its progress.
func (a *app) runServices(ctx context.Context, f *serviceFlags) (*service.Result, error) {
	view := progress.NewComparison(a.newLine(), "services")
	defer view.End()
	f.Note, f.AB.Progress = view.Stage, view.Show
	done, err := f.setLogAndAbort(&f.Options)
	if err != nil {
		return nil, err
	}
	defer done()
	return service.Run(ctx, f.Options)
}

// setLogAndAbort opens --target-log, and lets a second signal kill the services. done ends both.
func (f *serviceFlags) setLogAndAbort(o *service.Options) (done func(), err error) {
	var log *os.File
	if f.TargetLog != "" {
		if log, err = os.Create(f.TargetLog); err != nil {
			return nil, &diag.Error{Op: "open --target-log", Err: err}
		}
		o.Log = log
	}
	ended := make(chan struct{})
	o.Abort = secondSignal(ended)
	return func() {
		close(ended)
		if log != nil {
			_ = log.Close() // a log cut short is not worth failing for
		}
	}, nil
}
