package gotest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/bench/gotest"
)

// module contains the benchmarks for the tests: those that succeed, and those that fail.
const module = `
-- go.mod --
module example.com/m

go 1.26
-- fast.go --
package m

// Sum is the measured function.
func Sum(n int) int {
	s := 0
	for i := range n {
		s += i * i
	}
	return s
}
-- fast_test.go --
package m

import (
	"os"
	"testing"
)

var sink int

func BenchmarkSum(b *testing.B) {
	for b.Loop() {
		sink += Sum(100)
	}
}

func BenchmarkOld(b *testing.B) {
	b.SetBytes(100)
	for i := 0; i < b.N; i++ {
		sink += Sum(100)
	}
	b.ReportMetric(7, "widgets/op")
}

func BenchmarkSub(b *testing.B) {
	for _, name := range []string{"plain", "with space", "a|b (c) [d] ^$.*+?\\", "same", "same", "size-8", "deep/er", "", "ä/€", "x=1,y=2"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink += Sum(10)
			}
		})
	}
	b.Run("group", func(b *testing.B) {
		b.Run("x", func(b *testing.B) {
			for b.Loop() {
				sink += Sum(10)
			}
		})
	})
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not today") }

func BenchmarkWhere(b *testing.B) {
	if _, err := os.Stat("go.mod"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
	}
}

func notABenchmark(b *testing.B) {}

func Benchmarklower(b *testing.B) {}
-- outer_test.go --
package m_test

import (
	"testing"

	"example.com/m"
)

func BenchmarkOuter(b *testing.B) {
	b.ReportAllocs()
	var keep []byte
	for b.Loop() {
		keep = make([]byte, 64+m.Sum(1))
	}
	_ = keep
}
-- bad/bad_test.go --
package bad

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	fmt.Println("BenchmarkFake setting up")
	os.Exit(m.Run())
}

func BenchmarkPanic(b *testing.B) {
	b.Run("fine", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.Run("boom", func(b *testing.B) { panic("boom") })
}

func BenchmarkExit(b *testing.B) { os.Exit(0) }

func BenchmarkExit3(b *testing.B) {
	fmt.Println("last words")
	os.Exit(3)
}

func BenchmarkHang(b *testing.B) {
	fmt.Println("waiting for ever")
	time.Sleep(time.Hour)
}

func BenchmarkFail(b *testing.B) {
	b.Run("ok", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.Run("not", func(b *testing.B) { b.Fatal("it is wrong") })
}

func BenchmarkFatal(b *testing.B) {
	var m map[string]int
	m["x"] = 1
}

func BenchmarkGarbage(b *testing.B) {
	fmt.Print("no end of line 12")
	fmt.Println("BenchmarkGarbage-2   \t 100\t 3.0 ns/op\t 0 B/op\t 0 allocs/op")
	fmt.Println("BenchmarkOther \t 100\t 3.0 ns/op")
	fmt.Println("goos: plan9")
	for b.Loop() {
	}
	fmt.Fprintln(os.Stderr, "on the other stream")
	b.Log("logged")
	fmt.Print("no end of line either 12")
}

func BenchmarkFlood(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for range 20000 {
			fmt.Println("a long line of output, again and again")
		}
		fmt.Print("x")
	}
}

func BenchmarkRenamed(b *testing.B) {
	b.Run(fmt.Sprint("at", time.Now().UnixNano()), func(b *testing.B) {
		for b.Loop() {
		}
	})
}
// BenchmarkTimeless ends, on its first run, like a benchmark that panics too late to be noticed.
func BenchmarkTimeless(b *testing.B) {
	if _, err := os.OpenFile("timeless", os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		panic("seen")
	}
	b.StopTimer()
	b.ResetTimer()
}
-- silent/silent_test.go --
package silent

import "testing"

func TestMain(m *testing.M) {}

func BenchmarkNever(b *testing.B) {}
-- broken/broken_test.go --
package broken

import "testing"

func BenchmarkBroken(b *testing.B) {
	undefined()
}
-- syntax/syntax_test.go --
package syntax

func BenchmarkSyntax(b *testing.B {
-- plain/plain.go --
package plain
-- plain/plain_test.go --
package plain

import "testing"

func TestNothing(t *testing.T) {}
-- tagged/tagged_test.go --
//go:build fast

package tagged

import "testing"

func BenchmarkTagged(b *testing.B) {
	for b.Loop() {
	}
}
`

// write writes the files of a txtar archive to a new directory.
func write(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, archive)
	return dir
}

func put(t testing.TB, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// fixture holds the module and its binaries, built once for all tests.
var fixture struct {
	once     sync.Once
	dir      string
	binaries map[string]*gotest.Binary
	err      error
}

func TestMain(m *testing.M) {
	if tree := os.Getenv("WHET_TEST_TREE"); tree != "" {
		holdTree(tree)
		return
	}
	var err error
	if fixture.dir, err = os.MkdirTemp("", "gotest-fixture-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(fixture.dir)
	os.Exit(code)
}

// binary returns the test binary of a package of the module, "" for its root.
func binary(t *testing.T, pkg string) *gotest.Binary {
	t.Helper()
	fixture.once.Do(func() { fixture.err = buildFixture(t) })
	if fixture.err != nil {
		t.Fatal(fixture.err)
	}
	return fixture.binaries[pkg]
}

func buildFixture(t *testing.T) error {
	dir := fixture.dir
	put(t, dir, module)
	src := gotest.Source{Dir: dir}
	pkgs, _, err := gotest.List(t.Context(), src, nil)
	if err != nil {
		return err
	}
	fixture.binaries = map[string]*gotest.Binary{}
	for i, pkg := range pkgs {
		name := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, "example.com/m"), "/")
		if name == "broken" {
			continue
		}
		b, err := gotest.Compile(t.Context(), src, pkg, filepath.Join(dir, fmt.Sprint(i, ".test")))
		if err != nil {
			return err
		}
		fixture.binaries[name] = b
	}
	return nil
}

// run runs a command and returns its output.
func run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_GLOBAL=/dev/null",
		// Maintenance would write to the repository in the background.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
