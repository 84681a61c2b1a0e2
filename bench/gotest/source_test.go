package gotest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench/gotest"
)

// TestList expects the packages with benchmarks, and a failure for each that cannot be loaded.
func TestList(t *testing.T) {
	binary(t, "")
	src := gotest.Source{Dir: fixture.dir}
	names := func(src gotest.Source, patterns ...string) (pkgs, failed []string) {
		got, failures, err := gotest.List(t.Context(), src, patterns)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got {
			pkgs = append(pkgs, p.ImportPath)
		}
		for _, f := range failures {
			failed = append(failed, f.Package)
		}
		return pkgs, failed
	}
	pkgs, failed := names(src)
	if diff := cmp.Diff([]string{"example.com/m", "example.com/m/bad", "example.com/m/broken", "example.com/m/silent"},
		pkgs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"example.com/m/syntax"}, failed); diff != "" {
		t.Error(diff)
	}
	src.Flags = []string{"-tags=fast"}
	if pkgs, _ := names(src, "./tagged"); !slices.Equal(pkgs, []string{"example.com/m/tagged"}) {
		t.Errorf("with tags: %q", pkgs)
	}
	got, _, err := gotest.List(t.Context(), gotest.Source{Dir: fixture.dir}, []string{"."})
	if err != nil || len(got) != 1 ||
		!slices.Equal(got[0].Benchmarks, []string{
			"BenchmarkSum", "BenchmarkOld", "BenchmarkSub", "BenchmarkSkipped",
			"BenchmarkWhere", "BenchmarkOuter",
		}) {
		t.Errorf("%+v, %v", got, err)
	}
	for pattern, want := range map[string]string{
		"./none/...": "./none/", "-x": "not a package pattern",
		"all/...": "base: list packages all/...: no packages match", "example.org/none": "no required module",
	} {
		_, failures, err := gotest.List(t.Context(), gotest.Source{Dir: fixture.dir, Name: "base"}, []string{pattern})
		if err == nil && len(failures) == 1 {
			err = &failures[0]
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// TestCompile expects the compiler's messages, and a description of the binary.
func TestCompile(t *testing.T) {
	b := binary(t, "")
	fi, err := os.Stat(b.Path)
	if err != nil {
		t.Fatal(err)
	}
	if b.Size != fi.Size() || len(b.SHA256) != 64 || b.Build <= 0 {
		t.Errorf("%+v", b)
	}
	src := gotest.Source{Dir: fixture.dir, Name: "base"}
	for pkg, want := range map[string]string{
		"broken": "undefined: undefined", "syntax": "syntax_test.go:3:",
		"none": "no required module|is not in std|directory not found|cannot find",
	} {
		_, err := gotest.Compile(t.Context(), src, gotest.Package{ImportPath: "example.com/m/" + pkg},
			filepath.Join(t.TempDir(), "x"))
		e := (*gotest.BuildError)(nil)
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", pkg, err)
			continue
		}
		found := slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(e.Output, w) })
		if !found || !strings.Contains(err.Error(), "(base)") || e.Hint() == "" {
			t.Errorf("%s: %v", pkg, err)
		}
	}
	if _, err := gotest.Compile(t.Context(), src, gotest.Package{ImportPath: "example.com/m/plain"},
		filepath.Join(t.TempDir(), "x")); err != nil {
		t.Error(err)
	}
}

// TestCarryBenchmarks builds a side with the other's test files, without changing its own.
func TestCarryBenchmarks(t *testing.T) {
	const files = `
-- go.mod --
module example.com/c

go 1.26
-- c.go --
package c
`
	from := gotest.Source{Dir: write(t, files+`
-- c_test.go --
package c

import "testing"

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
	}
}
-- more_test.go --
package c_test

import "testing"

func BenchmarkMore(b *testing.B) {
	for b.Loop() {
	}
}
-- testdata/both.txt --
one
-- testdata/left.txt --
-- testdata/same.txt --
-- onlyhere/x_test.go --
package onlyhere

import "testing"

func BenchmarkHere(b *testing.B) {}
`)}
	to := gotest.Source{Dir: write(t, files+`
-- c_test.go --
package c

import "testing"

func BenchmarkOld(b *testing.B) {}
-- gone_test.go --
package c

does not compile
-- testdata/both.txt --
two
-- testdata/same.txt --
`)}
	pkgs, failures, err := gotest.List(t.Context(), from, nil)
	if err != nil || len(failures) > 0 || len(pkgs) != 2 {
		t.Fatalf("%v, %v, %v", pkgs, failures, err)
	}
	overlay, warnings, err := gotest.CarryBenchmarks(t.Context(), from, to, pkgs)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 ||
		warnings[0].String() != "testdata of example.com/c is not the same on both sides: both.txt, left.txt" {
		t.Errorf("warnings %v", warnings)
	}
	to.Overlay = overlay
	there, failures, err := gotest.List(t.Context(), to, nil)
	if err != nil || len(failures) > 0 || len(there) != 1 ||
		!slices.Equal(there[0].Benchmarks, []string{"BenchmarkNew", "BenchmarkMore"}) {
		t.Fatalf("%+v, %v, %v", there, failures, err)
	}
	b, err := gotest.Compile(t.Context(), to, there[0], filepath.Join(t.TempDir(), "c.test"))
	if err != nil {
		t.Fatal(err)
	}
	names, failures, err := b.Benchmarks(t.Context(), "", gotest.RunOptions{})
	if err != nil || len(failures) > 0 || !slices.Equal(names, []string{"BenchmarkNew", "BenchmarkMore"}) {
		t.Errorf("%q, %v, %v", names, failures, err)
	}
	to.Flags = []string{"-overlay=x.json"}
	if _, _, err := gotest.List(t.Context(), to, nil); err == nil {
		t.Error("two overlays are taken")
	}
}

// TestParseFlags sorts the words of a shell command into flags and variables.
func TestParseFlags(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("WHET_TEST_WORD", "from env")
	for _, tt := range []struct {
		text, err  string
		flags, env []string
	}{
		{text: ""},
		{text: "-tags fast GOGC=off", flags: []string{"-tags=fast"}, env: []string{"GOGC=off"}},
		{
			text:  "--race -gcflags='all=-N -l' -trimpath=false",
			flags: []string{"-race", "-gcflags=all=-N -l", "-trimpath=false"},
		},
		{
			text: `-ldflags "-X a=$WHET_TEST_WORD" GOEXPERIMENT=x,y`, flags: []string{"-ldflags=-X a=from env"},
			env: []string{"GOEXPERIMENT=x,y"},
		},
		{text: "-pgo off", flags: []string{"-pgo=off"}},
		{text: "-pgo cpu.pprof", flags: []string{"-pgo=" + filepath.Join(wd, "cpu.pprof")}},
		{text: "-pgo=/a/b", flags: []string{"-pgo=/a/b"}},
		{text: "GODEBUG=a=1,b=2", env: []string{"GODEBUG=a=1,b=2"}},
		{text: "fast", err: "neither a flag nor KEY=value"},
		{text: "-tags", err: "missing value"},
		{text: "-o x", err: "not a go build flag"},
		{text: "-bench=.", err: "not a go build flag"},
		{text: "'", err: "quote"},
		{text: "-tags $(date)", err: "command substitution"},
		{text: "-race; rm", err: "not a valid word"},
	} {
		flags, env, err := gotest.ParseFlags(tt.text)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want %q", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil || !slices.Equal(flags, tt.flags) || !slices.Equal(env, tt.env) {
			t.Errorf("%q: %q, %q, %v", tt.text, flags, env, err)
		}
	}
}

// TestConcurrent finds the benchmarks that start goroutines, themselves or through what they
// call.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/c\n\ngo 1.26\n",
		"c_test.go": `package c

import "testing"

func BenchmarkPlain(b *testing.B)    { work() }
func BenchmarkParallel(b *testing.B) { b.RunParallel(func(pb *testing.PB) { for pb.Next() {} }) }
func BenchmarkSub(b *testing.B)      { b.Run("x", func(b *testing.B) { helper(b) }) }
func BenchmarkMethod(b *testing.B)   { new(pool).start() }

type pool struct{}

func (p *pool) start()    { go work() }
func helper(b *testing.B) { inner(b) }
func inner(b *testing.B)  { b.RunParallel(func(*testing.PB) {}) }
func work()               {}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, failures, err := gotest.List(t.Context(), gotest.Source{Dir: dir}, nil)
	if err != nil || len(failures) > 0 || len(got) != 1 ||
		!slices.Equal(got[0].Concurrent, []string{"BenchmarkParallel", "BenchmarkSub", "BenchmarkMethod"}) {
		t.Errorf("%+v, %v, %v", got, failures, err)
	}
	s := gotest.NewSubject("x", "BenchmarkSub/x", &gotest.Binary{Package: got[0]}, &gotest.Binary{}, gotest.RunOptions{})
	if !s.Concurrent() {
		t.Error("a sub-benchmark is not as its benchmark")
	}
}
