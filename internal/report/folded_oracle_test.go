package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
)

// TestAgainstPprof compares the views with go tool pprof's, or with sums over
// what google/pprof decodes, on real profiles: the compiler's own from GOROOT,
// CPU and heap profiles recorded here, and the corpus when it is at hand.
func TestAgainstPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	o := newOracle(t)
	for _, file := range o.files {
		p, err := profile.ReadFile(file, profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Run("folded", func(t *testing.T) { testFoldedOracle(t, file, p) })
			t.Run("raw", func(t *testing.T) { testRawOracle(t, file, p) })
			t.Run("callgrind", func(t *testing.T) { testCallgrindOracle(t, file, p) })
			t.Run("speedscope", func(t *testing.T) { testSpeedscopeAgainstFolded(t, p) })
			t.Run("list", func(t *testing.T) { testListOracle(t, file, p) })
		})
	}
	t.Run("diff", func(t *testing.T) { testDiffOracle(t, compilerProfile(t)) })
	t.Run("disasm", func(t *testing.T) { testDisasmOracle(t, o) })
}

// An oracle has profiles, and the program that two of them are of.
type oracle struct {
	binary string
	cpu    string
	files  []string
}

func newOracle(t *testing.T) *oracle {
	dir := t.TempDir()
	o := &oracle{binary: filepath.Join(dir, "burn"), cpu: filepath.Join(dir, "burn.cpu")}
	for _, cmd := range []*exec.Cmd{
		exec.CommandContext(t.Context(), "go", "build", "-o", o.binary, "./testdata/burn"),
		exec.CommandContext(t.Context(), o.binary, dir),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	o.files = []string{o.cpu, filepath.Join(dir, "burn.heap"), compilerProfile(t)}
	shared := os.Getenv("WHET_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	corpus, err := filepath.Glob(filepath.Join(shared, "corpus", "profiles", "*"))
	if err != nil {
		t.Fatal(err)
	}
	o.files = append(o.files, corpus...)
	return o
}

// compilerProfile is the profile that the Go compiler is built with.
func compilerProfile(t *testing.T) string {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src", "cmd", "compile", "default.pgo")
}

// pprofPath is where the go command keeps pprof, which saves starting the go
// command each time.
var pprofPath = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})

// runPprof runs go tool pprof and returns what it writes to stdout.
func runPprof(t *testing.T, args ...string) string {
	t.Helper()
	path, err := pprofPath()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"-symbolize=none"}, args...)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, &stderr)
	}
	return string(out)
}

// bind makes a view of the profile's default sample type.
func bind(t *testing.T, p *profile.Profile, q profile.Query) *profile.View {
	t.Helper()
	q.Type = -1
	v, err := p.View(q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// smallestUnit is what pprof's -unit takes to write values as they are.
func smallestUnit(t *testing.T, v *profile.View) string {
	switch u := v.Type().Unit; u {
	case "nanoseconds":
		return "ns"
	case "microseconds":
		return "us"
	case "bytes":
		return "B"
	case "count":
		return "count"
	default:
		t.Fatalf("no unit for %q", u)
		return ""
	}
}

// writeString runs a report into a string.
func writeString(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func foldedOf(t *testing.T, v *profile.View) map[string]int64 {
	t.Helper()
	return parseFolded(t, writeString(t, func(b *bytes.Buffer) error { return Folded(b, v) }))
}

func parseFolded(t *testing.T, text string) map[string]int64 {
	t.Helper()
	m := make(map[string]int64)
	for line := range strings.Lines(text) {
		stack, value, ok := cutAtLast(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil {
			t.Fatalf("not a folded line: %q", line)
		}
		if _, twice := m[stack]; twice {
			t.Fatalf("stack is there twice: %q", stack)
		}
		m[stack] = n
	}
	return m
}

func cutAtLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// decodePprof decodes as go tool pprof does before it reports.
func decodePprof(t *testing.T, file string) *pprof.Profile {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pprof.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	if err := p.RemoveUninteresting(); err != nil {
		t.Fatal(err)
	}
	return p
}

func testFoldedOracle(t *testing.T, file string, p *profile.Profile) {
	v := bind(t, p, profile.Query{})
	ref := decodePprof(t, file)
	typ := -1
	for i, st := range ref.SampleType {
		if st.Type == v.Type().Type {
			typ = i
		}
	}
	want := make(map[string]int64)
	var total int64
	for _, s := range ref.Sample {
		var names []string
		for i := len(s.Location) - 1; i >= 0; i-- {
			l := s.Location[i]
			for j := len(l.Line) - 1; j >= 0; j-- {
				names = append(names, foldedEscape(l.Line[j].Function.Name))
			}
			if len(l.Line) == 0 {
				object := ""
				if l.Mapping != nil {
					object = l.Mapping.File
				}
				names = append(names, foldedEscape(frameName(profile.Node{Object: object})))
			}
		}
		stack := strings.Join(names, ";")
		if stack == "" {
			stack = "[no stack]"
		}
		want[stack] += s.Value[typ]
		total += s.Value[typ]
		if want[stack] == 0 {
			delete(want, stack)
		}
	}
	got := foldedOf(t, v)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stacks differ (-google/pprof +whet):\n%s", clipText(diff))
	}
	var sum int64
	for _, x := range got {
		sum += x
	}
	if sum != total || sum == 0 {
		t.Errorf("lines add up to %d, the samples to %d", sum, total)
	}
}

// clip keeps a failure readable.
func clipText(s string) string {
	if len(s) > 4000 {
		return s[:4000] + "…"
	}
	return s
}
