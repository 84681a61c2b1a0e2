package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestLeftpad(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		fill  rune
		want  string
	}{
		{"test", 10, '*', "******test"},
		{"test", 5, '*', "*test"},
		{"test", 4, '*', "test"},
		{"test", 0, '*', "test"},
		{"test", -1, '*', "test"},
		{"", 3, ' ', "   "},
		{"tést", 6, 'é', "éétést"}, // characters, not bytes
	} {
		if got := leftpad(test.text, test.width, test.fill); got != test.want {
			t.Errorf("leftpad(%q, %d, %q) = %q, want %q", test.text, test.width, test.fill, got, test.want)
		}
	}
}

// quietServer discards its log and metrics.
func quietServer() *Server {
	return &Server{Stats: &StatsD{Namespace: "t", SampleRate: 1, Conn: io.Discard}, Log: log.New(io.Discard, "", 0)}
}

func TestHandler(t *testing.T) {
	h := quietServer().Routes()
	for _, test := range []struct {
		method, target string
		status         int
		body           string
	}{
		{"GET", "/v1/leftpad/?str=test&len=10&chr=*", 200, `{"str":"******test"}` + "\n"},
		{"GET", "/v1/leftpad/?str=test&len=6", 200, `{"str":"  test"}` + "\n"},
		{"GET", "/v1/leftpad/?str=test&len=6&chr=%C3%A9", 200, `{"str":"éétest"}` + "\n"},
		{"GET", "/v1/leftpad/?len=1024&chr=x", 200, `{"str":"` + strings.Repeat("x", 1024) + `"}` + "\n"},
		{"GET", "/v1/leftpad/?str=test", 400, "len \"\" (want a number from 0 to 1024)\n"},
		{"GET", "/v1/leftpad/?str=test&len=a", 400, "len \"a\" (want a number from 0 to 1024)\n"},
		{"GET", "/v1/leftpad/?str=test&len=1025", 400, "len \"1025\" (want a number from 0 to 1024)\n"},
		{"GET", "/v1/leftpad/?str=test&len=-1", 400, "len \"-1\" (want a number from 0 to 1024)\n"},
		{"GET", "/v1/leftpad/?str=test&len=9&chr=ab", 400, "chr \"ab\" (want one character)\n"},
		{"GET", "/v1/leftpad/?str=test&len=9&chr=%ff", 400, "chr \"\\xff\" (want one character)\n"},
		{"GET", "/v1/leftpad/?len=9&str=" + strings.Repeat("x", 1025), 400, "str: 1025 bytes, more than 1024\n"},
		{"POST", "/v1/leftpad/?str=test&len=10", 405, "Method Not Allowed\n"},
		{"GET", "/v1/leftpad/more", 404, "404 page not found\n"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
		if w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s %.60s: %d %q, want %d %q", test.method, test.target, w.Code, w.Body, test.status, test.body)
		}
	}
}

func TestStatsDLines(t *testing.T) {
	var got strings.Builder
	s := StatsD{Namespace: "ns", SampleRate: 1, Conn: &got}
	for _, test := range []struct {
		send func()
		want string
	}{
		{func() { s.Count("a.count") }, "ns.a.count:1|c"},
		{func() { s.Count("a:b|c@d") }, "ns.a_b_c_d:1|c"},
		{func() { s.Histogram("len", 50) }, "ns.len:50|h"},
		{func() { s.Timing("took", 1500*time.Microsecond) }, "ns.took:1.5|ms"},
	} {
		got.Reset()
		test.send()
		if got.String() != test.want {
			t.Errorf("sent %q, want %q", got.String(), test.want)
		}
	}
}

func TestStatsDSamples(t *testing.T) {
	var got strings.Builder
	s := StatsD{Namespace: "ns", SampleRate: 0.5, Conn: &got}
	const n = 10_000
	for range n {
		s.Count("x")
	}
	const line = "ns.x:1|c|@0.5"
	sent := strings.Count(got.String(), line)
	if got.Len() != sent*len(line) {
		t.Errorf("sent something else than %q", line)
	}
	// Ten standard deviations.
	if sent < n/2-500 || sent > n/2+500 {
		t.Errorf("sent %d of %d, want about half", sent, n)
	}
}

// TestService starts the whole service, and checks its output: the answer, the packets at the
// aggregator's socket, the lines in the log file, a profile.
func TestService(t *testing.T) {
	aggregator, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = aggregator.Close() }()
	logPath := filepath.Join(t.TempDir(), "requests.log")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{
			"-addr", "127.0.0.1:0", "-pprof", "127.0.0.1:0", "-log", logPath,
			"-statsd", aggregator.LocalAddr().String(), "-sample", "1",
		}, in)
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

	const target = "?str=test&len=10&chr=*"
	if got, want := get(t, addresses["leftpad"]+target), `{"str":"******test"}`+"\n"; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
	if got := get(t, addresses["pprof"]+"cmdline"); !strings.HasPrefix(got, os.Args[0]) {
		t.Errorf("pprof says the command line is %q", got)
	}

	want := []string{
		`^leftpad\.request\.leftpad\.len:10\|h$`,
		`^leftpad\.request\.leftpad\.timing:[0-9.]+\|ms$`,
		`^leftpad\.request\.leftpad\.count:1\|c$`,
	}
	buf := make([]byte, 1024)
	for _, pattern := range want {
		if err := aggregator.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, _, err := aggregator.ReadFrom(buf)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(pattern).Match(buf[:n]) {
			t.Errorf("packet %q, want %s", buf[:n], pattern)
		}
	}

	cancel()
	if err := <-ended; err != nil {
		t.Errorf("service ended: %v", err)
	}
	log, err := os.ReadFile(logPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		`(?m)^\S+ \S+ request url=/v1/leftpad/` + regexp.QuoteMeta(target) +
			` remote=127\.0\.0\.1:\d+ agent="Go-http-client/1\.1"$`,
		`(?m)^\S+ \S+ request leftpad took \S+s$`,
	} {
		if len(regexp.MustCompile(pattern).FindAll(log, -1)) != 1 {
			t.Errorf("log %q, want one line %s", log, pattern)
		}
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	if _, err := url.Parse(address); err != nil {
		t.Fatal(err)
	}
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
		{[]string{"-sample", "0"}, "sample 0"},
		{[]string{"-sample", "2"}, "sample 2"},
		{[]string{"-addr", "127.0.0.1:0", "-pprof", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}

func ExampleStatsD() {
	s := StatsD{Namespace: "shop", SampleRate: 1, Conn: printer{}}
	s.Count("orders")
	s.Timing("checkout", 25*time.Millisecond)
	// Output:
	// shop.orders:1|c
	// shop.checkout:25|ms
}

type printer struct{}

func (printer) Write(p []byte) (int, error) { return fmt.Println(string(p)) }
