package handlers

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// sink keeps a test's allocations alive.
var sink []byte

// TestFind finds handlers although the first address has none, and queries what this test has
// allocated.
func TestFind(t *testing.T) {
	bare := httptest.NewServer(http.NotFoundHandler())
	defer bare.Close()
	s := httptest.NewServer(http.HandlerFunc(pprof.Index))
	defer s.Close()
	addr := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	h, err := Find(t.Context(), []string{addr(bare), addr(s)})
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
	sink = make([]byte, 8<<20)
	after, err := h.Allocated(t.Context())
	if err != nil || after.Bytes-before.Bytes < 8<<20 || after.Bytes-before.Bytes > 16<<20 ||
		after.Objects <= before.Objects {
		t.Errorf("%+v, then %+v, %v", before, after, err)
	}
	if _, err := h.CPU(t.Context()); err == nil {
		t.Error("without an agent: no error")
	}
	for name, addresses := range map[string][]string{"none": nil, "bare": {addr(bare)}} {
		if _, err := Find(t.Context(), addresses); err == nil ||
			name == "bare" && !strings.Contains(diag.Hint(err), "net/http/pprof") {
			t.Errorf("%s: %v, hint %q", name, err, diag.Hint(err))
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Allocated(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestCPU queries an agent for the CPU time of this process.
func TestCPU(t *testing.T) {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	h, err := Find(t.Context(), []string{a.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if used, err := h.CPU(t.Context()); err != nil || used <= 0 {
		t.Errorf("%v, %v", used, err)
	}
}

// TestAgent queries an agent for what whet watch needs to know.
func TestAgent(t *testing.T) {
	const token = "a token of some length"
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Token: token, Flight: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if _, err := Open(t.Context(), Options{URL: a.URL()}); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("without a token: %v", err)
	}
	h, err := Open(t.Context(), Options{URL: a.URL(), Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	state, err := h.State(t.Context())
	if err != nil || state.Flight != 5*time.Second || state.Goroutines < 2 || state.Heap < 1000 ||
		state.PID != os.Getpid() {
		t.Errorf("%+v, %v", state, err)
	}
	if err := h.Flight(t.Context(), func(r io.Reader) error {
		head := make([]byte, 4)
		_, err := io.ReadFull(r, head)
		if string(head) != "go 1" {
			t.Errorf("a trace begins with %q", head)
		}
		return err
	}); err != nil {
		t.Error(err)
	}

	if _, _, err := h.Slow(t.Context(), time.Second, -1, time.Second); err == nil ||
		!strings.Contains(diag.Hint(err), "a.Watch(handler)") {
		t.Errorf("without a watched handler: %v; %s", err, diag.Hint(err))
	}
	handler := a.Watch(http.NotFoundHandler())
	_, next, err := h.Slow(t.Context(), time.Nanosecond, -1, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/here", nil))
	slow, next, err := h.Slow(t.Context(), time.Nanosecond, next, 4*time.Minute)
	if err != nil || len(slow) != 1 || slow[0].Name != "GET /here" || next != 1 {
		t.Errorf("%+v, %d, %v", slow, next, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := h.Slow(gone, time.Hour, next, 20*time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// pprofAt serves the handlers at a prefix.
func pprofAt(prefix string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, ok := strings.CutPrefix(r.URL.Path, prefix)
		if !ok {
			http.NotFound(w, r)
			return
		}
		r.URL.Path = "/debug/pprof/" + rest
		pprof.Index(w, r)
	})
}

// TestAddresses finds the handlers by addresses in all accepted forms.
func TestAddresses(t *testing.T) {
	root := httptest.NewServer(pprofAt("/debug/pprof/"))
	defer root.Close()
	deep := httptest.NewServer(pprofAt("/internal/admin/pprof/"))
	defer deep.Close()
	odd := httptest.NewServer(pprofAt("/x/"))
	defer odd.Close()
	for _, tc := range []struct{ url, prefix, want string }{
		{root.URL, "", root.URL + "/debug/pprof/"},
		{root.URL + "/", "", root.URL + "/debug/pprof/"},
		{root.URL + "/debug/pprof", "", root.URL + "/debug/pprof/"},
		{root.URL + "/debug/pprof/", "", root.URL + "/debug/pprof/"},
		{root.URL + "/debug/pprof/heap?gc=1", "", root.URL + "/debug/pprof/"},
		{strings.TrimPrefix(root.URL, "http://"), "", root.URL + "/debug/pprof/"},
		{deep.URL + "/internal/admin/pprof", "", deep.URL + "/internal/admin/pprof/"},
		{deep.URL, "/internal/admin/pprof/", deep.URL + "/internal/admin/pprof/"},
		{odd.URL + "/x", "", odd.URL + "/x/"},
		{root.URL + "/debug", "", root.URL + "/debug/pprof/"},
		{deep.URL + "/internal/admin", "", deep.URL + "/internal/admin/pprof/"},
		{odd.URL, "/x", odd.URL + "/x/"},
	} {
		c, err := New(Options{URL: tc.url, Prefix: tc.prefix})
		if err != nil {
			t.Errorf("%s: %v", tc.url, err)
			continue
		}
		err = c.Discover(t.Context())
		if err != nil || c.Address() != tc.want || !c.Offers("heap") || c.Offers("flight") {
			t.Errorf("%s with %q: %s, %v, %q", tc.url, tc.prefix, c.Address(), err, c.offered)
		}
		c.Close()
	}
}

// TestTLSFiles finds handlers with a private authority and a client certificate.
func TestTLSFiles(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		pprof.Index(w, r)
	}))
	srv.TLS = requestClientCert()
	srv.StartTLS()
	defer srv.Close()
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	pemData := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(ca, pemData, 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := clientCert(t, dir)
	cfg, err := TLSFiles(cert, key, ca)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), Options{URL: srv.URL, TLS: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, bad := range [][3]string{{cert, "", ""}, {ca, ca, ""}, {"", "", key}, {"", "", filepath.Join(dir, "none")}} {
		if _, err := TLSFiles(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("TLSFiles%q: no error", bad)
		}
	}
}

func TestParsePaths(t *testing.T) {
	for _, bad := range [][]string{{"x"}, {"/a", "/b"}, {"nonsense=/x"}, {"cpu=x"}} {
		if _, _, err := ParsePaths(bad); err == nil || diag.Hint(err) == "" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	prefix, paths, err := ParsePaths([]string{"/p", "profile=/x"})
	if err != nil || prefix != "/p" || paths["cpu"] != "/x" {
		t.Errorf("%q %v %v", prefix, paths, err)
	}
}

// TestGone checks that a full disk on this machine does not mean that the target is gone.
func TestGone(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "answer", Err: syscall.ENOSPC}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	if Gone(fmt.Errorf("trace: %w", full)) {
		t.Error("a file that cannot be written is taken for a target that went away")
	}
	if !Gone(fmt.Errorf("trace: %w", reset)) {
		t.Error("a connection that is reset is not taken for a target that went away")
	}
}
