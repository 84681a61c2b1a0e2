package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/unit"
)

// scrapeFlags are the flags of whet watch for scraping.
type scrapeFlags struct {
	Config      string
	Check       bool
	Store       string
	Tenant      string
	Connections int
	Memory      string
}

func (f *scrapeFlags) registerScrape(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Config, "config", "", "scrape the targets in a YAML `FILE` at intervals, into --store")
	fs.StringVar(&f.Store, "store", "",
		"with --config: the store in `DIR`, the address of whet serve --store, or clickhouse://USER@HOST:PORT/DATABASE")
	fs.StringVar(&f.Tenant, "tenant", "", "with --config: `NAME` of the tenant in a directory or database")
	fs.BoolVar(&f.Check, "check", false, "with --config: check the configuration, and contact nothing")
	fs.IntVar(&f.Connections, "connections", scrape.DefaultConnections, "with --config: scrape `N` targets at once")
	fs.StringVar(&f.Memory, "memory", "256MB", "with --config: use `SIZE` for answers and for profiles that wait")
}

// checkScrape rejects flags that have no effect with or without --config.
func (f *watchFlags) checkScrape(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	if !given("config") {
		var flags []useless
		for _, name := range []string{"store", "tenant", "check", "connections", "memory"} {
			flags = append(flags, useless{name, true, "without --config", "name a configuration: docs/scrape.md"})
		}
		return checkUseless("watch", given, flags)
	}
	var flags []useless
	for _, name := range []string{
		"slower", "goroutines", "heap", "cpu", "output", "every", "max", "header", "cert", "key", "ca", "pprof-path",
	} {
		flags = append(flags, useless{name, true, "with --config", "write it in the configuration"})
	}
	for _, name := range []string{"store", "tenant", "connections", "memory", "token-file"} {
		flags = append(flags, useless{name, f.Check, "with --check, which contacts nothing", "leave one out"})
	}
	if len(args) > 0 {
		return diag.Usagef("watch", "a target is given, and --config", "write targets in the configuration")
	}
	return checkUseless("watch", given, flags)
}

// scrape runs whet watch --config.
func (a *app) scrape(ctx context.Context, f *watchFlags) (err error) {
	c, err := config.Read(f.Config)
	if err != nil {
		return err
	}
	check, err := scrape.NewCheck(c)
	if err != nil {
		return err
	}
	a.warn(check.Warnings...)
	if f.Check {
		if f.JSON {
			return a.writeJSON(check)
		}
		return a.write(func(w io.Writer) error { return stores.WriteScrapeCheck(w, a.style, check) })
	}
	memory, err := unit.ParseBytes(f.Memory)
	if err != nil || memory < 1<<20 {
		return diag.Usagef("watch", fmt.Sprintf("--memory %q is not a size of at least 1MB", f.Memory),
			"write it as 256MB or 1GB")
	}
	if f.Connections < 1 {
		return diag.Usagef("watch", "--connections must be positive", "leave it out for the default")
	}
	s, err := a.openStore(ctx, "watch", &storeFlags{Store: f.Store, TokenFile: f.TokenFile, Tenant: f.Tenant},
		local.Options{Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	e := scrape.New(scrape.Options{
		Config: c, Writer: s, Tenant: f.Tenant, Connections: f.Connections, Memory: int64(memory), Version: version().Version,
		Warn: a.scrapeWarning,
		Event: func(v scrape.Event) {
			if err := a.writeScrape(v, f.JSON); err != nil && failed == nil {
				failed = err
				stop() // later events could not be reported
			}
		},
	})
	a.progressf("scraping until Ctrl-C")
	e.Run(ctx)
	if failed != nil {
		return failed
	}
	n := e.Status().Profiles
	_, _ = fmt.Fprintf(a.stderr, "whet: profiles stored: %d, dropped: %d, refused: %d\n", n.Stored, n.Dropped, n.Refused)
	return nil
}

// scrapeWarning reports what goes wrong while whet scrapes, from any goroutine.
func (a *app) scrapeWarning(err error) {
	_, _ = fmt.Fprintf(a.stderr, "whet: warning: %s\n", layout.Clean(bounded(err.Error())))
}

// writeScrape reports a scrape: each as JSON, or as text those after which a target is up or down for
// the first time since it was not, and recordings.
func (a *app) writeScrape(v scrape.Event, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(terminal.JSON(a.stdout)).Encode(v)
	}
	if !v.Changed && v.Trigger == "" {
		return nil
	}
	return stores.WriteScrape(a.stdout, a.style, v)
}

// startScrape scrapes what a configuration names into the store that is served. wait returns when it
// has ended, which it does after ctx.
func (a *app) startScrape(ctx context.Context, file string, s store.Writer) (e *scrape.Engine, wait func(), err error) {
	c, err := config.Read(file)
	if err != nil {
		return nil, nil, err
	}
	check, err := scrape.NewCheck(c)
	if err != nil {
		return nil, nil, err
	}
	a.warn(check.Warnings...)
	e = scrape.New(scrape.Options{Config: c, Writer: s, Version: version().Version, Warn: a.scrapeWarning})
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Run(ctx)
	}()
	return e, func() { <-done }, nil
}
