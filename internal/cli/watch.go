package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/collect/watch"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/recordings"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/unit"
)

// watchFlags are the flags of whet watch.
type watchFlags struct {
	watch.Options
	handlerFlags
	scrapeFlags
	Heap string
	JSON bool
}

func (a *app) watchCommand() *cobra.Command {
	f := &watchFlags{}
	cmd := &cobra.Command{
		Use:   "watch {TARGET --slower TIME | --config FILE --store STORE}",
		Short: "Record a service when a limit is reached, or many at intervals",
		Long: `Watch a service, and record the seconds before an event: a slow request, many
goroutines, a large heap, or busy CPUs. The target must run the whet agent with
a flight recorder: agent.Options{Flight: 10 * time.Second}.

A handler of Agent.Watch in the target reports slow requests at once. Without
one, whet fetches the flight recorder's trace every few seconds, which costs
more and sees only requests that begin and end within that trace.

Each recording is a new file, named by its time. After each, whet waits for
--every. It ends after --max recordings, or on Ctrl-C. A limit that stays
exceeded triggers again when the value has grown by a fifth.

With --config, whet profiles all targets in a file at intervals until Ctrl-C,
and stores the profiles in --store: a directory, or the address of whet serve
--store, whose token --token-file then has. Targets are listed, or found in
files, by DNS or among the pods of Kubernetes; docs/scrape.md describes the
file, which is read again when it changes, and on SIGHUP. Profiles that the
store does not take wait in --buffer. It prints when a target is up or down,
or with --json each scrape.`,
		Example: `  whet watch http://localhost:6060 --slower 500ms
  whet watch http://localhost:6060 --slower 1s --goroutines 10000 -o incidents
  whet watch https://host/internal/debug/pprof/ --heap 2GB --token-file token
  whet watch --config targets.yaml --check
  whet watch --config targets.yaml --store profiles`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("config") {
				return nil
			}
			return someArgs("no target given",
				"give the address of whet's agent: `whet watch http://localhost:6060 --slower 500ms`, or --config FILE")(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.DurationVar(&f.Slower, "slower", 0, "record when a request takes this `duration` or longer")
	fs.Int64Var(&f.Goroutines, "goroutines", 0, "record when there are `N` goroutines")
	fs.StringVar(&f.Heap, "heap", "", "record when heap objects take `SIZE`, such as 2GB")
	fs.Float64Var(&f.CPU, "cpu", 0, "record when `N` CPUs are busy over a second, such as 3.5")
	fs.StringVarP(&f.Dir, "output", "o", ".", "write recordings to `DIR`")
	fs.DurationVar(&f.Every, "every", watch.DefaultEvery, "minimum time between recordings")
	fs.IntVar(&f.Max, "max", watch.DefaultMax, "stop after `N` recordings")
	f.registerHandlers(cmd)
	f.registerScrape(cmd)
	fs.BoolVar(&f.JSON, "json", false, "print a line of JSON for each recording or scrape")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.checkScrape(cmd, args); err != nil {
			return err
		}
		if f.Config != "" {
			return a.scrape(cmd.Context(), f)
		}
		if len(args) > 1 {
			return diag.Usagef("watch", fmt.Sprintf("%d targets given", len(args)), "watch one service at a time")
		}
		if err := checkUseless("watch", cmd.Flags().Changed, []useless{
			{"every", f.Max == 1, "with --max 1, which ends after the first recording", "leave one out"},
		}); err != nil {
			return err
		}
		return a.watch(cmd.Context(), args[0], f)
	}
	return cmd
}

func (a *app) watch(ctx context.Context, target string, f *watchFlags) error {
	if !strings.Contains(target, "://") && !hostPort.MatchString(target) {
		return diag.Usagef("watch", fmt.Sprintf("%q is not an address", target),
			"give the address of the whet agent: http://HOST:PORT")
	}
	if f.Every <= 0 || f.Max < 1 {
		return diag.Usagef("watch", "--every and --max must be positive", "")
	}
	if f.Heap != "" {
		n, err := unit.ParseBytes(f.Heap)
		if err != nil || n <= 0 {
			return diag.Usagef("watch", fmt.Sprintf("--heap %q is not a number of bytes above zero", f.Heap),
				"write it as 500MB or 2GB")
		}
		f.Options.Heap = int64(n)
	}
	if err := f.apply(&f.Target); err != nil {
		return err
	}
	if f.TokenFile != "" {
		token, err := input.ReadToken(f.TokenFile, a.stdin)
		if err != nil {
			return err
		}
		f.Target.Token = token
	}
	f.Target.URL, f.Target.Version = target, version().Version
	options := a.lineOptions()
	options.Quiet = true // waiting for something to happen is not news
	line := progress.NewLine(a.stderr, options)
	f.Progress = showRecording(line)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	defer close(done)
	f.Target.Abort = secondSignal(done)
	var failed error
	f.Event = func(e watch.Event) {
		line.Clear()
		if err := a.writeEvent(e, f.JSON); err != nil {
			failed = err
			stop() // later events could not be reported
		}
	}
	n, err := watch.Run(ctx, f.Options)
	line.Clear()
	if err == nil {
		err = failed
	}
	if err == nil {
		_, _ = fmt.Fprintf(a.stderr, "whet: recordings written to %s: %d\n", f.Dir, n)
	}
	return err
}

// writeEvent reports a recording immediately, because a watch may run for days.
func (a *app) writeEvent(e watch.Event, asJSON bool) error {
	doc := documents.NewWatchEvent(e)
	if !asJSON {
		return recordings.WriteWatchEvent(a.stdout, a.style, doc)
	}
	doc.Warnings, a.warned = a.warned, nil // each once
	return json.NewEncoder(terminal.JSON(a.stdout)).Encode(doc)
}
