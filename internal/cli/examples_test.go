package cli_test

import (
	"bytes"
	"context"
	"crypto/sha512"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/cli"
)

// runWhet runs whet in the current directory and returns its output, without the progress lines
// that appear every five seconds: how many there are depends on the machine.
func runWhet(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), regexp.MustCompile(
		`(?m)^whet: ([0-9.]+[hm])*[0-9.]+m?s( of [0-9.hms]+)?  .*\n`,
	).ReplaceAllString(errs.String(), "")
}

// TestExamples runs the examples of the help texts unchanged, in a directory with the profiles of
// the tests and with the test's server for http://localhost:6060. Examples that need more than that
// have separate tests.
func TestExamples(t *testing.T) {
	elsewhere := map[string]bool{
		"record": true, // measures for seconds: record's own tests
		"load":   true, // the same; TestLoadExamples runs them shortened
		"bench":  true, // the same; TestBenchExamples
		"man":    true, // its example runs man
		"pgo":    true, // builds and measures; TestPGO
		"find":   true, // builds; TestFind
		"notes":  true, // the same; TestFind
		"fix":    true, // the same; TestFix
		"prove":  true, // needs a repository; TestProve
		"trace":  true, // needs traces; TestTrace
		"watch":  true, // needs a service that gets slow; TestWatch
		"mcp":    true, // talks to a client; TestMCPExamples
		"ui":     true, // serves until it is ended; TestServed
		"serve":  true, // the same
		"push":   true, // need a store; TestStoreExamples
		"query":  true,
		"store":  true,

		// These need a process, a binary or a live service; other tests run their examples.
		"disasm": true, "goroutines": true, "memory": true,
	}
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove("demo.whet"); err != nil {
		t.Fatal(err)
	}
	if err := writeRecording("demo.whet", cpuProfile(400), heapProfile(), mutexProfile(), sampled(t)); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(pprofHandler(dir, ""))
	defer s.Close()

	_, help, _ := runWhet(t, "--help")
	commands := 0
	for line := range strings.Lines(help) {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), " ")
		if !ok || !strings.HasPrefix(line, "  ") || strings.HasPrefix(name, "-") || name == "" || name == "whet" ||
			name == "help" || name == "completion" {
			continue
		}
		commands++
		code, help, stderr := runWhet(t, name, "--help")
		if code != 0 {
			t.Fatalf("whet %s --help: exit code %d\n%s", name, code, stderr)
		}
		examples := exampleLines(help)
		if len(examples) == 0 && name != "pprof" { // whose help is google/pprof's
			t.Errorf("whet %s --help has no example", name)
		}
		if elsewhere[name] {
			continue
		}
		for _, example := range examples {
			t.Run(example, func(t *testing.T) {
				if !strings.HasPrefix(example, "whet "+name) || strings.Contains(example, " --open") {
					t.Skip("not a whet command, or one that needs a browser")
				}
				line, _, _ := strings.Cut(example, " > ")
				line, _, _ = strings.Cut(line, " | ")
				args := shellFields(strings.ReplaceAll(line, "http://localhost:6060", s.URL))
				if strings.Contains(line, " --live ") {
					args = append(args, "--duration", "1s") // it does not end
				}
				code, stdout, stderr := runWhet(t, args[1:]...)
				if code != 0 || stdout == "" && stderr == "" {
					t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
				}
			})
		}
	}
	if commands < 7 {
		t.Fatalf("found %d commands in\n%s", commands, help)
	}
}

// sampled makes a trace with CPU samples.
func sampled(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 1<<20)
	for range 300 { // a third of a second of CPU time
		sum := sha512.Sum512(text)
		copy(text, sum[:])
	}
	pprof.StopCPUProfile()
	trace.Stop()
	return out.Bytes()
}

// exampleLines returns the lines below "Examples:" of a help text.
func exampleLines(help string) []string {
	_, rest, ok := strings.Cut(help, "Examples:\n")
	if !ok {
		return nil
	}
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(rest, " \\\n   ", "")) { // an example may go on below
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		line, _, _ = strings.Cut(line, "  #")
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// shellFields splits a command line at blanks that are not in quotes.
func shellFields(s string) []string {
	var out []string
	var field strings.Builder
	quote, any := rune(0), false
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, any = r, true
		case quote == 0 && r == ' ':
			if any {
				out = append(out, field.String())
			}
			field.Reset()
			any = false
		default:
			field.WriteRune(r)
			any = true
		}
	}
	if any {
		out = append(out, field.String())
	}
	return out
}

// TestPanic checks that a panic in whet results in a clear message.
func TestPanic(t *testing.T) {
	var errs bytes.Buffer
	code := cli.Main(t.Context(), []string{"version"}, nil, panickingWriter{}, &errs)
	if code != 1 || !strings.Contains(errs.String(), "whet: internal error: out of paper") ||
		!strings.Contains(errs.String(), "hint: this is a bug") {
		t.Errorf("exit code %d, stderr:\n%s", code, errs.String())
	}
}

type panickingWriter struct{}

func (panickingWriter) Write([]byte) (int, error) { panic("out of paper") }

// TestWriteError checks that whet fails if it cannot write a result.
func TestWriteError(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if code := cli.Main(t.Context(), []string{"version"}, nil, f, &errs); code != 1 ||
		!strings.Contains(errs.String(), "whet: write result: ") {
		t.Errorf("exit code %d, stderr:\n%s", code, errs.String())
	}
}

// TestCanceled checks that a command ends early if its context is canceled.
func TestCanceled(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := cli.Main(ctx, []string{"top", filepath.Join(dir, "cpu.pb.gz")}, nil, &out, &errs); code != 1 ||
		errs.String() != "whet: interrupted\n" {
		t.Errorf("exit code %d, stderr:\n%s", code, errs.String())
	}
}

// TestStoreExamples runs the examples of the commands for stores in turn: the first ones fill it.
func TestStoreExamples(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"load.json":  `{"schema": "whet.load/2", "started": "2026-05-04T03:00:00Z", "rate": 1234.4}`,
		"proof.json": `{"schema": "whet.prove/1", "module": "example.com/shop", "outcome": "faster"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"init -q", "-c user.name=W -c user.email=w@example.com commit -q --allow-empty -m first",
	} {
		cmd := exec.CommandContext(t.Context(), "git", strings.Fields(args)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Chdir(dir)
	for _, version := range []string{"v1", "v2"} {
		if code, _, stderr := runWhet(t, "push", "cpu.pb.gz", "--store", "profiles", "--service", "shop", "--label",
			"version="+version); code != 0 {
			t.Fatal(stderr)
		}
	}
	ran := 0
	for _, name := range []string{"push", "query", "store"} {
		_, help, _ := runWhet(t, name, "--help")
		for _, example := range exampleLines(help) {
			if strings.Contains(example, "://") || strings.Contains(example, ".whet") {
				continue // TestStore in internal/server/workbench has a server, and TestClickHouse
			}
			if code, stdout, stderr := runWhet(t, shellFields(example)[1:]...); code != 0 || stdout+stderr == "" {
				t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
			}
			ran++
		}
	}
	if ran < 9 {
		t.Errorf("only %d examples ran", ran)
	}
}
