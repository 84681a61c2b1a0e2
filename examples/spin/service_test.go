package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestHandlers(t *testing.T) {
	s := &server{pool: newPool(2)}
	h := s.routes()
	check := func(method, target string, status int, body string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
		if w.Code != status || w.Body.String() != body {
			t.Errorf("%s %.40s: %d %q, want %d %q", method, target, w.Code, w.Body, status, body)
		}
	}
	// As sha256sum has it.
	check("GET", "/digest?text=test", 200, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n")
	check("GET", "/digest?text=", 200, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n")
	check("GET", "/digest?text=%ff", 200, "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89\n")
	check("GET", "/digest?text="+strings.Repeat("x", maxText+1), 400, "text: 4097 bytes, more than 4096\n")
	check("POST", "/digest", 405, "Method Not Allowed\n")
	check("GET", "/", 404, "404 page not found\n")
	s.pool.Close()
	check("GET", "/digest?text=test", 503, "closing down\n")
}

// TestService starts the whole service, sends a request, and stops it.
func TestService(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-pprof", "127.0.0.1:0"}, in)
		_ = in.Close()
	}()
	addresses := map[string]string{}
	for scanner := bufio.NewScanner(out); len(addresses) < 2 && scanner.Scan(); {
		if what, address, ok := strings.Cut(scanner.Text(), " on "); ok {
			addresses[what] = address
		}
	}
	if len(addresses) < 2 {
		t.Fatalf("service ended: %v", <-ended)
	}
	if got := get(t, addresses["spin"]+"?text=test"); !strings.HasPrefix(got, "9f86d081") {
		t.Errorf("answer %q, want the digest of test", got)
	}
	if got := get(t, addresses["pprof"]+"cmdline"); !strings.HasPrefix(got, os.Args[0]) {
		t.Errorf("pprof says the command line is %q", got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("service ended: %v", err)
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestFlagsAreChecked(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-workers", "0"}, "workers 0"},
		{[]string{"-workers", "65"}, "workers 65"},
		{[]string{"-addr", "127.0.0.1:0", "-pprof", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}
