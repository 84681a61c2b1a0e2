package pprof

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/whet-go/whet/internal/origin"
	"github.com/whet-go/whet/internal/terminal"
)

// transport sends requests with the certificates of -tls_cert, -tls_key and -tls_ca and the headers
// of -H, and supports https+insecure addresses.
type transport struct {
	cert, key, ca *string
	headers       http.Header

	secure, insecure func() (*http.Transport, error)
}

func newTransport(f *flagSet) *transport {
	t := &transport{
		cert:    f.String("tls_cert", "", "TLS client certificate file for fetching profile and symbols"),
		key:     f.String("tls_key", "", "TLS private key file for fetching profile and symbols"),
		ca:      f.String("tls_ca", "", "TLS CA certs file for fetching profile and symbols"),
		headers: http.Header{},
	}
	f.AddExtraUsage(`    -tls_cert             TLS client certificate file for fetching profile and symbols
    -tls_key              TLS private key file for fetching profile and symbols
    -tls_ca               TLS CA certs file for fetching profile and symbols
    -H 'Name: value'      Header of requests for profiles and symbols; may be repeated
    FILE.whet             The CPU profile of a recording
    FILE.whet:NAME        Another profile of a recording (heap, allocs, block, mutex, ...)`)
	f.Func("H", "Header `'Name: value'` of requests for profiles and symbols", func(v string) error {
		name, value, ok := strings.Cut(v, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return errors.New(`want "Name: value"`)
		}
		t.headers.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	t.secure = sync.OnceValues(func() (*http.Transport, error) { return t.build(false) })
	t.insecure = sync.OnceValues(func() (*http.Transport, error) { return t.build(true) })
	return t
}

func (t *transport) build(insecure bool) (*http.Transport, error) {
	conf := &tls.Config{InsecureSkipVerify: insecure} // as an https+insecure address requests
	switch {
	case *t.cert != "" && *t.key != "":
		pair, err := tls.LoadX509KeyPair(*t.cert, *t.key)
		if err != nil {
			return nil, fmt.Errorf("load -tls_cert and -tls_key: %w", err)
		}
		conf.Certificates = []tls.Certificate{pair}
	case *t.cert != "":
		return nil, errors.New("-tls_cert needs -tls_key")
	case *t.key != "":
		return nil, errors.New("-tls_key needs -tls_cert")
	}
	if *t.ca != "" {
		pem, err := os.ReadFile(*t.ca)
		if err != nil {
			return nil, fmt.Errorf("load -tls_ca: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("load -tls_ca %s: no PEM certificate in it", *t.ca)
		}
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: conf}, nil
}

// policy returns the policy for redirects. The requests may be the driver's, whose clients follow
// any: RoundTrip applies it, too.
func (t *transport) policy() origin.Policy {
	return origin.Policy{Secret: len(t.headers) > 0 || *t.cert != ""}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.policy().Left(req); err != nil {
		return nil, err
	}
	build := t.secure
	req = req.Clone(req.Context())
	if req.URL.Scheme == "https+insecure" {
		build = t.insecure
		req.URL.Scheme = "https"
	}
	tr, err := build()
	if err != nil {
		return nil, err
	}
	for name, values := range t.headers {
		if name == "Host" {
			req.Host = values[0]
			continue
		}
		req.Header[name] = values
	}
	resp, err := tr.RoundTrip(req)
	if err == nil && req.Method == http.MethodPost { // names for addresses, which the driver prints unchanged
		resp.Body, err = cleanBody(resp.Body)
	}
	return resp, err
}

// maxSymbols limits the text of names that is read.
const maxSymbols = 64 << 20

// cleanBody returns the text of a body, safe to print. It closes the body.
func cleanBody(body io.ReadCloser) (io.ReadCloser, error) {
	defer func() { _ = body.Close() }() // read only
	text, err := io.ReadAll(io.LimitReader(body, maxSymbols))
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	return io.NopCloser(strings.NewReader(terminal.CleanText(string(text)))), nil
}
