package handlers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/origin"
)

const (
	maxProfileBody  = 256 << 20
	maxTextBody     = 16 << 20
	snapshotTimeout = 30 * time.Second
	probeTimeout    = 2 * time.Second

	// MaxTrace bounds the size of an execution trace, in bytes.
	MaxTrace = 2 << 30
	// StopGrace is how long an answer may take after its window was ended early.
	StopGrace = 15 * time.Second
)

// Options configure New: where the handlers of a target are, and what each request carries. Only
// URL is required.
type Options struct {
	// URL is the address of the target: with or without /debug/pprof/, below any prefix. A user and
	// password in it are sent to that host only.
	URL    string
	Header http.Header // sent with each request
	Token  string      // bearer token; "" means none
	TLS    *tls.Config // nil means the system's roots
	Prefix string      // of the handlers; "" means that Discover looks for it
	// Paths are paths of single handlers, by kind: cpu, heap, trace, …; see ParsePaths.
	Paths map[string]string
}

// A Client sends requests to the pprof handlers of one target. It is safe for concurrent use,
// except for Discover and Limit, which must be called first.
type Client struct {
	base   *url.URL // ends in "/"; without user, query and fragment
	prefix string   // Options.Prefix
	// offered are the names that the index page lists; nil if there is no index
	offered []string
	user    *url.Userinfo
	query   url.Values        // of the URL given; sent with each request
	paths   map[string]string // paths of single handlers, by kind
	header  http.Header
	http    *http.Client
	once    *http.Client // for windows: one connection per request, and no retries

	quota *quota // of all answers; nil means unlimited

	mu     sync.Mutex
	remote net.Addr // of the last connection
}

// New returns a client of the target at opt.URL. It sends nothing: Discover finds the handlers.
func New(opt Options) (*Client, error) {
	raw := opt.URL
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		if ue := (*url.Error)(nil); errors.As(err, &ue) {
			err = ue.Err // without the URL, which may hold a password
		}
		if err == nil {
			err = errors.New("not an http or https address")
		}
		return nil, &diag.Error{
			Op: "parse target address", Err: err, Kind: diag.Usage,
			Hint: "give the address whose /debug/pprof/ answers, such as http://127.0.0.1:6060",
		}
	}
	c := &Client{prefix: opt.Prefix, user: u.User, query: u.Query(), paths: opt.Paths, header: opt.Header.Clone()}
	if c.header == nil {
		c.header = make(http.Header)
	}
	if opt.Token != "" {
		c.header.Set("Authorization", "Bearer "+opt.Token)
	}
	if c.header.Get("User-Agent") == "" {
		c.header.Set("User-Agent", "whet")
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	c.base = u
	// The query and the client certificate may be secret too, so redirects to another origin are
	// refused.
	redirect := origin.Policy{
		Secret: true,
		Hint: "whet follows redirects on the same host and port only, so that credentials stay there; record the other " +
			"address itself, or give credentials with -H or --token-file",
	}.Redirect
	c.http = &http.Client{Transport: newTransport(opt.TLS), CheckRedirect: redirect}
	// On a reused connection, net/http retries when it breaks: a target that dies in the window and
	// is restarted would be profiled a second time.
	own := newTransport(opt.TLS)
	own.DisableKeepAlives = true
	c.once = &http.Client{Transport: own, CheckRedirect: redirect}
	return c, nil
}

// newTransport uses only HTTP/1.1: half-closing a connection, which ends a window early, requires
// one connection per request.
func newTransport(tc *tls.Config) *http.Transport {
	if tc != nil {
		tc = tc.Clone()
		tc.NextProtos = nil
	}
	return &http.Transport{
		Proxy:              http.ProxyFromEnvironment,
		DialContext:        (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:    tc,
		TLSNextProto:       map[string]func(string, *tls.Conn) http.RoundTripper{},
		DisableCompression: true,
		IdleConnTimeout:    snapshotTimeout,
		MaxIdleConns:       8,
	}
}

// Address returns the directory of the handlers, without credentials.
func (c *Client) Address() string { return public(c.base) }

// Limit bounds the bytes of all answers from now on. One answer may use an eighth of what is left
// when it begins.
func (c *Client) Limit(total int64) { c.quota = &quota{total: total} }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// url returns the address of kind ("cpu", "heap", "trace", …).
func (c *Client) url(kind string, q url.Values) *url.URL {
	u := *c.base
	if p, ok := c.paths[kind]; ok {
		ref, err := url.Parse(p)
		if err == nil {
			u.Path, u.RawPath = ref.Path, ref.RawPath
			q = merge(ref.Query(), q)
		}
	} else {
		if kind == "cpu" {
			kind = "profile"
		}
		u.Path += kind
		u.RawPath = ""
	}
	u.RawQuery = merge(c.query, q).Encode()
	return &u
}

func merge(a, b url.Values) url.Values {
	out := maps.Clone(a)
	if out == nil {
		out = make(url.Values)
	}
	maps.Copy(out, b)
	return out
}

// public returns u in a form that may be printed and stored.
func public(u *url.URL) string {
	v := *u
	v.User, v.RawQuery, v.Fragment = nil, "", ""
	return v.String()
}

func (c *Client) request(ctx context.Context, u *url.URL) (*http.Request, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		c.mu.Lock()
		c.remote = i.Conn.RemoteAddr()
		c.mu.Unlock()
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = c.header.Clone()
	if h := req.Header.Get("Host"); h != "" {
		req.Host = h
		req.Header.Del("Host")
	}
	if c.user != nil && req.Header.Get("Authorization") == "" {
		pw, _ := c.user.Password()
		req.SetBasicAuth(c.user.Username(), pw)
	}
	return req, nil
}

// RemoteAddr returns the address that the last request was sent to; nil before the first request.
func (c *Client) RemoteAddr() net.Addr {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remote
}

// begins fetches the first bytes of a profile.
func (c *Client) begins(ctx context.Context, kind string) ([]byte, error) {
	body, err := c.get(ctx, kind, nil)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(body, 4<<10))
	if err := errors.Join(err, body.Close()); err != nil {
		return nil, c.explain(kind, c.url(kind, nil), err)
	}
	if err := looksLikeProfile(data); err != nil {
		return nil, c.explain(kind, c.url(kind, nil), err)
	}
	return data, nil
}

// Text returns a short answer of the handler for kind.
func (c *Client) Text(ctx context.Context, kind string, q url.Values) ([]byte, error) {
	body, err := c.get(ctx, kind, q)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(body, maxTextBody+1))
	err = errors.Join(err, body.Close())
	if err == nil && len(data) > maxTextBody {
		err = tooLarge(maxTextBody)
	}
	if err != nil {
		return nil, c.explain(kind, c.url(kind, nil), err)
	}
	return data, nil
}

// Snapshot fetches a profile into a file; with gc, one of the heap after a garbage collection.
func (c *Client) Snapshot(ctx context.Context, kind string, gc bool, into *Answer) error {
	var q url.Values
	if gc {
		q = url.Values{"gc": {"1"}}
	}
	body, err := c.get(ctx, kind, q)
	if err != nil {
		return err
	}
	err = errors.Join(into.Fill(body, maxProfileBody), body.Close())
	if err == nil {
		err = looksLikeProfile(into.Head(64))
	}
	if err != nil {
		return c.explain(kind, c.url(kind, nil), err)
	}
	return nil
}

// metered counts the body of an answer towards the quota.
func (c *Client) metered(resp *http.Response) {
	if c.quota != nil {
		resp.Body = &metered{ReadCloser: resp.Body, q: c.quota}
	}
}

// get sends a short request; ctx and snapshotTimeout bound the time of its body.
func (c *Client) get(ctx context.Context, kind string, q url.Values) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, snapshotTimeout)
	u := c.url(kind, q)
	req, err := c.request(ctx, u)
	if err != nil {
		cancel()
		return nil, c.explain(kind, u, err)
	}
	resp, err := c.http.Do(req)
	if err == nil {
		c.metered(resp)
		err = checkResponse(kind, resp)
	}
	if err != nil {
		cancel()
		return nil, c.explain(kind, u, err)
	}
	return &cancelBody{resp.Body, cancel}, nil
}

// cancelBody releases its request's context when it is closed.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// errCutShort is the error of a windowed answer that did not arrive after its request was
// half-closed.
var errCutShort = errors.New("the target did not answer when the window was ended early")

// CPUProfile fetches a CPU profile of duration d into a file. When stop is closed, it ends early.
func (c *Client) CPUProfile(ctx context.Context, stop <-chan struct{}, d time.Duration, into *Answer) error {
	err := c.window(ctx, stop, "cpu", d, func(r io.Reader) error { return into.Fill(r, maxProfileBody) })
	if err == nil {
		if err = looksLikeProfile(into.Head(64)); err != nil {
			err = c.Explain("cpu", err)
		}
	}
	return err
}

// Trace passes an execution trace of duration d to read. When stop is closed, it ends early. It
// returns an error for an answer that does not begin like a trace.
func (c *Client) Trace(ctx context.Context, stop <-chan struct{}, d time.Duration, read func(io.Reader) error) error {
	return c.window(ctx, stop, "trace", d, func(r io.Reader) error { return read(&traceOnly{r: r}) })
}

func seconds(d time.Duration) url.Values {
	return url.Values{"seconds": {strconv.FormatFloat(d.Seconds(), 'f', -1, 64)}}
}

// window requests a profile that the target measures for a while and passes the answer to read; ctx
// bounds the time. When stop is closed, it half-closes the connection: net/http's server then
// cancels the request's context, the handler stops measuring, and what it has arrives as usual. An
// answer still missing after StopGrace is abandoned.
func (c *Client) window(ctx context.Context, stop <-chan struct{}, kind string, d time.Duration,
	read func(io.Reader) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var (
		mu      sync.Mutex
		conn    net.Conn
		stopped bool
	)
	halfClose := func() {
		if stopped && conn != nil {
			if hc, ok := conn.(interface{ CloseWrite() error }); ok {
				_ = hc.CloseWrite() // if this fails, the deadline still applies
			}
			_ = conn.SetReadDeadline(time.Now().Add(StopGrace))
		}
	}
	u := c.url(kind, seconds(d))
	req, err := c.request(ctx, u)
	if err != nil {
		return c.explain(kind, u, err)
	}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) {
			mu.Lock()
			defer mu.Unlock()
			halfClose()
		},
		GotConn: func(i httptrace.GotConnInfo) {
			mu.Lock()
			defer mu.Unlock()
			conn = i.Conn
		},
	}))
	done := make(chan struct{})
	watcher := make(chan struct{})
	go func() {
		defer close(watcher)
		select {
		case <-stop:
		case <-done:
			return
		}
		mu.Lock()
		stopped = true
		halfClose()
		mu.Unlock()
		select {
		case <-time.After(StopGrace):
			cancel()
		case <-done:
		}
	}()
	defer func() { close(done); <-watcher }()

	resp, err := c.once.Do(req)
	if err == nil {
		c.metered(resp)
		err = checkResponse(kind, resp)
	}
	if err == nil {
		err = errors.Join(read(resp.Body), resp.Body.Close())
	}
	if err != nil {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			err = fmt.Errorf("%w: %w", errCutShort, plain(err))
		}
		return c.explain(kind, u, err)
	}
	return nil
}
