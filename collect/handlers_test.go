package collect

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/diag"
)

// TestHandlers finds handlers behind an address that has none, and asks them for what
// this test has allocated.
func TestHandlers(t *testing.T) {
	bare := httptest.NewServer(http.NotFoundHandler())
	defer bare.Close()
	s := httptest.NewServer(http.HandlerFunc(pprof.Index))
	defer s.Close()
	addr := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	h, err := FindHandlers(t.Context(), []string{addr(bare), addr(s)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if want := s.URL + "/debug/pprof/"; h.Address() != want {
		t.Errorf("address %s, want %s", h.Address(), want)
	}
	before, err := h.Allocated(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	allocateInWindow()
	after, err := h.Allocated(t.Context())
	if err != nil || after.Bytes-before.Bytes < 8<<20 || after.Bytes-before.Bytes > 16<<20 ||
		after.Objects <= before.Objects {
		t.Errorf("%+v, then %+v, %v", before, after, err)
	}
	if _, err := h.CPU(t.Context()); err == nil {
		t.Error("without an agent: no error")
	}
	for name, addresses := range map[string][]string{"none": nil, "bare": {addr(bare)}} {
		if _, err := FindHandlers(t.Context(), addresses); err == nil ||
			name == "bare" && !strings.Contains(diag.Hint(err), "net/http/pprof") {
			t.Errorf("%s: %v, hint %q", name, err, diag.Hint(err))
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Allocated(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestHandlersAgent asks an agent for the CPU time of this process.
func TestHandlersAgent(t *testing.T) {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	h, err := FindHandlers(t.Context(), []string{a.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	spin(1_000_000)
	if used, err := h.CPU(t.Context()); err != nil || used <= 0 {
		t.Errorf("%v, %v", used, err)
	}
}
