package cli

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/internal/trace/export"
	"github.com/whet-go/whet/trace/index"
)

// traceExportFlags are the flags of whet trace export.
type traceExportFlags struct {
	traceFlags
	Perfetto, Chrome, OTLP string
	Force                  bool
	Goroutines, Name       string
}

func (a *app) traceExportCommand() *cobra.Command {
	f := &traceExportFlags{}
	cmd := &cobra.Command{
		Use:   "export TRACE --perfetto|--chrome|--otlp FILE",
		Short: "Write a trace for Perfetto, Chrome or OpenTelemetry",
		Long: `Write a trace for other tools.

--perfetto writes packets for https://ui.perfetto.dev: processors and what they
run, the garbage collector, the heap, requests, tasks, and goroutines with their
states, where they stopped and who woke them. --chrome writes the same as JSON
for chrome://tracing and https://speedscope.app, in a file about twice as
large.

--otlp writes OTLP/JSON for OpenTelemetry: requests and tasks as spans, with the
waits of a request as children. Traces of Go 1.25 and later record when they
were made; times of older ones count from the recording's start, or from 1970.

Tasks and regions that overlap the window of --from and --to are written whole,
and so are requests that end in it.`,
		Example: `  whet trace export --perfetto demo.pftrace demo.whet
  whet trace export --from 1s --to 1.5s --chrome slow.json trace.out
  whet trace export --otlp spans.json --name shop demo.whet`,
		Args: oneTrace,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Perfetto, "perfetto", "", "write Perfetto packets to `FILE`; - is standard output")
	fs.StringVar(&f.Chrome, "chrome", "", "write Chrome trace events to `FILE`")
	fs.StringVar(&f.OTLP, "otlp", "", "write OpenTelemetry spans to `FILE`")
	fs.BoolVar(&f.Force, "force", false, "replace existing files")
	f.registerWindow(cmd)
	fs.StringVar(&f.Goroutines, "goroutines", "", "keep only goroutines that run a function matching `REGEXP`")
	fs.StringVar(&f.Name, "name", "", "`NAME` of the service (default: that of the program)")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceExport(cmd.Context(), args[0], f) }
	return cmd
}

// An exporter writes one format.
type exporter struct {
	format string
	output outputFlags
	write  func(io.Writer, *index.Index, export.Options) (export.Result, error)
}

// exporters returns the exporters that the flags select.
func (f *traceExportFlags) exporters() []exporter {
	var list []exporter
	for _, e := range []exporter{
		{"perfetto", outputFlags{f.Perfetto, f.Force}, export.Perfetto},
		{"chrome", outputFlags{f.Chrome, f.Force}, export.Chrome},
		{"otlp", outputFlags{f.OTLP, f.Force}, export.OTLP},
	} {
		if e.output.Output != "" {
			list = append(list, e)
		}
	}
	return list
}

func (a *app) traceExport(ctx context.Context, arg string, f *traceExportFlags) error {
	const command = "trace export"
	list := f.exporters()
	if len(list) == 0 {
		return diag.Usagef(command, "no output given", "use --perfetto FILE, --chrome FILE or --otlp FILE")
	}
	if err := (&outputFlags{Force: f.Force}).checkOutput(f.Perfetto, f.Chrome, f.OTLP); err != nil {
		return err
	}
	if err := checkUseless(command, f.view.given, []useless{
		{
			"name",
			f.Perfetto == "" && f.OTLP == "",
			"on Chrome's format, which has no service name",
			"leave it out, or add --perfetto FILE or --otlp FILE",
		},
		{
			"goroutines",
			f.Perfetto == "" && f.Chrome == "",
			"on OpenTelemetry's spans, which are requests and tasks",
			"leave it out, or add --perfetto FILE or --chrome FILE",
		},
	}); err != nil {
		return err
	}
	streams, files := 0, map[string]bool{}
	for _, e := range list {
		if err := e.output.checkThere(); err != nil {
			return err
		}
		if !e.output.toFile() {
			streams++
		}
		if files[e.output.Output] {
			return diag.Usagef(command, "two outputs are written to "+e.output.Output, "give each a separate file")
		}
		files[e.output.Output] = true
	}
	if streams > 0 && isTerminal(a.stdout) {
		return diag.Usagef(command, "the trace would go to the terminal", "--"+list[0].format+" FILE")
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
	o := export.Options{Name: cmp.Or(f.Name, d.Program()), Goroutines: that, Began: x.Info.Began}
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	if o.Began.IsZero() && d.Recording != nil {
		o.Began = d.Recording.Meta().Created
	}
	if f.OTLP != "" && x.Info.Began.IsZero() {
		a.warn(diag.Warning{Text: began(d.Recording != nil)})
	}
	doc := documents.Export{Schema: documents.ExportSchema, Name: d.Name, Files: []documents.ExportFile{}}
	for _, e := range list {
		var result export.Result
		if err := a.writeOutput(&e.output, func(w io.Writer) (err error) {
			result, err = e.write(&interruptible{ctx, w}, x, o)
			return err
		}); err != nil {
			return err
		}
		doc.Files = append(doc.Files, documents.ExportFile{Format: e.format, File: e.output.Output, Result: result})
	}
	if streams > 0 { // standard output is taken
		return traces.WriteExport(a.stderr, a.style, doc)
	}
	doc.Warnings = a.warned
	return show(a, f.view.JSON, doc, traces.WriteExport)
}

// began describes what times count from if the trace does not record it.
func began(recorded bool) string {
	if recorded {
		return "the trace has no start time: times count from the start of the recording, " +
			"which may differ from that of the trace"
	}
	return "the trace has no start time (those of Go 1.25 and later do): times count from 1970"
}

// interruptible is a writer that fails when its context has ended.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i *interruptible) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(b)
}
