package collect

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/collect/testoutput"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// benchModule is a module with one package for each outcome of benchmarks.
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

func writeModule(t *testing.T) string { return writeFiles(t, benchModule) }

func writeFiles(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
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
	var sum *Summary
	var r *recording.Recording
	samples := 0
	// On a busy machine the benchmark may get no CPU time: then it runs longer.
	for d := 150 * time.Millisecond; samples == 0 && d < time.Minute; d *= 5 {
		var err error
		if sum, err = Run(t.Context(), Options{
			Packages: []string{"./good"}, Dir: dir, Out: out, BenchTime: d.String(), Count: 2,
		}); err != nil {
			t.Fatal(err)
		}
		r = openRecording(t, out)
		samples = traceSamples(t, bytes.NewReader(readPart(t, r, recording.TracePart)))
	}
	if samples == 0 {
		t.Error("trace holds no CPU samples")
	}
	if len(sum.Failures) > 0 {
		t.Error(sum.Failures)
	}
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
	if text := readPart(t, r, recording.BenchPart); bytes.Count(text, []byte("BenchmarkRepeat")) != 2 ||
		!bytes.Contains(text, []byte("allocs/op")) {
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
}

// TestBenchMany has packages that fail in every way; the others are recorded and merged.
func TestBenchMany(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(t.Context(), Options{
		Packages: []string{"./..."}, Dir: writeModule(t), Out: out, BenchTime: "50ms", Trace: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range sum.Failures {
		all.WriteString(f.Error() + "\n")
	}
	for _, want := range []string{
		"example.com/m/broken", "undefined: testing",
		"example.com/m/fails: failed: BenchmarkBroken", "example.com/m/panics: panic: boom",
	} {
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

// runsModule has benchmarks that leave a file as soon as they run: runs/Long takes an hour, subs
// has twenty sub-benchmarks, each of which takes the requested time.
const runsModule = `
-- go.mod --
module example.com/m

go 1.24
-- runs/runs_test.go --
package runs

import ("os"; "sync"; "syscall"; "testing"; "time")

var sink []byte

func mark(name string) {
	if dir := os.Getenv("MARKS"); dir != "" {
		_ = os.WriteFile(dir+"/"+name, nil, 0o600)
	}
}

func BenchmarkA(b *testing.B) { for b.Loop() { sink = make([]byte, 1024) } }

func BenchmarkLong(b *testing.B) {
	begin := time.Now()
	for cpu() < time.Second { work() } // of which the profile has a hundred samples
	var mu sync.Mutex
	mu.Lock()
	time.AfterFunc(time.Millisecond, mu.Unlock)
	mu.Lock()
	mark("long")
	for time.Since(begin) < time.Hour { work() }
}

func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano())
}

//go:noinline
func work() { for range 1000 { sink = make([]byte, 100_000) } }
-- subs/subs_test.go --
package subs_test

import ("fmt"; "testing")

var sink []byte

func BenchmarkSubs(b *testing.B) {
	for i := range 20 {
		b.Run(fmt.Sprintf("n=%d", i), func(b *testing.B) { for b.Loop() { sink = make([]byte, 1000+i) } })
	}
}
`

// TestBenchInterrupted cancels during the first run, in the middle of a benchmark: what was
// measured until then is kept.
func TestBenchInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a test binary cannot be ended early there")
	}
	kept := []string{"cpu", "allocs"}
	marks := t.TempDir()
	t.Setenv("MARKS", marks)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(ctx, Options{
		Packages: []string{"./runs"}, Dir: writeFiles(t, runsModule), Out: out, BenchTime: "20ms",
		Progress: func(Progress) {
			if _, err := os.Stat(filepath.Join(marks, "long")); err == nil {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !sum.Meta.Interrupted || len(sum.Failures) > 0 || len(sum.Warnings) > 0 {
		t.Errorf("interrupted %v, failures %v, warnings %v", sum.Meta.Interrupted, sum.Failures, sum.Warnings)
	}
	r := openRecording(t, out)
	if got := r.ProfileNames(); !slices.Equal(got, kept) {
		t.Errorf("profiles %q, want %q", got, kept)
	}
	for _, name := range []string{"block", "mutex", recording.TracePart} {
		if m, ok := missing(sum.Meta, name); !ok || !strings.Contains(m.Reason, "interrupted") {
			t.Errorf("%s: missing %+v", name, m)
		}
	}
	for _, name := range kept {
		p, err := r.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(p.Functions, func(f profile.Function) bool { return f.Name == "example.com/m/runs.work" }) {
			t.Errorf("%s lacks the benchmark that was interrupted", name)
		}
	}
	text := string(readPart(t, r, recording.BenchPart))
	if !strings.Contains(text, "BenchmarkA") || strings.Contains(text, "BenchmarkLong") || !strings.HasSuffix(text, "\n") {
		t.Errorf("bench.txt is not limited to the benchmark that has a result:\n%s", text)
	}
}

// TestBenchInterruptedLate cancels in the second run: the results of the first are kept, and those
// that the second has by then.
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
	if len(sum.Warnings) > 0 || len(sum.Failures) > 0 || !sum.Meta.Interrupted {
		t.Errorf("warnings %v, failures %v", sum.Warnings, sum.Failures)
	}
	got := openRecording(t, out).ProfileNames()
	for _, name := range []string{"cpu", "allocs"} {
		if !slices.Contains(got, name) {
			t.Errorf("profiles %q, want %s among them", got, name)
		}
	}
	for _, name := range []string{"block", "mutex"} {
		if m, ok := missing(sum.Meta, name); ok == slices.Contains(got, name) ||
			ok && !strings.Contains(m.Reason, "ended early") {
			t.Errorf("profiles %q, %s missing %v: %+v", got, name, ok, m)
		}
	}
}

// TestBenchDuration has a benchmark with twenty sub-benchmarks, which share the time. In an earlier
// version each took all of it.
func TestBenchDuration(t *testing.T) {
	t.Parallel()
	const asked = 6 * time.Second
	out := filepath.Join(t.TempDir(), "r.whet")
	var notes []string
	sum, err := Run(t.Context(), Options{
		Packages: []string{"./subs"}, Dir: writeFiles(t, runsModule), Out: out, Duration: asked,
		Progress: func(p Progress) {
			if p.Note != "" {
				notes = append(notes, p.Note)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Meta.Duration > 10*asked { // of 20
		t.Errorf("took %v of %v", sum.Meta.Duration, asked)
	}
	i := slices.IndexFunc(notes, func(n string) bool { return strings.HasPrefix(n, "20 benchmarks share 6s: about ") })
	if i < 0 {
		t.Errorf("progress %q", notes)
	}
	r := openRecording(t, out)
	if got, want := r.ProfileNames(), []string{"cpu", "allocs", "block", "mutex"}; !slices.Equal(got, want) {
		t.Errorf("profiles %q, want %q", got, want)
	}
	ran := testoutput.Results(readPart(t, r, recording.BenchPart))
	note := ""
	for _, p := range sum.Meta.Parts {
		if p.Name == recording.BenchPart {
			note = p.Note
		}
	}
	// On an idle machine all have run.
	want := "20 benchmarks, "
	if ran < 20 {
		want = fmt.Sprintf("20 benchmarks, %d of 20 results, ", ran)
		if len(sum.Warnings) != 1 ||
			!strings.Contains(sum.Warnings[0].Text, fmt.Sprintf("the time of -d ran out after %d of 20 results", ran)) {
			t.Errorf("warnings %v", sum.Warnings)
		}
	}
	if !strings.HasPrefix(note, want) || !strings.HasSuffix(note, "ms each") {
		t.Errorf("note %q, want %q", note, want)
	}
}

// TestBenchOverrun has a benchmark that takes an hour, whatever its flags.
func TestBenchOverrun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a test binary cannot be ended early there")
	}
	t.Parallel()
	dir := writeFiles(t, runsModule)
	// On a busy machine this may be too short for the other package to run: then the time is
	// longer.
	for asked := 4 * time.Second; ; asked *= 4 {
		out := filepath.Join(t.TempDir(), "r.whet")
		sum, err := Run(t.Context(), Options{Packages: []string{"./..."}, Dir: dir, Out: out, Duration: asked})
		if err != nil {
			t.Fatal(err)
		}
		names := openRecording(t, out).ProfileNames()
		if !slices.Contains(names, "example.com/m/subs/cpu") && asked < time.Minute {
			continue
		}
		if sum.Meta.Duration > 10*asked {
			t.Errorf("took %v of %v", sum.Meta.Duration, asked)
		}
		if sum.Meta.Interrupted || len(sum.Failures) > 0 {
			t.Errorf("interrupted %v, failures %v", sum.Meta.Interrupted, sum.Failures)
		}
		if !slices.ContainsFunc(sum.Warnings, func(w recording.Warning) bool {
			return strings.Contains(w.Text, "example.com/m/runs: the time of -d ran out after ") &&
				strings.Contains(w.Hint, "-d")
		}) {
			t.Errorf("warnings %v", sum.Warnings)
		}
		for _, name := range []string{"example.com/m/runs/cpu", "example.com/m/subs/cpu"} {
			if !slices.Contains(names, name) {
				t.Errorf("profiles %q lack %s", names, name)
			}
		}
		return
	}
}

func TestBenchShare(t *testing.T) {
	for _, tc := range []struct {
		total         time.Duration
		n, count      int
		first, second time.Duration
	}{
		{10 * time.Second, 1, 1, 4925 * time.Millisecond, 75 * time.Millisecond},
		{6 * time.Second, 20, 1, 112 * time.Millisecond, 37 * time.Millisecond},
		{6 * time.Second, 20, 3, 37 * time.Millisecond, 37 * time.Millisecond},
		{time.Second, 5000, 1, time.Millisecond, time.Millisecond},
	} {
		b := benchBudget{count: tc.count}
		if first, second := b.share(tc.total, tc.n); first != tc.first || second != tc.second {
			t.Errorf("%v for %d benchmarks: %v and %v, want %v and %v", tc.total, tc.n, first, second, tc.first, tc.second)
		}
	}
}
