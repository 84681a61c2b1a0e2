package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/report/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
)

// checked runs a command and fails unless it exits with a code and its output matches a pattern.
func checked(t *testing.T, exit int, pattern string, args ...string) string {
	t.Helper()
	code, stdout, stderr := runWhet(t, args...)
	if code != exit || !regexp.MustCompile("(?m)"+pattern).MatchString(stdout+stderr) {
		t.Errorf("whet %s: exit code %d, want %d and %s\n%s%s", strings.Join(args, " "), code, exit, pattern, stdout, stderr)
	}
	return stdout
}

// TestClickHouse runs the commands that take a store on a cluster of two shards: first all of them,
// then those that a shard which is down concerns.
func TestClickHouse(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2})
	t.Chdir(t.TempDir())
	if err := writeProfiles("."); err != nil {
		t.Fatal(err)
	}
	address := servers.Address("commands")
	st := strings.TrimSuffix(address, "?cluster="+clickhousetest.ClusterName)
	checked(t, 1, "^hint: `whet store migrate", "query", "{}", "--store", st)
	checked(t, 0, "on cluster shards was created: format 2$", "store", "migrate", "--store", address, "--unreplicated")
	checked(t, 0, "is up to date: format 2$", "store", "migrate", "--store", st, "--retention", "20000d")
	doc := checked(t, 0, "", "store", "migrate", "--store", st, "--retention", "none", "--json")
	var text bytes.Buffer
	if err := documents.Write(&text, layout.Style{}, []byte(doc), documents.Options{}); err != nil ||
		!strings.Contains(text.String(), "on cluster shards is up to date: format 2") {
		t.Errorf("%s, %v", &text, err)
	}

	for n := range 8 {
		checked(t, 0, "cpu", "push", "cpu.pb.gz", "heap.pb.gz", "--store", st, "--service", fmt.Sprint("shop", n),
			"--label", fmt.Sprint("version=v", n%2))
	}
	checked(t, 0, `"store": "`+st+`"`, "push", "cpu.pb.gz", "--store", st, "--service", "shop1", "--label", "version=v1",
		"--json")
	checked(t, 0, "^cpu.pb.gz", "push", "cpu.pb.gz", "--store", st, "--service", "shop", "--tenant", "red")
	checked(t, 0, "main", "query", `{service="shop1"}`, "--type", "cpu", "--store", st)
	checked(t, 0, "^8 profiles of 8 series", "query", "--type", "cpu", "--store", st, "-o", "merged.pb.gz")
	checked(t, 0, "^1 profile of 1 series", "query", "--type", "cpu", "--store", st, "--tenant", "red")
	checked(t, 0, "main", "top", "merged.pb.gz")
	checked(t, 0, "main", "query", "version=v1", "--against", "version=v0", "--type", "cpu", "--store", st)
	checked(t, 0, "^shop7", "query", "series", "--store", st)
	checked(t, 0, "^version$", "query", "labels", "--store", st)
	checked(t, 0, "over time", "query", "timeline", "service=shop1", "--type", "cpu", "--store", st)
	checked(t, 0, "^no change beyond noise$", "query", "regressions", "service=shop1", "--store", st)
	checked(t, 0, "^shop7 ", "store", "stats", "--store", st)
	checked(t, 0, "^"+st+": 17 profiles and the symbols of 9 dictionaries read, no damage$", "store", "check", "--store",
		st)
	checked(t, 0, "^shop7 ", "store", "compact", "--store", st, "--retention", "20000d", "--max-store-size", "1GB")
	for _, args := range [][]string{
		{"store", "backup", "x"},
		{"store", "restore", "x"},
		{"serve", "--max-store-size", "1GB"},
		{"serve", "--retention", "1d"},
		{"query", "--token-file", "x"},
	} {
		checked(t, 2, "^hint: ", append(args, "--store", st)...)
	}
	watchClickHouse(t, st)
	for _, command := range []string{"push", "query", "store"} {
		_, help, _ := runWhet(t, command, "--help")
		for _, example := range exampleLines(help) {
			if before, _, ok := strings.Cut(example, "clickhouse://"); ok {
				checked(t, 0, "", append(shellFields(before)[1:], st)...)
			}
		}
	}

	served := serving(t, "--store", st, t.TempDir())
	partly := serving(t, "--store", st, "--allow-partial", t.TempDir())
	checked(t, 0, "^2 profiles of 2 series", "query", `{service=~"shop[12]"}`, "--type", "cpu", "--store", served)
	checked(t, 0, "^cpu.pb.gz", "push", "cpu.pb.gz", "--store", served, "--service", "shop9")
	checked(t, 0, "^shop7", "query", "series", "--store", partly) // all shards are up
	shardDown(t, servers, st, served)
	servedPartly(t, servers, partly)
	servedBuffered(t, servers, st)
}

// watchClickHouse scrapes a service until a profile is stored.
func watchClickHouse(t *testing.T, st string) {
	t.Helper()
	config := scrapedService(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
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
	stop()
	for lines.Scan() { // the rest
	}
	if got := <-code; got != 0 {
		t.Errorf("watch: exit code %d\n%s", got, &stderr)
	}
	checked(t, 0, "main", "query", `{service="shop",region="eu"}`, "--type", "cpu", "--store", st)
}

// shardDown kills a shard and queries without it.
func shardDown(t *testing.T, servers *clickhousetest.Servers, st, served string) {
	t.Helper()
	servers.Kill(1)
	name := regexp.QuoteMeta("shard 2 (" + servers.Hosts[1] + ")")
	checked(t, 1, "^whet: .*"+name+" of cluster shards does not answer", "query", "--type", "cpu", "--store", st)
	checked(t, 1, name+"(.|\n)*allow-partial", "query", "series", "--store", st)
	checked(t, 1, name, "query", "series", "--store", served)
	checked(t, 0, "^whet: warning: "+name, "query", "--type", "cpu", "--store", st, "--allow-partial")
	for _, sub := range [][]string{
		{"query", "--type", "cpu"},
		{"query", "series"},
		{"query", "labels"},
		{"query", "profiles"},
		{"query", "timeline", "--type", "cpu"},
		{"query", "regressions"},
	} {
		doc := checked(t, 0, "", append(sub, "--store", st, "--allow-partial", "--json")...)
		field := sub[1] == "--type" || regexp.MustCompile(`"missing_shards": \[\s*"`+name).MatchString(doc)
		if !field || !regexp.MustCompile(`"warnings": \[(.|\n)*`+name).MatchString(doc) {
			t.Errorf("%q does not say that a shard is missing: %.300s", sub, doc)
		}
	}
	if err := os.WriteFile("address", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	checked(t, 2, "^hint: leave it out$", "query", "--store", filepath.Join(".", "address"), "--allow-partial")
	answer, err := http.Get(served + "/api/v1/store/series")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the server answers %s without a shard", answer.Status)
	}
}

// servedPartly queries a server that answers without the shard that is down.
func servedPartly(t *testing.T, servers *clickhousetest.Servers, served string) {
	t.Helper()
	name := "shard 2 (" + servers.Hosts[1] + ")"
	quoted := regexp.QuoteMeta(name)
	checked(t, 1, "^whet: .*the answer is partial: "+quoted, "query", "--type", "cpu", "--store", served)
	checked(t, 0, "^whet: warning: "+quoted, "query", "--type", "cpu", "--store", served, "--allow-partial")
	for _, path := range []string{
		"store/series", "store/labels", "store/profiles", "store/regressions", "top?file=store:cpu%7B%7D",
	} {
		answer, err := http.Get(served + "/api/v1/" + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), name) ||
			!strings.Contains(answer.Header.Get("Whet-Missing-Shards"), name) {
			t.Errorf("%s: %s, %v\n%.500s", path, answer.Status, err, text)
		}
	}
	query := url.Values{
		"query": {"process_cpu:cpu:nanoseconds:cpu:nanoseconds{}"}, "from": {"now-100000h"}, "until": {"now"},
	}
	answer, err := http.Get(served + "/pyroscope/render?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), name) {
		t.Errorf("Grafana's queries: %s, %v\n%.500s", answer.Status, err, text)
	}
}

// servedBuffered sends profiles of services on both shards to a process while one is down, kills the
// process, starts the shard and another process, and finds what was acknowledged.
func servedBuffered(t *testing.T, servers *clickhousetest.Servers, st string) {
	t.Helper()
	dir := t.TempDir()
	data, err := os.ReadFile("cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	start := func() (address string, cmd *exec.Cmd) {
		cmd = exec.Command("whet", "serve", "--http", "127.0.0.1:0", "--store", st, "--buffer", dir, dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it has ended, if the test passed
			_ = cmd.Wait()
		})
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(strings.TrimSpace(line), "/"), cmd
	}
	waiting := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "*.profiles"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	address, cmd := start()
	const services = 8
	for n := range services {
		answer, err := http.Post(fmt.Sprintf("%s/ingest/pprof?service=kept%d", address, n), "", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNoContent {
			t.Errorf("kept%d: %s", n, answer.Status)
		}
	}
	if n := waiting(); n == 0 {
		t.Error("nothing waits although a shard is down")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if err := servers.Run(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	start()
	for waiting() > 0 && t.Context().Err() == nil {
		time.Sleep(50 * time.Millisecond) // the process works meanwhile
	}
	checked(t, 0, fmt.Sprintf("^%d profiles of %d series", services, services), "query", `{service=~"kept.*"}`, "--type",
		"cpu", "--store", st)
}
