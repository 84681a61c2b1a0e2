package load

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/load/request"
	"github.com/whet-go/whet/internal/load/workload"
)

// plan is Options with defaults filled in, requests built and names resolved.
type plan struct {
	Options
	open  *Open          // nil means the closed model
	rows  [][]string     // of the variables
	table []TargetResult // of the targets, without results
	hosts []*workload.Host
	tls   *tls.Config
}

// Check returns the error that Run would return for o itself. It looks up no host.
func (o Options) Check() error {
	_, err := o.requests()
	return err
}

// requests returns the plan without the addresses of its hosts.
func (o Options) requests() (*plan, error) {
	p := &plan{Options: o}
	if o.URL != "" {
		p.Targets = append([]Target{{URL: o.URL}}, o.Targets...)
	}
	if len(p.Targets) == 0 {
		return nil, &Error{
			Op: "load", Subject: "nothing", Err: errors.New("no address"),
			Hint: "give an address such as http://127.0.0.1:8080/path",
		}
	}
	if err := p.defaults(); err != nil {
		return nil, err
	}
	if o.Variables != nil {
		p.rows = o.Variables.Rows
	}
	var rows []int
	p.table, rows = rowsOf(p.Targets, p.Method)
	for i := range p.Targets {
		if err := p.add(&p.Targets[i], rows[i]); err != nil {
			return nil, err
		}
	}
	if len(p.hosts) > 1 && (p.Socket != "" || p.Protocol == HTTP2) {
		return nil, &Error{
			Op: "load", Subject: p.hosts[1].Name,
			Err: errors.New("HTTP/2 and Unix sockets allow only one host"), Hint: "load one host at a time",
		}
	}
	return p, nil
}

func (o Options) plan(ctx context.Context) (*plan, error) {
	p, err := o.requests()
	if err != nil {
		return nil, err
	}
	for _, h := range p.hosts {
		if err := p.resolve(ctx, h); err != nil {
			return nil, err
		}
	}
	p.Connections = workload.Share(p.hosts, p.Connections)
	if err := checkFiles(p.Connections); err != nil {
		return nil, err
	}
	return p, nil
}

// defaults checks the numbers and fills in zero fields.
func (p *plan) defaults() error {
	for _, o := range []struct {
		name string
		bad  bool
		was  any
	}{
		{"connections", p.Connections < 0, p.Connections},
		{"streams", p.Streams < 0, p.Streams},
		{"workers", p.Workers < 0, p.Workers},
		{"requests", p.Requests < 0, p.Requests},
		{"duration", p.Duration < 0, p.Duration},
		{"warmup", p.Warmup < 0, p.Warmup},
		{"timeout", p.Timeout < 0, p.Timeout},
		{"rate", !(p.Rate >= 0) || math.IsInf(p.Rate, 0), p.Rate},
		{"rate at the end of the ramp", !(p.RampTo >= 0) || math.IsInf(p.RampTo, 0), p.RampTo},
		{"ramp", p.Ramp < 0, p.Ramp},
	} {
		if o.bad {
			return &Error{
				Op: "check option", Subject: o.name, Err: fmt.Errorf("%v is not a positive number", o.was),
				Hint: "give a positive value, or leave it out for the default",
			}
		}
	}
	wrong := func(subject, why, hint string) error {
		return &Error{Op: "check option", Subject: subject, Err: errors.New(why), Hint: hint}
	}
	p.Protocol = cmp.Or(p.Protocol, HTTP1)
	p.Arrivals = cmp.Or(p.Arrivals, Constant)
	p.Streams = cmp.Or(p.Streams, 1)
	switch {
	case p.Protocol != HTTP1 && p.Protocol != HTTP2:
		return wrong("protocol", fmt.Sprintf("unknown protocol %q (want %s or %s)", p.Protocol, HTTP1, HTTP2),
			"omit it for "+string(HTTP1))
	case p.Arrivals != Constant && p.Arrivals != Poisson:
		return wrong("arrivals", fmt.Sprintf("unknown arrivals %q (want %s or %s)", p.Arrivals, Constant, Poisson),
			"omit it for "+string(Constant))
	case p.Streams > 1 && p.Protocol != HTTP2:
		return wrong("streams", "HTTP/1.1 allows one request in flight per connection", "use HTTP/2, or more connections")
	case p.NoKeepAlive && p.Protocol == HTTP2:
		return wrong("no keep-alive", "HTTP/2 requires keep-alive", "use HTTP/1.1")
	case p.Rate == 0 && p.RampTo > 0:
		return wrong("ramp", "no start rate", "set the rate at the start of the ramp, such as 1")
	case p.Ramp > 0 && p.RampTo == 0:
		return wrong("ramp", "no end rate", "set the rate at the end of the ramp")
	}
	p.Connections = cmp.Or(p.Connections, DefaultConnections)
	if p.Requests > 0 && p.Warmup == 0 {
		p.Connections = int(min(int64(p.Connections), p.Requests))
	}
	if p.Duration == 0 && p.Requests == 0 {
		p.Duration = DefaultDuration
	}
	p.Timeout = cmp.Or(p.Timeout, DefaultTimeout)
	p.Method = cmp.Or(p.Method, http.MethodGet)
	if p.Workers == 0 {
		p.Workers = max(runtime.GOMAXPROCS(0)/4, 1)
	}
	if p.Rate > 0 {
		p.open = &Open{Rate: p.Rate, RampTo: p.RampTo, Ramp: p.Ramp, Arrivals: p.Arrivals}
		if p.open.RampTo > 0 && p.open.Ramp == 0 {
			if p.open.Ramp = p.Duration; p.open.Ramp == 0 {
				return wrong("ramp", "no length given, and the run has no duration", "give either")
			}
		}
	}
	p.tls = &tls.Config{}
	if p.TLS != nil {
		p.tls = p.TLS.Clone()
	}
	p.tls.NextProtos = nil // older servers take this for HTTP/1.1
	if p.Protocol == HTTP2 {
		p.tls.NextProtos = []string{"h2"}
	}
	return nil
}

// end returns when the last request is sent, counted from the start of the run.
func (p *plan) end() time.Duration {
	if p.Duration == 0 {
		return workload.Never
	}
	return p.Warmup + p.Duration
}

// model returns the model of the run.
func (p *plan) model() Model {
	if p.open != nil {
		return ModelOpen
	}
	return ModelClosed
}

// add adds a target to its host.
func (p *plan) add(t *Target, row int) error {
	method, body := cmp.Or(t.Method, p.Method), t.Body
	if body == nil {
		body = p.Body
	}
	header := p.Header.Clone()
	for name, values := range t.Header {
		if header == nil {
			header = http.Header{}
		}
		header[http.CanonicalHeaderKey(name)] = values
	}
	var names []string
	if p.Variables != nil {
		names = p.Variables.Names
	}
	template, err := request.New(method, t.URL, header, body, names, p.rows)
	if err != nil {
		return err
	}
	if t.Weight < 0 {
		return &Error{
			Op: "load", Subject: template.URL(), Err: fmt.Errorf("weight %d is negative", t.Weight),
			Hint: "give a positive one, or none for 1",
		}
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		// not err, which may contain a password
		return &Error{Op: "load", Subject: template.URL(), Err: errors.New("not an address")}
	}
	port := u.Port()
	switch {
	case port == "" && u.Scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	name := net.JoinHostPort(strings.ToLower(u.Hostname()), port)
	i := slices.IndexFunc(p.hosts, func(h *workload.Host) bool { return h.Scheme == u.Scheme && h.Name == name })
	if i < 0 {
		i = len(p.hosts)
		p.hosts = append(p.hosts, &workload.Host{Scheme: u.Scheme, Name: name})
	}
	p.hosts[i].Add(workload.Endpoint{
		Template: template, Method: method, Header: header, Body: body, Weight: cmp.Or(t.Weight, 1), Row: row,
	})
	if r := &p.table[row]; r.URL == t.URL {
		r.URL = template.URL() // without a password
	}
	return nil
}

// resolve finds the addresses of a host and checks that they may be loaded.
func (p *plan) resolve(ctx context.Context, h *workload.Host) error {
	if p.Socket != "" {
		h.Addresses = []net.Addr{&net.UnixAddr{Net: "unix", Name: p.Socket}}
		return nil
	}
	dial := h.Name
	if to, ok := p.Resolve[h.Name]; ok {
		dial = to
	}
	bad := func(err error, hint string) error {
		return &Error{Op: "load", Subject: h.Name, Err: err, Hint: hint}
	}
	name, service, err := net.SplitHostPort(dial)
	if err != nil {
		return bad(fmt.Errorf("resolve to %q: %w", dial, err), "give it as address:port")
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
	if err != nil {
		return bad(err, "port must be a number up to 65535")
	}
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(name); err == nil {
		ips = []netip.Addr{ip}
	} else if ips, err = net.DefaultResolver.LookupNetIP(ctx, "ip", name); err != nil {
		return bad(err, "check the host name; --resolve maps a name that DNS does not know to an address")
	}
	host, _, err := net.SplitHostPort(h.Name)
	if err != nil {
		return bad(err, "")
	}
	allowed := slices.ContainsFunc(p.AllowHosts, func(name string) bool { return strings.EqualFold(name, host) })
	for _, ip := range ips {
		ip = ip.Unmap()
		if !allowed && !ip.IsLoopback() && !ip.IsUnspecified() {
			return bad(fmt.Errorf("%s: %w", ip, ErrRemote),
				"whet loads only this machine unless you give --allow-remote "+host+
					"; use it only for a server that you are responsible for")
		}
		h.Addresses = append(h.Addresses, net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(port))))
	}
	return nil
}
