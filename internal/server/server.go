package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/whet-go/whet/internal/loopback"
)

// guard passes requests that only read and whose host is a name of this machine, and sets the
// headers of all answers. policy is the content security policy.
func guard(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		err := loopback.Check(r)
		switch {
		case err != nil:
			writeError(w, http.StatusForbidden, err)
		case strings.HasPrefix(r.URL.Path, "/api/") && !loopback.SameOrigin(r):
			writeError(w, http.StatusForbidden, errors.New("the request comes from another site's page"))
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			writeError(w, http.StatusMethodNotAllowed, fmt.Errorf("unsupported method %s (want GET)", r.Method))
		default:
			next.ServeHTTP(w, r)
		}
	})
}
