package rounds_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/bench/rounds"
)

const source = `package m

import (
	"os"
	"testing"
)

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sum += i
	}
}

func BenchmarkBroken(b *testing.B) {
	if os.Getenv("WHET_TEST_BROKEN") != "" {
		b.Fatal("wrong answer")
	}
}

var sum int
`

// prepare builds the benchmarks of a module with one package, and runs each once. BenchmarkBroken
// fails only if a variable is set in the environment.
func prepare(t *testing.T) (gotest.Source, []gotest.Job) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src := gotest.Source{Dir: dir, Env: []string{"GOGC=50"}}
	jobs, failures, err := gotest.Prepare(t.Context(), src,
		gotest.PrepareOptions{Patterns: []string{"."}, Dir: t.TempDir()})
	if err != nil || len(failures) > 0 || len(jobs) != 2 {
		t.Fatalf("%d jobs, %v, %v", len(jobs), failures, err)
	}
	return src, jobs
}

func TestMeasure(t *testing.T) {
	src, jobs := prepare(t)
	t.Setenv("WHET_TEST_BROKEN", "1")
	early := errors.New("package other does not build")
	var announced, done int
	d, failures, err := rounds.Measure(t.Context(), jobs, rounds.Options{
		Source: src, Flags: " GOGC=50 ", Procs: []int{1, 2}, Run: gotest.RunOptions{Iterations: 1000}, Count: 3,
		Failures: []error{early},
		Progress: func(jobs []gotest.Job) func(gotest.Progress) {
			announced = len(jobs)
			return func(gotest.Progress) { done++ }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if announced != 4 || done == 0 {
		t.Errorf("%d jobs announced, progress reported %d times", announced, done)
	}
	if d.Rounds != 3 || d.Seed == 0 || d.GOGC != "50" || d.Flags != "GOGC=50" || d.Interrupted {
		t.Errorf("rounds %d, seed %d, GOGC %q, flags %q, interrupted %v", d.Rounds, d.Seed, d.GOGC, d.Flags, d.Interrupted)
	}
	if len(d.Binaries) != 1 || d.Binaries[0].Package != "example.com/m" {
		t.Errorf("binaries %+v", d.Binaries)
	}
	var procs []int
	for _, b := range d.Benchmarks {
		procs = append(procs, b.Procs)
		if b.Name != "BenchmarkAdd" || len(b.Rounds) != 3 {
			t.Errorf("%s with %d rounds", b.Name, len(b.Rounds))
		}
		for _, r := range b.Rounds {
			if r.Iterations != 1000 || r.Values["sec/op"] <= 0 || r.Wall <= 0 {
				t.Errorf("%+v", r)
			}
		}
	}
	if !slices.Equal(procs, []int{1, 2}) {
		t.Errorf("GOMAXPROCS %d", procs)
	}
	if d.Inside <= 0 || d.Elapsed < d.Inside {
		t.Errorf("%v of %v inside the benchmarks", d.Inside, d.Elapsed)
	}
	if len(d.Summary.Tables) == 0 {
		t.Error("no summary")
	}
	if len(failures) != 3 || !errors.Is(failures[0], early) {
		t.Fatalf("failures %v, want the one given and two of BenchmarkBroken", failures)
	}
	if len(d.Failures) != 3 || d.Failures[0].Error != early.Error() {
		t.Fatalf("failures %+v", d.Failures)
	}
	for _, f := range d.Failures[1:] {
		if f.Benchmark != "BenchmarkBroken" || f.Package != "example.com/m" || !strings.Contains(f.Output, "wrong answer") {
			t.Errorf("%+v", f)
		}
	}
}

// TestMeasureInterrupted ends after the first round, which is kept, with a summary.
func TestMeasureInterrupted(t *testing.T) {
	src, jobs := prepare(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, _, err := rounds.Measure(ctx, jobs[:1], rounds.Options{
		Source: src, Procs: []int{1}, Run: gotest.RunOptions{Iterations: 1}, Count: 1000, Seed: 7,
		Progress: func([]gotest.Job) func(gotest.Progress) {
			return func(p gotest.Progress) {
				if p.Done > 0 {
					cancel()
				}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Interrupted || d.Seed != 7 {
		t.Errorf("interrupted %v, seed %d", d.Interrupted, d.Seed)
	}
	if len(d.Benchmarks) != 1 || len(d.Benchmarks[0].Rounds) == 0 || len(d.Benchmarks[0].Rounds) == 1000 {
		t.Fatalf("%+v", d.Benchmarks)
	}
	if len(d.Summary.Tables) == 0 {
		t.Error("no summary")
	}
}
