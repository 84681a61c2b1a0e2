package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// audited writes down who ordered something.
func (s *server) audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		who, _ := fields["customer"].(string)
		s.trail.add(who, string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
