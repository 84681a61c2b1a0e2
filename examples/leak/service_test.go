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
	s := &server{}
	for _, event := range []string{"one", "zwei Wörter", "\xff"} {
		s.remember([]byte(event))
	}
	for range batchSize + 1 {
		s.forward([]byte("x"))
	}
	h := s.routes()
	for _, test := range []struct {
		method, target string
		status         int
		body           string
	}{
		{"GET", "/", 200, "3 events can be requested, 20 were sent on\n"},
		{"GET", "/last?n=2", 200, "zwei Wörter\n\xff\n"},
		{"GET", "/last?n=1000", 200, "one\nzwei Wörter\n\xff\n"},
		{"GET", "/last", 400, "n \"\" (want a number from 1 to 1000)\n"},
		{"GET", "/last?n=0", 400, "n \"0\" (want a number from 1 to 1000)\n"},
		{"GET", "/last?n=1001", 400, "n \"1001\" (want a number from 1 to 1000)\n"},
		{"POST", "/last?n=1", 405, "Method Not Allowed\n"},
		{"GET", "/more", 404, "404 page not found\n"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s %s: %d %q, want %d %q", test.method, test.target, w.Code, w.Body, test.status, test.body)
		}
	}
}

// TestService starts the whole service, waits for an event, and stops it.
func TestService(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-pprof", "127.0.0.1:0", "-rate", "10000"}, in)
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
	var event string
	for event == "" {
		event = get(t, addresses["leak"]+"last?n=1")
	}
	if len(event) != eventSize+1 || event[0] < '1' || event[0] > '9' || !strings.HasSuffix(event, "...\n") {
		t.Errorf("event %q, want a number and dots", event)
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
		{[]string{"-rate", "0"}, "rate 0"},
		{[]string{"-rate", "1000000"}, "rate 1000000"},
		{[]string{"-addr", "127.0.0.1:0", "-pprof", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}
