package plan

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/load/targets"
	"github.com/whet-go/whet/load"
)

// A Plan describes a load as the flags of whet load do. The zero value is the closed model with the
// defaults of package load. Fields without a comment are those of [load.Options]. Files are given
// by name; one of them may be "-", standard input.
type Plan struct {
	Connections, Streams, Workers int
	Duration, Warmup, Timeout     time.Duration
	Requests                      int64

	Method       string   // "" means GET, or POST with a body
	Headers      []string // "Name: value"
	Body         string   // @FILE is the content of a file
	User         string   // NAME:PASSWORD, or NAME with a PasswordFile
	PasswordFile string   // a file with one line
	TokenFile    string   // a file with one line: the bearer token

	Rate     string        // requests per second: "5000", or "1000..20000" for a ramp; "" means the closed model
	Ramp     time.Duration // of a ramp; 0 means Duration
	Arrivals string        // constant or poisson; "" means constant

	Targets       string // a file of requests
	TargetsFormat string // "" means that it is detected from the content
	Vars          string // a CSV file of variables, with their names in the first row

	HTTP2       bool
	NoKeepAlive bool     // open a connection for each request
	Insecure    bool     // do not verify the server's certificate
	Cert        string   // PEM file of the client's certificate
	Key         string   // PEM file of its private key
	CA          string   // PEM file of the certificate authorities to trust
	Resolve     []string // HOST:PORT:ADDRESS
	Socket      string   // Unix socket to connect to
	AllowRemote []string // hosts that may be loaded although they are not on this machine
	Engine      string   // see load.Engine; "" means the best one

	Target          string // address of the target's agent, for its CPU time
	TargetTokenFile string // a file with one line: the token for Target
}

// Check returns an error for invalid values and for options that exclude each other. It reads no
// files.
func (p *Plan) Check() error {
	for _, c := range []struct {
		flag  string
		value string
		known []string
	}{
		{"arrivals", p.Arrivals, []string{string(load.Constant), string(load.Poisson)}},
		{"engine", p.Engine, []string{string(load.IOUring), string(load.Epoll), string(load.NetHTTP)}},
		{"targets-format", p.TargetsFormat, formats()},
	} {
		if c.value != "" && !slices.Contains(c.known, c.value) {
			last := len(c.known) - 1
			want := strings.Join(c.known[:last], ", ") + " or " + c.known[last]
			return diag.Usagef("load", fmt.Sprintf("unknown --%s %q (want %s)", c.flag, c.value, want),
				"omit it for the default")
		}
	}
	for _, c := range []struct {
		wrong bool
		text  string
		hint  string
	}{
		{
			p.Streams > 1 && !p.HTTP2, "--streams needs --http2",
			"on HTTP/1.1 a connection has one request in flight: raise -c",
		},
		{
			p.NoKeepAlive && p.HTTP2, "--no-keepalive and --http2 are mutually exclusive",
			"HTTP/2 is made of connections that stay",
		},
		{
			p.User != "" && p.TokenFile != "", "--user and --token-file are mutually exclusive",
			"both make the Authorization header",
		},
		{p.PasswordFile != "" && p.User == "", "--password-file needs --user", "name the user: --user NAME"},
	} {
		if c.wrong {
			return diag.Usagef("load", c.text, c.hint)
		}
	}
	if n := p.StdinUses(); n > 1 {
		return diag.Usagef("load", fmt.Sprintf("standard input is used %d times", n),
			"it can only be read once; use files for the others")
	}
	return nil
}

// formats returns the formats of files of requests.
func formats() []string {
	var names []string
	for _, f := range targets.Formats() {
		names = append(names, string(f))
	}
	return names
}

// StdinUses returns how many of the files are "-", standard input.
func (p *Plan) StdinUses() int {
	n := 0
	for _, v := range []string{p.Targets, p.Vars, p.TokenFile, p.PasswordFile, p.TargetTokenFile} {
		if v == "-" {
			n++
		}
	}
	if p.Body == "@-" {
		n++
	}
	return n
}

// Options reads the files that p names and returns the options for loading the addresses. "-" is
// read from stdin. The warnings are about the files, and about hosts that are not this machine.
func (p *Plan) Options(addresses []string, stdin io.Reader) (o load.Options, warnings load.Warnings, err error) {
	o = load.Options{
		Connections: p.Connections, Streams: p.Streams, Workers: p.Workers, Duration: p.Duration,
		Requests: p.Requests, Warmup: p.Warmup, Timeout: p.Timeout, Ramp: p.Ramp,
		Arrivals: load.Arrivals(p.Arrivals), NoKeepAlive: p.NoKeepAlive,
		Socket: p.Socket, Engine: load.Engine(p.Engine),
	}
	r := &reader{Plan: p, stdin: stdin}
	if p.HTTP2 {
		o.Protocol = load.HTTP2
	}
	for _, step := range []func(*load.Options) error{
		r.rate, r.body, r.header, r.credentials, r.targets, r.tls, r.resolve, r.target,
	} {
		if err := step(&o); err != nil {
			return o, r.warnings, err
		}
	}
	switch len(addresses) {
	case 0:
	case 1:
		o.URL = addresses[0]
	default:
		several := make([]load.Target, len(addresses))
		for i, address := range addresses {
			several[i].URL = address
		}
		o.Targets = slices.Concat(several, o.Targets)
	}
	if o.Method = p.Method; o.Method == "" && o.Body != nil && p.Targets == "" {
		o.Method = http.MethodPost
	}
	err = r.allowRemote(&o)
	return o, r.warnings, err
}

// A reader turns the parts of a plan into options.
type reader struct {
	*Plan
	stdin    io.Reader
	warnings load.Warnings
}

// rate parses Rate: a number, or two separated by "..".
func (r *reader) rate(o *load.Options) error {
	if r.Rate == "" {
		return nil
	}
	from, to, ramp := strings.Cut(r.Rate, "..")
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
		return 0, diag.Usagef("--rate", fmt.Sprintf("%q is not a number of requests per second", text),
			"write -r 5000, or -r 1000..20000 for a ramp")
	}
	return v, nil
}

// maxBody bounds what --body reads.
const maxBody = 64 << 20

func (r *reader) body(o *load.Options) error {
	if r.Body == "" {
		return nil
	}
	name, isFile := strings.CutPrefix(r.Body, "@")
	if !isFile {
		o.Body = []byte(r.Body)
		return nil
	}
	data, err := input.ReadFile(name, r.stdin, maxBody)
	if err != nil {
		return &diag.Error{Op: "read --body", Err: err}
	}
	o.Body = data
	return nil
}

func (r *reader) header(o *load.Options) error {
	header, err := input.ParseHeaders(r.Headers, "Content-Type: application/json")
	o.Header = header
	return err
}

// credentials sets the Authorization header. It is in the options only: results and messages never
// contain headers.
func (r *reader) credentials(o *load.Options) error {
	value := ""
	switch {
	case r.TokenFile != "":
		token, err := input.ReadToken(r.TokenFile, r.stdin)
		if err != nil {
			return err
		}
		value = "Bearer " + token
	case r.User != "":
		user, password, ok := strings.Cut(r.User, ":")
		switch {
		case r.PasswordFile != "" && ok:
			return diag.Usagef("--user", "duplicate password", "omit it in --user, or omit --password-file")
		case r.PasswordFile != "":
			data, err := input.ReadFile(r.PasswordFile, r.stdin, 1<<20)
			if err != nil {
				return &diag.Error{Op: "read --password-file", Err: err}
			}
			password = string(bytes.TrimRight(data, "\r\n"))
		case !ok:
			return diag.Usagef("--user", "no password given",
				"write --user NAME:PASSWORD, or name a file with --password-file")
		}
		value = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	default:
		return nil
	}
	if o.Header.Get("Authorization") != "" {
		return diag.Usagef("load", "duplicate Authorization header",
			"omit -H, or --user and --token-file")
	}
	o.Header.Set("Authorization", value)
	return nil
}

// targets reads --targets and --vars.
func (r *reader) targets(o *load.Options) error {
	if r.Targets != "" {
		data, err := input.ReadFile(r.Targets, r.stdin, targets.MaxFile)
		if err != nil {
			return &diag.Error{Op: "read --targets", Err: err}
		}
		to := targets.Options{
			Format: targets.Format(r.TargetsFormat), Name: inputName(r.Targets), Dir: filepath.Dir(r.Targets),
			Warn: func(w load.Warning) { r.warnings = append(r.warnings, w) },
		}
		if o.Targets, err = targets.Read(bytes.NewReader(data), to); err != nil {
			return err
		}
	}
	if r.Vars != "" {
		data, err := input.ReadFile(r.Vars, r.stdin, targets.MaxFile)
		if err != nil {
			return &diag.Error{Op: "read --vars", Err: err}
		}
		if o.Variables, err = targets.ReadVariables(named{bytes.NewReader(data), inputName(r.Vars)}); err != nil {
			return err
		}
	}
	return nil
}

// named is a reader with a name for errors.
type named struct {
	io.Reader
	name string
}

// Name returns the name of the file.
func (n named) Name() string { return n.name }

func inputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

func (r *reader) tls(o *load.Options) error {
	var err error
	if o.TLS, err = handlers.TLSFiles(r.Cert, r.Key, r.CA); err != nil {
		return err
	}
	if r.Insecure {
		if r.CA != "" {
			return diag.Usagef("load", "--insecure and --ca are mutually exclusive", "--ca verifies the certificate")
		}
		if o.TLS == nil {
			o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		o.TLS.InsecureSkipVerify = true
	}
	return nil
}

// resolve parses curl's form, HOST:PORT:ADDRESS[,ADDRESS...], and uses the first address. Brackets
// around IPv6 addresses are optional in the last part.
func (r *reader) resolve(o *load.Options) error {
	for _, text := range r.Resolve {
		bad := diag.Usagef("--resolve", fmt.Sprintf("invalid value %q (want HOST:PORT:ADDRESS)", text),
			"for example --resolve example.com:443:127.0.0.1")
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

// allowRemote allows load on the hosts that --allow-remote names, with a warning for each.
func (r *reader) allowRemote(o *load.Options) error {
	hosts := map[string]bool{}
	for _, t := range append([]load.Target{{URL: o.URL}}, o.Targets...) {
		if u, err := url.Parse(t.URL); err == nil {
			hosts[u.Hostname()] = true
		}
	}
	for _, host := range r.AllowRemote {
		if !hosts[host] {
			return diag.Usagef("--allow-remote", fmt.Sprintf("no request goes to %q", host),
				"name the host as in the address, without scheme and port")
		}
		r.warnings.Addf("sending load to %s, another machine; with --allow-remote you take responsibility", host)
	}
	o.AllowHosts = r.AllowRemote
	return nil
}
