package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/trace/summary"
)

// traceGoroutinesFlags are the flags of whet trace goroutines.
type traceGoroutinesFlags struct {
	traceFlags
	GroupBy    string
	Sort       string
	Goroutines string
	Number     int
}

// groupByNone lists single goroutines.
const groupByNone = "none"

// groupings are the values of --group-by.
func groupings() []string {
	return []string{string(summary.ByStart), string(summary.ByCreation), groupByNone}
}

func (a *app) traceGoroutinesCommand() *cobra.Command {
	f := &traceGoroutinesFlags{}
	cmd := &cobra.Command{
		Use:   "goroutines TRACE",
		Short: "Group goroutines by function or creator, or list them",
		Long: `Group goroutines, or list them one by one: how many there are, how many started
and ended, the longest-lived, and how long they were running, runnable (waiting
for a CPU), in system calls, helping the garbage collector, or waiting, by
reason.

--group-by start groups goroutines that run the same function; creation groups
those of one go statement, by the innermost line of own code on its stack, if
there is one. The go statements of goroutines that are older than the trace are
unknown; they are grouped by the goroutines that started them, if known. none
lists single goroutines.

The times of a whole trace equal those of go tool trace.`,
		Example: `  whet trace goroutines demo.whet
  whet trace goroutines --group-by creation --sort life trace.out
  whet trace goroutines --group-by none -n 20 --goroutines 'net/http' trace.out`,
		Args: oneTrace,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.GroupBy, "group-by", string(summary.ByStart), "group by `KEY`: start, creation or none")
	fs.StringVar(&f.Sort, "sort", string(summary.ByRunning), "sort by `KEY`: "+strings.Join(orders(), ", "))
	fs.StringVar(&f.Goroutines, "goroutines", "", "keep only goroutines that run a function matching `REGEXP`")
	fs.StringArrayVar(&f.view.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	f.registerWindow(cmd)
	registerNumber(fs, &f.Number, 10, "show", "groups or goroutines")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceGoroutines(cmd.Context(), args[0], f) }
	return cmd
}

func orders() []string {
	names := make([]string, len(summary.Orders()))
	for i, o := range summary.Orders() {
		names[i] = string(o)
	}
	return names
}

func (f *traceGoroutinesFlags) check() error {
	const command = "trace goroutines"
	if !slices.Contains(groupings(), f.GroupBy) {
		return unknownValue(command, "--group-by key", f.GroupBy, groupings())
	}
	if !slices.Contains(orders(), f.Sort) {
		return unknownValue(command, "--sort key", f.Sort, orders())
	}
	return checkNumber(command, f.Number)
}

func (a *app) traceGoroutines(ctx context.Context, arg string, f *traceGoroutinesFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	that, err := optionalRegexp("--goroutines", f.Goroutines)
	if err != nil {
		return err
	}
	d, err := a.traceDocument(ctx, arg, &f.traceFlags)
	if err != nil {
		return err
	}
	defer d.Close()
	x, err := a.indexTrace(ctx, d, &f.traceFlags, "")
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	o := summary.Options{
		Goroutines: that, Own: input.TraceOwnOrForeign(arg, x, f.view.Own), Order: summary.Order(f.Sort),
	}
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	doc := documents.NewGoroutines(d.Name, f.GroupBy, time.Duration(o.From), time.Duration(o.To),
		time.Duration(x.Info.Duration))
	if f.GroupBy == groupByNone {
		list, others, err := summary.Goroutines(x, f.Number, o)
		if err != nil {
			return err
		}
		doc.AddGoroutines(list, others)
	} else {
		groups, err := summary.Groups(x, summary.Grouping(f.GroupBy), o)
		if err != nil {
			return err
		}
		doc.AddGroups(groups, f.Number)
	}
	doc.Warnings = a.warned
	return show(a, f.view.JSON, doc, traces.WriteGoroutines)
}
