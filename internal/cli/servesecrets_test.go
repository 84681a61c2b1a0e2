package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
)

// A log is what a command writes, which may be read meanwhile.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// TestServeSecrets gives whet serve secrets in every way that there is: in files, in addresses, and in requests,
// right and wrong ones, for paths that answer and that fail. None of them may be in what it prints or answers.
func TestServeSecrets(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	const mark = "hidden-word" // in each secret
	const operator, tenant, wrong, scraped = "operator-" + mark, "tenant-" + mark, "wrong-" + mark, "scrape-" + mark
	rude := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "I got "+r.Header.Get("Authorization"), http.StatusTeapot)
	}))
	defer rude.Close()
	host := strings.TrimPrefix(rude.URL, "http://")
	sum := sha256.Sum256([]byte(tenant))
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("scraped", scraped)
	targets := write("targets.yaml", `{global: {scrape_interval: 1s, profiles: [heap]}, scrape_configs: [
		{job_name: rude, authorization: {credentials_file: scraped}, static_configs: [{targets: ["`+host+`", "127.0.0.1:1"]}]}]}`)
	args := []string{
		"serve", "--http", "127.0.0.1:0", "--store", filepath.Join(dir, "st"), "--scrape", targets,
		"--token-file", write("token", operator), "--tenants", write("tenants.yaml",
			"tenants:\n  - name: a\n    tokens:\n      - {sha256: "+hex.EncodeToString(sum[:])+", scopes: [read, write]}\n"),
		"--target", "http://user:" + mark + "@" + host, "--load", "http://user:" + mark + "@" + host,
		"--regressions-every", "1h", "--webhook", "http://user:" + mark + "@" + host + "/" + mark, dir,
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stdout, w := io.Pipe()
	var stderr log
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(ctx, args, strings.NewReader(""), w, &stderr)
		_ = w.Close() // ends reading
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v\n%s", err, &stderr)
	}
	address := strings.TrimSuffix(strings.TrimSpace(line), "/")

	ways := map[string]func(*http.Request, string){
		"bearer": func(r *http.Request, s string) { r.Header.Set("Authorization", "Bearer "+s) },
		"basic":  func(r *http.Request, s string) { r.SetBasicAuth("user", s) },
		"raw":    func(r *http.Request, s string) { r.Header.Set("Authorization", s) },
		"query":  func(r *http.Request, s string) { r.URL.RawQuery += "&token=" + url.QueryEscape(s) },
		"cookie": func(r *http.Request, s string) { r.AddCookie(&http.Cookie{Name: "token", Value: s}) },
	}
	file, err := os.ReadFile(filepath.Join(dir, "cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ method, path string }{
		{http.MethodGet, "/api/v1/store/series?x=1"},
		{http.MethodGet, "/api/v1/store/targets?x=1"},
		{http.MethodGet, "/api/v1/files?x=1"},
		{http.MethodGet, "/api/v1/openapi.json?x=1"},
		{http.MethodPost, "/ingest?name=shop"},
		{http.MethodPost, "/api/v1/store/profiles?service=shop"},
		{http.MethodPost, "/api/v1/store/recordings?service=shop"},
		{http.MethodPost, "/api/v1/store/results?service=shop"},
		{http.MethodPost, "/api/v1/store/leases?x=1"},
		{http.MethodPost, "/push.v1.PusherService/Push?x=1"},
		{http.MethodPost, "/querier.v1.QuerierService/LabelNames?x=1"},
		{http.MethodGet, "/none?x=1"},
	} {
		for way, add := range ways {
			for _, secret := range []string{operator, tenant, wrong} {
				r, err := http.NewRequestWithContext(t.Context(), one.method, address+one.path, bytes.NewReader(file))
				if err != nil {
					t.Fatal(err)
				}
				add(r, secret)
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				// The browser gets the token that it sent as a cookie.
				answer.Header.Del("Set-Cookie")
				if all := fmt.Sprint(answer.Header) + string(text); err != nil || strings.Contains(all, mark) {
					t.Errorf("%s %s with %s as %s: %v\n%.2000s", one.method, one.path, secret, way, err, all)
				}
			}
		}
	}
	// The state of a target has what it answers, but not the token that it repeats.
	states := ""
	for end := time.Now().Add(20 * time.Second); !strings.Contains(states, "418") && time.Now().Before(end); {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/store/targets", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+operator)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if states = string(text); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(states, "418") || strings.Contains(states, mark) {
		t.Errorf("the states of targets are %s", states)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	if text := stderr.String(); strings.Contains(text, mark) {
		t.Errorf("printed %s", text)
	}

	// What makes it fail is printed without secrets, too.
	inline := write("inline.yaml", `{scrape_configs: [{job_name: a, authorization: {credentials: `+mark+`},
		static_configs: [{targets: ["127.0.0.1:1"]}]}]}`)
	for _, args := range [][]string{
		{"--store", "clickhouse://user:" + mark + "@127.0.0.1:1/whet"},
		{"--store", "http://user:" + mark + "@127.0.0.1:1"},
		{"--store", "clickhouse://user:" + mark + "@127.0.0.1:1/whet?password=" + mark},
		{"--store", filepath.Join(dir, "st2"), "--scrape", inline},
		{"--store", filepath.Join(dir, "st2"), "--tenants", write("bad.yaml", "tenants: [{name: a, tokens: ["+mark+"]}]")},
		{"--store", filepath.Join(dir, "st2"), "--regressions-every", "1h", "--webhook", "user:" + mark + "@127.0.0.1"},
		{"--target", "http://user:" + mark + "@[::1"},
	} {
		code, stdout, stderr := runWhet(t, append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
		if code == 0 || strings.Contains(stdout+stderr, mark) {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}
