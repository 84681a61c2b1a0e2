package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/trace/contention"
)

// traceContentionFlags are the flags of whet trace contention.
type traceContentionFlags struct {
	traceFlags
	Goroutines string
	All        bool
	Network    bool
	Number     int
}

func (a *app) traceContentionCommand() *cobra.Command {
	f := &traceContentionFlags{}
	cmd := &cobra.Command{
		Use:   "contention TRACE",
		Short: "Say who waited for whom, and what was done meanwhile",
		Long: `Say who waited for whom. Waits for locks, channels, selects, sync.WaitGroup and
sync.Cond are put together by two places: where a goroutine waited, and where
another one ended that. Of a lock the second is where its holder gave it back.

"meanwhile" is what the goroutines that ended the longest waits did while these
lasted: a lock that is held while its holder waits for the network shows there.

Left out, unless --all is given, are idle waits: those that a timer or the
network ended, and those of goroutines that wait to be given work, as the loop
of a worker does. Waits for the network are shown with --network.

Places are the innermost lines of own code, if the recording or --own says what
that is, and else the innermost ones that are not of the standard library.`,
		Example: `  whet trace contention demo.whet
  whet trace contention --from 1s --to 1.5s -n 3 trace.out
  whet trace contention --goroutines 'net/http.*serve' --all demo.whet`,
		Args: oneTrace,
	}
	f.registerWindow(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.Goroutines, "goroutines", "", "only waits of goroutines that run a function that matches `REGEXP`")
	fs.IntVarP(&f.Number, "number", "n", 10, "show `N` pairs of places; 0 is all")
	fs.BoolVar(&f.All, "all", false, "show idle waits, too")
	fs.BoolVar(&f.Network, "network", false, "show waits for the network, too")
	fs.StringArrayVar(&f.view.Own, "own", nil, "module or package `prefix` of own code, besides the main module; may repeat")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceContention(cmd.Context(), args[0], f) }
	return cmd
}

func (a *app) traceContention(ctx context.Context, arg string, f *traceContentionFlags) error {
	if f.Number < 0 {
		return diag.Usagef("trace contention", "-n must be 0 (all) or more", "")
	}
	o := contention.Options{Idle: f.All, Network: f.Network, Most: f.Number}
	var err error
	if o.Goroutines, err = optionalRegexp("--goroutines", f.Goroutines); err != nil {
		return err
	}
	x, name, err := a.openTrace(ctx, arg, &f.traceFlags, "")
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }() // was only read
	if o.From, o.To, err = f.window(x); err != nil {
		return err
	}
	r, err := contention.Of(x, o)
	if err != nil {
		return err
	}
	doc := report.NewTraceContention(name, x, r, f.Number, traceOwn(arg, x, &f.view))
	if f.view.JSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return report.WriteTraceContention(w, a.style, doc) })
}
