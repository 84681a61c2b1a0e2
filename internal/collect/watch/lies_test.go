package watch

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/diag"
)

// TestLies has agents with impossible answers: each results in an error that names the reason,
// within a bounded time, and none makes whet send the token to another host.
func TestLies(t *testing.T) {
	var stolen atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), token) {
			stolen.Add(1)
		}
	}))
	defer other.Close()
	one := func(text string) string {
		return `{"schema":"whet.agent-slow/1","next":1,"requests":[{"name":"GET /",` + text + `}]}`
	}
	endless := func(head string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			_, err := io.WriteString(w, head)
			for piece := strings.Repeat("a", 64<<10); err == nil; {
				_, err = io.WriteString(w, piece)
			}
		}
	}
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	for name, test := range map[string]struct {
		slow http.HandlerFunc
		want string
		hint bool
	}{
		"negative": {says(one(`"latency_ns":-5`)), "a request of -5ns", true},
		"quick":    {says(one(`"latency_ns":1000`)), "where the limit is 60ms", true},
		"years":    {says(one(`"latency_ns":9000000000000000000`)), "a request of 2500000h", true},
		"times": {
			says(one(`"latency_ns":1000000000,"begin":"2026-01-02T15:04:05Z","end":"2026-01-02T15:04:04Z"`)),
			"-1s apart", true,
		},
		"mark": {
			says(one(`"latency_ns":1000000000,"mark":"` + strings.Repeat("m", 1000) + `"`)),
			"a mark of 1000 bytes", true,
		},
		"schema":  {says(`{"schema":"other/1"}`), "unknown schema", true},
		"no JSON": {says(`hello`), "invalid character", false},
		"endless": {endless(`{"schema":"`), "larger than 1048576 bytes", false},
		"another host": {
			http.RedirectHandler(other.URL+"/debug/pprof/slow", http.StatusFound).ServeHTTP,
			"redirects to another host", true,
		},
		"in a circle": {http.RedirectHandler("/debug/pprof/slow", http.StatusFound).ServeHTTP, "redirects", false},
		"escape in a text": {
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no\x1b[2J", http.StatusTeapot) },
			"418", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/debug/pprof/", says(`<a href='goroutine?debug=1'></a><a href='flight'></a>`))
			mux.HandleFunc("/debug/pprof/whet", says(`{"go_version":"go1.26","pid":1,"flight":{"window_ns":-1}}`))
			mux.HandleFunc("/debug/pprof/slow", test.slow)
			server := httptest.NewServer(mux)
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			dir := t.TempDir()
			_, err := Run(ctx, Options{
				Target: collect.Options{URL: server.URL, Token: token}, Dir: filepath.Join(dir, "out"), Slower: slower,
			})
			if err == nil || !strings.Contains(err.Error(), test.want) || test.hint && diag.Hint(err) == "" {
				t.Errorf("%v; %s", err, diag.Hint(err))
			}
			if err != nil && (strings.ContainsRune(err.Error(), '\x1b') || strings.Contains(err.Error(), token)) {
				t.Errorf("%q", err)
			}
		})
	}
	if stolen.Load() > 0 {
		t.Error("the token was sent to another host")
	}
}
