package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
)

// TestRecordLoad records a service that answers only requests like those of its clients: a POST
// with a body, a varying field and a token.
func TestRecordLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	const secret = "s3cr3t"
	var good, bad atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != `{"by":"ann"}` && string(body) != `{"by":"bob"}` ||
			r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("X-Kind") != secret {
			bad.Add(1)
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		good.Add(1)
	})
	mux.HandleFunc("/other", func(http.ResponseWriter, *http.Request) {})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for name, text := range map[string]string{
		"token": secret, "users.csv": "user\nann\nbob\n", "order.json": `{"by":"{{user}}"}`,
		"urls": "POST " + srv.URL + "/orders\nX-Kind: " + secret + "\n@order.json\n\nGET " + srv.URL + "/other\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sent := func(args ...string) load.Sent {
		t.Helper()
		code, stdout, stderr := runWhet(t,
			append([]string{"record", srv.URL, "-o", "r.whet", "-d", "1s", "--trace", "0", "-c", "2", "-r", "200"}, args...)...)
		if code != 0 || bad.Load() > 0 || good.Load() == 0 || strings.Contains(stdout+stderr, secret) ||
			strings.Contains(stderr, "warning") {
			t.Fatalf("exit code %d, %d good, %d bad\n%s%s", code, good.Load(), bad.Load(), stdout, stderr)
		}
		r, err := recording.Open("r.whet")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		part, err := r.Part(recording.LoadPart)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil || bytes.Contains(text, []byte(secret)) {
			t.Fatalf("%v, or a secret in\n%s", err, text)
		}
		var l load.Result
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		if l.Open == nil || l.Open.Rate != 200 || l.Connections != 2 || len(l.Sent.SHA256) != 64 ||
			!strings.Contains(stdout, "200/s") {
			t.Errorf("%+v\n%s", l, stdout)
		}
		return l.Sent
	}
	s := sent("--targets", "urls", "--vars", "users.csv", "--load-token-file", "token")
	if s.Targets != 2 || s.Body != 17 || s.Rows != 2 || strings.Join(s.Headers, " ") != "Authorization X-Kind" {
		t.Errorf("targets: %+v", s)
	}
	one := []string{
		"--load", srv.URL + "/orders", "--body", `{"by":"ann"}`, "--load-header", "X-Kind: " + secret,
		"--load-token-file", "token",
	}
	a, b := sent(one...), sent(append(one, "-m", "POST")...)
	if a.Targets != 1 || a.SHA256 != b.SHA256 || a.SHA256 == s.SHA256 {
		t.Errorf("%+v and %+v, after %+v", a, b, s)
	}
}

func TestRecordLoadUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"http://a -o x -r 5":                                       "--rate needs a load",
		"http://a -o x --load-header A:b":                          "--load-header needs a load",
		"http://a -o x --load http://127.0.0.1:1/ --load-header n": "--load-header: not a header",
		"http://a -o x --load http://127.0.0.1:1/ --load-cert c":   "cert",
		"http://a -o x --load http://127.0.0.1:1/ --streams 2":     "--streams needs --http2",
		"http://a -o x --load http://127.0.0.1:1/ -c 0":            "--connections must be positive, not 0",
		"http://a -o x --flight --targets f":                       "--flight and --targets",
		". -o x --bench . --load http://127.0.0.1:1/":              "--bench cannot be combined with a load",
		"http://a -o x --token-file - --load http://a/ --body @-":  "standard input can be read only once",
		"http://a -o x --load http://a/ --user u:p --load-token-file t": "--user and --load-token-file " +
			"are mutually exclusive",
	} {
		code, _, stderr := runWhet(t, append([]string{"record"}, strings.Fields(args)...)...)
		if code != 2 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "hint: ") {
			t.Errorf("whet record %s: exit code %d, want %q in\n%s", args, code, want, stderr)
		}
	}
}

// TestLoadFlags checks that every command that loads a service sends what whet load sends, and has the
// same help.
func TestLoadFlags(t *testing.T) {
	help := func(args ...string) map[string]string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := cli.Main(t.Context(), append(args, "--help"), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("whet %s --help: code %d, %s", args, code, &errs)
		}
		_, flags, _ := strings.Cut(out.String(), "\nFlags:\n")
		usage, name := map[string]string{}, ""
		for line := range strings.Lines(flags) {
			const indent = len("  -x, ")
			if len(line) > indent && strings.HasPrefix(line[indent:], "--") {
				name, line, _ = strings.Cut(line[indent:], " ")
			}
			usage[name] += line + " "
		}
		for name, text := range usage {
			usage[name] = strings.Join(strings.Fields(text), " ")
		}
		return usage
	}
	want := help("load")
	for _, command := range [][]string{{"record"}, {"fix"}, {"pgo"}, {"bench", "--service"}} {
		got := help(command...)
		for _, name := range []string{
			"targets", "targets-format", "vars", "rate", "arrivals", "method", "header", "body", "user", "password-file",
			"token-file", "timeout", "cert", "http2",
		} {
			if text := want["--"+name]; text == "" || got["--"+name] != text && got["--load-"+name] != text {
				t.Errorf("whet %s: --%s is %q and --load-%s is %q, want %q",
					command, name, got["--"+name], name, got["--load-"+name], text)
			}
		}
	}
}
