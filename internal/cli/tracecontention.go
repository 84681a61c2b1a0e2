package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/contention"
	"github.com/whet-go/whet/internal/trace/documents"
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
		Short: "Show which goroutines block each other, and why",
		Long: `Show which goroutines block each other. Waits for locks, channels, selects,
sync.WaitGroup and sync.Cond are grouped by two places: where a goroutine
waited, and where another one ended the wait. For a lock, the second is where
its holder released it.

"meanwhile" is what the goroutines that ended the longest waits did during them,
such as waiting for the network while holding a lock.

Idle waits are omitted unless --all is given: waits ended by a timer or the
network, and waits of goroutines for new work, such as the loop of a worker.
--network shows waits for the network.

Places are the innermost lines of own code, if the recording or --own defines
it, or else the innermost ones outside the standard library.`,
		Example: `  whet trace contention demo.whet
  whet trace contention --from 1s --to 1.5s -n 3 trace.out
  whet trace contention --goroutines 'net/http.*serve' --all demo.whet`,
		Args: oneTrace,
	}
	f.registerWindow(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.Goroutines, "goroutines", "", "show only waits of goroutines that run a function matching `REGEXP`")
	registerNumber(fs, &f.Number, 10, "show", "pairs of places")
	fs.BoolVar(&f.All, "all", false, "also show idle waits")
	fs.BoolVar(&f.Network, "network", false, "also show waits for the network")
	fs.StringArrayVar(&f.view.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	f.registerIndex(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.traceContention(cmd.Context(), args[0], f) }
	return cmd
}

func (a *app) traceContention(ctx context.Context, arg string, f *traceContentionFlags) error {
	if err := checkNumber("trace contention", f.Number); err != nil {
		return err
	}
	o := contention.Options{Idle: f.All, Network: f.Network, Most: f.Number}
	var err error
	if o.Goroutines, err = optionalRegexp("--goroutines", f.Goroutines); err != nil {
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
	r, err := contention.Find(x, o)
	if err != nil {
		return err
	}
	doc := documents.NewContention(name, x, r, f.Number, input.TraceOwn(arg, x, f.view.Own))
	doc.Warnings = a.warned
	return show(a, f.view.JSON, doc, traces.WriteContention)
}
