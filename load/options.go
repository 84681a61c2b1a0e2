package load

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// What zero means in [Options].
const (
	DefaultConnections = 8
	DefaultDuration    = 10 * time.Second
	DefaultTimeout     = 10 * time.Second
)

// Options say what to send, where and for how long. Only URL is required.
type Options struct {
	// URL is the address that is requested: http or https, with its query.
	URL string
	// URLs are further addresses. Connection i requests address i modulo the
	// number of addresses, and only that one.
	URLs []string
	// Method is the HTTP method; empty means GET.
	Method string
	// Header is sent with every request. A Host entry sets the request's host.
	Header http.Header
	// Body is sent with every request; nil means none.
	Body []byte

	// Connections is the number of connections and so of requests in flight;
	// 0 means [DefaultConnections].
	Connections int
	// Duration bounds the measured part of the run. 0 means no bound when
	// Requests is set, and [DefaultDuration] otherwise.
	Duration time.Duration
	// Requests is the number of measured requests to send; 0 means as many as
	// Duration allows. Failed requests count.
	Requests int64
	// Warmup is a time before the measured part whose requests are sent but
	// not counted.
	Warmup time.Duration
	// Timeout bounds one request from its first byte sent to the last byte of
	// its answer, connecting included; 0 means [DefaultTimeout].
	Timeout time.Duration

	// TLS configures https connections; nil means the system's roots. It is
	// cloned.
	TLS *tls.Config
	// AllowRemote allows targets that are not on this machine's loopback
	// interface. A closed load takes whatever a server can give, so it is
	// never pointed at somebody else's server by a slip of the hand.
	AllowRemote bool

	// Progress, if set, is called about once a second of the measured part,
	// from the goroutine that called Run. It must not block for long.
	Progress func(Second)
}

// Error is a load that could not be run, or that was run and got no answer at
// all.
type Error struct {
	Op      string // what was being done
	Subject string // to which address or option
	Err     error  // why it did not work
	Advice  string // what to do next; may be empty
}

// Error returns "op subject: cause".
func (e *Error) Error() string { return e.Op + " " + e.Subject + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the next step for the person who asked for the load, or "".
func (e *Error) Hint() string { return e.Advice }

// ErrRemote is the cause when a target is not on the loopback interface and
// [Options.AllowRemote] is not set.
var ErrRemote = errors.New("not a loopback address")

const remoteAdvice = "only loopback addresses are loaded unless the load is explicitly allowed to leave this machine; allow it only for a server you are responsible for"

// plan is Options with its defaults filled in and its requests built.
type plan struct {
	Options
	targets []*http.Request // without context; cloned per connection
}

func (o Options) plan(ctx context.Context) (*plan, error) {
	p := &plan{Options: o}
	switch {
	case p.Connections < 0:
		return nil, badOption("connections", p.Connections)
	case p.Requests < 0:
		return nil, badOption("requests", p.Requests)
	case p.Duration < 0:
		return nil, badOption("duration", p.Duration)
	case p.Warmup < 0:
		return nil, badOption("warmup", p.Warmup)
	case p.Timeout < 0:
		return nil, badOption("timeout", p.Timeout)
	}
	if p.Connections == 0 {
		p.Connections = DefaultConnections
	}
	if p.Requests > 0 && p.Warmup == 0 {
		p.Connections = int(min(int64(p.Connections), p.Requests))
	}
	if p.Duration == 0 && p.Requests == 0 {
		p.Duration = DefaultDuration
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	if p.Method == "" {
		p.Method = http.MethodGet
	}
	for _, raw := range append([]string{o.URL}, o.URLs...) {
		req, err := p.request(ctx, raw)
		if err != nil {
			return nil, err
		}
		p.targets = append(p.targets, req)
	}
	return p, nil
}

func badOption(name string, value any) error {
	return &Error{Op: "check option", Subject: name, Err: fmt.Errorf("%v is negative", value), Advice: "give a positive value, or leave it out for the default"}
}

// request builds the request that is sent to one target.
func (p *plan) request(ctx context.Context, raw string) (*http.Request, error) {
	subject := "" // not raw, which may hold a password
	bad := func(err error) error {
		return &Error{Op: "load", Subject: subject, Err: err, Advice: "give an absolute address such as http://127.0.0.1:8080/path"}
	}
	u, err := url.Parse(raw)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err // without the address
		}
		return nil, bad(err)
	}
	subject = u.Redacted()
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, bad(fmt.Errorf("scheme %q is neither http nor https", u.Scheme))
	}
	if u.Hostname() == "" {
		return nil, bad(errors.New("no host"))
	}
	if !p.AllowRemote {
		if err := checkLoopback(ctx, u.Hostname()); err != nil {
			e := &Error{Op: "load", Subject: u.Redacted(), Err: err}
			if errors.Is(err, ErrRemote) {
				e.Advice = remoteAdvice
			}
			return nil, e
		}
	}
	// The context is replaced by the one of each single request.
	req, err := http.NewRequestWithContext(context.Background(), p.Method, raw, http.NoBody)
	if err != nil {
		return nil, bad(err)
	}
	for name, values := range p.Header {
		if http.CanonicalHeaderKey(name) == "Host" {
			if len(values) > 0 {
				req.Host = values[0]
			}
			continue
		}
		for _, v := range values {
			req.Header.Add(name, v)
		}
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "whet-load")
	}
	if u.User != nil && req.Header.Get("Authorization") == "" {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	return req, nil
}

// checkLoopback reports whether host names nothing but this machine's loopback
// interface. The unspecified address counts: dialling it stays on the machine.
func checkLoopback(ctx context.Context, host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return checkLoopbackIP(ip)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return err
	}
	for _, ip := range addrs {
		if err := checkLoopbackIP(ip); err != nil {
			return err
		}
	}
	return nil
}

func checkLoopbackIP(ip netip.Addr) error {
	if ip = ip.Unmap(); ip.IsLoopback() || ip.IsUnspecified() {
		return nil
	}
	return fmt.Errorf("%s: %w", ip, ErrRemote)
}
