package gotest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// twoProcs makes the results of all machines alike: their names end in -2.
func twoProcs() gotest.RunOptions { return gotest.RunOptions{Procs: 2} }

// TestBenchmarks expects all names of a package, and runs each of them alone.
func TestBenchmarks(t *testing.T) {
	b := binary(t, "")
	for _, procs := range []int{1, 2} {
		names, failures, err := b.Benchmarks(t.Context(), "", gotest.RunOptions{Procs: procs})
		if err != nil || len(failures) > 0 {
			t.Fatalf("%v, %v", err, failures)
		}
		want := []string{
			"BenchmarkSum", "BenchmarkOld", "BenchmarkSub/plain", "BenchmarkSub/with_space", `BenchmarkSub/a|b_(c)_[d]_^$.*+?\`,
			"BenchmarkSub/same", "BenchmarkSub/same#01", "BenchmarkSub/size-8", "BenchmarkSub/deep/er",
			"BenchmarkSub/#00", "BenchmarkSub/ä/€",
			"BenchmarkSub/x=1,y=2", "BenchmarkSub/group/x", "BenchmarkWhere", "BenchmarkOuter",
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Fatal(diff)
		}
		for _, name := range names {
			r, err := b.Run(t.Context(), name, gotest.RunOptions{Procs: procs, Iterations: 3})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if r.Name != name || r.Procs != procs || len(r.Measurements) != 1 || r.Measurements[0].Iterations != 3 {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	for match, want := range map[string][]string{
		"Sum|Old":                  {"BenchmarkSum", "BenchmarkOld"},
		"Sub/same":                 {"BenchmarkSub/same", "BenchmarkSub/same#01"},
		"Sum/x|Sub/^same$|Wh[e]re": {"BenchmarkSub/same", "BenchmarkWhere"},
		"Nothing":                  nil,
	} {
		names, failures, err := b.Benchmarks(t.Context(), match, twoProcs())
		if err != nil || len(failures) > 0 || !slices.Equal(names, want) {
			t.Errorf("%q: %q, %v, %v", match, names, failures, err)
		}
	}
	if _, _, err := b.Benchmarks(t.Context(), "(", twoProcs()); err == nil {
		t.Error("a bad expression is taken")
	}
}

// TestRun expects the values of all units, tidied, and plausible times.
func TestRun(t *testing.T) {
	b := binary(t, "")
	r, err := b.Run(t.Context(), "BenchmarkOld", gotest.RunOptions{Time: 20 * time.Millisecond, Count: 2, Procs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Measurements) != 2 || r.Inside() <= 0 || r.Inside() > r.Wall || r.CPU <= 0 {
		t.Errorf("%+v", r)
	}
	m := r.Measurements[0]
	var units []string
	for _, v := range m.Values {
		units = append(units, v.Unit)
	}
	if want := []string{"sec/op", "B/s", "widgets/op", "B/op", "allocs/op"}; !slices.Equal(units, want) {
		t.Errorf("units %q, want %q", units, want)
	}
	if v, _ := m.Value("widgets/op"); v != 7 {
		t.Errorf("widgets/op is %v", v)
	}
	config := map[string]string{}
	for _, f := range r.Config {
		config[f.Key] = f.Value
	}
	if config["goos"] != runtime.GOOS || config["goarch"] != runtime.GOARCH || config["pkg"] != "example.com/m" {
		t.Errorf("configuration %v", r.Config)
	}
	r, err = b.Run(t.Context(), "BenchmarkOuter", gotest.RunOptions{Iterations: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := r.Measurements[0].Value("allocs/op"); !ok || v != 1 {
		t.Errorf("allocs/op is %v, %v", v, ok)
	}
}

// TestRunEnvironment expects the variables of source and options in the process.
func TestRunEnvironment(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/env
-- env_test.go --
package env

import (
	"os"
	"runtime"
	"strconv"
	"testing"
)

func BenchmarkEnv(b *testing.B) {
	for b.Loop() {
	}
	n, _ := strconv.Atoi(os.Getenv("GOGC"))
	b.ReportMetric(float64(n), "gogc")
	n, _ = strconv.Atoi(os.Getenv("MORE"))
	b.ReportMetric(float64(n), "more")
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "procs")
}
`)
	src := gotest.Source{Dir: dir, Env: []string{"GOGC=77", "MORE=1"}}
	pkgs, _, err := gotest.List(t.Context(), src, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	b, err := gotest.Compile(t.Context(), src, pkgs[0], filepath.Join(dir, "env.test"))
	if err != nil {
		t.Fatal(err)
	}
	o := gotest.RunOptions{Iterations: 1, Env: []string{"MORE=2"}}
	want := map[string]float64{"gogc": 77, "more": 2}
	if runtime.GOOS == "linux" {
		cpus := ab.Processors()
		o.CPUs = cpus[len(cpus)-1:]
		want["procs"] = 1
	}
	r, err := b.Run(t.Context(), "BenchmarkEnv", o)
	if err != nil {
		t.Fatal(err)
	}
	for unit, v := range want {
		if got, _ := r.Measurements[0].Value(unit); got != v {
			t.Errorf("%s is %v, want %v", unit, got, v)
		}
	}
	if runtime.GOOS == "linux" {
		before := ab.Processors()
		o.CPUs = []int{1023}
		if _, err := b.Run(t.Context(), "BenchmarkEnv", o); err == nil ||
			!strings.Contains(err.Error(), "pin to CPUs [1023]") {
			t.Errorf("an absent processor: %v", err)
		}
		if after := ab.Processors(); !slices.Equal(before, after) {
			t.Errorf("processors %v, after pinning %v", before, after)
		}
	}
}

// TestBadBenchmarks checks that each failing benchmark is named, and that the rest continue. One of
// them must time out; if the others take as long on a busy machine, the timeout is increased until
// they do not.
func TestBadBenchmarks(t *testing.T) {
	b := binary(t, "bad")
	var names []string
	var failures []gotest.Failure
	for _, timeout := range []time.Duration{2 * time.Second, 10 * time.Second, time.Minute} {
		// BenchmarkTimeless fails when it runs again.
		if err := os.Remove(filepath.Join(b.Package.Dir, "timeless")); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		o := twoProcs()
		o.Timeout = timeout
		var err error
		if names, failures, err = b.Benchmarks(t.Context(), "", o); err != nil {
			t.Fatal(err)
		}
		late := func(f gotest.Failure) bool {
			hangs := f.Benchmark == "BenchmarkHang" && f.Output != ""
			return errors.Is(&f, gotest.ErrTimeout) && !hangs
		}
		if !slices.ContainsFunc(failures, late) {
			break
		}
	}
	if len(names) == 6 && strings.HasPrefix(names[5], "BenchmarkRenamed/at") {
		names[5] = "BenchmarkRenamed/at"
	}
	if want := []string{
		"BenchmarkPanic/fine", "BenchmarkFail/ok", "BenchmarkGarbage", "BenchmarkFlood",
		"BenchmarkRenamed/at",
	}; !slices.Equal(names[:min(len(names), 4)], want[:4]) || len(names) != 5 {
		t.Errorf("names %q, want %q", names, want)
	}
	var got []string
	for _, f := range failures {
		if f.Hint() == "" || f.Package != "example.com/m/bad" {
			t.Errorf("%+v", f)
		}
		got = append(got, fmt.Sprintf("%s: %v", f.Benchmark, f.Err))
	}
	want := []string{
		"BenchmarkPanic/boom: panic: boom [recovered, repanicked]",
		"BenchmarkExit: panic: unexpected call to os.Exit(0) during test",
		"BenchmarkExit3: exit status 3",
		"BenchmarkHang: timed out after ",
		"BenchmarkFail/not: it failed",
		"BenchmarkFatal: panic: assignment to entry in nil map",
		"BenchmarkTimeless: panic: seen",
	}
	for i := range min(len(got), len(want)) {
		if !strings.HasPrefix(got[i], strings.TrimSuffix(want[i], " [recovered, repanicked]")) {
			t.Errorf("failure %q, want %q", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("failures %q", got)
	}
	for i, text := range map[int]string{0: "panic: boom", 2: "last words", 3: "waiting for ever", 4: "it is wrong"} {
		if !strings.Contains(failures[i].Output, text) {
			t.Errorf("%s: output %q", failures[i].Benchmark, failures[i].Output)
		}
	}
	if !errors.Is(&failures[3], gotest.ErrTimeout) {
		t.Error("a timeout is not one")
	}
}

// TestRunBad expects results among garbage in the output, and named failures.
func TestRunBad(t *testing.T) {
	b := binary(t, "bad")
	for _, o := range []gotest.RunOptions{
		{Iterations: 100, Procs: 2},
		{Iterations: 100, Procs: 1, Count: 2},
		{Time: time.Millisecond},
	} {
		r, err := b.Run(t.Context(), "BenchmarkGarbage", o)
		if err != nil {
			t.Fatal(err)
		}
		m := r.Measurements[0]
		if v, _ := m.Value("sec/op"); len(r.Measurements) != max(1, o.Count) ||
			o.Iterations > 0 && m.Iterations != o.Iterations || v == 3e-9 {
			t.Errorf("%+v", r)
		}
	}
	if r, err := b.Run(t.Context(), "BenchmarkFlood", gotest.RunOptions{Iterations: 2}); err != nil ||
		r.Measurements[0].Iterations != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	for name, want := range map[string]string{
		"BenchmarkPanic/boom":  "BenchmarkPanic/boom of example.com/m/bad: panic: boom",
		"BenchmarkFail/not":    "it failed",
		"BenchmarkExit3":       "exit status 3",
		"BenchmarkRenamed/at1": "it was renamed; found BenchmarkRenamed/at",
		"BenchmarkAbsent":      "skipped, removed or renamed",
	} {
		_, err := b.Run(t.Context(), name, twoProcs())
		if f := (*gotest.Failure)(nil); !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Run(ctx, "BenchmarkHang", twoProcs()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	_, failures, err := binary(t, "silent").Benchmarks(t.Context(), "", twoProcs())
	if err != nil || len(failures) != 1 || !strings.Contains(failures[0].Error(), "does TestMain call Run?") {
		t.Errorf("%v, %v", failures, err)
	}
}

// TestRunInterrupted checks that the context's end is the reason if a Ctrl-C reached a benchmark
// before this process.
func TestRunInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals on this system")
	}
	dir := write(t, `
-- go.mod --
module example.com/i
-- i_test.go --
package i

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

func BenchmarkInterrupted(b *testing.B) {
	signal.Reset(syscall.SIGINT)
	_ = os.WriteFile("started", nil, 0o644)
	_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	select {}
}
`)
	src := gotest.Source{Dir: dir}
	pkgs, _, err := gotest.List(t.Context(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gotest.Compile(t.Context(), src, pkgs[0], filepath.Join(dir, "i.test"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Run(t.Context(), "BenchmarkInterrupted", twoProcs()); !errors.As(err, new(*gotest.Failure)) {
		t.Errorf("without an interrupt: %v", err)
	}
	// The context is canceled right after the benchmark is interrupted. The machine may stall in
	// between for longer than Run waits, but not every time.
	for try := 1; ; try++ {
		err := interruptedRun(t, b, filepath.Join(dir, "started"))
		if errors.Is(err, context.Canceled) {
			break
		}
		if try == 5 {
			t.Errorf("interrupted: %v", err)
			break
		}
	}
}

// interruptedRun runs BenchmarkInterrupted with a context that ends when the benchmark has created
// the file.
func interruptedRun(t *testing.T, b *gotest.Binary, started string) error {
	t.Helper()
	if err := os.Remove(started); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for ctx.Err() == nil {
			if _, err := os.Stat(started); err == nil {
				cancel()
			}
			runtime.Gosched()
		}
	}()
	_, err := b.Run(ctx, "BenchmarkInterrupted", twoProcs())
	cancel()
	<-watched
	return err
}

// TestProfiles expects the requested files.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	p := gotest.Profiles{
		CPU: filepath.Join(dir, "cpu"), Memory: filepath.Join(dir, "mem"), Block: filepath.Join(dir, "block"),
		Mutex: filepath.Join(dir, "mutex"), Trace: filepath.Join(dir, "trace"),
	}
	if _, err := binary(t, "").Run(t.Context(), "BenchmarkSum", gotest.RunOptions{Iterations: 1, Profile: p}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{p.CPU, p.Memory, p.Block, p.Mutex, p.Trace} {
		if fi, err := os.Stat(path); err != nil || fi.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}
