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
)

// plan is Options with defaults filled in, requests built and names resolved.
type plan struct {
	Options
	open  *Open          // nil means the closed model
	rows  [][]string     // of the variables
	table []TargetResult // of the targets, without results
	hosts []*host
	tls   *tls.Config
}

// A host is one server with its targets.
type host struct {
	scheme, name string // name includes the port
	addresses    []net.Addr
	endpoints    []*endpoint
	order        []uint32 // endpoints in sending order, by weight; cyclic
	weight       int
	connections  int
	share        float64 // of the rate
}

// An endpoint is a target, ready to send.
type endpoint struct {
	template *request.Template
	method   string
	index    int // in host.endpoints
	header   http.Header
	body     []byte
	weight   int
	row      int // in plan.table
}

func (o Options) plan(ctx context.Context) (*plan, error) {
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
			Op: "load", Subject: p.hosts[1].name,
			Err: errors.New("HTTP/2 and Unix sockets allow only one host"), Hint: "load one host at a time",
		}
	}
	for _, h := range p.hosts {
		if err := p.resolve(ctx, h); err != nil {
			return nil, err
		}
		h.arrange()
	}
	p.apportion()
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
		{"ramp's end", !(p.RampTo >= 0) || math.IsInf(p.RampTo, 0), p.RampTo},
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
		return never
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
	i := slices.IndexFunc(p.hosts, func(h *host) bool { return h.scheme == u.Scheme && h.name == name })
	if i < 0 {
		i = len(p.hosts)
		p.hosts = append(p.hosts, &host{scheme: u.Scheme, name: name})
	}
	h := p.hosts[i]
	weight := cmp.Or(t.Weight, 1)
	h.endpoints = append(h.endpoints, &endpoint{template, method, len(h.endpoints), header, body, weight, row})
	if r := &p.table[row]; r.URL == t.URL {
		r.URL = template.URL() // without a password
	}
	h.weight += weight
	h.order = append(h.order, uint32(weight)) // until arrange
	return nil
}

// maxOrder bounds the length of a cycle of weighted targets.
const maxOrder = 1 << 16

// arrange turns the weights in order into a cycle in which each endpoint appears as often as its
// weight, evenly spread.
func (h *host) arrange() {
	weights, n := h.order, 0
	scale := max(1, float64(h.weight)/maxOrder)
	type turn struct {
		at float64
		of uint32
	}
	var turns []turn
	for i, w := range weights {
		n = max(int(math.Round(float64(w)/scale)), 1)
		for k := range n {
			turns = append(turns, turn{(float64(k) + 0.5) / float64(n), uint32(i)})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	h.order = make([]uint32, len(turns))
	for i, t := range turns {
		h.order[i] = t.of
	}
}

// resolve finds the addresses of a host and checks that they may be loaded.
func (p *plan) resolve(ctx context.Context, h *host) error {
	if p.Socket != "" {
		h.addresses = []net.Addr{&net.UnixAddr{Net: "unix", Name: p.Socket}}
		return nil
	}
	dial := h.name
	if to, ok := p.Resolve[h.name]; ok {
		dial = to
	}
	bad := func(err error, hint string) error {
		return &Error{Op: "load", Subject: h.name, Err: err, Hint: hint}
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
	host, _, err := net.SplitHostPort(h.name)
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
		h.addresses = append(h.addresses, net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(port))))
	}
	return nil
}

// apportion divides the connections and the rate among the hosts by weight. Each host gets at least
// one connection.
func (p *plan) apportion() {
	p.Connections = max(p.Connections, len(p.hosts))
	total := 0
	for _, h := range p.hosts {
		total += h.weight
	}
	left := p.Connections
	for i, h := range p.hosts {
		h.share = float64(h.weight) / float64(total)
		h.connections = max(1, int(math.Round(float64(p.Connections)*h.share)))
		h.connections = min(h.connections, left-(len(p.hosts)-1-i))
		left -= h.connections
	}
	p.hosts[0].connections += left
}

// picker iterates over the targets of a host and, for each of them, over the rows of the variables.
type picker struct {
	*host
	at   int
	rows []int // next row, per endpoint
	step int
}

// newPicker returns picker k of n that share the targets and rows.
func newPicker(h *host, k, n int) picker {
	p := picker{host: h, at: len(h.order) * k / n, rows: make([]int, len(h.endpoints)), step: n}
	for i := range p.rows {
		p.rows[i] = k
	}
	return p
}

// next returns the next target and the row to expand it with.
func (p *picker) next() (e *endpoint, row int) {
	i := p.order[p.at]
	e, row = p.endpoints[i], p.rows[i]
	if p.at++; p.at == len(p.order) {
		p.at = 0
	}
	p.rows[i] += p.step
	return e, row
}
