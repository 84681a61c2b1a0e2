package fast

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

const (
	maxBody = 1 << 20  // bytes of the longest body that is read
	maxKept = 64 << 10 // bytes of a buffer that is kept for other requests
)

// Handler answers POST /v1/hashes: an array of items in JSON, up to 1 MiB of it, by
// their hashes.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/hashes", new(service).handleHashes)
	return mux
}

// service has the buffers that no request is using.
type service struct{ idle sync.Pool }

// buffers is the memory that a request needs.
type buffers struct {
	body   bytes.Buffer
	answer []byte
}

func (s *service) take() *buffers {
	if b, ok := s.idle.Get().(*buffers); ok {
		b.body.Reset()
		return b
	}
	return new(buffers)
}

// give ends a request's use of b. Buffers that a long body has made large are left
// to the garbage collector.
func (s *service) give(b *buffers) {
	if b.body.Cap() <= maxKept && cap(b.answer) <= maxKept {
		s.idle.Put(b)
	}
}

func (s *service) handleHashes(w http.ResponseWriter, r *http.Request) {
	b := s.take()
	defer s.give(b)
	if _, err := b.body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, fmt.Sprintf("read body: %v", err), status)
		return
	}
	answer, err := appendAnswer(b.answer[:0], b.body.Bytes())
	if err != nil {
		// The error contains Go types, which clients should not see.
		http.Error(w, "body: want an array of items in JSON", http.StatusBadRequest)
		return
	}
	b.answer = answer
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}
