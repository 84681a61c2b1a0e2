package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/loopback"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/spool"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/ingest"
	"github.com/whet-go/whet/internal/server/pyroscope"
	"github.com/whet-go/whet/internal/server/workbench"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/ui"
	"github.com/whet-go/whet/unit"
)

// uiFlags are the flags of whet ui and whet serve.
type uiFlags struct {
	HTTP      string
	Open      bool
	View      string
	Shown     firstFlags
	Targets   []string
	Loads     []string
	Own       []string
	Dir       string
	Editor    string
	TokenFile string
	Cert      string
	Key       string
	ClientCA  string
	Hosts     []string

	outputFlags // of the page of a recording; whet serve has none
	storeFlags
	retentionFlags
	limitFlags
	Tenants string
	Scrape  string
	alertFlags
	Buffer    string
	BufferAll string // its size
}

const uiHelp = `The pages list the recordings, profiles, traces and loads in the named files and
directories (default: the current directory), and new ones as they appear. A
recording has an overview, flame graphs of all its sample types next to the
expensive lines and their source, a call graph, its timeline and its load; two
recordings are compared. Each view has a link that shows the same again, and the
command that does.

Services named with --target (or as an address) can be recorded from the page,
under a load to the addresses named with --load; no others are contacted. In the
directory of a module, or with --dir, the pages also show the causes of costs,
with rewrites.

The API is described at /api/v1/openapi.json: it answers with the documents that
the commands write with --json.`

func (a *app) uiCommand() *cobra.Command {
	f := &uiFlags{}
	cmd := &cobra.Command{
		Use:   "ui [FILE | DIR | ADDRESS]...",
		Short: "Show recordings in the browser, compare them and record new ones",
		Long: `Show recordings in the browser.

` + uiHelp + `

The pages are served on this machine only, at the printed address, until Ctrl-C;
--open=false does not open the browser. whet serve serves them to others.

With -o, nothing is served: all views of a recording are written into one HTML
file, to send to others or to keep. It needs no server and no network.`,
		Example: `  whet ui
  whet ui demo.whet
  whet ui --view load demo.whet
  whet ui --view over-time --type allocs:alloc_space monday.whet friday.whet
  whet ui -o demo.html demo.whet
  whet ui recordings http://localhost:6060
  whet ui --target http://localhost:6060 --load http://localhost:8080/pad`,
		Args: cobra.ArbitraryArgs,
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.Open, "open", true, "open the page in the browser")
	cmd.Flags().StringVar(&f.View, "view", "",
		"begin with this `VIEW` of the first file: "+strings.Join(viewNames(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(viewNames(), cobra.ShellCompDirectiveNoFileComp))
	f.Shown.register(cmd)
	registerEditor(cmd, &f.Editor, "")
	cmd.Flags().StringVarP(&f.Output, "output", "o", "", "write the views of a recording into `FILE`, as HTML; "+
		"- is standard output")
	cmd.Flags().BoolVar(&f.Force, "force", false, "replace an existing file")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.ui(cmd.Context(), args, f) }
	return cmd
}

func (a *app) serveCommand() *cobra.Command {
	f := &uiFlags{}
	cmd := &cobra.Command{
		Use:   "serve [FILE | DIR | ADDRESS]...",
		Short: "Serve the pages of whet ui, also to other machines",
		Long: `Serve the pages of whet ui.

` + uiHelp + `

Other machines can connect only with the token in --token-file, or with a client
certificate of an authority in --client-ca. Use TLS (--tls-cert and --tls-key)
or a proxy that does: without it, others on the network can read the token.

--store keeps profiles over time in a directory, which is created, or on
ClickHouse, in front of which any number of processes can serve. whet push
--store ADDRESS fills it and whet query --store ADDRESS reads it, as the API
below /api/v1/store does. What ClickHouse does not take is kept in --buffer, and
sent when it does. The clients of Pyroscope, OpenTelemetry and Parca can send to
it, and Grafana's Pyroscope data source can query it; --tenants gives teams
tokens that read or write only their own profiles. --scrape profiles the
services in a file at intervals, as whet watch --config does.
--regressions-every looks for what became more expensive, as whet query
regressions does, and sends alerts to the Alertmanager at --webhook, also when
they end.`,
		Example: `  whet serve recordings
  whet serve --store profiles --retention 30d
  whet serve --store profiles --scrape targets.yaml
  whet serve --store profiles --regressions-every 1h \
    --webhook http://localhost:9093/api/v2/alerts
  whet serve --http :8443 --token-file token \
    --tls-cert cert.pem --tls-key key.pem recordings`,
		Args: cobra.ArbitraryArgs,
	}
	f.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.TokenFile, "token-file", "", "require the token in `FILE`; - is standard input")
	fs.StringVar(&f.Cert, "tls-cert", "", "serve TLS with this certificate, a PEM `FILE`")
	fs.StringVar(&f.Key, "tls-key", "", "key of --tls-cert, a PEM `FILE`")
	fs.StringVar(&f.ClientCA, "client-ca", "", "require client certificates of the authorities in a PEM `FILE`")
	fs.StringArrayVar(&f.Hosts, "host", nil, "answer requests for this `NAME` of the server, too; may repeat")
	f.registerStore(fs, false)
	fs.BoolVar(&f.AllowPartial, "allow-partial", false,
		"answer without the shards of a ClickHouse cluster that are down, and say so in answers and pages")
	f.registerRetention(fs)
	fs.StringVar(&f.Buffer, "buffer", "", "on ClickHouse: keep in `DIR` what it does not take, or none "+
		"(default: in the user's cache directory)")
	fs.StringVar(&f.BufferAll, "buffer-size", bufferSize, "keep at most `SIZE` in --buffer, and refuse more")
	fs.StringVar(&f.Scrape, "scrape", "", "scrape the targets in a YAML `FILE` into the store, at intervals")
	fs.StringVar(&f.Tenants, "tenants", "", "read the tenants of the store and their tokens from a YAML `FILE`")
	f.registerLimits(fs)
	f.registerAlerts(fs)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.ui(cmd.Context(), args, f) }
	return cmd
}

func (f *uiFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.HTTP, "http", loopback.DefaultAddr, "serve at this `ADDRESS`; port 0 picks a free one")
	fs.StringArrayVar(&f.Targets, "target", nil,
		"allow recording the service whose pprof handlers are at this `ADDRESS`; may repeat")
	fs.StringArrayVar(&f.Loads, "load", nil, "allow sending requests to this `ADDRESS` while recording; may repeat")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	fs.StringVar(&f.Dir, "dir", "", "look for causes in the module in `DIR` (default: current directory, if it is one)")
}

// ui serves the pages until ctx ends.
func (a *app) ui(ctx context.Context, args []string, f *uiFlags) (err error) {
	names, targets, err := f.split(args)
	if err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil { // before the work, not after it
		return err
	}
	o := workbench.Options{Targets: targets, Own: f.Own, Version: version().Version, Assets: ui.App()}
	for _, address := range f.Loads {
		options, err := a.loadOptions([]string{address}, &loadFlags{})
		if err == nil {
			err = options.Check()
		}
		if err != nil {
			return err
		}
		o.Loads = append(o.Loads, workbench.Load{Name: plainAddress(address), Options: options})
	}
	modulePath, root, err := f.module()
	if err != nil {
		return err
	}
	o.Dir = root
	if f.Editor != "" { // whet serve has none: others have the source elsewhere
		o.Roots = names // for a command that shows the same
		e, err := editor(f.Editor, root)
		if err != nil {
			return err
		}
		if address := e.Template(); address != "" && root != "" {
			o.Editor = &workbench.Editor{Address: address, Dir: filepath.ToSlash(root), Module: modulePath}
		}
	}
	allow := access.Options{Cert: f.Cert, Key: f.Key, ClientCA: f.ClientCA, Hosts: f.Hosts}
	if f.TokenFile != "" {
		if allow.Token, err = input.ReadToken(f.TokenFile, a.stdin); err != nil {
			return err
		}
	}
	if o.Files, err = files.Open(names); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Files.Close()) }()
	if f.Output != "" {
		return a.savePage(ctx, f, o, names)
	}
	if o.First, err = first(o.Files, names, f.View, f.Shown); err != nil {
		return err
	}
	var into store.Writer
	if f.Store != "" {
		if err := f.checkAlerts(ctx); err != nil {
			return err
		}
		s, failed := a.serveStore(ctx, f)
		if failed != nil {
			return failed
		}
		o.Leases = s
		defer func() { err = errors.Join(err, s.Close()) }()
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(storeGC)
		}
		o.Store, o.Recordings, o.Results, o.AllowPartial = s, s, s, f.AllowPartial
		waits, end, failed := a.spool(ctx, f, s)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, end()) }() // before the store is closed
		into = waits
		if o.Mounts, o.Tenants, err = a.storeClients(f, s, into, allow.Token); err != nil {
			return err
		}
	} else if f.Buffer != "" || f.BufferAll != "" && f.BufferAll != bufferSize { // whet ui has no such flag
		return diag.Usagef("serve", "--buffer and --buffer-size have no effect without --store", "name the store")
	} else if f.AllowPartial {
		return diag.Usagef("serve", "--allow-partial has no effect without --store", "name the store")
	} else if f.Scrape != "" {
		return diag.Usagef("serve", "--scrape has no effect without --store", "name the store")
	} else if f.Tenants != "" || f.given() {
		return diag.Usagef("serve", "--tenants and limits such as --max-rate have no effect without --store",
			"name the store")
	} else if f.Age != "" || f.Size > 0 {
		return diag.Usagef("serve", "--retention and --max-store-size have no effect without --store", "name the store")
	} else if f.Every != 0 || f.Webhook != "" {
		return diag.Usagef("serve", "--regressions-every and --webhook have no effect without --store", "name the store")
	}
	l, err := access.Listen(ctx, f.HTTP, allow)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // serving has done so
	o.Guard = access.New(allow, l.Addr())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if f.Scrape != "" {
		e, wait, err := a.startScrape(ctx, f.Scrape, into, o.Recordings, o.Leases)
		if err != nil {
			return err
		}
		defer func() {
			stop()
			wait() // before the store is closed
		}()
		o.Scraped = e.Status
	}
	if f.Every != 0 {
		wait := a.startAlerts(ctx, f, &o)
		defer func() {
			stop()
			wait() // before the store is closed
		}()
	}
	if waits, ok := into.(*spool.Spool); ok {
		status := o.Scraped
		if status == nil {
			status = (*scrape.Engine)(nil).Status
		}
		o.Scraped = func() scrape.Status {
			s := status()
			s.Profiles.Buffered += waits.Buffered()
			return s
		}
	}
	s, err := workbench.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		stop() // ends the jobs
		err = errors.Join(err, s.Close())
	}()
	scheme := "http://"
	if f.Cert != "" {
		scheme = "https://"
	}
	shown := scheme + hostOf(l.Addr()) + "/"
	if err := a.write(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, shown)
		return err
	}); err != nil {
		return err
	}
	a.progressf("serving until Ctrl-C")
	if f.Open && a.live {
		if err := browse(ctx, shown); err != nil {
			a.warn(diag.Warn(&diag.Error{
				Op: "open", Subject: shown, Err: err, Hint: "open the address in a browser yourself",
			}))
		}
	}
	return loopback.Serve(ctx, l, s)
}

// savePage writes the page of the only file that is named.
func (a *app) savePage(ctx context.Context, f *uiFlags, o workbench.Options, names []string) (err error) {
	one, ok := firstFile(o.Files, names)
	if fi, err := os.Stat(names[0]); len(names) > 1 || err == nil && fi.IsDir() ||
		ok && one.Kind != files.Recording && one.Kind != files.Profile {
		return diag.Usagef("ui", "-o writes the page of one recording or profile",
			"name it: `whet ui -o demo.html demo.whet`")
	}
	if len(o.Targets)+len(o.Loads) > 0 || f.View != "" || f.Shown != (firstFlags{}) {
		return diag.Usagef("ui", "--target, --load and flags of the first view have no effect with -o", "leave them out")
	}
	s, err := workbench.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	// A file that cannot be shown explains itself.
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error { return s.Save(ctx, w, filepath.Base(names[0])) })
}

// serveStore opens the store that is served.
func (a *app) serveStore(ctx context.Context, f *uiFlags) (database, error) {
	retention, err := f.retention()
	if err != nil {
		return nil, err
	}
	limits, err := f.limits()
	if err != nil {
		return nil, err
	}
	if clickhouse.IsAddress(f.Store) && retention != (store.Retention{}) {
		return nil, diag.Usagef("serve", "--retention and --max-store-size have no effect on ClickHouse",
			"`whet store migrate --retention 30d` has the server delete what is older, `whet store compact --max-store-size "+
				"10GB` deletes above a size")
	}
	if f.AllowPartial && !clickhouse.IsAddress(f.Store) {
		return nil, onlyCluster("serve")
	}
	// Answers that may be partial are those that say so, not all of the store: see workbench.Options.
	return a.openDatabase(ctx, "serve", &storeFlags{Store: f.Store}, local.Options{
		Create: true, Retention: retention, Limits: limits,
	})
}

const (
	// storeGC is GOGC of a process that serves a store, unless the variable is set. Most of its memory is
	// tables that live long and the result of the last large query, so that collecting more often costs
	// little and halves what is not in use.
	storeGC    = 40
	bufferSize = "1GB" // of --buffer, unless given
	// maxBuffers is how many processes with the same configuration have a buffer without naming it.
	maxBuffers = 16
)

// spool returns where profiles are written: to the store, or to a buffer while ClickHouse does not take
// them. end must be called after the last write, and leaves on disk what waits.
func (a *app) spool(ctx context.Context, f *uiFlags, s database) (into store.Writer, end func() error, err error) {
	end = func() error { return nil }
	if !clickhouse.IsAddress(f.Store) {
		if f.Buffer != "" || f.BufferAll != bufferSize {
			return nil, nil, diag.Usagef("serve", "--buffer and --buffer-size have an effect only on ClickHouse", "leave it out")
		}
		return s, end, nil
	}
	size, err := unit.ParseBytes(f.BufferAll)
	if err != nil || size < 1<<20 {
		return nil, nil, diag.Usagef("serve", fmt.Sprintf("--buffer-size %q is not a size of at least 1MB", f.BufferAll),
			"write it as 500MB or 10GB")
	}
	o := buffer.Options{Size: int64(size), Keep: true, Warn: a.scrapeWarning}
	var disk *buffer.Buffer
	switch f.Buffer {
	case noBuffer:
		return s, end, nil
	case "":
		// Several on one machine have different stores or addresses.
		if disk, err = cacheBuffer(o, "serve", f.Store, f.HTTP); err != nil {
			a.warn(diag.Warn(&diag.Error{
				Op: "keep on disk what ClickHouse does not take", Err: err,
				Hint: "name a directory with --buffer; without one, clients get an error and send again",
			}))
			return s, end, nil
		}
	default:
		if disk, err = buffer.Open(f.Buffer, o); err != nil {
			return nil, nil, err
		}
	}
	waits := spool.New(spool.Options{
		Writer: s, Disk: disk, Limits: store.Limits{ProfileRate: f.MaxRate}, Warn: a.scrapeWarning,
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { waits.Run(ctx) })
	return waits, func() error {
		stop()
		running.Wait()
		if n := waits.Buffered(); n > 0 {
			_, _ = fmt.Fprintf(a.stderr, "whet: profiles kept in %s until the next start: %d\n", disk.Dir(), n)
		}
		return disk.Close()
	}, nil
}

// cacheBuffer opens a buffer in the user's cache, by what it belongs to. Processes for which that is the
// same have one each.
func cacheBuffer(o buffer.Options, parts ...string) (*buffer.Buffer, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	dir := filepath.Join(cache, "whet", "buffers", hex.EncodeToString(key[:8]))
	b, err := buffer.Open(dir, o)
	for n := 2; n <= maxBuffers && errors.Is(err, buffer.ErrInUse); n++ {
		b, err = buffer.Open(fmt.Sprintf("%s-%d", dir, n), o)
	}
	return b, err
}

// storeClients returns the handlers for clients of other authors, and the tenants that they belong to.
func (a *app) storeClients(
	f *uiFlags, s database, into store.Writer, token string,
) ([]workbench.Mount, *access.Tenants, error) {
	limits, err := f.limits()
	if err != nil {
		return nil, nil, err
	}
	var tenants *access.Tenants
	if f.Tenants != "" {
		var err error
		if tenants, err = access.ReadTenants(f.Tenants); err != nil {
			return nil, nil, err
		}
	}
	all := tenants
	if token != "" {
		all = tenants.With(token)
	}
	allow := func(scope access.Scope) func(*http.Request) (string, error) {
		if all == nil {
			return nil // this machine, or clients with a certificate
		}
		return func(r *http.Request) (string, error) { return all.Tenant(r, scope) }
	}
	warn := func(err error) { // from other goroutines
		_, _ = fmt.Fprintf(a.stderr, "whet: warning: %s\n", layout.Clean(bounded(err.Error())))
	}
	receive := ingest.New(ingest.Options{
		Writer: into, Recordings: s, Results: s, Leases: s, Allow: allow(access.Write), Warn: warn, Limits: limits,
	})
	var mounts []workbench.Mount
	for _, p := range ingest.Paths() {
		mounts = append(mounts, workbench.Mount{Pattern: p, Handler: receive, Checks: true})
	}
	query := pyroscope.New(pyroscope.Options{Reader: s, Allow: allow(access.Read), Warn: warn})
	for _, p := range pyroscope.Paths() {
		mounts = append(mounts, workbench.Mount{Pattern: p, Handler: query, Checks: true})
	}
	return mounts, tenants, nil
}

// split separates files and directories from targets. Without either, the current directory is named.
func (f *uiFlags) split(args []string) (names []string, targets []workbench.Target, err error) {
	addresses := f.Targets
	for _, arg := range args {
		if input.IsURL(arg) {
			addresses = append(addresses, arg)
		} else {
			names = append(names, arg)
		}
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http") {
			return nil, nil, diag.Usagef("--target", fmt.Sprintf("%q is not an address", plainAddress(address)),
				"write it as http://localhost:6060")
		}
		targets = append(targets, workbench.Target{Address: address, Name: u.Redacted()})
	}
	return names, targets, nil
}

// plainAddress returns an address without its password.
func plainAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address"
	}
	return u.Redacted()
}

// module returns the module to look for causes in, by its path and directory; "" if there is none and none is named.
func (f *uiFlags) module() (modulePath, root string, err error) {
	if f.Dir == "" {
		if _, err := os.Stat("go.mod"); err != nil {
			return "", "", nil
		}
	}
	modulePath, root, err = find.ModuleOf(f.Dir)
	if err != nil && f.Dir == "" {
		return "", "", nil //nolint:nilerr // the pages do without
	}
	return modulePath, root, err
}

// hostOf returns the address to open: that of this machine, if all are served.
func hostOf(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
}
