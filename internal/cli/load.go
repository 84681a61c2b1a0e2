package cli

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/slo"
	"github.com/whet-go/whet/load/targets"
)

// loadFlags are the flags of whet load.
type loadFlags struct {
	loadOutput

	Connections, Streams, Workers int
	Duration, Warmup, Timeout     time.Duration
	Requests                      int64

	Method       string
	Headers      []string
	Body         string
	User         string
	PasswordFile string
	TokenFile    string

	Rate     string
	Ramp     time.Duration
	Arrivals string

	Targets       string
	TargetsFormat string
	Vars          string

	HTTP2       bool
	NoKeepAlive bool
	Insecure    bool
	Cert        string
	Key         string
	CA          string
	Resolve     []string
	Socket      string
	AllowRemote []string
	Engine      string

	Target          string
	TargetTokenFile string

	Assert       []string
	Strict       bool
	FindCapacity bool
	SLO          string

	asserted slo.Objectives // of Assert
	slo      slo.Objectives // of SLO
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

Exit codes: 0, 1 no answers or, with --strict, warnings, 2 usage, 3 a missed
--assert or an objective that no rate meets.`

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
				return diag.Usagef("load", fmt.Sprintf("want one address, got %d", len(args)), "for several, write one per line to a file: --targets FILE")
			case len(args) == 0 && !cmd.Flags().Changed("targets"):
				return diag.Usagef("load", "no address given", "for example `whet load http://localhost:8080/`, or a file of requests with --targets")
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
			return &diag.Error{Op: "--assert", Err: err, Hint: loadHint(err), Kind: diag.Usage}
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
	fs.IntVarP(&f.Connections, "connections", "c", load.DefaultConnections, "number of connections, `N`")
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
	fs.StringVar(&f.Targets, "targets", "", "send the requests in `FILE`: URLs, vegeta targets or curl commands; - is standard input")
	fs.StringVar(&f.TargetsFormat, "targets-format", "", "`FORMAT` of --targets: http, json or curl (default: detected)")
	fs.StringVar(&f.Vars, "vars", "", "replace {{name}} with values from `FILE`, a CSV with a header line")

	fs.BoolVar(&f.HTTP2, "http2", false, "use HTTP/2; on http:// with prior knowledge (h2c)")
	fs.IntVar(&f.Streams, "streams", 0, "concurrent requests per HTTP/2 connection, `N` (default 1)")
	fs.BoolVar(&f.NoKeepAlive, "no-keepalive", false, "open a new connection for each request")
	fs.BoolVar(&f.Insecure, "insecure", false, "do not verify the server's certificate")
	fs.StringVar(&f.Cert, "cert", "", "TLS client certificate, a PEM `FILE`")
	fs.StringVar(&f.Key, "key", "", "key of --cert, a PEM `FILE`")
	fs.StringVar(&f.CA, "ca", "", "certificate authorities to trust, a PEM `FILE`")
	fs.StringArrayVar(&f.Resolve, "resolve", nil, "connect to ADDRESS instead (`HOST:PORT:ADDRESS`); may repeat")
	fs.StringVar(&f.Socket, "unix-socket", "", "connect to the Unix socket `FILE`")
	fs.StringVar(&f.Target, "target", "", "get the target's CPU time from the whet agent at `URL` (default: from its process, if local)")
	fs.StringVar(&f.TargetTokenFile, "target-token-file", "", "send that agent the bearer token in `FILE`; - is standard input")
	fs.StringArrayVar(&f.AllowRemote, "allow-remote", nil, "allow load on the remote `HOST`; may repeat")
	fs.StringVar(&f.Engine, "engine", "", "I/O `ENGINE`: io_uring, epoll or net/http (default: the fastest, measured during the run)")
	fs.IntVar(&f.Workers, "workers", 0, "number of event loops, `N` (default: few, to leave CPUs for the target)")

	fs.StringSliceVar(&f.Assert, "assert", nil, "exit with code 3 unless `OBJECTIVES` such as 'p99<20ms,errors<0.1%' are met; for one target, 'NAME: p99<5ms'; may repeat")
	fs.BoolVar(&f.Strict, "strict", false, "exit with code 1 if the verdict has warnings")
	fs.BoolVar(&f.FindCapacity, "find-capacity", false, "find the highest rate that meets --slo, in runs of -d (default 5s) within the range of -r")
	fs.StringVar(&f.SLO, "slo", "", "`OBJECTIVES` of --find-capacity, such as 'p99<50ms'")

	f.loadOutput.register(cmd)

	_ = cmd.RegisterFlagCompletionFunc("arrivals", cobra.FixedCompletions([]cobra.Completion{string(load.Constant), string(load.Poisson)}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions([]cobra.Completion{string(load.IOUring), string(load.Epoll), string(load.NetHTTP)}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("targets-format", cobra.FixedCompletions([]cobra.Completion{string(targets.HTTP), string(targets.JSON), string(targets.Curl)}, cobra.ShellCompDirectiveNoFileComp))
}

// check reports flag values that cannot be right whatever the target.
func (f *loadFlags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	for _, name := range []string{"connections", "duration", "requests", "timeout"} {
		if v := cmd.Flags().Lookup(name).Value.String(); changed(name) && (strings.HasPrefix(v, "-") || v == "0" || v == "0s") {
			return diag.Usagef("load", fmt.Sprintf("--%s must be positive, not %s", name, v), "omit it for the default")
		}
	}
	for _, name := range []string{"warmup", "ramp", "streams", "workers"} {
		if v := cmd.Flags().Lookup(name).Value.String(); strings.HasPrefix(v, "-") {
			return diag.Usagef("load", fmt.Sprintf("--%s %s is negative", name, v), "omit it for the default")
		}
	}
	for _, c := range []struct {
		flag  string
		value string
		known []string
	}{
		{"arrivals", f.Arrivals, []string{string(load.Constant), string(load.Poisson)}},
		{"engine", f.Engine, []string{"", string(load.IOUring), string(load.Epoll), string(load.NetHTTP)}},
		{"targets-format", f.TargetsFormat, append([]string{""}, formatNames()...)},
	} {
		if !slices.Contains(c.known, c.value) {
			return unknownValue("load", "--"+c.flag, c.value, c.known)
		}
	}
	for _, c := range []struct {
		wrong bool
		text  string
		hint  string
	}{
		{changed("ramp") && !strings.Contains(f.Rate, ".."), "--ramp needs a rate to go to", "give both ends: -r 1000..20000 --ramp 30s"},
		{changed("arrivals") && f.Rate == "" && !f.FindCapacity, "--arrivals needs a rate", "give one: -r 1000 --arrivals poisson"},
		{f.Streams > 1 && !f.HTTP2, "--streams needs --http2", "on HTTP/1.1 a connection has one request in flight: raise -c"},
		{f.NoKeepAlive && f.HTTP2, "--no-keepalive and --http2 are mutually exclusive", "HTTP/2 is made of connections that stay"},
		{f.User != "" && f.TokenFile != "", "--user and --token-file are mutually exclusive", "both make the Authorization header"},
		{f.PasswordFile != "" && f.User == "", "--password-file needs --user", "name the user: --user NAME"},
		{changed("targets-format") && f.Targets == "", "--targets-format needs --targets", "name the file: --targets FILE"},
		{f.FindCapacity && f.SLO == "", "--find-capacity needs an objective", "give one: --slo 'p99<50ms,errors<0.1%'"},
		{!f.FindCapacity && f.SLO != "", "--slo needs --find-capacity", "to gate on one run, use --assert"},
		{f.FindCapacity && len(f.Assert) > 0, "--assert and --find-capacity are mutually exclusive", "--slo takes the objective"},
		{f.FindCapacity && (changed("requests") || changed("ramp")), "--find-capacity chooses the rates and their length itself", "-d is the length of one run, -r FROM..TO the range of rates"},
		{f.FindCapacity && f.HGRM != "", "--hgrm and --find-capacity are mutually exclusive", "run the rate that it finds with -r and --hgrm"},
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
	if n := f.stdinUses(); n > 1 {
		return diag.Usagef("load", fmt.Sprintf("standard input is named %d times", n), "it can only be read once; use files for the others")
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

func formatNames() []string {
	var names []string
	for _, f := range targets.Formats() {
		names = append(names, string(f))
	}
	return names
}

// stdinUses counts the flags that want standard input.
func (f *loadFlags) stdinUses() int {
	n := 0
	for _, v := range []string{f.Targets, f.Vars, f.TokenFile, f.PasswordFile, f.TargetTokenFile} {
		if v == "-" {
			n++
		}
	}
	if f.Body == "@-" {
		n++
	}
	return n
}

func parseObjectives(flag, text string) (slo.Objectives, error) {
	o, err := slo.Parse(text)
	if err != nil {
		return nil, &diag.Error{Op: flag, Err: err, Hint: loadHint(err), Kind: diag.Usage}
	}
	return o, nil
}

// loadHint is the next step that an error of package load and its kin carries.
func loadHint(err error) string {
	if le := (*load.Error)(nil); errors.As(err, &le) {
		return le.Hint()
	}
	return diag.Hint(err)
}

// loadOptions turns flags into the options of a load of the addresses args. It reads the
// files that they name and prints what is allowed to leave this machine.
func (a *app) loadOptions(args []string, f *loadFlags) (load.Options, error) {
	o := load.Options{
		Connections: f.Connections, Streams: f.Streams, Workers: f.Workers, Duration: f.Duration, Requests: f.Requests,
		Warmup: f.Warmup, Timeout: f.Timeout, Ramp: f.Ramp, Arrivals: load.Arrivals(f.Arrivals), NoKeepAlive: f.NoKeepAlive,
		Socket: f.Socket, Engine: load.Engine(f.Engine),
	}
	if f.HTTP2 {
		o.Protocol = load.HTTP2
	}
	for _, step := range []func(*load.Options) error{
		f.setRate, a.bodyOf(f), f.setHeader, a.credentialsOf(f), a.targetsOf(f), f.setTLS, f.setResolve, a.targetOf(f),
	} {
		if err := step(&o); err != nil {
			return o, err
		}
	}
	switch len(args) {
	case 0:
	case 1:
		o.URL = args[0]
	default:
		addresses := make([]load.Target, len(args))
		for i, address := range args {
			addresses[i].URL = address
		}
		o.Targets = slices.Concat(addresses, o.Targets)
	}
	if o.Method = f.Method; o.Method == "" && o.Body != nil && f.Targets == "" {
		o.Method = http.MethodPost
	}
	return o, a.allowRemote(f, &o)
}

// setRate reads -r: a number, or two with dots between.
func (f *loadFlags) setRate(o *load.Options) error {
	if f.Rate == "" {
		return nil
	}
	from, to, ramp := strings.Cut(f.Rate, "..")
	var err error
	if o.Rate, err = parseRate(from); err != nil {
		return err
	}
	if ramp {
		if o.RampTo, err = parseRate(to); err != nil {
			return err
		}
	}
	return nil
}

func parseRate(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "/s"), 64)
	if err != nil || !(v > 0 && v <= 1e9) {
		return 0, diag.Usagef("--rate", fmt.Sprintf("%q is not a number of requests per second", text), "write -r 5000, or -r 1000..20000 for a ramp")
	}
	return v, nil
}

// maxBody bounds what --body reads.
const maxBody = 64 << 20

func (a *app) bodyOf(f *loadFlags) func(*load.Options) error {
	return func(o *load.Options) error {
		if f.Body == "" {
			return nil
		}
		name, isFile := strings.CutPrefix(f.Body, "@")
		if !isFile {
			o.Body = []byte(f.Body)
			return nil
		}
		data, err := a.readFileOrStdin(name, maxBody)
		if err != nil {
			return &diag.Error{Op: "read --body", Err: err}
		}
		o.Body = data
		return nil
	}
}

// readFileOrStdin reads a file of at most limit bytes; - is standard input.
func (a *app) readFileOrStdin(name string, limit int64) ([]byte, error) {
	r := a.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // only read
		r = file
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: larger than %d MB", name, limit>>20)
	}
	return data, err
}

func (f *loadFlags) setHeader(o *load.Options) error {
	header, err := parseHeaders(f.Headers, "Content-Type: application/json")
	o.Header = header
	return err
}

// credentialsOf sets the Authorization header. It is in the options only: results
// and messages never hold headers.
func (a *app) credentialsOf(f *loadFlags) func(*load.Options) error {
	return func(o *load.Options) error {
		value := ""
		switch {
		case f.TokenFile != "":
			token, err := a.readToken(f.TokenFile)
			if err != nil {
				return err
			}
			value = "Bearer " + token
		case f.User != "":
			user, password, ok := strings.Cut(f.User, ":")
			switch {
			case f.PasswordFile != "" && ok:
				return diag.Usagef("--user", "the password is given twice", "omit it in --user, or omit --password-file")
			case f.PasswordFile != "":
				data, err := a.readFileOrStdin(f.PasswordFile, 1<<20)
				if err != nil {
					return &diag.Error{Op: "read --password-file", Err: err}
				}
				password = string(bytes.TrimRight(data, "\r\n"))
			case !ok:
				return diag.Usagef("--user", "no password given", "write --user NAME:PASSWORD, or name a file with --password-file")
			}
			value = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
		default:
			return nil
		}
		if o.Header.Get("Authorization") != "" {
			return diag.Usagef("load", "the Authorization header is given twice", "omit -H, or --user and --token-file")
		}
		o.Header.Set("Authorization", value)
		return nil
	}
}

// targetsOf reads --targets and --vars.
func (a *app) targetsOf(f *loadFlags) func(*load.Options) error {
	return func(o *load.Options) error {
		if f.Targets != "" {
			data, err := a.readFileOrStdin(f.Targets, targets.MaxFile)
			if err != nil {
				return &diag.Error{Op: "read --targets", Err: err}
			}
			var warnings []error
			to := targets.Options{
				Format: targets.Format(f.TargetsFormat), Name: loadInputName(f.Targets), Dir: filepath.Dir(f.Targets),
				Warn: func(err error) { warnings = append(warnings, err) },
			}
			if o.Targets, err = targets.Read(bytes.NewReader(data), to); err != nil {
				return &diag.Error{Err: err, Hint: loadHint(err)}
			}
			a.printWarnings(warnings)
		}
		if f.Vars != "" {
			data, err := a.readFileOrStdin(f.Vars, targets.MaxFile)
			if err != nil {
				return &diag.Error{Op: "read --vars", Err: err}
			}
			if o.Variables, err = targets.ReadVariables(named{bytes.NewReader(data), loadInputName(f.Vars)}); err != nil {
				return &diag.Error{Err: err, Hint: loadHint(err)}
			}
		}
		return nil
	}
}

// named is a reader that errors call by its name.
type named struct {
	io.Reader
	name string
}

// Name is how errors call the reader.
func (n named) Name() string { return n.name }

func loadInputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

func (f *loadFlags) setTLS(o *load.Options) error {
	var err error
	if o.TLS, err = collect.TLSFiles(f.Cert, f.Key, f.CA); err != nil {
		return err
	}
	if f.Insecure {
		if f.CA != "" {
			return diag.Usagef("load", "--insecure and --ca are mutually exclusive", "--ca verifies the certificate")
		}
		if o.TLS == nil {
			o.TLS = insecureTLS()
		}
		o.TLS.InsecureSkipVerify = true
	}
	return nil
}

// setResolve reads curl's form: HOST:PORT:ADDRESS[,ADDRESS...], of which the first
// address is taken. Brackets around IPv6 addresses are optional in the last part.
func (f *loadFlags) setResolve(o *load.Options) error {
	for _, text := range f.Resolve {
		bad := diag.Usagef("--resolve", fmt.Sprintf("invalid value %q (want HOST:PORT:ADDRESS)", text), "for example --resolve example.com:443:127.0.0.1")
		var rest, host string
		if strings.HasPrefix(text, "[") {
			end := strings.Index(text, "]:")
			if end < 0 {
				return bad
			}
			host, rest = text[1:end], text[end+2:]
		} else {
			var ok bool
			if host, rest, ok = strings.Cut(text, ":"); !ok {
				return bad
			}
		}
		port, address, ok := strings.Cut(rest, ":")
		address, _, _ = strings.Cut(address, ",")
		ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(address, "["), "]"))
		if n, perr := strconv.ParseUint(port, 10, 16); !ok || err != nil || host == "" || perr != nil || n == 0 {
			return bad
		}
		if o.Resolve == nil {
			o.Resolve = map[string]string{}
		}
		o.Resolve[net.JoinHostPort(host, port)] = net.JoinHostPort(ip.String(), port)
	}
	return nil
}

// allowRemote allows the load to leave this machine for the hosts that --allow-remote
// names, and says so.
func (a *app) allowRemote(f *loadFlags, o *load.Options) error {
	hosts := map[string]bool{}
	for _, t := range append([]load.Target{{URL: o.URL}}, o.Targets...) {
		if u, err := url.Parse(t.URL); err == nil {
			hosts[u.Hostname()] = true
		}
	}
	for _, host := range f.AllowRemote {
		if !hosts[host] {
			return diag.Usagef("--allow-remote", fmt.Sprintf("no request goes to %q", host), "name the host as in the address, without scheme and port")
		}
		_, _ = fmt.Fprintf(a.stderr, "whet: warning: sending load to %s, another machine; with --allow-remote you take responsibility\n", host)
	}
	o.AllowHosts = f.AllowRemote
	return nil
}

// remoteError says how a load of host, which err refuses, can be allowed.
func remoteError(host string, err error) error {
	return &diag.Error{Err: err, Hint: "whet loads only this machine unless you give --allow-remote " + host + "; use it only for a server that you are responsible for"}
}
