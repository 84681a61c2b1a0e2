package input

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/profile"
)

// TestInflatedByHTTP has a server whose small response HTTP inflates to a large one: the limit for
// decoding does not depend on the inflated size.
func TestInflatedByHTTP(t *testing.T) {
	bomb := hostile.GzipZeros(64) // MB
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb)
	}))
	defer server.Close()
	var limit *profile.LimitError
	if _, err := (&Opener{}).Goroutines(t.Context(), server.URL, false); !errors.As(err, &limit) {
		t.Errorf("%v, want an error about the limit", err)
	}
}
