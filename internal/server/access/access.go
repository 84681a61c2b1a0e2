package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/loopback"
)

// MinToken is the length of the shortest token that is accepted, in bytes.
const MinToken = 16

// cookie is the name of the cookie of logins.
const cookie = "whet-session"

// Options configure who may connect. The zero value is this machine.
type Options struct {
	// Token must be in each request to the API; "" means none.
	Token string
	// Cert and Key are the PEM files of the server's certificate; "" means no TLS.
	Cert, Key string
	// ClientCA is a PEM file with the authorities whose client certificates are required; "" means
	// none are. It needs Cert and Key.
	ClientCA string
	// Hosts are names of this server besides those of the loopback interface, its host name and
	// all addresses.
	Hosts []string
}

// Listen opens an address: on the loopback interface, or elsewhere if o has a token or authorities
// of clients.
func Listen(ctx context.Context, addr string, o Options) (net.Listener, error) {
	if o.Token != "" && len(o.Token) < MinToken {
		return nil, diag.Usagef("--token-file", fmt.Sprintf("the token has fewer than %d characters", MinToken),
			"`openssl rand -hex 32` makes a token")
	}
	var l net.Listener
	var err error
	if o.Token == "" && o.ClientCA == "" {
		l, err = loopback.Listen(ctx, addr)
		if errors.Is(err, loopback.ErrExposed) {
			return nil, diag.Usagef("--http", err.Error(),
				"others could read the recordings there: require a token with --token-file, "+
					"or client certificates with --tls-cert, --tls-key and --client-ca")
		}
	} else {
		l, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	}
	if err != nil {
		return nil, &diag.Error{
			Op: "--http", Subject: addr, Err: err, Kind: diag.Usage,
			Hint: "an address is HOST:PORT; port 0 picks a free one",
		}
	}
	config, err := o.tls()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	return l, nil
}

// tls returns the configuration of TLS; nil means none.
func (o *Options) tls() (*tls.Config, error) {
	if o.Cert == "" && o.Key == "" {
		if o.ClientCA != "" {
			return nil, diag.Usagef("--client-ca", "client certificates need TLS", "add --tls-cert and --tls-key")
		}
		return nil, nil //nolint:nilnil // no TLS is none
	}
	cert, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return nil, &diag.Error{
			Op: "--tls-cert", Subject: o.Cert, Err: err, Kind: diag.Usage,
			Hint: "--tls-cert and --tls-key name the PEM files of one certificate and its key",
		}
	}
	c := &tls.Config{
		Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}
	if o.ClientCA == "" {
		return c, nil
	}
	pem, err := os.ReadFile(o.ClientCA)
	if err != nil {
		return nil, &diag.Error{Op: "--client-ca", Err: err, Kind: diag.Usage}
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, diag.Usagef("--client-ca", o.ClientCA+" has no certificate", "name a PEM file")
	}
	return c, nil
}

// A Guard checks requests.
type Guard struct {
	token   [sha256.Size]byte // its hash
	session [sha256.Size]byte // the hash of the cookie's value
	value   string            // of the cookie
	open    bool              // no token is needed
	hosts   map[string]bool
	// Local is set if only this machine can connect.
	local  bool
	secure bool // the cookie is for TLS only
}

// New returns the guard of a server with the given options, which listens on l.
func New(o Options, l net.Addr) *Guard {
	g := &Guard{
		open: o.Token == "", token: sha256.Sum256([]byte(o.Token)), secure: o.Cert != "", hosts: map[string]bool{},
		local: o.Token == "" && o.ClientCA == "",
	}
	g.value = rand.Text()
	g.session = sha256.Sum256([]byte(g.value))
	for _, h := range o.Hosts {
		g.hosts[strings.ToLower(h)] = true
	}
	if name, err := os.Hostname(); err == nil && !g.local {
		g.hosts[strings.ToLower(name)] = true
	}
	if host, _, err := net.SplitHostPort(l.String()); err == nil {
		g.hosts[host] = true
	}
	return g
}

// Errors of requests that are refused.
var (
	ErrHost   = errors.New("the request is for a name that is not this server's")
	ErrOrigin = errors.New("the request comes from another site's page")
	ErrToken  = errors.New("the server requires a token")
)

// Check returns an error for a request that another site may have caused.
func (g *Guard) Check(r *http.Request) error {
	if !g.named(r.Host) {
		return fmt.Errorf("%q: %w", r.Host, ErrHost)
	}
	if !loopback.SameOrigin(r) && hasData(r.URL) {
		return ErrOrigin
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		// Browsers send Origin with each request that may change something.
		if origin := r.Header.Get("Origin"); origin != "" && !sameHost(origin, r.Host) || !loopback.SameOrigin(r) {
			return ErrOrigin
		}
	}
	return nil
}

// hasData reports whether an address is of data, not of a page that a link may lead to.
func hasData(u *url.URL) bool {
	if strings.HasPrefix(u.Path, "/trace/") {
		// A file, whose name may have escaped slashes, and a path below its trace.
		_, below, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/trace/"), "/")
		return below != ""
	}
	return strings.HasPrefix(u.Path, "/api/")
}

// sameHost reports whether an origin is of a host.
func sameHost(origin, host string) bool {
	_, at, ok := strings.Cut(origin, "://")
	return ok && strings.EqualFold(at, host)
}

// named reports whether a Host header names this server. An address cannot be rebound.
func (g *Guard) named(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]") // without a port
	}
	if loopback.Local(host) || g.hosts[strings.ToLower(strings.TrimSuffix(host, "."))] {
		return true
	}
	_, err = netip.ParseAddr(host)
	return err == nil && !g.local
}

// Allowed reports whether a request has the token, or the cookie of a login, if one is needed.
func (g *Guard) Allowed(r *http.Request) bool {
	if g.open {
		return true
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return g.isToken(token)
	}
	c, err := r.Cookie(cookie)
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(c.Value))
	return subtle.ConstantTimeCompare(sum[:], g.session[:]) == 1
}

// isToken reports whether a text is the token. It compares hashes, so that not even the length of the
// token shows in the time.
func (g *Guard) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// Login sets the cookie that Allowed accepts, if token is right; otherwise it returns ErrToken.
func (g *Guard) Login(w http.ResponseWriter, token string) error {
	if !g.open && !g.isToken(token) {
		return &diag.Error{
			Op: "log in", Err: ErrToken, Kind: diag.Usage,
			Hint: "it is in the file that --token-file named when the server was started",
		}
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookie, Value: g.value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.secure,
	})
	return nil
}
