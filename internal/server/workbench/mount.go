package workbench

import "net/http"

// A Mount is a handler of another package, such as one that stores what clients send.
type Mount struct {
	Pattern string // as http.ServeMux reads it
	Handler http.Handler
	// Checks means that the handler checks tokens, which may be those of tenants. The server still
	// refuses requests of other sites and for other hosts.
	Checks bool
}

// mounted lets only requests through that may read data.
func (s *Server) mounted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.allowed(w, r) {
			h.ServeHTTP(w, r)
		}
	})
}
