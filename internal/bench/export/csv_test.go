package export

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/report/reporttest"
)

func TestCSVText(t *testing.T) {
	if left := hostile.Left(csvText(hostile.Terminal)); left != "" {
		t.Errorf("%q is left", left)
	}
	for s, want := range map[string]string{
		"": "", "=1+2": "'=1+2", "@SUM(A1)": "'@SUM(A1)", "-cmd": "'-cmd", "+x": "'+x", "-1.5": "-1.5", "+3e4": "+3e4",
		"Sort/n=1": "Sort/n=1",
	} {
		if got := csvText(s); got != want {
			t.Errorf("csvText(%q) = %q, want %q", s, got, want)
		}
	}
}

// comparison returns two sides with differences, and a name that must not reach a terminal.
func comparison(t *testing.T) *bench.Comparison {
	t.Helper()
	text := "side: 0\nBenchmarkA\x1b[31m 1 5 ns/op\nside: 1\nBenchmarkA\x1b[31m 1 7 ns/op\n"
	c, err := bench.Compare(t.Context(), []bench.Input{{Path: "-"}},
		bench.Options{Stdin: strings.NewReader(text), Column: "side"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRoundTrip checks that documents that were read back are exported alike.
func TestRoundTrip(t *testing.T) {
	reporttest.RoundTrip(t, comparison(t), CSV, Benchstat,
		func(w io.Writer, c *bench.Comparison) error { return BenchstatCSV(w, io.Discard, c) })
}

// brokenWriter always fails.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestBenchstatCSVWarnings expects warnings without control characters, and an error if they cannot
// be written.
func TestBenchstatCSVWarnings(t *testing.T) {
	var out, warnings bytes.Buffer
	if err := BenchstatCSV(&out, &warnings, comparison(t)); err != nil {
		t.Fatal(err)
	}
	if warnings.Len() == 0 || strings.Contains(warnings.String(), "\x1b") {
		t.Errorf("warnings %q", warnings.String())
	}
	if err := BenchstatCSV(&out, brokenWriter{}, comparison(t)); err == nil {
		t.Error("no error")
	}
}
