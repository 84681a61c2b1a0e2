package loopback

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestListen opens loopback addresses and no others.
func TestListen(t *testing.T) {
	for _, addr := range []string{DefaultAddr, "localhost:0"} {
		l, err := Listen(t.Context(), addr)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "[::]:0", "example.com:0", "127.0.0.1.example.com:0"} {
		if l, err := Listen(t.Context(), addr); !errors.Is(err, ErrExposed) {
			t.Errorf("%s: %v, %v", addr, l, err)
		}
	}
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:99999"} {
		if l, err := Listen(t.Context(), addr); err == nil || errors.Is(err, ErrExposed) {
			t.Errorf("%s: %v, %v", addr, l, err)
		}
	}
}

// TestServe ends with its context, while a request is answered.
func TestServe(t *testing.T) {
	l, err := Listen(t.Context(), DefaultAddr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	inside := make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			close(inside)
			<-r.Context().Done() // the server's end reaches requests
			return
		}
		_, _ = io.WriteString(w, "hello")
	})
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, slow) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+path, nil)
		if err != nil {
			return "", err
		}
		answer, err := client.Do(r)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(answer.Body)
		return string(body), errors.Join(err, answer.Body.Close())
	}
	if body, err := get("/"); err != nil || !strings.Contains(body, "hello") {
		t.Errorf("%q, %v", body, err)
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_, _ = get("/wait") // is answered with nothing or not at all, as it happens
	}()
	<-inside
	stop()
	if err := <-ended; err != nil {
		t.Errorf("ended: %v", err)
	}
	<-waited
	if _, err := get("/"); err == nil {
		t.Error("it still answers")
	}
}
