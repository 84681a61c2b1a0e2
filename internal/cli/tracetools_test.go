package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/trace/documents"
	"github.com/whet-go/whet/recording"
)

// traceTools are the commands that this file tests.
func traceTools() []string { return []string{"goroutines", "events", "cut", "export"} }

// traceFiles writes a trace, and a recording of it, into the directory.
func traceFiles(t *testing.T) []byte {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	data, _ := traced(t)
	if err := os.WriteFile("trace.out", data, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create("demo.whet",
		recording.Meta{Created: time.Now(), Build: &recording.Build{Path: "example.com/shop"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(recording.Part{Name: recording.TracePart}, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{Build: &recording.Build{Path: "example.com/shop"}}); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTraceToolsExamples runs the examples of the help, which fits a terminal.
func TestTraceToolsExamples(t *testing.T) {
	traceFiles(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	s := httptest.NewServer(mux)
	defer s.Close()
	for _, name := range traceTools() {
		_, help, _ := runWhet(t, "trace", name, "--help")
		for line := range strings.Lines(help) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("help of %s is wider than 80 columns: %s", name, line)
			}
		}
		examples := exampleLines(help)
		if len(examples) < 2 {
			t.Errorf("help of %s has %d examples", name, len(examples))
		}
		for _, example := range examples {
			example = strings.NewReplacer("1.5s", "5ms", "1s", "1ms").Replace(example)
			code, stdout, stderr := runWhet(t, shellFields(example)[1:]...)
			if code != 0 || stdout+stderr == "" && name != "events" {
				t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
			}
		}
		// And an address.
		args := []string{"trace", name, s.URL, "--seconds", "100ms"}
		switch name {
		case "cut":
			args = append(args, "--to", "50ms", "-o", "address.trace")
		case "export":
			args = append(args, "--chrome", "address.json")
		}
		if code, stdout, stderr := runWhet(t, args...); code != 0 || stdout == "" {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// TestTraceGoroutines shows groups and goroutines of a trace in which eight wait for a lock.
func TestTraceGoroutines(t *testing.T) {
	data := traceFiles(t)
	for _, by := range []string{"start", "creation", "none"} {
		for _, file := range []string{"trace.out", "demo.whet", "-"} {
			var out, errs bytes.Buffer
			args := []string{"trace", "goroutines", "--json", "--group-by", by, "-n", "0", file}
			if code := cli.Main(t.Context(), args, bytes.NewReader(data), &out, &errs); code != 0 || errs.Len() > 0 {
				t.Fatalf("%v: exit code %d, %s", args, code, &errs)
			}
			var doc documents.Goroutines
			if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			if doc.Schema != documents.GoroutinesSchema || doc.GroupBy != by || doc.Hidden != 0 || doc.Count < 9 {
				t.Errorf("%v: %+v", args, doc)
			}
			eight, total := 0, int64(0)
			for _, g := range doc.Groups {
				total += g.Goroutines
				if g.Goroutines == 8 && g.Created == 8 && g.Ended == 8 && g.Life >= 15*time.Millisecond &&
					g.Time >= 8*15*time.Millisecond {
					eight += 8
				}
			}
			for _, g := range doc.Goroutines {
				total++
				if strings.Contains(g.Function, "WaitGroup") && g.Creator != "" && g.Ended && !g.Old &&
					g.To-g.From >= 15*time.Millisecond {
					eight++
				}
			}
			if eight != 8 || total != doc.Count {
				t.Errorf("%v: %d of %d goroutines waited for the lock\n%s", args, eight, total, &out)
			}
		}
	}
	// Text reports how many are not shown.
	if code, stdout, stderr := runWhet(t, "trace", "goroutines", "-n", "1", "--sort", "life", "trace.out"); code != 0 ||
		!strings.Contains(stdout, "(--number 0 shows all)") || !strings.Contains(stdout, "in total, longest ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runWhet(
		t, "trace", "goroutines", "--group-by", "none", "--from", "1ms", "--to", "2ms", "trace.out",
	); code != 0 || !strings.Contains(stdout, "from 1ms to 2ms") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestTraceEvents checks lines of JSON.
func TestTraceEvents(t *testing.T) {
	data := traceFiles(t)
	for _, file := range []string{"trace.out", "demo.whet", "-"} {
		var out, errs bytes.Buffer
		args := []string{"trace", "events", "--filter", `to == "Waiting" and reason == "sync"`, "--stacks", file}
		if code := cli.Main(t.Context(), args, bytes.NewReader(data), &out, &errs); code != 0 || errs.Len() > 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &errs)
		}
		waits := 0
		for lines := bufio.NewScanner(&out); lines.Scan(); {
			var ev struct {
				Reason string
				Stack  []struct{ Func string }
			}
			if err := json.Unmarshal(lines.Bytes(), &ev); err != nil {
				t.Fatal(err)
			}
			if ev.Reason == "sync" && len(ev.Stack) > 0 {
				waits++
			}
		}
		if waits < 8 {
			t.Errorf("%v: %d waits for the lock", args, waits)
		}
	}
	if code, stdout, _ := runWhet(t, "trace", "events", "-n", "2", "trace.out"); code != 0 ||
		strings.Count(stdout, "\n") != 2 {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// TestTraceCut cuts files, recordings and streams.
func TestTraceCut(t *testing.T) {
	data := traceFiles(t)
	for _, file := range []string{"trace.out", "demo.whet", "-"} {
		var out, errs bytes.Buffer
		args := []string{"trace", "cut", "--to", "10ms", "--json", "--force", "-o", "cut.trace", file}
		if code := cli.Main(t.Context(), args, bytes.NewReader(data), &out, &errs); code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &errs)
		}
		var doc documents.Cut
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Schema != documents.CutSchema || doc.From != 0 || doc.To < 10*time.Millisecond ||
			doc.To > 12*time.Millisecond || doc.Written == 0 || doc.Whole {
			t.Errorf("%v: %+v", args, doc)
		}
		code, stdout, stderr := runWhet(t, "trace", "index", "--json", "cut.trace")
		var info struct{ Duration time.Duration }
		if err := json.Unmarshal([]byte(stdout), &info); err != nil || code != 0 || stderr != "" ||
			info.Duration > 12*time.Millisecond {
			t.Errorf("exit code %d, %v: %s%s", code, err, stdout, stderr)
		}
	}
	// Standard output has only the trace.
	code, stdout, stderr := runWhet(t, "trace", "cut", "--to", "10ms", "-o", "-", "trace.out")
	if code != 0 || !strings.HasPrefix(stdout, "go 1.") || !strings.Contains(stderr, "of trace.out") {
		t.Errorf("exit code %d, %.20q, %s", code, stdout, stderr)
	}
	// The incomplete generation is reported, and complete ones are kept.
	if err := os.WriteFile("off.out", data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runWhet(t, "trace", "cut", "--from", "1ms", "-o", "off.trace", "off.out"); code != 1 ||
		!strings.Contains(stderr, "no complete generation") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, err := os.Stat("off.trace"); err == nil {
		t.Error("a failure left a file")
	}
}

// TestTraceExport writes all formats.
func TestTraceExport(t *testing.T) {
	traceFiles(t)
	code, stdout, stderr := runWhet(t, "trace", "export", "--json", "--perfetto", "a.pftrace", "--chrome", "a.json",
		"--otlp", "b.json", "demo.whet")
	var doc documents.Export
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || strings.Contains(stderr, "warning") {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	if len(doc.Files) != 3 || doc.Files[0].Slices == 0 || doc.Files[0].Slices != doc.Files[1].Slices ||
		doc.Files[0].Counters == 0 {
		t.Errorf("%+v", doc)
	}
	for _, name := range []string{"a.json", "b.json"} {
		data, err := os.ReadFile(name)
		if err != nil || !json.Valid(data) {
			t.Errorf("%s is not JSON: %v", name, err)
		}
		if name == "b.json" && !bytes.Contains(data, []byte(`"example.com/shop"`)) {
			t.Errorf("%s does not name the service: %s", name, data)
		}
	}
	code, stdout, stderr = runWhet(t, "trace", "export", "--chrome", "-", "trace.out")
	if code != 0 || !json.Valid([]byte(stdout)) || !strings.Contains(stderr, "slices") {
		t.Errorf("exit code %d, %.20q, %s", code, stdout, stderr)
	}
}
