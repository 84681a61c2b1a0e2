package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/internal/trace/export"
	"github.com/whet-go/whet/recording"
)

// traced makes a trace of one generation in which eight goroutines wait for a lock: all of them
// from the time blocked on, for at least 20 ms.
func traced(t *testing.T) (data []byte, blocked time.Duration) {
	t.Helper()
	for {
		var out bytes.Buffer
		begin := time.Now()
		if err := trace.Start(&out); err != nil {
			t.Fatal(err)
		}
		started := time.Since(begin)
		var mu sync.Mutex
		var wg sync.WaitGroup
		mu.Lock()
		for range 8 {
			wg.Go(func() {
				mu.Lock()
				defer mu.Unlock()
			})
		}
		waitParked(8, "cli_test.traced.func1", "sync.Mutex.Lock")
		blocked = time.Since(begin)
		<-time.After(20 * time.Millisecond)
		mu.Unlock()
		wg.Wait()
		_, task := trace.NewTask(t.Context(), "nap") // a request, for whet trace requests
		<-time.After(time.Millisecond)
		task.End()
		trace.Stop()
		// The runtime starts another generation after a second, which may pass on a busy machine.
		// Its start is known only to within the time that starting it took.
		if time.Since(begin) < time.Second && started < 5*time.Millisecond {
			return out.Bytes(), blocked
		}
	}
}

// TestTrace runs the commands about traces on files, recordings, streams and addresses.
func TestTrace(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	data, _ := traced(t)
	if err := os.WriteFile("trace.out", data, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create("demo.whet", recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(recording.Part{Name: recording.TracePart}, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	s := httptest.NewServer(mux)
	defer s.Close()

	for _, name := range []string{"trace", "summary", "requests", "contention", "profile", "index"} {
		args := []string{"trace", name, "--help"}
		if name == "trace" {
			args = args[1:]
			args[0] = "trace"
		}
		_, help, _ := runWhet(t, args...)
		for line := range strings.Lines(help) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("help of %s is wider than 80 columns: %s", name, line)
			}
		}
		for _, example := range exampleLines(help) {
			example = strings.ReplaceAll(example, "http://localhost:6060", s.URL+" --seconds 200ms")
			example = strings.NewReplacer("1s", "1ms", "1.5s", "5ms").Replace(example)
			if code, stdout, stderr := runWhet(t, shellFields(example)[1:]...); code != 0 || stdout == "" && stderr == "" {
				t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
			}
		}
	}

	// A trace on standard input has the same result as in a file.
	for _, args := range [][]string{
		{"trace", "summary", "--json", "trace.out"},
		{"trace", "summary", "--json", "-"},
		{"trace", "summary", "--json", "demo.whet"},
	} {
		var out, errs bytes.Buffer
		if code := cli.Main(t.Context(), args, bytes.NewReader(data), &out, &errs); code != 0 || errs.Len() > 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &errs)
		}
		var doc documents.Summary
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		waited := time.Duration(0)
		for _, k := range doc.Kinds {
			for _, state := range k.States {
				if k.Goroutines == 8 && state.State == "sync" {
					waited = state.Total
				}
			}
		}
		if waited < 8*15*time.Millisecond {
			t.Errorf("%v: eight goroutines waited %v for a lock", args, waited)
		}
	}
	if dir, err := os.ReadDir(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "whet", "traces")); err != nil || len(dir) != 2 {
		t.Errorf("indexes of two files are kept: %v, %v", dir, err)
	}

	for _, test := range []struct{ args, want string }{
		{"trace", "COMMAND"},
		{"trace summary", "no trace given"},
		{"trace summary a b", "more than one trace"},
		{"trace summary trace.out --from 1h", "is not within the trace"},
		{"trace summary none.out", "none.out"},
		{"trace requests --slowest 0 trace.out", "--slowest"},
		{"trace requests --slowest 1001 trace.out", "--slowest"},
		{"trace requests --class ( trace.out", "--class"},
		{"trace requests --request -1 trace.out", "--request"},
		{"trace requests --request 2 trace.out", "no request #2"},
		{"trace contention -n -1 trace.out", "-n must be"},
		{"trace contention --goroutines ( trace.out", "--goroutines"},
		{"trace profile trace.out", "want a type and a trace"},
		{"trace profile all trace.out", `unknown type "all" (want net, `},
		{"trace profile net --class ( trace.out", "--class"},
		{"trace profile net --class absent -o absent.pb.gz trace.out", "no request in the trace has a class"},
		{"trace profile net --goroutines ( trace.out", "--goroutines"},
		{"trace profile sync -o demo.whet trace.out", "the file exists"},
		{"trace frob", "frob"},
	} {
		code, stdout, stderr := runWhet(t, strings.Fields(test.args)...)
		if text := stdout + stderr; !strings.Contains(text, test.want) || code == 0 && test.args != "trace" {
			t.Errorf("whet %s: exit code %d\n%s", test.args, code, text)
		}
	}

	// The eight goroutines waited for one lock, which was held by this function.
	for _, name := range []string{"trace.out", "demo.whet"} {
		code, stdout, stderr := runWhet(t, "trace", "contention", "--json", "--own", "github.com/whet-go/whet", name)
		var doc documents.Contention
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || len(doc.Pairs) == 0 {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		waited, here := time.Duration(0), "github.com/whet-go/whet/internal/cli_test.traced"
		for _, p := range doc.Pairs {
			if p.Kind == "lock" && p.Waking != nil && strings.HasPrefix(p.Waiting.Function, here) &&
				strings.HasPrefix(p.Waking.Function, here) {
				waited += p.Total
			}
		}
		if waited < 8*15*time.Millisecond {
			t.Errorf("%s: waited %v: %s", name, waited, stdout)
		}
	}
	t.Setenv("COLUMNS", "80")
	_, text, _ := runWhet(t, "trace", "contention", "--all", "trace.out")
	for line := range strings.Lines(text) {
		if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	if !strings.Contains(text, "held by") || !strings.Contains(text, "cli_test.traced.func1 trace_test.go:") {
		t.Errorf("contention:\n%s", text)
	}

	// Of a truncated trace, the complete part is shown with a warning; an empty file is not a
	// trace.
	if err := os.WriteFile("cut.out", data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runWhet(t, "trace", "summary", "cut.out"); code != 0 &&
		!strings.Contains(stderr, "no complete generation") || code == 0 && !strings.Contains(stderr, "are complete") {
		t.Errorf("cut off: exit code %d, %s", code, stderr)
	}
	for name, text := range map[string]string{
		"empty.out": "", "text.out": "hello\n", "head.out": "go 1.26 tra", "page.out": "<html>",
		"some.out": string(data[:100]),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := runWhet(t, "trace", "summary", name); code != 1 || !strings.Contains(stderr, name) ||
			!strings.Contains(stderr, "hint: ") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
}

// TestTraceFull checks the error for a full disk.
func TestTraceFull(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no file that is always full here")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	data, _ := traced(t)
	if err := os.WriteFile("trace.out", data, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runWhet(t, "trace", "cut", "--to", "1h", "-o", full, "--force", "trace.out")
	if code != 1 || !strings.Contains(stderr, "no space left") || strings.Contains(stderr, "hint") ||
		strings.Contains(stderr, "read trace.out") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// damaged changes a byte in the first block of the only index of a cache, which opening it does not read.
func damaged(t *testing.T, cache string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(cache, "whet", "traces", "*.index"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len("whet trace index 6\n")+8] ^= 0xff
	if err := os.WriteFile(names[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTraceCache checks that commands work with a missing, damaged or unwritable cache.
func TestTraceCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("TMPDIR", t.TempDir())
	t.Chdir(t.TempDir())
	data, _ := traced(t)
	if err := os.WriteFile("trace.out", data, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want string, args ...string) {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := cli.Main(t.Context(), append([]string{"trace"}, args...), nil, &out, &stderr); code != 0 ||
			out.Len() == 0 {
			t.Errorf("%v: exit code %d, %s", args, code, &stderr)
		}
		if got := stderr.String(); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%v: %q does not say %q", args, got, want)
		}
	}
	for _, command := range []string{"summary", "requests", "contention", "goroutines"} {
		run("", command, "trace.out")
		damaged(t, cache)
		run("index is damaged; rebuilding it", command, "trace.out")
		run("", command, "trace.out")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	run("temporary directory", "summary", "trace.out")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	run("temporary directory", "summary", "trace.out")
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestTraceErrors checks that errors about files that are not traces name what they are, with a
// hint.
func TestTraceErrors(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	recorded, err := os.ReadFile("../../recording/testdata/slug.whet")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	whole, _ := traced(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(whole)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create("without.whet", recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		data       []byte
		want, hint string
	}{
		"text":         {[]byte("hello, this is no trace at all"), "not an execution trace", "runtime/trace"},
		"empty":        {nil, "an empty file", "trace.Stop"},
		"cut":          {whole[:200], "", "trace.Stop"},
		"head":         {whole[:7], "cut off in its first bytes", "trace.Stop"},
		"packed":       {packed.Bytes(), "compressed", "gunzip"},
		"old":          {[]byte("go 1.10 trace\x00\x00\x00"), "a trace of Go 1.10", "go tool trace"},
		"new":          {[]byte("go 1.99 trace\x00\x00\x00"), "unrecognized head", "newer whet"},
		"cut.whet":     {recorded[:20_000], "", "end a recording early with Ctrl-C"}, // within its trace
		"without.whet": {nil, "execution trace", "record"},
		"missing":      {nil, "no such file", ""},
	} {
		if name != "missing" && name != "without.whet" {
			if err := os.WriteFile(name, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, command := range [][]string{
			{"summary"},
			{"requests"},
			{"contention"},
			{"goroutines"},
			{"timeline", "-o", "page.html"},
			{"index"},
			{"export", "--perfetto", "out"},
			{"events"},
			{"cut", "--from", "1ms", "-o", "cut.trace"},
			{"profile", "sync", "-o", "sync.pb.gz"},
		} {
			var out, stderr bytes.Buffer
			code := cli.Main(t.Context(), append(append([]string{"trace"}, command...), name), nil, &out, &stderr)
			message, hint, hinted := strings.Cut(stderr.String(), "hint: ")
			if code != 1 || !strings.Contains(message, test.want) || !strings.HasPrefix(message, "whet: ") ||
				!strings.Contains(hint, test.hint) || hinted != (test.hint != "") {
				t.Errorf("%v %s: exit code %d, %s", command, name, code, &stderr)
			}
		}
	}
}

// TestAllTraceRequests writes each request once.
func TestAllTraceRequests(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	var data bytes.Buffer
	if err := trace.Start(&data); err != nil {
		t.Fatal(err)
	}
	const number = 1500
	for range number {
		_, task := trace.NewTask(t.Context(), "quick")
		task.End()
	}
	trace.Stop()
	if err := os.WriteFile("trace.out", data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	if code := cli.Main(
		t.Context(), []string{"trace", "requests", "--json", "--all", "trace.out"}, nil, &out, &stderr,
	); code != 0 {
		t.Fatal(code, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines {
		var r export.RequestLine
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		sum := time.Duration(0)
		for _, d := range r.Parts {
			sum += d
		}
		if r.Handler != "task quick" || !r.Task || r.Goroutine == 0 || sum != r.Latency {
			t.Fatalf("%s", line)
		}
	}
	if len(lines) != number {
		t.Errorf("%d lines of %d requests", len(lines), number)
	}
	if code := cli.Main(t.Context(), []string{"trace", "requests", "--all", "trace.out"}, nil, &out, &stderr); code != 2 {
		t.Errorf("exit code %d", code)
	}
}
