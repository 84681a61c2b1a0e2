package problem

import (
	"encoding/json"
	"net/http"
)

// A Problem is the answer to a request that failed, as RFC 9457 has it.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Hint is what to do about it.
	Hint string `json:"hint,omitempty"`
}

// Write answers with a status and what went wrong. hint may be "".
func Write(w http.ResponseWriter, code int, detail, hint string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(Problem{ // the client may be gone
		Type: "about:blank", Title: http.StatusText(code), Status: code, Detail: detail, Hint: hint,
	})
}
