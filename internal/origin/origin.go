package origin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// maxRedirects is the maximum number of redirects of a request.
const maxRedirects = 10

// A Policy decides which redirects a client follows. The zero value is for requests that carry
// nothing but their address.
type Policy struct {
	// Secret means that requests carry something that only their origin may see: headers, a token,
	// a user and password, a client certificate.
	Secret bool

	// Hint is what to do instead of following a refused redirect; "" means a general hint.
	Hint string
}

// Redirect is an http.Client's CheckRedirect.
func (p Policy) Redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	// The redirecting address may have a token in its query.
	req.Header.Del("Referer")
	from := via[0].URL
	if Same(from, req.URL) {
		return nil
	}
	// A remote address must not redirect to a local file, either.
	if s := req.URL.Scheme; s != "http" && s != "https" {
		return errors.New("redirects to something other than http and https")
	}
	if !p.Secret && from.User == nil {
		return nil
	}
	return p.refuse(req.URL)
}

// refuse returns the error for a redirect that leaves the origin.
func (p Policy) refuse(to *url.URL) error {
	hint := p.Hint
	if hint == "" {
		hint = "headers, tokens and passwords stay with the scheme, host and port that they were given for; if they are " +
			"for that address, give it instead"
	}
	return &diag.Error{
		Err: fmt.Errorf("redirects to another host, port or scheme, %s://%s", to.Scheme, to.Host), Hint: hint,
	}
}

// Same reports whether two addresses have the same origin: scheme, host and port.
func Same(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

// port returns an address's port, or that of its scheme.
func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// First returns the request that redirects led to req from; req itself without redirects.
func First(req *http.Request) *http.Request {
	for req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req
}

// Left returns an error if redirects have led req to another origin. It is for a transport that
// adds secrets to other clients' requests.
func (p Policy) Left(req *http.Request) error {
	first := First(req)
	if first == req || Same(first.URL, req.URL) || !p.Secret && first.URL.User == nil {
		return nil
	}
	return p.refuse(req.URL)
}
