package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/load/targets"
	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/load/plan"
)

// loadFlags are the flags of whet load.
type loadFlags struct {
	loadOutput

	plan.Plan

	Assert       []string
	Strict       bool
	FindCapacity bool
	SLO          string

	asserted loadcompare.Objectives // of Assert
	slo      loadcompare.Objectives // of SLO
}

const loadLong = `Send HTTP requests to a server and measure latency and throughput.

Without -r, each connection sends its next request when the last one is
answered: the closed model, which shows how fast a server can go. With -r,
requests are sent on a schedule that does not depend on the answers, and latency
counts from when a request was due: the open model, which shows how long callers
wait.

The verdict below the figures lists reasons to distrust them: the generator was
the limit, the run was too short, or requests failed. Ctrl-C ends the run early
and prints what was measured.

The exit code is 1 if there were no answers or, with --strict, if there are
warnings, 2 for a usage error, and 3 if an --assert is not met or no rate meets
the objectives.`

func (a *app) loadCommand() *cobra.Command {
	f := &loadFlags{}
	cmd := &cobra.Command{
		Use:   "load URL",
		Short: "Send HTTP load and measure latency and throughput",
		Long:  loadLong,
		Example: `  whet load http://localhost:8080/
  whet load -c 64 -d 30s --warmup 2s http://localhost:8080/
  whet load -r 5000 -d 1m --html load.html http://localhost:8080/
  whet load -r 1000..20000 --ramp 30s -c 256 http://localhost:8080/
  whet load -n 1000 -m POST --body @order.json http://localhost:8080/orders
  whet load --targets urls.txt --vars users.csv -d 10s
  whet load -r 1000 --assert 'p99<20ms,errors<0.1%' http://localhost:8080/
  whet load --find-capacity --slo 'p99<50ms' http://localhost:8080/`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return diag.Usagef("load", fmt.Sprintf("want one address, got %d", len(args)),
					"for several, write one per line to a file: --targets FILE")
			case len(args) == 0 && !cmd.Flags().Changed("targets"):
				return diag.Usagef("load", "no address given",
					"for example `whet load http://localhost:8080/`, or a file of requests with --targets")
			}
			return nil
		},
	}
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		o, err := a.loadOptions(args, f)
		if err != nil {
			return err
		}
		if err := f.asserted.CheckTargets(o.Rows()); err != nil {
			return &diag.Error{Op: "--assert", Err: err, Kind: diag.Usage}
		}
		if f.FindCapacity {
			return a.findCapacity(cmd.Context(), f, o)
		}
		return a.load(cmd.Context(), f, o)
	}
	cmd.AddCommand(a.loadCompareCommand())
	return cmd
}

func (f *loadFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.IntVarP(&f.Connections, "connections", "c", load.DefaultConnections, "use `N` connections")
	fs.DurationVarP(&f.Duration, "duration", "d", 0, "length of the measurement (default 10s without -n)")
	fs.Int64VarP(&f.Requests, "requests", "n", 0, "stop after `N` requests")
	fs.DurationVar(&f.Warmup, "warmup", 0, "send load for this long before measuring")
	fs.DurationVar(&f.Timeout, "timeout", load.DefaultTimeout, "give up on a request after this time")

	fs.StringVarP(&f.Rate, "rate", "r", "", "send `N` requests per second, or FROM..TO")
	fs.DurationVar(&f.Ramp, "ramp", 0, "reach the upper rate of -r after this time (default: at the end)")
	fs.StringVar(&f.Arrivals, "arrivals", string(load.Constant), "`DISTRIBUTION` of arrivals with -r: constant or poisson")

	fs.StringVarP(&f.Method, "method", "m", "", "HTTP `METHOD` (default GET, or POST with a body)")
	fs.StringArrayVarP(&f.Headers, "header", "H", nil, "send the header `NAME:VALUE` with every request; may repeat")
	fs.StringVar(&f.Body, "body", "", "request body: `TEXT`, @FILE for a file, @- for standard input")
	fs.StringVar(&f.User, "user", "", "use basic authentication as `NAME:PASSWORD`, or NAME with --password-file")
	fs.StringVar(&f.PasswordFile, "password-file", "", "read the password from `FILE`; - is standard input")
	fs.StringVar(&f.TokenFile, "token-file", "", "send the bearer token in `FILE`; - is standard input")
	fs.StringVar(&f.Targets, "targets", "",
		"send the requests in `FILE`: URLs, vegeta targets or curl commands; - is standard input")
	fs.StringVar(&f.TargetsFormat, "targets-format", "", "`FORMAT` of --targets: http, json or curl (default: detected)")
	fs.StringVar(&f.Vars, "vars", "", "replace {{name}} with values from `FILE`, a CSV with a header line")

	fs.BoolVar(&f.HTTP2, "http2", false, "use HTTP/2; on http:// with prior knowledge (h2c)")
	fs.IntVar(&f.Streams, "streams", 0, "send up to `N` concurrent requests per HTTP/2 connection (default 1)")
	fs.BoolVar(&f.NoKeepAlive, "no-keepalive", false, "open a new connection for each request")
	fs.BoolVar(&f.Insecure, "insecure", false, "do not verify the server's certificate")
	fs.StringVar(&f.Cert, "cert", "", "TLS client certificate, a PEM `FILE`")
	fs.StringVar(&f.Key, "key", "", "key of --cert, a PEM `FILE`")
	fs.StringVar(&f.CA, "ca", "", "certificate authorities to trust, a PEM `FILE`")
	fs.StringArrayVar(&f.Resolve, "resolve", nil, "resolve HOST:PORT to ADDRESS, given as `HOST:PORT:ADDRESS`; may repeat")
	fs.StringVar(&f.Socket, "unix-socket", "", "connect to the Unix socket `FILE`")
	fs.StringVar(&f.Target, "target", "",
		"get the target's CPU time from the whet agent at `URL` (default: from its process, if local)")
	fs.StringVar(&f.TargetTokenFile, "target-token-file", "",
		"send that agent the bearer token in `FILE`; - is standard input")
	fs.StringArrayVar(&f.AllowRemote, "allow-remote", nil, "allow load on the remote `HOST`; may repeat")
	fs.StringVar(&f.Engine, "engine", "",
		"I/O `ENGINE`: io_uring, epoll or net/http (default: the fastest, measured during the run)")
	fs.IntVar(&f.Workers, "workers", 0, "run `N` event loops (default: few, to leave CPUs for the target)")

	fs.StringSliceVar(&f.Assert, "assert", nil,
		"exit with code 3 unless `OBJECTIVES` such as 'p99<20ms,errors<0.1%' are met; "+
			"for one target, 'NAME: p99<5ms'; may repeat")
	fs.BoolVar(&f.Strict, "strict", false, "exit with code 1 if the verdict has warnings")
	fs.BoolVar(&f.FindCapacity, "find-capacity", false,
		"find the highest rate that meets --slo, in runs of -d (default 5s) within the range of -r")
	fs.StringVar(&f.SLO, "slo", "", "`OBJECTIVES` of --find-capacity, such as 'p99<50ms'")

	f.loadOutput.register(cmd)

	_ = cmd.RegisterFlagCompletionFunc("arrivals", cobra.FixedCompletions(
		[]cobra.Completion{string(load.Constant), string(load.Poisson)},
		cobra.ShellCompDirectiveNoFileComp,
	))
	_ = cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions(
		[]cobra.Completion{string(load.IOUring), string(load.Epoll), string(load.NetHTTP)},
		cobra.ShellCompDirectiveNoFileComp,
	))
	_ = cmd.RegisterFlagCompletionFunc("targets-format", cobra.FixedCompletions(
		[]cobra.Completion{string(targets.HTTP), string(targets.JSON), string(targets.Curl)},
		cobra.ShellCompDirectiveNoFileComp,
	))
}

// check rejects flag values that are invalid for any target.
func (f *loadFlags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if err := checkPositive("load", cmd, "connections", "duration", "requests", "timeout"); err != nil {
		return err
	}
	for _, name := range []string{"warmup", "ramp", "streams", "workers"} {
		if v := cmd.Flags().Lookup(name).Value.String(); strings.HasPrefix(v, "-") {
			return diag.Usagef("load", fmt.Sprintf("--%s %s is negative", name, v), "omit it for the default")
		}
	}
	if err := f.Check(); err != nil {
		return err
	}
	for _, c := range []struct {
		wrong bool
		text  string
		hint  string
	}{
		{
			changed("ramp") && !strings.Contains(f.Rate, ".."),
			"--ramp needs a rate to go to",
			"give both ends: -r 1000..20000 --ramp 30s",
		},
		{
			changed("arrivals") && f.Rate == "" && !f.FindCapacity,
			"--arrivals needs a rate",
			"give one: -r 1000 --arrivals poisson",
		},
		{changed("targets-format") && f.Targets == "", "--targets-format needs --targets", "name the file: --targets FILE"},
		{f.FindCapacity && f.SLO == "", "--find-capacity needs an objective", "give one: --slo 'p99<50ms,errors<0.1%'"},
		{!f.FindCapacity && f.SLO != "", "--slo needs --find-capacity", "to gate on one run, use --assert"},
		{
			f.FindCapacity && len(f.Assert) > 0,
			"--assert and --find-capacity are mutually exclusive",
			"--slo takes the objective",
		},
		{
			f.FindCapacity && (changed("requests") || changed("ramp")),
			"--find-capacity chooses the rates and their length itself",
			"-d is the length of one run, -r FROM..TO the range of rates",
		},
		{
			f.FindCapacity && f.HGRM != "",
			"--hgrm and --find-capacity are mutually exclusive",
			"run the rate that it finds with -r and --hgrm",
		},
	} {
		if c.wrong {
			return diag.Usagef("load", c.text, c.hint)
		}
	}
	if err := checkUseless("load", changed, []useless{
		noFile(len(f.documents()) == 0, "name one with -o, --html or --hgrm"),
	}); err != nil {
		return err
	}
	var err error
	if len(f.Assert) > 0 {
		if f.asserted, err = parseObjectives("--assert", strings.Join(f.Assert, ",")); err != nil {
			return err
		}
	}
	if f.SLO != "" {
		if f.slo, err = parseObjectives("--slo", f.SLO); err != nil {
			return err
		}
	}
	return f.loadOutput.check()
}

func parseObjectives(flag, text string) (loadcompare.Objectives, error) {
	o, err := loadcompare.ParseObjectives(text)
	if err != nil {
		return nil, &diag.Error{Op: flag, Err: err, Kind: diag.Usage}
	}
	return o, nil
}

// loadOptions turns flags into the options of a load of the addresses args. It reads the
// files that the flags name, and warns about load for other machines.
func (a *app) loadOptions(args []string, f *loadFlags) (load.Options, error) {
	o, warnings, err := f.Options(args, a.stdin)
	a.warn(warnings...)
	return o, err
}
