package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
)

const maxText = 4 << 10 // bytes

// server answers with the help of its workers.
type server struct {
	pool *pool
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /digest", s.handleDigest)
	return mux
}

// handleDigest answers GET /digest?text=TEXT with the SHA-256 of the text.
func (s *server) handleDigest(w http.ResponseWriter, r *http.Request) {
	text := r.FormValue("text")
	if len(text) > maxText {
		http.Error(w, fmt.Sprintf("text: %d bytes, more than %d", len(text), maxText), http.StatusBadRequest)
		return
	}
	digest, ok := s.digest(text)
	if !ok {
		http.Error(w, "closing down", http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, digest)
}

// digest has a worker do it, and waits. It returns false when the pool is closed.
func (s *server) digest(text string) (hexadecimal string, ok bool) {
	done := make(chan string, 1)
	if !s.pool.Submit(func() {
		sum := sha256.Sum256([]byte(text))
		done <- hex.EncodeToString(sum[:])
	}) {
		return "", false
	}
	return <-done, true
}
