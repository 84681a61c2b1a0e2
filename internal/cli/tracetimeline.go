package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/whose"
	"github.com/whet-go/whet/internal/loopback"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/server"
	"github.com/whet-go/whet/internal/trace/window"
	"github.com/whet-go/whet/trace/timeline"
)

// traceTimelineFlags are the flags of whet trace timeline.
type traceTimelineFlags struct {
	traceFlags
	outputFlags
	HTTP string
	Open bool
}

func (a *app) traceTimelineCommand() *cobra.Command {
	f := &traceTimelineFlags{}
	cmd := &cobra.Command{
		Use:   "timeline TRACE",
		Short: "Show a timeline of processors, goroutines and requests",
		Long: `Show a timeline in the browser: processors and what runs on them, the garbage
collector and stop-the-world pauses, goroutines, requests and tasks, with the
stack at the start of each state and who ended it. Any window of a trace of any
length is drawn immediately.

The page is served on this machine only, at the printed address, until Ctrl-C;
--open opens it.

-o FILE.html writes one page of at most 5 MB instead, which needs no server and
makes no network requests. It has the window of --from and --to, with as many
rows and as much detail as fit.`,
		Example: `  whet trace timeline demo.whet
  whet trace timeline --open trace.out
  whet trace timeline --from 1s --to 1.5s -o page.html trace.out`,
		Args: oneTrace,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.HTTP, "http", loopback.DefaultAddr, "serve at this loopback `ADDRESS`; port 0 picks a free one")
	fs.BoolVar(&f.Open, "open", false, "open the page in the browser")
	f.registerWindow(cmd)
	fs.StringVarP(&f.Output, "output", "o", "", "write a self-contained page to `FILE`; - is standard output")
	fs.BoolVar(&f.Force, "force", false, "replace an existing file")
	f.registerIndex(cmd)
	fs.Lookup("json").Usage = "write what the first page shows as JSON"
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceTimeline(cmd.Context(), args[0], f) }
	return cmd
}

func (a *app) traceTimeline(ctx context.Context, arg string, f *traceTimelineFlags) (err error) {
	if f.Output != "" && f.Open {
		return diag.Usagef("trace timeline", "--open and -o are mutually exclusive", "leave one out")
	}
	if err := checkUseless("trace timeline", f.view.given, []useless{
		{
			"http",
			f.Output != "" || f.view.JSON,
			"where nothing is served",
			"leave it out; without -o and --json the timeline is served",
		},
	}); err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil { // before the work, not after it
		return err
	}
	var l net.Listener
	if f.Output == "" && !f.view.JSON {
		if l, err = loopback.Listen(ctx, f.HTTP); err != nil {
			return listenError(f.HTTP, err)
		}
		defer func() { _ = l.Close() }() // serving has done so
	}
	x, name, err := a.openTrace(ctx, arg, &f.traceFlags)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	from, to, err := f.window(x)
	if err != nil {
		return err
	}
	if _, err := os.Stat(name); err == nil {
		name = filepath.Base(name) // pages are sent to others
	}
	t := timeline.New(x, name)
	t.MarkKinds(whose.Kinds(x, input.TraceOwn(arg, x, f.view.Own)))
	o := window.Options{From: from, To: to}
	switch {
	case f.view.JSON:
		doc, err := traces.NewTimeline(ctx, t, o)
		if err != nil {
			return err
		}
		file := traces.TimelineFile{TimelineDoc: doc, Warnings: a.warned}
		return a.writeOutput(&f.outputFlags, func(w io.Writer) error { return report.JSON(w, file) })
	case f.Output != "":
		return a.writeOutput(&f.outputFlags, func(w io.Writer) error { return traces.WriteTimelinePage(ctx, w, t, o) })
	}
	return a.serveTimeline(ctx, l, t, o, name, f)
}

// serveTimeline serves the page until ctx ends.
func (a *app) serveTimeline(
	ctx context.Context, l net.Listener, t *timeline.Timeline, o window.Options, name string,
	f *traceTimelineFlags,
) error {
	page, policy, err := traces.TimelineServed(name)
	if err != nil {
		return err
	}
	h, err := server.New(t, server.Page{HTML: page, Policy: policy})
	if err != nil {
		return err
	}
	address := "http://" + l.Addr().String() + "/"
	if f.From > 0 || f.To > 0 {
		address += fmt.Sprintf("#t=%d-%d", o.From, o.To)
	}
	if err := a.write(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, address)
		return err
	}); err != nil {
		return err
	}
	a.progressf("serving the timeline of %s until Ctrl-C", name)
	if f.Open {
		if err := browse(ctx, address); err != nil {
			a.warn(diag.Warn(&diag.Error{
				Op: "open", Subject: address, Err: err, Hint: "open the address in a browser yourself",
			}))
		}
	}
	return loopback.Serve(ctx, l, h)
}

// listenError adds a hint to the error for an address that cannot be served.
func listenError(addr string, err error) error {
	if errors.Is(err, loopback.ErrExposed) {
		return diag.Usagef("--http", err.Error(),
			"others could read the trace there; use --http 127.0.0.1:8080, "+
				"and ssh -L 8080:127.0.0.1:8080 to reach it from another machine")
	}
	return &diag.Error{
		Op: "--http", Subject: addr, Err: err, Kind: diag.Usage,
		Hint: "an address is HOST:PORT; --http 127.0.0.1:0 picks a free port",
	}
}
