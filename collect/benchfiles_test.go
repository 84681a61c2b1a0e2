package collect_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/recording"
)

func TestBenchmarkFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profiles")
	job := func(pkg, name string) gotest.Job {
		return gotest.Job{Binary: &gotest.Binary{Package: gotest.Package{ImportPath: pkg}}, Name: name}
	}
	jobs := []gotest.Job{
		job("example.com/encode", "BenchmarkXML/size=1 KB"), job("example.com/encode", "Benchmarkxml/size=1:KB"),
		job("example.com/other/encode", "BenchmarkJSON"), job("a/b", "Benchmark"+strings.Repeat("é", 200)),
	}
	files, err := collect.BenchmarkFiles(dir, jobs, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"encode.XML_size=1_KB.whet", "encode.xml_size=1_KB-2.whet", "encode.JSON.whet"}
	for i, name := range want {
		if files[i] != filepath.Join(dir, name) {
			t.Errorf("%s, want %s", files[i], name)
		}
	}
	if n := len(filepath.Base(files[3])); n > 255 || n < 100 {
		t.Errorf("a name of %d bytes", n)
	}
	for _, file := range files[1:3] {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := collect.BenchmarkFiles(dir, jobs, false); err == nil ||
		!strings.Contains(err.Error(), "encode.xml_size=1_KB-2.whet: the file exists, and 1 other") {
		t.Errorf("%v, want one that names the existing files", err)
	}
	if again, err := collect.BenchmarkFiles(dir, jobs, true); err != nil || !slices.Equal(again, files) {
		t.Errorf("%q, %v", again, err)
	}
}

// benchmarksModule has benchmarks that end, fail, and run until they are stopped: the last two only
// with variables in the environment, since gotest.Prepare runs each once.
const benchmarksModule = `package m

import (
	"os"
	"testing"
)

func BenchmarkAdd(b *testing.B) {
	for b.Loop() {
		sum++
	}
}

func BenchmarkBroken(b *testing.B) {
	if os.Getenv("WHET_TEST_BROKEN") != "" {
		b.Fatal("wrong answer")
	}
}

func BenchmarkEndless(b *testing.B) {
	started := os.Getenv("WHET_TEST_STARTED")
	if started == "" {
		return
	}
	if err := os.WriteFile(started, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	for {
		sum++
	}
}

var sum int
`

// prepareBenchmarks builds benchmarksModule and returns the benchmarks by name.
func prepareBenchmarks(t *testing.T) map[string]gotest.Job {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "m_test.go": benchmarksModule,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, failures, err := gotest.Prepare(t.Context(), gotest.Source{Dir: dir},
		gotest.PrepareOptions{Patterns: []string{"."}, Dir: t.TempDir()})
	if err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	jobs := map[string]gotest.Job{}
	for _, j := range all {
		jobs[j.Name] = j
	}
	return jobs
}

func TestBenchmarks(t *testing.T) {
	byName := prepareBenchmarks(t)
	t.Setenv("WHET_TEST_BROKEN", "1")
	jobs := []gotest.Job{byName["BenchmarkAdd"], byName["BenchmarkBroken"], byName["BenchmarkAdd"]}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a.whet"), filepath.Join(dir, "b.whet"), filepath.Join(dir, "c.whet")}
	unread := errors.New("cannot be read")
	var begun []int
	var made []string
	interrupted, failures := collect.Benchmarks(t.Context(), jobs, files, collect.Options{BenchTime: "100x"},
		collect.BenchmarkCalls{
			Begin: func(i int) { begun = append(begun, i) },
			Made: func(job gotest.Job, sum *collect.Summary) error {
				if job.Name != "BenchmarkAdd" {
					return nil
				}
				made = append(made, sum.Path)
				if len(made) == 2 {
					return unread
				}
				return nil
			},
		})
	if interrupted || !slices.Equal(begun, []int{0, 1, 2}) {
		t.Errorf("interrupted %v, begun %d", interrupted, begun)
	}
	if !slices.Equal(made, []string{files[0], files[2]}) {
		t.Errorf("made %q", made)
	}
	for _, file := range made {
		r, err := recording.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := r.Profile("cpu"); err != nil || p == nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(failures) != 2 || !strings.Contains(failures[0].Error(), "failed: BenchmarkBroken") ||
		!errors.Is(failures[1], unread) {
		t.Errorf("failures %v", failures)
	}
}

// TestBenchmarksInterrupted ends ctx while the second benchmark is being recorded.
func TestBenchmarksInterrupted(t *testing.T) {
	byName := prepareBenchmarks(t)
	jobs := []gotest.Job{byName["BenchmarkAdd"], byName["BenchmarkEndless"], byName["BenchmarkAdd"]}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a.whet"), filepath.Join(dir, "b.whet"), filepath.Join(dir, "c.whet")}
	started := filepath.Join(dir, "started")
	t.Setenv("WHET_TEST_STARTED", started)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := 0
	interrupted, failures := collect.Benchmarks(ctx, jobs, files, collect.Options{BenchTime: "100x"},
		collect.BenchmarkCalls{
			Begin: func(i int) {
				begun++
				if i != 1 {
					return
				}
				go func() {
					defer cancel()
					for ctx.Err() == nil {
						if _, err := os.Stat(started); err == nil {
							return
						}
						time.Sleep(time.Millisecond)
					}
				}()
			},
			Made: func(job gotest.Job, _ *collect.Summary) error {
				if job.Name != "BenchmarkAdd" {
					t.Errorf("%s was not interrupted", job.Name)
				}
				return nil
			},
		})
	if !interrupted || begun != 2 || len(failures) > 0 {
		t.Errorf("interrupted %v, begun %d, failures %v", interrupted, begun, failures)
	}
	for i, want := range []bool{true, false, false} {
		if _, err := os.Stat(files[i]); (err == nil) != want {
			t.Errorf("%s: %v", files[i], err)
		}
	}
}
