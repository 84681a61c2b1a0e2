package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
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
	Buffer      string
	BufferSize  string
	BufferAge   string
}

// noBuffer is the --buffer of a watcher whose profiles wait in memory only.
const noBuffer = "none"

func (f *scrapeFlags) registerScrape(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Config, "config", "", "scrape the targets in a YAML `FILE` at intervals, into --store")
	fs.StringVar(&f.Store, "store", "",
		"with --config: the store in `DIR`, the address of whet serve --store, or clickhouse://USER@HOST:PORT/DATABASE")
	fs.StringVar(&f.Tenant, "tenant", "", "with --config: `NAME` of the tenant in a directory or database")
	fs.BoolVar(&f.Check, "check", false, "with --config: check the configuration, and contact nothing")
	fs.IntVar(&f.Connections, "connections", scrape.DefaultConnections, "with --config: scrape `N` targets at once")
	fs.StringVar(&f.Buffer, "buffer", "", "with --config: keep in `DIR` what the store does not take, or none "+
		"(default: in the user's cache directory if the store is an address)")
	fs.StringVar(&f.BufferSize, "buffer-size", "1GB",
		"with --config: keep at most `SIZE` in --buffer, the newest profiles")
	fs.StringVar(&f.BufferAge, "buffer-age", "3d", "with --config: keep profiles for at most this `duration` in --buffer")
	fs.StringVar(&f.Memory, "memory", "256MB", "with --config: use `SIZE` for answers and for profiles that wait")
}

// checkScrape rejects flags that have no effect with or without --config.
func (f *watchFlags) checkScrape(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	if !given("config") {
		var flags []useless
		for _, name := range []string{
			"store", "tenant", "check", "connections", "memory", "buffer", "buffer-size", "buffer-age",
		} {
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
	for _, name := range []string{
		"store", "tenant", "connections", "memory", "token-file", "buffer", "buffer-size", "buffer-age",
	} {
		flags = append(flags, useless{name, f.Check, "with --check, which contacts nothing", "leave one out"})
	}
	for _, name := range []string{"buffer-size", "buffer-age"} {
		flags = append(flags, useless{name, f.Buffer == noBuffer, "with --buffer none", "leave one out"})
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
	leases, err := leasesOf(s, c)
	if err != nil {
		return err
	}
	disk, err := a.openBuffer(f)
	if err != nil {
		return err
	}
	if disk != nil {
		defer func() { err = errors.Join(err, disk.Close()) }()
	}
	recordings, _ := s.(store.RecordingWriter) // all stores are
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	e := scrape.New(scrape.Options{
		Config: c, Writer: s, Recordings: recordings, Buffer: disk, Leases: leases, Tenant: f.Tenant,
		Connections: f.Connections, Memory: int64(memory), Version: version().Version,
		Warn: a.scrapeWarning,
		Event: func(v scrape.Event) {
			if err := a.writeScrape(v, f.JSON); err != nil && failed == nil {
				failed = err
				stop() // later events could not be reported
			}
		},
	})
	a.progressf("scraping until Ctrl-C")
	var following sync.WaitGroup
	following.Go(func() { a.followConfig(ctx, e, c) })
	e.Run(ctx)
	stop()
	following.Wait()
	if failed != nil {
		return failed
	}
	n := e.Status().Profiles
	_, _ = fmt.Fprintf(a.stderr, "whet: profiles stored: %d, dropped: %d, refused: %d\n", n.Stored, n.Dropped, n.Refused)
	if n.Buffered > 0 {
		_, _ = fmt.Fprintf(a.stderr, "whet: profiles kept in %s until the next start: %d\n", disk.Dir(), n.Buffered)
	}
	if n.BufferedRecordings > 0 {
		_, _ = fmt.Fprintf(a.stderr, "whet: recordings kept in %s until the next start: %d\n", disk.Dir(),
			n.BufferedRecordings)
	}
	return nil
}

// leasesOf returns where processes that share targets have their leases; nil if the configuration does
// not share them.
func leasesOf(s store.Writer, c *config.Config) (store.LeaseWriter, error) {
	if c.Share.Name == "" {
		return nil, nil //nolint:nilnil // no leases are none
	}
	leases, ok := s.(store.LeaseWriter)
	if !ok {
		return nil, fmt.Errorf("share: a store of type %T has no leases", s)
	}
	return leases, nil
}

// openBuffer opens the directory for what the store does not take; nil means that there is none.
func (a *app) openBuffer(f *watchFlags) (*buffer.Buffer, error) {
	size, err := unit.ParseBytes(f.BufferSize)
	if err != nil || size < 1<<20 {
		return nil, diag.Usagef("watch", fmt.Sprintf("--buffer-size %q is not a size of at least 1MB", f.BufferSize),
			"write it as 500MB or 10GB")
	}
	age, err := parseAge("--buffer-age", f.BufferAge)
	if err == nil && age <= 0 {
		err = diag.Usagef("watch", "--buffer-age must be positive", "write --buffer none to keep nothing")
	}
	if err != nil {
		return nil, err
	}
	o := buffer.Options{Size: int64(size), Age: age, Warn: a.scrapeWarning}
	switch {
	case f.Buffer == noBuffer, f.Buffer == "" && !input.IsURL(f.Store) && !clickhouse.IsAddress(f.Store):
		return nil, nil //nolint:nilnil // no buffer is none
	case f.Buffer != "":
		return buffer.Open(f.Buffer, o)
	}
	// Several watchers on one machine have different configurations or stores, or share targets.
	config, err := filepath.Abs(f.Config)
	if err != nil {
		return nil, err
	}
	disk, err := cacheBuffer(o, f.Store, config)
	if err != nil {
		a.warn(diag.Warn(&diag.Error{
			Op: "keep on disk what the store does not take", Err: err,
			Hint: "name a directory with --buffer, or none; until then, these profiles wait in memory",
		}))
		return nil, nil //nolint:nilnil // as above
	}
	return disk, nil
}

// followConfig has an engine take its configuration again when the file changes or the process gets
// SIGHUP, until ctx ends. A terminal that is closed sends SIGHUP, too, which then ends whet.
func (a *app) followConfig(ctx context.Context, e *scrape.Engine, c *config.Config) {
	again := make(chan os.Signal, 1)
	if !a.live {
		signal.Notify(again, syscall.SIGHUP)
		defer signal.Stop(again)
	}
	config.Follow(ctx, c, again, func(c *config.Config, err error) {
		var check scrape.Check
		if err == nil {
			check, err = scrape.NewCheck(c)
		}
		if err != nil {
			a.scrapeWarning(fmt.Errorf("the configuration is not changed: %w", err))
			return
		}
		for _, w := range check.Warnings {
			a.scrapeWarning(errors.New(w.Text))
		}
		n := e.Reload(c)
		a.scraping.Lock()
		defer a.scraping.Unlock()
		_, _ = fmt.Fprintf(a.stderr, "whet: configuration read again; jobs: %d, new or changed: %d\n", len(c.Jobs), n)
	})
}

// scrapeWarning reports what goes wrong while whet scrapes, from any goroutine.
func (a *app) scrapeWarning(err error) {
	a.scraping.Lock()
	defer a.scraping.Unlock()
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
func (a *app) startScrape(
	ctx context.Context, file string, into store.Writer, recordings store.RecordingWriter, leases store.LeaseWriter,
) (e *scrape.Engine, wait func(), err error) {
	c, err := config.Read(file)
	if err != nil {
		return nil, nil, err
	}
	check, err := scrape.NewCheck(c)
	if err != nil {
		return nil, nil, err
	}
	a.warn(check.Warnings...)
	e = scrape.New(scrape.Options{
		Config: c, Writer: into, Recordings: recordings, Leases: leases, Version: version().Version, Warn: a.scrapeWarning,
	})
	var running sync.WaitGroup
	running.Go(func() { e.Run(ctx) })
	running.Go(func() { a.followConfig(ctx, e, c) })
	return e, running.Wait, nil
}
