package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestClean(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "plain": "plain", "a.b": "a-b", "{}/\\:|@#. \t\n\f\r": strings.Repeat("-", 14),
		"é\v世\xff": "é\v世\xff", "..": "--",
	} {
		if got := clean(value); got != want {
			t.Errorf("clean(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestName(t *testing.T) {
	m := newMetrics(io.Discard)
	defer m.Close()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0": "hello.linux.firefox-128-0",
		"Chrome/126.0 Safari/537.36 (Macintosh; Intel Mac OS X 10_15_7)":         "hello.mac-os-x.chrome-126-0",
		"": "hello.no-os.no-browser",
	} {
		pattern := `^count\.[^.]+\.` + regexp.QuoteMeta(want) + `$`
		if got := m.Name("count", get("GET", "/hello", agent)()); !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%q: name %q, want %s", agent, got, pattern)
		}
	}
}

// TestService starts the whole service, and checks its output: the answers, the lines at the
// aggregator's socket, a profile.
func TestService(t *testing.T) {
	aggregator, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = aggregator.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{
			"-addr", "127.0.0.1:0", "-pprof", "127.0.0.1:0", "-statsd", aggregator.LocalAddr().String(),
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
	for _, address := range []string{addresses["tags"], strings.TrimSuffix(addresses["tags"], "hello") + "simple"} {
		if got := ask(t, address); got != "Hello world!" {
			t.Errorf("%s answers %q", address, got)
		}
	}
	if got := ask(t, addresses["pprof"]+"cmdline"); !strings.HasPrefix(got, os.Args[0]) {
		t.Errorf("pprof says the command line is %q", got)
	}

	var lines []string
	for packet := make([]byte, 4096); len(lines) < 2; {
		if err := aggregator.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, _, err := aggregator.ReadFrom(packet)
		if err != nil {
			t.Fatalf("after %q: %v", lines, err)
		}
		lines = append(lines, strings.Split(string(packet[:n]), "\n")...)
	}
	for i, pattern := range []string{
		`^handler\.received\.[^.]+\.hello\.no-os\.no-browser:1\|c$`,
		`^handler\.latency\.[^.]+\.hello\.no-os\.no-browser:[0-9.]+\|ms$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(lines[i]) {
			t.Errorf("line %q, want %s", lines[i], pattern)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("service ended: %v", err)
	}
}

func ask(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
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
		{[]string{"-statsd", "nowhere"}, "metrics: "},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}
