package slow

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxBody is the longest body that is read, in bytes.
const maxBody = 1 << 20

// Handler answers POST /v1/hashes: an array of items in JSON, up to 1 MiB of it, by
// their hashes.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/hashes", handleHashes)
	return mux
}

func handleHashes(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, fmt.Sprintf("read body: %v", err), status)
		return
	}
	answer, err := Answer(body)
	if err != nil {
		// The error contains Go types, which clients should not see.
		http.Error(w, "body: want an array of items in JSON", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}
