package collect

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/origin"
)

const (
	maxProfileBody  = 256 << 20
	maxTraceBody    = 2 << 30
	maxTextBody     = 16 << 20
	snapshotTimeout = 30 * time.Second
	// stopGrace is how long an answer may take after the request was half-closed.
	stopGrace = 15 * time.Second
)

// A client sends requests to one target's pprof handlers. It is safe for concurrent use.
type client struct {
	base   *url.URL // ends in "/"; without user, query and fragment
	user   *url.Userinfo
	query  url.Values        // of the URL given; sent with each request
	paths  map[string]string // paths of single handlers, by kind
	header http.Header
	http   *http.Client
	once   *http.Client // for windows: one connection per request, and no retries

	quota *quota // of all answers; nil means unlimited

	mu     sync.Mutex
	remote net.Addr // of the last connection
}

// newClient prepares the client for the address that the user gave. discover then finds the
// handlers below it.
func newClient(opt *Options) (*client, error) {
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
	c := &client{user: u.User, query: u.Query(), paths: opt.Paths, header: opt.Header.Clone()}
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

// newTransport uses HTTP/1.1 only: half-closing a connection, which ends a window early, needs one
// connection per request.
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

// close drops idle connections.
func (c *client) close() { c.http.CloseIdleConnections() }

// url returns the address of kind ("cpu", "heap", "trace", …).
func (c *client) url(kind string, q url.Values) *url.URL {
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

func (c *client) request(ctx context.Context, u *url.URL) (*http.Request, error) {
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

// remoteAddr returns the address that the last request was sent to; nil before any.
func (c *client) remoteAddr() net.Addr {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remote
}

// begins fetches the first bytes of a profile.
func (c *client) begins(ctx context.Context, kind string) ([]byte, error) {
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

// text fetches a short answer.
func (c *client) text(ctx context.Context, kind string, q url.Values) ([]byte, error) {
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

// snapshot fetches a profile into a file.
func (c *client) snapshot(ctx context.Context, kind string, q url.Values, into *answer) error {
	body, err := c.get(ctx, kind, q)
	if err != nil {
		return err
	}
	err = errors.Join(into.fill(body, maxProfileBody), body.Close())
	if err == nil {
		err = looksLikeProfile(into.head(64))
	}
	if err != nil {
		return c.explain(kind, c.url(kind, nil), err)
	}
	return nil
}

// metered counts the body of an answer towards the quota.
func (c *client) metered(resp *http.Response) {
	if c.quota != nil {
		resp.Body = &metered{ReadCloser: resp.Body, q: c.quota}
	}
}

// get sends a short request; ctx and snapshotTimeout bound the time of its body.
func (c *client) get(ctx context.Context, kind string, q url.Values) (io.ReadCloser, error) {
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

// errAborted is the error of an answer that was abandoned.
var errAborted = errors.New("aborted before the answer arrived")

// window requests a profile that the target measures for a while and passes the answer to read; ctx
// bounds the time. When stop is closed, it half-closes the connection: net/http's server then
// cancels the request's context, the handler stops measuring, and what it has arrives as usual. An
// answer still missing after stopGrace is abandoned.
func (c *client) window(ctx context.Context, stop <-chan struct{}, kind string, q url.Values,
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
			_ = conn.SetReadDeadline(time.Now().Add(stopGrace))
		}
	}
	u := c.url(kind, q)
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
		case <-time.After(stopGrace):
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

// statusError is an answer with a status other than 200.
type statusError struct {
	code int
	text string // the first line of the body
}

func (e *statusError) Error() string {
	s := fmt.Sprintf("target answers %d %s", e.code, http.StatusText(e.code))
	if e.text != "" && e.text != "404 page not found" { // net/http's text for the same status
		s += ": " + e.text
	}
	return s
}

var errHTML = errors.New("target answers with an HTML page instead")

// checkResponse returns an error unless resp is an answer to kind. It then closes the body.
func checkResponse(kind string, resp *http.Response) error {
	html := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html")
	if resp.StatusCode == http.StatusOK && (!html || kind == "") {
		return nil
	}
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // only for the explanation
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		return errHTML
	}
	line := ""
	if !html && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		line, _, _ = strings.Cut(strings.TrimSpace(string(head)), "\n")
		line = strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, strings.ToValidUTF8(line, ""))
		line = line[:min(len(line), 200)]
	}
	return &statusError{resp.StatusCode, line}
}

// looksLikeProfile returns an error if data looks like a web page or is empty.
func looksLikeProfile(data []byte) error {
	head := bytes.TrimSpace(data[:min(len(data), 64)])
	switch {
	case len(data) == 0:
		return errors.New("answer is empty")
	case bytes.HasPrefix(head, []byte("<")):
		return errHTML
	}
	return nil
}

// plain removes the wrapping in which net/http repeats the address with its query.
func plain(err error) error {
	for ue := (*url.Error)(nil); errors.As(err, &ue); {
		err = ue.Err
	}
	return err
}

// explain adds the target and a hint to the error of a failed request. The address in it has no
// credentials.
func (c *client) explain(kind string, u *url.URL, err error) error {
	err = plain(err)
	what := kind
	if what == "" {
		what = "index"
	}
	return &diag.Error{Op: "fetch " + what + " from", Subject: public(u), Err: err, Hint: hintFor(kind, err)}
}

func hintFor(kind string, err error) string {
	if h := diag.Hint(err); h != "" {
		return h
	}
	if se := (*statusError)(nil); errors.As(err, &se) {
		return se.hint(kind)
	}
	msg := err.Error()
	switch {
	case errors.Is(err, errHTML):
		return "another handler answers there, perhaps a login page: give the handlers' prefix with --pprof-path, " +
			"credentials with -H or --token-file"
	case errors.Is(err, errCutShort):
		return "there may be a proxy in between: record the target's own address, or let the window run to its end"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: is the target running, and is this the address of its pprof handlers?"
	case errors.As(err, new(*net.DNSError)):
		return "check the host name"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "give the certificate authority with --ca FILE"
	case errors.As(err, new(x509.HostnameError)):
		return "use the name that the certificate is for"
	case strings.Contains(msg, "certificate required"), strings.Contains(msg, "bad certificate"),
		strings.Contains(msg, "handshake failure"):
		return "the target requires a client certificate: --cert FILE --key FILE"
	case strings.Contains(msg, "server gave HTTP response to HTTPS client"):
		return "use http://"
	case strings.Contains(msg, "malformed HTTP response"):
		return "this port does not speak HTTP; if it speaks TLS, use https://"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "the target does not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the target closed the connection: did it exit or restart? See its log"
	}
	return ""
}

func (e *statusError) hint(kind string) string {
	switch {
	case strings.Contains(e.text, "profiling already in use"):
		return "another CPU profile is running (a continuous profiler, another whet, go tool pprof): wait until it ends"
	case strings.Contains(e.text, "HTTP request to an HTTPS server"):
		return "use https://"
	case strings.Contains(e.text, "Could not enable tracing"):
		return "another execution trace is running: wait until it ends, or pass --trace 0"
	case e.code == http.StatusUnauthorized || e.code == http.StatusForbidden:
		return "give credentials: --token-file FILE, -H 'Name: value', or --cert FILE --key FILE"
	case e.code == http.StatusNotFound && kind == "":
		return "give the prefix under which the pprof handlers are mounted with --pprof-path"
	case e.code == http.StatusNotFound:
		return mount(kind)
	case e.code == http.StatusTooManyRequests || e.code == http.StatusServiceUnavailable:
		return "the target, or a proxy in front of it, is too busy: try again"
	case e.code == http.StatusBadGateway || e.code == http.StatusGatewayTimeout:
		return "a proxy in between timed out: record the target's own address, or a shorter window with -d"
	}
	return ""
}

// mount returns the line of code that makes a target serve kind.
func mount(kind string) string {
	switch kind {
	case "cpu":
		return `mux.HandleFunc("/debug/pprof/profile", pprof.Profile)`
	case "trace":
		return `mux.HandleFunc("/debug/pprof/trace", pprof.Trace)`
	case "cmdline":
		return `mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)`
	case "flight":
		return "agent.Start(agent.Options{Flight: 10 * time.Second}) in the target keeps the last seconds (package " +
			"github.com/whet-go/whet/agent); without it, whet record -d 10s records the next ones"
	case "slow":
		return "handler = a.Watch(handler) in the target, with the agent a, reports slow requests"
	case "goroutineleak":
		return "build the target with Go 1.27, or with Go 1.26 and GOEXPERIMENT=goroutineleakprofile"
	}
	return fmt.Sprintf(`mux.Handle("/debug/pprof/%s", pprof.Handler(%q))`, kind, kind)
}

// TLSFiles returns the TLS configuration for --cert, --key and --ca, each "" if not given.
func TLSFiles(cert, key, ca string) (*tls.Config, error) {
	if cert == "" && key == "" && ca == "" {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if (cert == "") != (key == "") {
		return nil, diag.Usagef("--cert", "a client certificate needs both --cert and --key",
			"give both; they may be the same file")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, &diag.Error{
				Op: "load client certificate", Subject: cert, Err: err, Hint: "--cert and --key require PEM files",
			}
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, &diag.Error{Op: "load certificate authority", Subject: ca, Err: err}
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &diag.Error{
				Op: "load certificate authority", Subject: ca, Err: errors.New("file contains no certificate"),
				Hint: "--ca requires a PEM file",
			}
		}
	}
	return cfg, nil
}

// kinds lists what can be fetched: the keys of --pprof-path.
func kinds() []string {
	return []string{
		"cpu", "heap", "allocs", "block", "mutex", "goroutine", "goroutineleak", "threadcreate", "trace",
		"flight", "slow", "cmdline", "whet",
	}
}

// ParsePaths parses the values of --pprof-path: at most one prefix ("/custom"), and KIND=/path for
// single handlers ("cpu=/own/profile").
func ParsePaths(values []string) (prefix string, paths map[string]string, err error) {
	for _, v := range values {
		k, p, pair := strings.Cut(v, "=")
		if !pair {
			k, p = "", v
		}
		switch {
		case !strings.HasPrefix(p, "/"):
			return "", nil, diag.Usagef("--pprof-path "+v, "path does not start with /", "give /prefix, or WHAT=/path")
		case !pair && prefix != "":
			return "", nil, diag.Usagef("--pprof-path "+v, "already has the prefix "+prefix,
				"give one prefix; further values are WHAT=/path")
		case !pair:
			prefix = p
			continue
		}
		if k == "profile" {
			k = "cpu"
		}
		if !slices.Contains(kinds(), k) {
			return "", nil, diag.Usagef("--pprof-path "+v, fmt.Sprintf("unknown profile %q (want %s)", k,
				strings.Join(kinds(), ", ")), "give /prefix, or WHAT=/path")
		}
		if paths == nil {
			paths = make(map[string]string)
		}
		paths[k] = p
	}
	return prefix, paths, nil
}
