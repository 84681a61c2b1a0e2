package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
	"github.com/whet-go/whet/unit"
)

// traceFlags are the flags of the commands about traces.
type traceFlags struct {
	view viewFlags // for reading sources

	Long     time.Duration // of the trace of an address
	From, To time.Duration
}

func (a *app) traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace COMMAND",
		Short: "Show where goroutines spend time, from an execution trace",
		Long: `Show where goroutines spend their time, from an execution trace.

whet reads a trace of any length once, into an index on disk; the commands below
answer from the index. It is kept in the user's cache and reused while the trace
does not change.

TRACE is a file of runtime/trace or /debug/pprof/trace (Go 1.11 and later), a
recording (.whet) that has one, the address of a service that serves
/debug/pprof/ (recorded for --seconds), or "-" for standard input.`,
		Example: `  whet trace summary demo.whet
  whet trace profile sync -o waits.pb.gz trace.out`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.traceTimelineCommand(), a.traceSummaryCommand(), a.traceGoroutinesCommand(), a.traceRequestsCommand(),
		a.traceContentionCommand(), a.traceProfileCommand(),
		a.traceEventsCommand(), a.traceCutCommand(), a.traceExportCommand(), a.traceIndexCommand(),
	)
	for _, sub := range cmd.Commands() {
		sub.RunE = a.retryDamagedIndex(sub.RunE)
	}
	return cmd
}

// retryDamagedIndex runs a command again, with a new index, if the one that it used is damaged.
func (a *app) retryDamagedIndex(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		out := &counting{w: a.stdout}
		a.stdout, a.opened = out, nil
		defer func() { a.stdout = out.w }()
		err := run(cmd, args)
		if !a.opened.Discard(err) {
			return err
		}
		if out.n > 0 {
			return &diag.Error{
				Op: cmd.Name(), Subject: a.opened.CachedFrom(), Err: err,
				Hint: "the damaged index was removed: run the command again",
			}
		}
		a.warn(a.opened.RebuildWarning())
		return run(cmd, args)
	}
}

// counting counts the bytes written.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func (f *traceFlags) registerSource(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.Long, "seconds", 2*time.Second, "record an address for this `duration`")
	f.view.registerSource(cmd)
}

// registerIndex is registerSource for a command that indexes the trace.
func (f *traceFlags) registerIndex(cmd *cobra.Command) {
	f.registerSource(cmd)
	cmd.Flags().Lookup("max-memory").Usage = "use at most `SIZE` of memory to index the trace, such as 2GB (default 512MB)"
}

func (f *traceFlags) registerWindow(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.DurationVar(&f.From, "from", 0, "start this `duration` into the trace")
	fs.DurationVar(&f.To, "to", 0, "end this `duration` into the trace (default: its end)")
}

// window returns the window of the flags, in nanoseconds since the start of the trace.
func (f *traceFlags) window(x *index.Index) (from, to int64, err error) {
	from, to = int64(f.From), int64(f.To)
	if to == 0 || to > x.Info.Duration {
		to = x.Info.Duration
	}
	if from < 0 || from > to {
		return 0, 0, diag.Usagef("trace",
			fmt.Sprintf("--from %v is not within the trace up to %v", f.From, time.Duration(to)),
			"times count from the start of the trace")
	}
	return from, to, nil
}

// oneTrace is the argument check of commands that take one trace.
func oneTrace(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return diag.Usagef(cmd.Name(), "more than one trace", "give one at a time")
	}
	return someArgs("no trace given", "`whet record` puts one into its recording")(cmd, args)
}

func (a *app) traceSummaryCommand() *cobra.Command {
	f := &traceFlags{}
	n := 0
	cmd := &cobra.Command{
		Use:   "summary TRACE",
		Short: "Summarize what goroutines do and wait for",
		Long: `Summarize what goroutines do, by the function that they run: how often and how
long they are running, runnable (waiting for a CPU), in system calls, helping
the garbage collector, or waiting, by reason; and how busy processors are, what
the garbage collector does, tasks and regions.

p50, p99 and max are over single stays in a state. If a stay extends beyond the
window of --from and --to, only the part inside counts.`,
		Example: `  whet trace summary demo.whet
  whet trace summary --from 1s --to 1.5s trace.out
  whet trace summary http://localhost:6060`,
		Args: oneTrace,
	}
	f.registerWindow(cmd)
	registerNumber(cmd.Flags(), &n, 10, "show", "kinds of goroutines")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.traceSummary(cmd.Context(), args[0], f, n)
	}
	return cmd
}

func (a *app) traceSummary(ctx context.Context, arg string, f *traceFlags, n int) error {
	if err := checkNumber("trace summary", n); err != nil {
		return err
	}
	x, name, err := a.openTrace(ctx, arg, f)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	from, to, err := f.window(x)
	if err != nil {
		return err
	}
	s, err := summary.New(x, from, to)
	if err != nil {
		return err
	}
	doc := documents.NewSummary(name, s, time.Duration(x.Info.Duration), n)
	doc.Warnings = a.warned
	return show(a, f.view.JSON, doc, traces.WriteSummary)
}

func (a *app) traceIndexCommand() *cobra.Command {
	f := &traceFlags{}
	file := ""
	cmd := &cobra.Command{
		Use:   "index TRACE",
		Short: "Index a trace, or describe its index",
		Long: `Build the index of a trace, unless one exists for the same file, and describe
it. Other trace commands do this automatically.

A truncated trace is indexed up to its last complete generation (a second or
so), with a note.`,
		Example: `  whet trace index demo.whet
  whet trace index -o service.index trace.out`,
		Args: oneTrace,
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write the index to `FILE` (default: the user's cache)")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.traceIndex(cmd.Context(), args[0], f, file)
	}
	return cmd
}

func (a *app) traceIndex(ctx context.Context, arg string, f *traceFlags, file string) error {
	d, err := a.traceDocument(ctx, arg, f)
	if err != nil {
		return err
	}
	defer d.Close()
	x, err := a.indexTrace(ctx, d, f, file)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	info := x.Info
	if f.view.JSON {
		return a.writeJSON(documents.Index{Info: info, Warnings: a.warned})
	}
	return a.write(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s, %d events of %d goroutines\n", d.Name,
			unit.Duration(time.Duration(info.Duration)), info.Events, info.Goroutines)
		return err
	})
}

// openTrace opens the index of a trace, and builds it if there is none.
func (a *app) openTrace(ctx context.Context, arg string, f *traceFlags) (x *index.Index, name string, err error) {
	d, err := a.traceDocument(ctx, arg, f)
	if err != nil {
		return nil, "", err
	}
	defer d.Close()
	x, err = a.indexTrace(ctx, d, f, "")
	return x, d.Name, err
}

// traceDocument opens a trace, or a recording that contains one.
func (a *app) traceDocument(ctx context.Context, arg string, f *traceFlags) (*input.Document, error) {
	f.view.command = "trace"
	if err := f.view.checkAddressFlags([]string{arg}); err != nil {
		return nil, err
	}
	o, err := a.opener(&f.view)
	if err != nil {
		return nil, err
	}
	d, err := o.Document(ctx, arg, func(u *url.URL) {
		u.Path += "trace"
		u.RawQuery = url.Values{"seconds": {strconv.FormatFloat(f.Long.Seconds(), 'f', -1, 64)}}.Encode()
	})
	if err != nil {
		return nil, err
	}
	if d.Recording != nil && !d.Recording.Has(recording.TracePart) {
		defer d.Close()
		err := input.MissingPart(d.Recording, d.Name, recording.TracePart, "execution trace")
		if e := (*diag.Error)(nil); errors.As(err, &e) && e.Hint == "" {
			e.Hint = "`whet record` takes one unless --trace is 0"
		}
		return nil, err
	}
	return d, nil
}

// indexTrace opens the index of a document's trace, and builds it if there is none. If file is given, it always
// builds the index, in that file.
func (a *app) indexTrace(ctx context.Context, d *input.Document, f *traceFlags, file string) (*index.Index, error) {
	o, err := a.opener(&f.view)
	if err != nil {
		return nil, err
	}
	x, err := o.Trace(ctx, d, file)
	if err != nil {
		return nil, err
	}
	a.opened = x
	return x.Index, nil
}
