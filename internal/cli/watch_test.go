package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/recording"
)

const agentToken = "a token that must not be seen"

// slowly starts a server and an agent with a flight recorder: /slow takes 30 ms according to the
// agent, which reports it, and is answered a little later. It returns the agent's address, whose
// token is in the file token, and a function that sends such a request.
func slowly(t *testing.T) (address string, ask func()) {
	t.Helper()
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Token: agentToken, Flight: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /slow", func(http.ResponseWriter, *http.Request) { time.Sleep(30 * time.Millisecond) })
	watched := a.Watch(mux)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		watched.ServeHTTP(w, r)
		time.Sleep(20 * time.Millisecond) // so that recordings of a slow request are made before its answer
	}))
	t.Cleanup(func() {
		server.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile("token", []byte(agentToken), 0o600); err != nil {
		t.Fatal(err)
	}
	return a.URL(), func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/slow", nil)
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// during runs whet while it calls a function repeatedly.
func during(t *testing.T, do func(), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		code, stdout, stderr = runWhet(t, args...)
	}()
	for {
		do()
		select {
		case <-done:
			return code, stdout, stderr
		default:
		}
	}
}

// TestFlight records the seconds before now.
func TestFlight(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	address, ask := slowly(t)
	for range 5 { // a server that finds a request without waiting for it shows no begin of it
		ask()
	}
	code, stdout, stderr := runWhet(t, "record", address, "--token-file", "token", "--flight", "-o", "f.whet")
	if code != 0 || !strings.Contains(stdout, "trace of ") ||
		!strings.Contains(stdout, "next: whet trace requests f.whet") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runWhet(t, "trace", "requests", "f.whet")
	if code != 0 || !strings.Contains(stdout, "cli_test.slowly.func1") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	s := httptest.NewServer(pprofHandler(".", ""))
	defer s.Close()
	code, stdout, stderr = runWhet(t, "record", s.URL+"/debug/pprof/", "--flight", "-o", "g.whet")
	if code != 1 || stdout != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestWatch records when a request is slow, and reports which.
func TestWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("COLUMNS", "80")
	address, ask := slowly(t)
	args := []string{"watch", address, "--token-file", "token", "--slower", "20ms", "--every", "1ms"}
	var code int
	var stdout, stderr string
	var lines []string
	// A busy machine may let a request wait for longer than it sleeps.
	for range 10 {
		code, stdout, stderr = during(t, ask, append(args, "--max", "2", "-o", "incidents")...)
		if lines = strings.Split(stdout, "\n"); len(lines) != 7 ||
			strings.Contains(lines[1], "cli_test.slowly.func1") {
			break
		}
	}
	if code != 0 || len(lines) != 7 || !strings.Contains(lines[0], "GET /slow took ") ||
		!strings.Contains(lines[0], ", including ") || !strings.Contains(lines[1], "cli_test.slowly.func1") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, line := range lines {
		if len([]rune(line)) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	if code, out, errs := runWhet(t, strings.Fields(lines[2])[1:]...); code != 0 ||
		!strings.Contains(out, "cli_test.slowly.func1") {
		t.Errorf("%s: exit code %d\n%s%s", lines[2], code, out, errs)
	}
	if !strings.Contains(stderr, "recordings written to incidents: 2") || strings.Contains(stdout+stderr, agentToken) {
		t.Errorf("stderr:\n%s", stderr)
	}

	code, stdout, stderr = during(t, ask, append(args[:len(args)-2], "--max", "1", "--json")...)
	var doc documents.WatchEvent
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || doc.Schema != documents.WatchSchema ||
		doc.Trigger != "slow" || doc.Request.Latency < 20*time.Millisecond {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	data, err := os.ReadFile(doc.File)
	if err != nil || !recording.IsRecording(data[:4]) {
		t.Errorf("%s: %v", doc.File, err)
	}

	// Each limit by itself.
	for flag, value := range map[string]string{"--goroutines": "1", "--heap": "1KB"} {
		code, stdout, stderr := runWhet(t, "watch", address, "--token-file", "token", flag, value, "--max", "1",
			"-o", "limits")
		if code != 0 || !strings.Contains(stdout, "limits/") {
			t.Errorf("%s: exit code %d\n%s%s", flag, code, stdout, stderr)
		}
	}
	if names, err := filepath.Glob("limits/*.whet"); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
}

// TestWatchUsage checks that usage errors are reported before any request is sent.
func TestWatchUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct{ args, want string }{
		{"", "no target given"},
		{"http://a http://b --slower 1s", "2 targets"},
		{"./stats --slower 1s", "not an address"},
		{"http://a", "nothing to watch for"},
		{"http://a --slower -1s", "negative"},
		{"http://a --slower 1s --max 0", "--max"},
		{"http://a --slower 1s --every 0s", "--every"},
		{"http://a --heap much", "--heap"},
		{"http://a --slower 1s -H nonsense", "Authorization"},
	} {
		code, stdout, stderr := runWhet(t, append([]string{"watch"}, strings.Fields(test.args)...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("whet watch %s: exit code %d\n%s%s", test.args, code, stdout, stderr)
		}
	}
	_, help, _ := runWhet(t, "watch", "--help")
	for line := range strings.Lines(help) {
		if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
			t.Errorf("help is wider than 80 columns: %s", line)
		}
	}
	// The examples are valid except for their target, which does not exist; scrape.txtar has the
	// configuration.
	if err := os.WriteFile("token", []byte("some text that is long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, example := range exampleLines(help) {
		if strings.Contains(example, "--config") {
			continue
		}
		example = strings.NewReplacer("localhost:6060", "127.0.0.1:1", "https://host", "https://127.0.0.1:1").Replace(example)
		if code, _, stderr := runWhet(t, shellFields(example)[1:]...); code != 1 ||
			!strings.Contains(stderr, "connection refused") {
			t.Errorf("%s: exit code %d, %s", example, code, stderr)
		}
	}
}

// TestWatchInterrupt checks that Ctrl-C is not a failure.
func TestWatchInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	address, ask := slowly(t)
	cmd, output := startWhet(t, "watch", address, "--token-file", "token", "--slower", "20ms", "-o", "incidents")
	for found := []string(nil); len(found) == 0; found, _ = filepath.Glob("incidents/*.whet") {
		ask()
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(output.String(), "recordings written to incidents: 1") {
		t.Errorf("%v\n%s", err, output)
	}
}

// A full writer fails every write.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no reader") }

// TestWatchPipe checks that whet watch ends when its output cannot be written.
func TestWatchPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	address, ask := slowly(t)
	var errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- cli.Main(t.Context(), []string{"watch", address, "--token-file", "token", "--slower", "20ms"},
			strings.NewReader(""), full{}, &errs)
	}()
	for {
		ask()
		select {
		case code := <-done:
			if code != 1 || !strings.Contains(errs.String(), "no reader") {
				t.Errorf("exit code %d\n%s", code, &errs)
			}
			return
		default:
		}
	}
}
