package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/scrape"
)

// scrapedService starts a service with the profiles of writeProfiles behind a token, and returns a
// configuration that names it.
func scrapedService(t *testing.T) (config string) {
	t.Helper()
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(pprofHandler(dir, "the-token"))
	t.Cleanup(server.Close)
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("service.token", "the-token\n")
	write("targets.json", fmt.Sprintf(`[{"targets": [%q], "labels": {"region": "eu"}}]`, server.Listener.Addr()))
	return write("targets.yaml", `
scrape_configs:
  - job_name: shop
    scrape_interval: 2s
    cpu_duration: 1s
    profiles: [cpu, heap, block]
    authorization: {credentials_file: service.token}
    file_sd_configs: [{files: [targets.json]}]
    deltas: subtract
`)
}

// TestWatchConfig scrapes a service until the first scrape is reported, and queries the store.
func TestWatchConfig(t *testing.T) {
	config := scrapedService(t)
	st := filepath.Join(t.TempDir(), "profiles")
	ctx, stop := context.WithCancel(t.Context())
	out, w := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		args := []string{"watch", "--config", config, "--store", st, "--json"}
		code <- cli.Main(ctx, args, strings.NewReader(""), w, &stderr)
		_ = w.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("no line, exit code %d\n%s", <-code, &stderr)
	}
	line := slices.Clone(lines.Bytes())
	stop()
	for lines.Scan() { // the rest
	}
	if got := <-code; got != 0 || !strings.Contains(stderr.String(), "profiles stored: ") {
		t.Errorf("exit code %d\n%s", got, &stderr)
	}
	var e scrape.Event
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	if e.Schema != scrape.EventSchema || e.State != scrape.Up || e.Service != "shop" || e.Labels.Get("region") != "eu" ||
		e.Stored() != 2 || !strings.HasPrefix(e.Error, "block: the target answers 500") {
		t.Errorf("%s", line)
	}
	if strings.Contains(string(line)+stderr.String(), "the-token") {
		t.Errorf("the token is in the output: %s%s", line, &stderr)
	}
	exit, stdout, errs := runWhet(t, "query", `{service="shop",region="eu",job="shop"}`, "--type", "cpu", "--store", st)
	if exit != 0 || !strings.Contains(stdout, "main") {
		t.Errorf("exit code %d\n%s%s", exit, stdout, errs)
	}
}

// TestServeScrape scrapes a service into the store of whet serve, whose API has the state of the target;
// a tenant does not see it.
func TestServeScrape(t *testing.T) {
	config := scrapedService(t)
	tenants := filepath.Join(t.TempDir(), "tenants.yaml")
	const token = "a-token-of-the-tenant"
	if err := os.WriteFile(filepath.Join(filepath.Dir(tenants), "token"), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tenants, []byte("tenants: [{name: mail, tokens: [{file: token, scopes: [read]}]}]"),
		0o600); err != nil {
		t.Fatal(err)
	}
	address := serving(t, "--store", filepath.Join(t.TempDir(), "profiles"), "--scrape", config, "--tenants", tenants,
		t.TempDir())
	get := func(authorization string) (s scrape.Status) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/store/targets", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		if err := json.NewDecoder(answer.Body).Decode(&s); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s, %v", answer.Status, err)
		}
		return s
	}
	var s scrape.Status
	for s.Profiles.Stored == 0 || len(s.Targets) == 0 || s.Targets[0].Scrapes == 0 {
		s = get("")
	}
	if len(s.Targets) != 1 || s.Targets[0].State != scrape.Up || s.Targets[0].Scrapes < 1 || s.Targets[0].Profiles < 2 ||
		s.Targets[0].Next.IsZero() || s.Targets[0].Labels.Get("region") != "eu" {
		t.Errorf("status %+v", s)
	}
	if s := get("Bearer " + token); s.Schema != scrape.StatusSchema || len(s.Targets) != 0 {
		t.Errorf("the tenant sees %+v", s)
	}
}
