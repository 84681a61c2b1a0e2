package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/documents"
)

// tracedServer makes a trace of a server whose handler waits for a goroutine that it starts.
func tracedServer(t *testing.T) []byte {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			waitParked(1, "cli_test.tracedServer.func1", "chan receive") // or the sleep may begin before the wait
			time.Sleep(5 * time.Millisecond)
		}()
		<-done
	}))
	defer s.Close()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	for range 20 { // a server that finds a request without waiting for it shows no begin of it
		resp, err := s.Client().Get(s.URL)
		if err != nil {
			t.Error(err)
			break
		}
		_ = resp.Body.Close()
	}
	trace.Stop()
	return out.Bytes()
}

// TestTraceRequests shows requests in a list and one in full, as text within 80 columns and as JSON.
func TestTraceRequests(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("COLUMNS", "80")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("trace.out", tracedServer(t), 0o600); err != nil {
		t.Fatal(err)
	}
	const handler = "cli_test.tracedServer.func1"
	for _, test := range []struct {
		args string
		want []string
	}{
		{
			"trace requests trace.out",
			[]string{
				"requests in the trace of trace.out", handler, "typical", "path", "#1 ", "#3 ",
				"tracerequests_test.go:",
			},
		},
		{"trace requests --slowest 1 trace.out", []string{"#1 "}},
		{"trace requests --class nothing trace.out", []string{"0 requests", "tasks of"}},
		{
			"trace requests --request 2 trace.out",
			[]string{
				"#2 of ", "itself", "on its path", "waits: channel (chan receive)", "sleep", "tracedServer.func1.1",
				"woken by goroutine",
			},
		},
		{"trace requests --request 2 --own example.com/none trace.out", []string{"#2 of "}},
	} {
		code, stdout, stderr := runWhet(t, strings.Fields(test.args)...)
		if code != 0 || stderr != "" {
			t.Fatalf("whet %s: exit code %d, %s", test.args, code, stderr)
		}
		for _, want := range test.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("whet %s: no %q in\n%s", test.args, want, stdout)
			}
		}
		for line := range strings.Lines(stdout) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("whet %s: wider than 80 columns: %s", test.args, line)
			}
		}
	}

	for _, request := range []string{"0", "2"} {
		code, stdout, stderr := runWhet(t, "trace", "requests", "--json", "--request", request, "trace.out")
		if code != 0 {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		var doc documents.Requests
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Schema != documents.RequestsSchema || doc.Count < 4 || len(doc.Classes) != 1 {
			t.Fatalf("%+v", doc)
		}
		for _, one := range doc.Classes[0].Slowest {
			if request == "2" && (one.Number != 2 || len(doc.Classes[0].Slowest) != 1) {
				t.Errorf("%d, of %d", one.Number, len(doc.Classes[0].Slowest))
			}
			sum, slept := time.Duration(0), time.Duration(0)
			for _, step := range one.Path {
				sum += step.Took
				for _, inner := range step.Inside {
					if inner.Cause == "sleep" && inner.Own != nil && strings.HasSuffix(inner.Own.Func, "tracedServer.func1.1") &&
						len(doc.Stacks[inner.Stack]) > 1 {
						slept += inner.Took
					}
				}
			}
			if sum != one.Latency || slept < 4*time.Millisecond {
				t.Errorf("request #%d of %v has steps of %v, %v of it in the sleep: %+v",
					one.Number, one.Latency, sum, slept, one.Path)
			}
		}
	}
}
