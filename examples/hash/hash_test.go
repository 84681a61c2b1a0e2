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

func TestSum(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"", "", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},    // printf '' | sha256sum | xxd -r -p | base64
		{"a", "bc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="}, // of abc, the example of FIPS 180-2
		{"abc", "", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
	} {
		if got := sum(test.a, test.b); got != test.want {
			t.Errorf("sum(%q, %q) = %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

func TestHandler(t *testing.T) {
	h := handler()
	for _, test := range []struct {
		method, path, body string
		status             int
		answer             string
	}{
		{
			"POST", "/v1/hashes", `[{"str_a":"a","str_b":"bc"},{}]`, 200,
			`{"hashes":["ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=","47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]}`,
		},
		{"POST", "/v1/hashes", `[]`, 200, `{"hashes":null}`},
		{"POST", "/v1/hashes", ``, 400, "body: want an array of items in JSON\n"},
		{"POST", "/v1/hashes", `[{"str_a":"x"}`, 400, "body: want an array of items in JSON\n"},
		{"GET", "/v1/hashes", ``, 405, "Method Not Allowed\n"},
		{"POST", "/", ``, 404, "404 page not found\n"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
		if w.Code != test.status || w.Body.String() != test.answer {
			t.Errorf("%s %s %s: %d %q, want %d %q", test.method, test.path, test.body, w.Code, w.Body, test.status, test.answer)
		}
	}
}

// TestService starts the whole service and requests hashes and a profile.
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
	got := ask(t, http.MethodPost, addresses["hash"], `[{"str_a":"a","str_b":"bc"}]`)
	if want := `{"hashes":["ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="]}`; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
	if got := ask(t, http.MethodGet, addresses["pprof"]+"cmdline", ""); !strings.HasPrefix(got, os.Args[0]) {
		t.Errorf("pprof says the command line is %q", got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("service ended: %v", err)
	}
}

func ask(t *testing.T, method, address, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestFlagsAreChecked(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-addr", "127.0.0.1:0", "-pprof", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}
