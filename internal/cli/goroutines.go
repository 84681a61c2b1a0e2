package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/report/recordings"
)

func (a *app) goroutinesCommand() *cobra.Command {
	f := &viewFlags{}
	reason, leaks := "", false
	cmd := &cobra.Command{
		Use:   "goroutines [BEFORE] NOW",
		Short: "Show what goroutines wait for, where they start, and which leak",
		Long: `Show the goroutines of a program: how many have each stack, what they wait for
and since when, and which function started them. Own code comes first.

For one recording, the report shows what grew over its window; two arguments are
compared with each other. A group is a leak if the target's goroutineleak
profile contains it. It is a suspect if nothing can wake it, or if it grew by
two or more goroutines that only another goroutine can wake and that are not
known to wait only briefly. Waits for a lock count after ten seconds.

How long goroutines wait and who started them comes from the recording's
execution trace, or from a dump. A goroutine profile has neither; a creator
inferred from function names is marked "by its name".

NOW and BEFORE are each a recording (.whet), a goroutine or goroutineleak
profile, a text dump (of runtime.Stack, a panic, SIGQUIT, or debug=1), an
address (the base URL of a service that serves /debug/pprof/, or of a profile)
or "-" for standard input. whet never requests debug=2, which stops the world.`,
		Example: `  whet goroutines demo.whet
  whet goroutines monday.whet friday.whet
  whet goroutines panic.txt
  whet goroutines --focus 'net/http' http://localhost:6060
  whet goroutines --reason 'chan receive' demo.whet`,
		Args: twoArgs("whet goroutines demo.whet"),
	}
	f.registerN(cmd, 20, "groups")
	fs := cmd.Flags()
	fs.StringVar(&f.Focus, "focus", "", "keep only goroutines with a function, file or creator that matches `REGEXP`")
	fs.StringVar(&f.Ignore, "ignore", "", "drop goroutines with a function, file or creator that matches `REGEXP`")
	fs.StringVar(&reason, "reason", "", "keep only goroutines that wait for `REASON`, such as 'chan receive'; "+
		"? is unknown")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.BoolVar(&leaks, "leaks", false, "also fetch the goroutineleak profile of an address (runs a garbage collection)")
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkNumber("goroutines", f.N); err != nil {
			return err
		}
		return a.goroutines(cmd.Context(), args, f, reason, leaks)
	}
	return cmd
}

func (a *app) goroutines(ctx context.Context, args []string, f *viewFlags, reason string, leaks bool) error {
	if err := f.checkAddressFlags(args); err != nil {
		return err
	}
	opt := goroutines.ReportOptions{N: f.N, Filters: f.filters(), WaitsFor: reason}
	if reason != "" {
		opt.Filters = append(opt.Filters, "--reason "+reason)
	}
	q, err := f.query()
	if err != nil {
		return err
	}
	o, err := a.opener(f)
	if err != nil {
		return err
	}
	opt.Focus, opt.Ignore = q.Focus, q.Ignore
	var seen []*input.Goroutines
	for _, arg := range args {
		src, err := o.Goroutines(ctx, arg, leaks && input.IsURL(arg))
		if err != nil {
			return err
		}
		seen = append(seen, src)
	}
	now := seen[len(seen)-1]
	switch {
	case len(seen) == 2:
		now.Snapshot.CompareWith(seen[0].Snapshot)
	case now.Start != nil:
		now.Snapshot.CompareWith(now.Start)
	}
	opt.Trace, opt.Leaks = now.Trace, now.Leaks
	opt.Own, opt.OwnModules = now.Own(f.Own)
	warnings := now.Snapshot.Warnings
	if len(seen) == 2 {
		warnings = append(slices.Clone(seen[0].Snapshot.Warnings), warnings...)
	}
	a.warn(warnings...)
	doc := goroutines.NewReport(now.Snapshot, opt)
	doc.Warnings = a.warned
	return show(a, f.JSON, doc, recordings.WriteGoroutines)
}
