package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/internal/trace/events"
)

// traceEventsFlags are the flags of whet trace events.
type traceEventsFlags struct {
	traceFlags
	Filter string
	Number int
	Stacks bool
}

func (a *app) traceEventsCommand() *cobra.Command {
	f := &traceEventsFlags{}
	cmd := &cobra.Command{
		Use:   "events TRACE",
		Short: "Write the events that match a filter as JSON lines",
		Long: `Write the events of a trace as JSON lines, in order. The trace is streamed
without an index, and read only as far as --to and -n require.

Each line has time_ns (since the start of the trace), kind, and the proc, thread
and goroutine of the event (-1: none). Depending on the kind, it also has
  StateTransition                    resource, id, from, to, reason
  RangeBegin, RangeActive, RangeEnd  name, resource and id that it applies to
  Metric                             name, value
  TaskBegin, TaskEnd                 name, task, parent
  RegionBegin, RegionEnd             name, task
  Log                                name (its category), message, task
  Label                              name, resource, id
and --stacks adds stack: a list of func, file and line, innermost first.

--filter is an expression over these names, in the language of
https://expr-lang.org: ==, !=, <, >, in, and, or, not, contains, startsWith,
matches (a regular expression), any(stack, .func == "f") and more.`,
		Example: `  whet trace events --filter 'kind == "Log"' trace.out
  whet trace events --filter 'to == "Waiting" and reason == "sync"' demo.whet
  whet trace events --filter 'any(stack, .func matches "^main")' -n 5 trace.out`,
		Args: oneTrace,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Filter, "filter", "", "write only events for which `EXPRESSION` is true")
	f.registerWindow(cmd)
	registerNumber(fs, &f.Number, 0, "write at most", "events")
	fs.BoolVar(&f.Stacks, "stacks", false, "include stacks")
	f.registerSource(cmd)
	_ = fs.MarkHidden("json") // it is what is written anyway
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceEvents(cmd.Context(), args[0], f) }
	return cmd
}

// times checks the window of commands that read a trace without an index, and so do not know its end.
func (f *traceFlags) times(command string) error {
	if f.From < 0 || f.To < 0 || f.To > 0 && f.From > f.To {
		return diag.Usagef(command, fmt.Sprintf("--from %v is not before --to %v", f.From, f.To),
			"times count from the start of the trace")
	}
	return nil
}

func (a *app) traceEvents(ctx context.Context, arg string, f *traceEventsFlags) error {
	if err := checkNumber("trace events", f.Number); err != nil {
		return err
	}
	if err := f.times("trace events"); err != nil {
		return err
	}
	o := events.Options{From: int64(f.From), To: int64(f.To), N: f.Number, Stacks: f.Stacks}
	if f.Filter != "" {
		var err error
		if o.Filter, err = events.NewFilter(f.Filter); err != nil {
			return diag.Usagef("trace events", fmt.Sprintf("--filter: %v", err),
				`such as 'kind == "Log" and goroutine == 7'; --help lists the names`)
		}
	}
	d, err := a.traceDocument(ctx, arg, &f.traceFlags)
	if err != nil {
		return err
	}
	defer d.Close()
	r, err := d.TraceReader()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // was only read
	var result events.Result
	var failed error
	if err := a.write(func(w io.Writer) error {
		result, failed = events.Write(ctx, terminal.JSON(w), r, o)
		return nil
	}); err != nil && failed == nil {
		failed = err
	}
	if failed != nil {
		return d.ReadTraceError(failed)
	}
	if result.Damage != "" {
		a.warn(diag.Warning{Where: d.Name, Text: "the rest is missing: " + result.Damage})
	}
	return nil
}
