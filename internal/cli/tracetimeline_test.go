package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/trace/window"
)

// TestTraceTimeline writes pages and serves them.
func TestTraceTimeline(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	data, blocked := traced(t)
	if err := os.WriteFile("trace.out", data, 0o600); err != nil {
		t.Fatal(err)
	}

	code, stdout, stderr := runWhet(t, "trace", "timeline", "--from", "1ms", "--to", "5ms", "-o", "page.html", "trace.out")
	page, err := os.ReadFile("page.html")
	if code != 0 || stdout != "" || !strings.HasPrefix(stderr, "wrote page.html") || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if len(page) > traces.TimelinePageMax || !bytes.Contains(page, []byte(traces.TimelineMark)) ||
		!bytes.Contains(page, []byte("trace.out")) {
		t.Errorf("a page of %d bytes", len(page))
	}
	if code, stdout, _ := runWhet(t, "trace", "timeline", "-o", "-", "trace.out"); code != 0 ||
		!strings.HasPrefix(stdout, "<!doctype html>") {
		t.Errorf("to standard output: exit code %d, %.100s", code, stdout)
	}

	code, stdout, stderr = runWhet(t, "trace", "timeline", "--json", "--from", blocked.String(),
		"--to", (blocked + 5*time.Millisecond).String(), "trace.out")
	var doc struct {
		Schema   string
		From, To int64
		Rows     []struct {
			Type string
			Rows []struct{ ID string }
		}
		Spans struct{ Rows []struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	rows := 0
	for _, l := range doc.Rows {
		rows += len(l.Rows)
	}
	if doc.Schema != window.Schema || doc.From != int64(blocked) || doc.To != int64(blocked)+5e6 || rows < 8 ||
		len(doc.Spans.Rows) != rows {
		t.Errorf("%s from %d to %d: %d rows, spans of %d", doc.Schema, doc.From, doc.To, rows, len(doc.Spans.Rows))
	}

	for _, test := range []struct{ args, want string }{
		{"--http 0.0.0.0:0 trace.out", "not on the loopback interface"},
		{"--http :8080 trace.out", "not on the loopback interface"},
		{"--http nowhere trace.out", "--http"},
		{"-o page.html trace.out", "the file exists"},
		{"-o other.html --open trace.out", "--open"},
		{"--from 1h trace.out", "is not within the trace"},
		{"none.out", "none.out"},
		{"", "no trace given"},
	} {
		args := append([]string{"trace", "timeline"}, strings.Fields(test.args)...)
		if code, stdout, stderr := runWhet(t, args...); code == 0 || !strings.Contains(stderr, test.want) ||
			!strings.Contains(stderr, "hint: ") && test.want != "none.out" || stdout != "" {
			t.Errorf("%s: exit code %d\n%s%s", test.args, code, stdout, stderr)
		}
	}

	// The examples that serve a page run until they are interrupted.
	_, help, _ := runWhet(t, "trace", "timeline", "--help")
	served := 0
	for _, example := range exampleLines(help) {
		if strings.Contains(example, " -o ") || strings.Contains(example, "--open") {
			continue
		}
		served++
		args := shellFields(strings.ReplaceAll(example, "demo.whet", "trace.out"))[1:]
		if err := servedTimeline(t.Context(), append(args, "--from", "2ms")); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
	if served == 0 {
		t.Error("no example serves")
	}
}

// servedTimeline starts a server, sends the requests of the page, and interrupts it.
func servedTimeline(ctx context.Context, args []string) error {
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	r, w := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		code := cli.Main(ctx, args, strings.NewReader(""), w, &errs)
		_ = w.Close() // does not fail
		ended <- code
	}()
	address, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return fmt.Errorf("%w: %s", err, &errs)
	}
	address, window, _ := strings.Cut(strings.TrimSpace(address), "#")
	if !strings.HasPrefix(address, "http://127.0.0.1:") || !strings.HasPrefix(window, "t=2000000-") {
		return fmt.Errorf("address %s, window %s", address, window)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"", "api/v1/timeline/trace", "api/v1/timeline/rows?type=proc"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(answer.Body)
		if err := answer.Body.Close(); err != nil {
			return err
		}
		if err != nil || answer.StatusCode != http.StatusOK || len(body) == 0 {
			return fmt.Errorf("%s: %s, %w\n%s", path, answer.Status, err, body)
		}
	}
	interrupt()
	if code := <-ended; code != 0 || errs.Len() > 0 {
		return fmt.Errorf("exit code %d: %s", code, &errs)
	}
	return nil
}
