package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/internal/trace/export"
	"github.com/whet-go/whet/trace/requests"
)

// traceRequestsFlags are the flags of whet trace requests.
type traceRequestsFlags struct {
	traceFlags
	Class   string
	Slowest int
	Request int
	All     bool
}

func (a *app) traceRequestsCommand() *cobra.Command {
	f := &traceRequestsFlags{}
	cmd := &cobra.Command{
		Use:   "requests TRACE",
		Short: "Show where the time of each request went",
		Long: `Show where the time of each request went. The server needs no change: whet cuts
the goroutine of a connection into requests where it waits for the next one.
Tasks of runtime/trace count as requests too.

Requests are grouped by the handler function, if a stack shows it; a handler
that neither waits nor is sampled is not visible. With routers, middleware and
interceptors it is the function of the route. Typical requests (between the 40th
and the 60th percentile) are compared with the slowest percent.

The critical path of the slowest requests continues in the goroutines that they
waited for: who holds the lock or sends on the channel, and what that goroutine
waited for meanwhile.

net/http with HTTP/1 and HTTP/2, frameworks built on it (gin, echo, chi and
others), net/rpc, gRPC and fasthttp are supported.`,
		Example: `  whet trace requests demo.whet
  whet trace requests --class 'main\.' --slowest 10 trace.out
  whet trace requests --request 1 demo.whet
  whet trace requests --all --json demo.whet`,
		Args: oneTrace,
	}
	f.registerWindow(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.Class, "class", "", "show only requests whose handler matches `REGEXP`, such as '^task ' for tasks")
	fs.IntVar(&f.Slowest, "slowest", 3, "show the `N` slowest of each handler")
	fs.IntVar(&f.Request, "request", 0, "show request #`N` of the same command without this flag, in full")
	fs.BoolVar(&f.All, "all", false, "with --json: write all requests, one per line, not only the slowest")
	fs.StringArrayVar(&f.view.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceRequests(cmd.Context(), args[0], f) }
	return cmd
}

func (a *app) traceRequests(ctx context.Context, arg string, f *traceRequestsFlags) error {
	if f.Slowest < 1 || f.Slowest > 1000 {
		return diag.Usagef("trace requests", "--slowest must be 1 to 1000", "select requests with --class and --from")
	}
	if f.Request < 0 {
		return diag.Usagef("trace requests", "--request must be 1 or more", "omit it to list requests with their numbers")
	}
	if f.All && (!f.view.JSON || f.Request > 0) {
		return diag.Usagef("trace requests", "--all requires --json, without --request",
			"--slowest lists more requests as text")
	}
	if err := checkUseless("trace requests", f.view.given, []useless{
		{"slowest", f.All, "with --all, which writes all requests", "leave one out"},
		{"own", f.All, "with --all, which writes no places in code", "leave one out"},
	}); err != nil {
		return err
	}
	o := requests.Options{Slowest: f.Slowest, Paths: f.Slowest, Tasks: true}
	var err error
	if o.Class, err = optionalRegexp("--class", f.Class); err != nil {
		return err
	}
	x, name, err := a.openTrace(ctx, arg, &f.traceFlags)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	if f.All {
		return a.write(func(w io.Writer) error { return export.RequestLines(w, x, o) })
	}
	r, err := requests.Find(x, o)
	if err != nil {
		return err
	}
	doc, err := documents.NewRequests(name, r, x)
	if err != nil {
		return err
	}
	doc.MarkOwn(input.TraceOwn(arg, x, f.view.Own))
	write := traces.WriteRequests
	if f.Request > 0 {
		write = traces.WriteRequest
		if !doc.Only(f.Request) {
			return &diag.Error{
				Op: "trace requests", Err: fmt.Errorf("no request #%d", f.Request), Kind: diag.Usage,
				Hint: "omit --request to list requests with their numbers; --slowest lists more",
			}
		}
	}
	doc.Warnings = a.warned
	return show(a, f.view.JSON, doc, write)
}
