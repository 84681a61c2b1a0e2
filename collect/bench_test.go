package collect

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// benchModule is a module with one package for each way benchmarks go.
const benchModule = `
-- go.mod --
module example.com/m

go 1.24
-- good/good_test.go --
package good

import ("strings"; "testing")

func BenchmarkRepeat(b *testing.B) {
	for b.Loop() { repeat() }
}

//go:noinline
func repeat() string { return strings.Repeat("x", 1000) }
-- also/also_test.go --
package also

import "testing"

func BenchmarkMake(b *testing.B) {
	b.Run("sub", func(b *testing.B) { for b.Loop() { sink = make([]byte, 4096) } })
}

var sink []byte
-- fails/f_test.go --
package fails

import "testing"

func BenchmarkFine(b *testing.B) { for b.Loop() {} }
func BenchmarkBroken(b *testing.B) { b.Fatal("wrong answer") }
-- panics/p_test.go --
package panics

import "testing"

func BenchmarkBoom(b *testing.B) { panic("boom") }
-- broken/b_test.go --
package broken

func BenchmarkX(b *testing.B) {}
-- notests/n.go --
package notests
-- nobench/n_test.go --
package nobench

import "testing"

func TestX(t *testing.T) {}
`

func writeModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(benchModule)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBench(t *testing.T) {
	t.Parallel()
	dir := writeModule(t)
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(t.Context(), Options{Packages: []string{"./good"}, Dir: dir, Out: out, Duration: 300 * time.Millisecond, Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Failures) > 0 {
		t.Error(sum.Failures)
	}
	r := openRecording(t, out)
	if got, want := r.ProfileNames(), []string{"cpu", "allocs", "block", "mutex"}; !slices.Equal(got, want) {
		t.Errorf("profiles %q, want %q", got, want)
	}
	p, err := r.Profile("allocs")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Functions, func(f profile.Function) bool { return f.Name == "example.com/m/good.repeat" }) {
		t.Error("allocs lacks the benchmark's function")
	}
	if c, err := r.Profile("cpu"); err != nil || len(c.Mappings) == 0 || filepath.Base(c.Mappings[0].File) != "good.test" {
		t.Errorf("cpu is not of good.test: %v", err)
	}
	if text := readPart(t, r, recording.BenchPart); bytes.Count(text, []byte("BenchmarkRepeat")) != 2 || !bytes.Contains(text, []byte("allocs/op")) {
		t.Errorf("bench.txt:\n%s", text)
	}
	m := r.Meta()
	if m.Target.String() != "./good" || m.Build == nil || m.Build.Main.Path != "example.com/m" || m.GOMAXPROCS == 0 {
		t.Errorf("meta %+v", m)
	}
	src := filepath.Join(dir, "good", "good_test.go")
	if data, ok := r.SourceFile(src); !ok || !bytes.Contains(data, []byte("BenchmarkRepeat")) {
		t.Errorf("source %s is missing: %q", src, r.Sources())
	}
	checkTrace(t, bytes.NewReader(readPart(t, r, recording.TracePart)))
}

// TestBenchMany has packages that go wrong in every way; the others are recorded
// and merged.
func TestBenchMany(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(t.Context(), Options{Packages: []string{"./..."}, Dir: writeModule(t), Out: out, BenchTime: "50ms", Trace: -1})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range sum.Failures {
		all.WriteString(f.Error() + "\n")
	}
	for _, want := range []string{"example.com/m/broken", "undefined: testing", "example.com/m/fails: failed: BenchmarkBroken", "example.com/m/panics: panic: boom"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("failures lack %q:\n%s", want, all.String())
		}
	}
	if len(sum.Failures) != 3 {
		t.Errorf("%d failures:\n%s", len(sum.Failures), all.String())
	}
	r := openRecording(t, out)
	names := r.ProfileNames()
	for _, want := range []string{"cpu", "allocs", "example.com/m/good/allocs", "example.com/m/also/allocs"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %q", want, names)
		}
	}
	sumOf := func(name string) (total int64) {
		p, err := r.Profile(name)
		if err != nil {
			t.Error(err)
			return 0
		}
		typ, err := p.TypeIndex("alloc_space")
		if err != nil {
			t.Error(err)
			return 0
		}
		for i := range p.NumSamples() {
			total += p.Value(i, typ)
		}
		return total
	}
	var parts int64
	for _, n := range names {
		if strings.HasSuffix(n, "/allocs") {
			parts += sumOf(n)
		}
	}
	if whole := sumOf("allocs"); whole != parts {
		t.Errorf("merged allocs %d, parts %d", whole, parts)
	}
}

func TestBenchErrors(t *testing.T) {
	t.Parallel()
	dir := writeModule(t)
	for name, tc := range map[string]struct {
		pattern, bench string
		reason         string
	}{
		"no benchmark": {"./nobench", "", "no package has benchmarks"},
		"no match":     {"./good", "Nope", `no benchmark matches "Nope"`},
		"no tests":     {"./notests", "", "no package has benchmarks"},
		"broken":       {"./broken", "", "undefined: testing"},
		"no package":   {"./nowhere", "", "nowhere"},
		"bad regexp":   {"./good", "(", "missing closing )"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "r.whet")
			_, err := Run(t.Context(), Options{Packages: []string{tc.pattern}, Bench: tc.bench, Dir: dir, Out: out})
			if err == nil || !strings.Contains(err.Error(), tc.reason) {
				t.Errorf("%v (hint %s)", err, diag.Hint(err))
			}
			if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
				t.Errorf("files left: %q", left)
			}
		})
	}
}

// TestBenchInterrupted cancels during the first run.
func TestBenchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "r.whet")
	_, err := Run(ctx, Options{
		Packages: []string{"./good"}, Dir: writeModule(t), Out: out, BenchTime: "1h",
		Progress: func(p Progress) {
			if len(p.Running) > 0 && strings.HasPrefix(p.Running[0], "benchmarks") {
				cancel()
			}
		},
	})
	if err == nil || !strings.Contains(err.Error(), "example.com/m/good: interrupted") {
		t.Fatalf("nothing was measured, but: %v", err)
	}
	if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
		t.Errorf("files left: %q", left)
	}
}

// TestBenchInterruptedLate cancels in the second run: what the first has measured
// is kept.
func TestBenchInterruptedLate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(ctx, Options{
		Packages: []string{"./good"}, Dir: writeModule(t), Out: out, BenchTime: "50ms",
		Progress: func(p Progress) {
			if len(p.Running) > 0 && strings.HasPrefix(p.Running[0], "waits") {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := missing(sum.Meta, "block"); !ok || !strings.Contains(m.Reason, "interrupted") || len(sum.Warnings) > 0 {
		t.Errorf("missing %+v, warnings %v", sum.Meta.Missing, sum.Warnings)
	}
	if got := openRecording(t, out).ProfileNames(); !slices.Equal(got, []string{"cpu", "allocs"}) || !sum.Meta.Interrupted {
		t.Errorf("profiles %q", got)
	}
}

func TestBenchFailure(t *testing.T) {
	for out, want := range map[string]string{
		"--- FAIL: BenchmarkA\n    x.go:1: no\n--- FAIL: BenchmarkB/sub\nFAIL\n": "failed: BenchmarkA, BenchmarkB/sub",
		"BenchmarkA-2 \t 100 ns/op\nBenchmarkB-2 \npanic: boom\n\ngoroutine 1":   "panic: boom in BenchmarkB-2",
		"BenchmarkA-2 \tpanic: boom [recovered]\n":                               "panic: boom [recovered] in BenchmarkA-2",
		"1\n2\n3\n4\n5\n6\n7\n": "1\n2\n3\n4\n5\n…",
	} {
		if got := benchFailure([]byte(out), os.ErrClosed); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}
