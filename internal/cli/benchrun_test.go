package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/recording"
)

// suite is a module with benchmarks that succeed, and one, in another package, that fails.
const suite = `
-- go.mod --
module example.com/m

go 1.26
-- encode/encode_test.go --
package encode

import (
	"strings"
	"testing"
)

var sink string

func BenchmarkJSON(b *testing.B) {
	for _, name := range []string{"small", "a/b"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink = strings.Repeat("x", 100)
			}
		})
	}
}

func BenchmarkXML(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = strings.Repeat("x", 200)
	}
	b.ReportMetric(3, "widgets/op")
}
-- decode/decode_test.go --
package decode

import "testing"

func BenchmarkJSON(b *testing.B) {
	for b.Loop() {
	}
}
-- bad/bad_test.go --
package bad

import (
	"os"
	"testing"
)

func BenchmarkExit(b *testing.B) {
	println("last words")
	os.Exit(3)
}

func BenchmarkLater(b *testing.B) {
	for b.Loop() {
	}
	if b.N > 1 {
		b.Fatal("it is wrong")
	}
}
-- broken/broken_test.go --
package broken

func BenchmarkX(b *testing.B) {}
`

func inSuite(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	for _, f := range txtar.Parse([]byte(suite)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOGC", "55")
	// Journals are in another directory, but the build cache is shared.
	if os.Getenv("GOCACHE") == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

// commit makes the current directory a repository with all its files on the branch main.
func commit(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// TestBenchExamples runs the examples of whet bench and whet bench profile, shortened.
func TestBenchExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	inSuite(t)
	for _, dir := range []string{"bad", "broken"} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	// Two builds: the commit of a branch, and a directory next to this one.
	commit(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(filepath.Dir(here), "old"), os.DirFS(here)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("old.txt", benchResults(1000), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"bench"}, {"bench", "profile"}} {
		_, help, _ := runWhet(t, append(command, "--help")...)
		examples := exampleLines(help)
		if len(examples) < 3 {
			t.Fatalf("%d examples in\n%s", len(examples), help)
		}
		for _, example := range examples {
			args := shellFields(example)[1:]
			switch {
			case len(args) > 1 && args[1] == "profile":
				args = append(args, "--benchtime", "1ms", "--force")
			case slices.ContainsFunc(args,
				func(arg string) bool { return arg == "--base" || arg == "--a" || arg == "--b-flags" }):
				args = append(args, "--bench", "XML", "--max-time", "300ms")
			case args[0] == "bench" && (len(args) == 1 || args[1] != "compare"):
				args = append(args, "--count", "2", "--benchtime", "1x")
			}
			code, stdout, stderr := runWhet(t, args...)
			if code != 0 || stdout == "" || strings.Contains(stderr, "hint") && args[0] == "bench" {
				t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
			}
		}
	}
}

// TestBenchRun checks that failing benchmarks are named and the others measured, and that other
// tools can read the files.
func TestBenchRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	inSuite(t)
	t.Setenv("COLUMNS", "80")
	code, stdout, stderr := runWhet(t, "bench", "-count", "6", "-benchtime=3x", "-cpu", "1,2", "-o", "out.txt",
		"--seed", "7")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"pkg: example.com/m/encode\n", "gogc: 55\n", "sec/op", "B/op  ±  allocs/op", "widgets/op", "JSON/small ",
		"JSON/a/b-2 ", "XML-2 ", "geomean",
		"48 rounds of 8 benchmarks in ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	for line := range strings.Lines(stdout) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{
		"whet: BenchmarkExit of example.com/m/bad: exit status 3\n", "  | last words\n",
		"hint: `go test -run '^$' -bench '^BenchmarkExit$' example.com/m/bad` runs it alone",
		"whet: BenchmarkLater of example.com/m/bad: it failed\n", "it is wrong",
		"whet: build the tests of example.com/m/broken: ", "undefined: testing",
		"whet: encode.BenchmarkXML: done, ", "whet: bad.BenchmarkLater: failed", "wrote out.txt",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}

	// The file is for benchstat, and for whet.
	text, err := os.ReadFile("out.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\ngomaxprocs: 1\n", "\ngomaxprocs: 2\n", "\ngogc: 55\n", "\npkg: example.com/m/decode\n",
		"BenchmarkXML-2 3 ", " 3 widgets/op",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := bytes.Count(text, []byte("\nBenchmark")); n != 48 {
		t.Errorf("%d results", n)
	}
	other := bytes.ReplaceAll(text, []byte("gogc: 55"), []byte("gogc: off"))
	if err := os.WriteFile("other.txt", other, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := runWhet(t, "bench", "compare", "out.txt", "other.txt"); code != 0 ||
		!strings.Contains(stdout, "only in") && !strings.Contains(stdout, "~") || strings.Contains(stdout, "only in") {
		t.Errorf("runs that differ in what describes them are not compared: %d\n%s%s", code, stdout, stderr)
	}

	code, stdout, _ = runWhet(t, "bench", "./encode", "./bad", "--bench", "XML|Exit", "--count", "2",
		"--benchtime", "2x", "--json", "--flags", "GOGC=off")
	var doc rounds.Result
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 1 {
		t.Fatalf("exit code %d, %v\n%s", code, err, stdout)
	}
	if doc.Schema != rounds.Schema || doc.GOGC != "off" || doc.Go == "" || len(doc.Benchmarks) != 1 ||
		len(doc.Benchmarks[0].Rounds) != 2 || doc.Benchmarks[0].Rounds[0].Values["widgets/op"] != 3 ||
		doc.Benchmarks[0].Rounds[1].Iterations != 2 || len(doc.Binaries) != 1 ||
		len(doc.Failures) != 1 || doc.Failures[0].Benchmark != "BenchmarkExit" || doc.Summary.Schema != bench.Schema {
		t.Errorf("%+v", doc)
	}

	for args, want := range map[string]string{
		"--bench=None":   "hint: leave out --bench",
		"--bench=(":      "error parsing regexp",
		"./absent":       "absent",
		"compar a b":     "compar",
		"./bad -o x.txt": "whet: BenchmarkExit of example.com/m/bad",
	} {
		code, stdout, stderr := runWhet(t,
			append([]string{"bench", "--count=1", "--benchtime=2x"}, strings.Fields(args)...)...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// canceling cancels when a text is written to it.
type canceling struct {
	bytes.Buffer
	text   string
	cancel func()
}

func (c *canceling) Write(p []byte) (int, error) {
	n, err := c.Buffer.Write(p)
	if strings.Contains(c.String(), c.text) {
		c.cancel()
	}
	return n, err
}

// TestBenchInterrupted checks that Ctrl-C keeps what was measured and shows it.
func TestBenchInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	inSuite(t)
	temp := t.TempDir() // other packages' tests leave files in the usual one meanwhile
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	// The benchmark that fails in its first round has no more rounds, unlike the others.
	stderr := &canceling{text: "BenchmarkLater: failed", cancel: cancel}
	code := cli.Main(ctx, []string{
		"bench", "./decode", "./encode", "./bad", "--bench", "JSON|Later", "--count", "1000000", "--benchtime", "2x",
		"--seed", "3",
	}, nil, &stdout, stderr)
	if code != 1 || !strings.Contains(stdout.String()+stderr.String(), "interrupted") {
		t.Errorf("exit code %d\n%s%s", code, &stdout, stderr)
	}
	left, err := filepath.Glob(filepath.Join(temp, "whet-bench-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}

// TestBenchProfile checks that each benchmark has a recording that contains nothing of the others.
func TestBenchProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	inSuite(t)
	code, stdout, stderr := runWhet(t, "bench", "profile", "./...", "--bench", "JSON|XML|Exit", "--benchtime", "20ms",
		"-o", "out", "--json")
	var doc benchmarks.Profiles
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 1 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	var paths []string
	for _, r := range doc.Recordings {
		paths = append(paths, filepath.ToSlash(r.Path))
	}
	if want := []string{
		"out/decode.JSON.whet", "out/encode.JSON_small.whet", "out/encode.JSON_a_b.whet", "out/encode.XML.whet",
	}; !slices.Equal(paths, want) || doc.Schema != benchmarks.ProfilesSchema {
		t.Errorf("recordings %q", paths)
	}
	if len(doc.Failures) != 1 || doc.Failures[0].Benchmark != "BenchmarkExit" {
		t.Errorf("failures %+v", doc.Failures)
	}
	rec, err := recording.Open(filepath.Join("out", "encode.XML.whet"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rec.Close() }()
	if got := fmt.Sprint(rec.ProfileNames()); got != "[cpu allocs block mutex]" {
		t.Errorf("profiles %s", got)
	}
	if m := rec.Meta(); m.Target.Pattern != "example.com/m/encode" || m.Target.Bench != "^BenchmarkXML$" ||
		!slices.ContainsFunc(m.Parts, func(p recording.Part) bool { return p.Name == recording.TracePart }) {
		t.Errorf("meta %+v", m)
	}
	if code, _, stderr := runWhet(t, "bench", "profile", "./encode", "-o", "out"); code != 1 ||
		!strings.Contains(stderr, "the file exists, and 2 others\nhint: --force replaces them") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	code, stdout, stderr = runWhet(t, "bench", "profile", "./encode", "--bench", "XML", "--benchtime", "100ms",
		"-o", "out", "--force")
	if code != 0 || !strings.HasPrefix(stdout, filepath.Join("out", "encode.XML.whet")+"\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestBenchProfileInterrupted checks that Ctrl-C keeps finished recordings, and no others.
func TestBenchProfileInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	inSuite(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout := &canceling{text: "encode.JSON_small.whet", cancel: cancel}
	var stderr bytes.Buffer
	code := cli.Main(ctx, []string{"bench", "profile", "./encode", "--benchtime", "5ms"}, nil, stdout, &stderr)
	if code != 0 || stderr.String() != "whet: interrupted; recorded 1 of 3 benchmarks\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout, &stderr)
	}
	files, err := filepath.Glob("*.whet*")
	if err != nil || !slices.Equal(files, []string{"encode.JSON_small.whet"}) {
		t.Errorf("files %q, %v", files, err)
	}
}
