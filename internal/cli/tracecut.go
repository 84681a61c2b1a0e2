package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/cut"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/unit"
)

// traceCutFlags are the flags of whet trace cut.
type traceCutFlags struct {
	traceFlags
	outputFlags
}

func (a *app) traceCutCommand() *cobra.Command {
	f := &traceCutFlags{}
	cmd := &cobra.Command{
		Use:   "cut TRACE -o FILE",
		Short: "Cut a trace to a time window",
		Long: `Cut a trace to a time window. The result is a valid trace for go tool trace and
all other tools.

A trace consists of generations of about a second. Generations that overlap the
window are kept, so the result starts up to a second before --from; events after
--to are left out. Times in the new trace count from its own start, which is
printed.

Traces of Go 1.21 and older are one piece and cannot be cut.`,
		Example: `  whet trace cut --from 1s --to 1.5s -o slow.trace demo.whet
  whet trace cut --to 1s -o begin.trace trace.out`,
		Args: oneTrace,
	}
	f.registerWindow(cmd)
	f.registerOutput(cmd)
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceCut(cmd.Context(), args[0], f) }
	return cmd
}

func (a *app) traceCut(ctx context.Context, arg string, f *traceCutFlags) error {
	if f.From == 0 && f.To == 0 {
		return diag.Usagef("trace cut", "no window given", "use --from, --to or both: --from 1s --to 1.5s")
	}
	if err := f.times("trace cut"); err != nil {
		return err
	}
	if f.Output == "" {
		return diag.Usagef("trace cut", "no output file", "use -o FILE, or -o - for standard output")
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if !f.toFile() && isTerminal(a.stdout) {
		return diag.Usagef("trace cut", "will not write a trace to a terminal", "use -o FILE")
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
	var result cut.Result
	var failed error
	last := time.Now()
	err = a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		result, failed = cut.Cut(ctx, w, r, cut.Options{From: int64(f.From), To: int64(f.To), Progress: func(bytes int64) {
			if time.Since(last) >= time.Second {
				last = time.Now()
				a.progressf("trace: %v read …", unit.Bytes(bytes))
			}
		}})
		return failed
	})
	if failed != nil {
		return d.ReadTraceError(failed)
	}
	if err != nil {
		return err
	}
	if result.Damage != "" {
		a.warn(diag.Warning{Where: d.Name, Text: "the rest is missing: " + result.Damage})
	}
	doc := documents.Cut{Schema: documents.CutSchema, Name: d.Name, File: f.Output, Result: result}
	if !f.toFile() { // standard output is the trace
		return traces.WriteCut(a.stderr, a.style, doc)
	}
	doc.Warnings = a.warned
	return show(a, f.view.JSON, doc, traces.WriteCut)
}
