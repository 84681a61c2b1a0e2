package costs_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/prove/costs"
)

// TestCompare finds each cost of a version with code instead of BEFORE, LOOP and so on, and none of
// the same version, or of one that is only faster.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	if runtime.GOOS != "linux" {
		t.Skip("not all figures are known")
	}
	base := build(t, "")
	for _, test := range []struct {
		name, code string
		want       []string // beginnings
	}{
		{name: "the same"},
		{name: "a small table", code: "var t = make([]int, 100)\nfunc work() { t[0]++ }"},
		{
			name: "work at the start", code: "var t = table()\nfunc work() { t[0]++ }",
			want: []string{"initialization of packages", "memory allocated by the initialization", "live heap"},
		},
		{
			name: "work in the first call",
			code: "var t []int\nfunc work() {\n\tif t == nil {\n\t\tfor range 15 {\n\t\t\tt = table()\n\t\t}\n\t}\n}",
			want: []string{"the first iteration", "memory allocated by the first iteration", "live heap"},
		},
		{
			name: "goroutines", code: "func work() {\n\tgo func() { select {} }()\n}",
			want: []string{"goroutines left"},
		},
		{
			name: "descriptors", code: "func work() {\n\t_, _ = os.Open(os.DevNull)\n}",
			want: []string{"descriptors left"},
		},
		{
			name: "later", want: []string{"CPU time used in the background"},
			code: "var begun bool\nfunc work() {\n\tif !begun {\n\t\tbegun = true\n\t\ttime.AfterFunc(0, func() {\n" +
				"\t\t\tfor range 30 {\n\t\t\t\t_ = table()\n\t\t\t}\n\t\t})\n\t}\n}",
		},
		{
			name: "more is written", code: "func work() {\n\t_, _ = null.WriteString(\"more\")\n}",
			want: []string{"bytes written"},
		},
		{
			name: "more is read", want: []string{"bytes read"},
			code: "var zero, _ = os.Open(\"/dev/zero\")\nfunc work() {\n\tvar b [8]byte\n\t_, _ = zero.Read(b[:])\n}",
		},
		{
			name: "more calls", want: []string{"system calls that read or write"},
			code: "var empty, _ = os.Open(os.DevNull)\nfunc work() {\n\tvar b [8]byte\n\t_, _ = empty.Read(b[:])\n}",
		},
		{
			name: "peak", code: "func work() {\n\tt := make([]byte, 32<<20)\n\tfor i := range t {\n\t\tt[i] = 1\n\t}\n}",
			want: []string{"peak memory"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := base
			if test.code != "" {
				b = build(t, test.code)
			}
			s := &costs.Subject{
				Package: "example.com/c", Benchmarks: []string{"BenchmarkWork"}, Temp: t.TempDir(),
				Run: [2]costs.Process{base, b},
			}
			found, err := s.Compare(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range found {
				got = append(got, c.String())
			}
			for _, want := range test.want {
				if !strings.Contains("\n"+strings.Join(got, "\n"), "\n"+want) {
					t.Errorf("no %s: %q", want, got)
				}
			}
			if len(test.want) == 0 && len(got) > 0 {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestCompileTime checks that only a package that takes much longer each time is reported.
func TestCompileTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		b        []time.Duration
		attempts int
		found    bool
	}{
		{"the same", []time.Duration{0}, 1, false},
		{"once by chance", []time.Duration{700 * time.Millisecond, 0}, 2, false},
		{"much longer", []time.Duration{700 * time.Millisecond, 700 * time.Millisecond, 600 * time.Millisecond}, 3, true},
	} {
		attempts := 0
		got, err := costs.CompileTime(t.Context(), "example.com/c", [2]func(context.Context, int) error{
			func(context.Context, int) error { return nil },
			func(_ context.Context, attempt int) error {
				time.Sleep(test.b[attempt])
				attempts++
				return nil
			},
		})
		if err != nil || attempts != test.attempts || (len(got) == 1) != test.found {
			t.Errorf("%s: %v, %v after %d attempts", test.name, got, err, attempts)
		}
	}
}

// TestSize compares the sizes of programs.
func TestSize(t *testing.T) {
	idle := func(context.Context, []string, ...string) (string, int64, error) { return "", 0, nil }
	for size, want := range map[int64]string{
		3 << 20: "", 3<<20 + 100<<10: "", 8 << 20: "size of the test program: from 3MB to 8MB (example.com/c)",
	} {
		s := &costs.Subject{Package: "example.com/c", Run: [2]costs.Process{idle, idle}, Size: [2]int64{3 << 20, size}}
		found, err := s.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range found {
			got += c.String()
		}
		if got != want {
			t.Errorf("%d: %q, want %q", size, got, want)
		}
	}
}

const module = `
-- go.mod --
module example.com/c

go 1.26
-- c.go --
package c

import (
	"os"
	"time"
)

var (
	null, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	sink    []int
	_       time.Duration
)

func table() []int {
	t := make([]int, 1<<20)
	for i := range t {
		t[i] = i * i % 7
	}
	return t
}
-- c_test.go --
package c

import "testing"

func BenchmarkWork(b *testing.B) {
	for b.Loop() {
		work()
	}
}
`

// build builds the module's tests with a function work, and probes.
func build(t *testing.T, code string) costs.Process {
	t.Helper()
	dir := t.TempDir()
	archive := txtar.Parse([]byte(module))
	if code == "" {
		code = "func work() { sink = append(sink[:0], 1) }"
	}
	header := "package c\n\nimport (\n\t\"os\"\n\t\"time\"\n)\n\nvar _, _ = os.Args, time.Now\n\n"
	archive.Files = append(archive.Files, txtar.File{Name: "work.go", Data: []byte(header + code)})
	archive.Files = append(archive.Files, txtar.File{
		Name: "zz_test.go", Data: costs.Probe("c", []string{"BenchmarkWork"}),
	})
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "c.test")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(ctx context.Context, env []string, flags ...string) (string, int64, error) {
		cmd := exec.CommandContext(ctx, program, flags...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return string(out), costs.PeakMemory(cmd.ProcessState), err
	}
}

// TestOldModule compiles the probes in a module whose go.mod asks for an old Go.
func TestOldModule(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the probes are for Unix")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module example.com/c\n\ngo 1.7\n",
		"c_test.go":  "package c\n\nimport \"testing\"\n\nfunc BenchmarkWork(b *testing.B) {}\n",
		"zz_test.go": string(costs.Probe("c", []string{"BenchmarkWork"})),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", os.DevNull, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
