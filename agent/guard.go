package agent

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard passes on only the requests that are allowed.
func (a *Agent) guard(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(a.token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case a.token != "" && !bearer(r, want):
			w.Header().Set("WWW-Authenticate", "Bearer")
			serveError(w, http.StatusUnauthorized, "this agent requires its token as a bearer token")
		// Without a token, a web page in a browser on this machine could send requests too, under
		// its own host name that resolves to loopback, or blindly from another site.
		case a.local && !localHost(r.Host):
			serveError(w, http.StatusForbidden, "the request's host is not a loopback name")
		case a.token == "" && !sameSite(r):
			serveError(w, http.StatusForbidden, "the request comes from another site")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// bearer reports whether r carries the token whose hash is want. The comparison takes the same time
// wherever the two differ, and whatever their lengths.
func bearer(r *http.Request, want [sha256.Size]byte) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

func localHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// sameSite reports whether a request is same-site, by a header that browsers set and pages cannot.
func sameSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return false
}
