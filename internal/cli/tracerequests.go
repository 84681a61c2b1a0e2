package cli

import (
	"context"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/trace/requests"
)

// traceRequestsFlags are the flags of whet trace requests.
type traceRequestsFlags struct {
	traceFlags
	Class   string
	Slowest int
}

func (a *app) traceRequestsCommand() *cobra.Command {
	f := &traceRequestsFlags{}
	cmd := &cobra.Command{
		Use:   "requests TRACE",
		Short: "Say where the time of each request of a server went",
		Long: `Say where the time of each request of a server went. The server needs no
change: the goroutines of connections are cut into requests where they wait for
the next.

Requests are put together by the handler's function, as far as a stack shows it;
a handler that neither waits nor is sampled is not seen. Those in the middle
(from the quantile of 40 % to that of 60 %) are laid beside the slowest percent.

Known are net/http with HTTP/1 and HTTP/2, net/rpc, and gRPC.`,
		Example: `  whet trace requests demo.whet
  whet trace requests --class 'main\.' --slowest 10 trace.out`,
		Args: oneTrace,
	}
	f.registerWindow(cmd)
	cmd.Flags().StringVar(&f.Class, "class", "", "only requests whose handler matches `REGEXP`")
	cmd.Flags().IntVar(&f.Slowest, "slowest", 3, "show the `N` slowest of each handler")
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceRequests(cmd.Context(), args[0], f) }
	return cmd
}

func (a *app) traceRequests(ctx context.Context, arg string, f *traceRequestsFlags) error {
	if f.Slowest < 1 {
		return diag.Usagef("trace requests", "--slowest must be 1 or more", "")
	}
	o := requests.Options{Slowest: f.Slowest}
	if f.Class != "" {
		var err error
		if o.Class, err = regexp.Compile(f.Class); err != nil {
			return diag.Usagef("trace requests", fmt.Sprintf("--class: %v", err), "it is a regular expression of Go")
		}
	}
	x, name, err := a.openTrace(ctx, arg, &f.traceFlags, "")
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	r, err := requests.Find(x, o)
	if err != nil {
		return err
	}
	doc := report.NewTraceRequests(name, r, func(index uint32) int64 {
		g, err := x.Goroutine(index)
		if err != nil {
			return 0 // not known
		}
		return g.ID
	})
	if f.view.JSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return report.WriteTraceRequests(w, a.style, doc) })
}
