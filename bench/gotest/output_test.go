package gotest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzReader checks that the reader finds what testing prints, whatever a benchmark prints around
// it, and however the output is divided into writes.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"", "garbage\n", "no end", "goos: plan9\ngoarch: x\n", "BenchmarkX/a-2 \t",
		"100\t 3.0 ns/op\t 0 B/op\t 0 allocs/op\n",
		"--- FAIL: BenchmarkX\n", "BenchmarkX/a \t 10\t 3.0 ns/op\t 0 B/op\t 0 allocs/op\n", "\x00\xff\r\n",
		strings.Repeat("long ", 50_000),
		"BenchmarkX/a\n=== RUN BenchmarkX/a\nBenchmarkX/a-2     \t       1\t       100 ns/op\t       0 B/op\t       " +
			"0 allocs/op\nPASS\n",
	} {
		f.Add(seed, seed, uint16(12345))
	}
	f.Fuzz(func(t *testing.T, before, between string, n uint16) {
		iterations := int(n) + 1
		res := testing.BenchmarkResult{
			N: iterations, T: time.Duration(iterations) * 1234, MemBytes: 7 * uint64(iterations), MemAllocs: uint64(iterations),
		}
		text := before + "\nBenchmarkX/a-2         \t" + between + res.String() + "\t" + res.MemString() + "\nPASS\n"
		whole := newReader("BenchmarkX/a", iterations)
		_, _ = whole.Write([]byte(text))
		whole.end()
		pieces := newReader("BenchmarkX/a", iterations)
		for len(text) > 0 {
			cut := min(len(text), 1+len(text)%7)
			_, _ = pieces.Write([]byte(text[:cut]))
			text = text[cut:]
		}
		pieces.end()
		if diff := cmp.Diff(whole, pieces, cmp.AllowUnexported(reader{}, result{}),
			cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "line" }, cmp.Ignore())); diff != "" {
			t.Fatal(diff)
		}
		if strings.Contains(between, "allocs/op") || strings.Contains(between, "BenchmarkX/a") ||
			strings.Contains(between, "--- FAIL") {
			return // output that imitates a result cannot be distinguished from one
		}
		if len(whole.results) == 0 {
			t.Fatalf("no result in %q", before+between)
		}
		last := whole.results[len(whole.results)-1]
		if last.name != "BenchmarkX/a-2" || last.iters != iterations || last.values[len(last.values)-1].Value != 1 {
			t.Fatalf("%+v", last)
		}
	})
}

// TestReaderNames expects names without the number of CPUs, even if names look as if they ended in
// one.
func TestReaderNames(t *testing.T) {
	const rest = " \t       1\t       100 ns/op\t       0 B/op\t       0 allocs/op\n"
	for _, tt := range []struct {
		text  string
		want  []string
		procs int
	}{
		{"BenchmarkX\nBenchmarkX/a\nBenchmarkX/a-2" + rest, []string{"BenchmarkX/a"}, 2},
		{"BenchmarkX\nBenchmarkX/a-8\nBenchmarkX/a-8" + rest, []string{"BenchmarkX/a-8"}, 1},
		{"BenchmarkX\nBenchmarkX/a-8\nBenchmarkX/a-8-2" + rest, []string{"BenchmarkX/a-8"}, 2},
		{
			"BenchmarkX\nBenchmarkX/a\nBenchmarkX/a-2" + rest + "BenchmarkX/a-2\nBenchmarkX/a-2-2" + rest,
			[]string{"BenchmarkX/a", "BenchmarkX/a-2"},
			2,
		},
		{"printedBenchmarkX/a\nprintedBenchmarkX/a-2" + rest, []string{"BenchmarkX/a"}, 2},
		{"BenchmarkX/a-02\nBenchmarkX/a-02" + rest, []string{"BenchmarkX/a-02"}, 1},
	} {
		r := newReader("BenchmarkX", 0)
		_, _ = r.Write([]byte(tt.text))
		r.end()
		if names, procs := r.names(); !slices.Equal(names, tt.want) || procs != tt.procs {
			t.Errorf("%q: %q on %d, want %q on %d", tt.text, names, procs, tt.want, tt.procs)
		}
	}
}

// TestReaderConfig expects the configuration of the first result only.
func TestReaderConfig(t *testing.T) {
	for text, want := range map[string]string{
		"goos: linux\ngoarch: amd64\npkg: a/b\ncpu: A CPU: fast\nBenchmarkX\n": "[{goos linux} {goarch amd64} {pkg " +
			"a/b} {cpu A CPU: fast}]",
		"printed goos: linux\ngoarch: amd64\ncpu: A\n":                         "[{goos linux} {goarch amd64} {cpu A}]",
		"goos: fake\nother\ngoos: linux\ngoarch: amd64\nBenchmarkX \tpkg: x\n": "[{goos linux} {goarch amd64}]",
		"goos: plan9\nprinted goos: linux\ngoarch: amd64\ncpu: A\n":            "[{goos linux} {goarch amd64} {cpu A}]",
		"goos: linux\ngoarch: amd64\nx\ngoos: fake\ngoarch: fake\n":            "[{goos linux} {goarch amd64}]",
	} {
		r := newReader("BenchmarkX", 0)
		_, _ = r.Write([]byte(text))
		r.end()
		if got := fmt.Sprint(r.config); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
