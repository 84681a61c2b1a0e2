package oracletest

import (
	"bytes"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
)

// An Oracle has profiles, and the program from which two of them were recorded.
type Oracle struct {
	Binary string
	Cpu    string
	files  []string
}

// NewOracle records profiles, and finds those of the corpus. It skips the test in short mode and
// without a go command.
func NewOracle(t *testing.T) *Oracle {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	_, here, _, _ := runtime.Caller(0)
	here = filepath.Dir(here)
	dir := t.TempDir()
	o := &Oracle{Binary: filepath.Join(dir, "burn"), Cpu: filepath.Join(dir, "burn.cpu")}
	for _, cmd := range []*exec.Cmd{
		exec.CommandContext(t.Context(), "go", "build", "-o", o.Binary, filepath.Join(here, "testdata", "burn")),
		exec.CommandContext(t.Context(), o.Binary, dir),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	o.files = []string{o.Cpu, filepath.Join(dir, "burn.heap"), CompilerProfile(t)}
	shared := os.Getenv("WHET_SHARED")
	if shared == "" {
		shared = filepath.Join(here, "..", "..", "..", "..", "shared")
	}
	corpus, err := filepath.Glob(filepath.Join(shared, "corpus", "profiles", "*"))
	if err != nil {
		t.Fatal(err)
	}
	o.files = append(o.files, corpus...)
	return o
}

// Profiles reads the files one at a time.
func (o *Oracle) Profiles(t *testing.T) iter.Seq2[string, *profile.Profile] {
	return func(yield func(string, *profile.Profile) bool) {
		for _, file := range o.files {
			p, err := profile.ReadFile(file, profile.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !yield(file, p) {
				return
			}
		}
	}
}

// CompilerProfile returns the path of the profile that the Go compiler is built with.
func CompilerProfile(t *testing.T) string {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src", "cmd", "compile", "default.pgo")
}

// pprofPath returns the path of pprof in the go command's cache, to avoid starting the go command
// each time.
var pprofPath = sync.OnceValues(func() (string, error) { //nolint:gochecknoglobals // asked for once
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})

// RunPprof runs go tool pprof and returns its stdout.
func RunPprof(t *testing.T, args ...string) string {
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

// Bind returns a view of the profile's default sample type.
func Bind(t *testing.T, p *profile.Profile, q profile.Query) *profile.View {
	t.Helper()
	q.Type = -1
	v, err := p.View(q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// SmallestUnit returns the value of pprof's -unit for unconverted values.
func SmallestUnit(t *testing.T, v *profile.View) string {
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

// WriteString returns the output of write as a string.
func WriteString(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// CutAtLast is strings.Cut at the last sep.
func CutAtLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// DecodePprof decodes as go tool pprof does before it reports.
func DecodePprof(t *testing.T, file string) *pprof.Profile {
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

// ClipText shortens the text of a failure.
func ClipText(s string) string {
	if len(s) > 4000 {
		return s[:4000] + "…"
	}
	return s
}

// A Sample is a stack, outermost first, as "function" or "function:line",
// with ">" before a frame that is inlined into the one before it.
type Sample struct {
	Stack  string
	Values []int64
	Labels map[string][]string
}

// Profile builds a profile of the given samples. All functions of package p
// are in p.go.
func Profile(t *testing.T, types string, samples ...Sample) *profile.Profile {
	t.Helper()
	p := &pprof.Profile{PeriodType: &pprof.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10}
	for st := range strings.FieldsSeq(types) {
		typ, unit, _ := strings.Cut(st, "/")
		p.SampleType = append(p.SampleType, &pprof.ValueType{Type: typ, Unit: unit})
	}
	m := &pprof.Mapping{ID: 1, Start: 0x1000, Limit: 0x9000, File: "/bin/prog", HasFunctions: true}
	p.Mapping = []*pprof.Mapping{m}
	functions := make(map[string]*pprof.Function)
	locations := make(map[string]*pprof.Location)
	for _, s := range samples {
		ps := &pprof.Sample{Value: s.Values, Label: s.Labels}
		var group []string // an outer frame and the frames inlined into it
		flush := func() {
			if len(group) == 0 {
				return
			}
			key := strings.Join(group, " ")
			l := locations[key]
			if l == nil {
				l = &pprof.Location{ID: uint64(len(locations) + 1), Mapping: m, Address: 0x1000 + uint64(len(locations))*16}
				for i := len(group) - 1; i >= 0; i-- {
					name, line := strings.TrimPrefix(group[i], ">"), 1
					if n, num, ok := CutAtLast(name, ":"); ok {
						var err error
						if line, err = strconv.Atoi(num); err != nil {
							t.Fatal(err)
						}
						name = n
					}
					f := functions[name]
					if f == nil {
						pkg, _, _ := strings.Cut(name, ".")
						f = &pprof.Function{
							ID: uint64(len(functions) + 1), Name: name, SystemName: name, Filename: "/src/" + pkg + ".go",
							StartLine: 1,
						}
						functions[name] = f
						p.Function = append(p.Function, f)
					}
					l.Line = append(l.Line, pprof.Line{Function: f, Line: int64(line)})
				}
				locations[key] = l
				p.Location = append(p.Location, l)
			}
			ps.Location = append([]*pprof.Location{l}, ps.Location...)
			group = nil
		}
		for _, f := range strings.Fields(s.Stack) {
			if !strings.HasPrefix(f, ">") {
				flush()
			}
			group = append(group, f)
		}
		flush()
		p.Sample = append(p.Sample, ps)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := profile.Parse(b.Bytes(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// PprofValue parses a value that pprof wrote in its smallest unit.
func PprofValue(t *testing.T, s string) int64 {
	t.Helper()
	if s == "." {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "nusB"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Calls returns a profile of a function with its own cost, calls, inlined calls of two
// levels, and recursion through two of its lines.
func Calls(t *testing.T) *profile.Profile {
	return Profile(t, "samples/count cpu/nanoseconds",
		Sample{Stack: "main.main:3 main.f:12", Values: []int64{1, 10}},
		Sample{Stack: "main.main:3 main.f:13 lib.g:2", Values: []int64{2, 20}},
		Sample{Stack: "main.main:3 main.f:13 lib.h:4", Values: []int64{1, 10}},
		Sample{Stack: "main.main:3 main.f:14 >lib.inl:6 >lib.deep:8", Values: []int64{3, 30}},
		Sample{Stack: "main.main:3 main.f:14 >lib.inl:7 lib.g:2", Values: []int64{1, 10}},
		Sample{Stack: "main.main:3 main.f:15 main.f:16 main.f:15 main.f:12", Values: []int64{1, 10}},
	)
}

// Sources returns the source of main.go and lib.go, in which line 1 begins a function.
func Sources(name string) ([]string, string, error) {
	if path.Base(name) != "main.go" && path.Base(name) != "lib.go" {
		return nil, "", fmt.Errorf("find %s: %w", name, fs.ErrNotExist)
	}
	lines := make([]string, 30)
	for i := range lines {
		lines[i] = fmt.Sprintf("\t%s line %d", path.Base(name), i+1)
	}
	lines[0] = "func f() {"
	return lines, "/found/" + path.Base(name), nil
}
