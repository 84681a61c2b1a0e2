package pprof

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/pprof/driver"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/loopback"
)

// serveWeb serves the driver's web interface until ctx ends, to this machine alone. It calls
// listening once clients can connect. The driver's own server answers requests for any host name,
// and accepts connections from other machines if the address allows it; no token would keep them
// out.
func serveWeb(ctx context.Context, args *driver.HTTPServerArgs, listening func()) error {
	l, err := loopback.Listen(ctx, args.Hostport)
	if errors.Is(err, loopback.ErrExposed) {
		return diag.Usagef("-http", err.Error(),
			"others could read the profile and its source there; -http localhost:8080 is for this machine alone, and ssh -L "+
				"8080:localhost:8080 reaches it from another")
	}
	if err != nil {
		return &diag.Error{
			Op: "-http", Subject: args.Hostport, Err: err, Hint: "an address is HOST:PORT; -http localhost: takes a free port",
		}
	}
	listening()
	return loopback.Serve(ctx, l, webHandler(args.Handlers))
}

// webHandler serves pages under /ui/, where the driver's pages expect to be, and redirects other
// paths there.
func webHandler(pages map[string]http.Handler) http.Handler {
	ui := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page := pages[r.URL.Path]; page != nil {
			page.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
	mux := http.NewServeMux()
	mux.Handle("/ui/", http.StripPrefix("/ui", ui))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		to := *r.URL
		to.Path, to.RawPath = "/ui/", ""
		w.Header().Set("Location", to.RequestURI())
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := loopback.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		// Another site's page may link here, but neither embed a view nor save or delete settings,
		// which the driver does on GET.
		saves := r.URL.Path == "/ui/saveconfig" || r.URL.Path == "/ui/deleteconfig"
		if !loopback.SameOrigin(r) && (saves || r.Header.Get("Sec-Fetch-Mode") != "navigate" ||
			r.Header.Get("Sec-Fetch-Dest") != "document") {
			http.Error(w, "the request comes from another site's page", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}
