package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/cli"
)

// benchResults returns results of benchmarks; Encode/format=gob takes ns nanoseconds.
func benchResults(ns int) []byte {
	var b bytes.Buffer
	b.WriteString("goos: linux\ngoarch: amd64\npkg: example.com/encode\n")
	for i := range 10 {
		fmt.Fprintf(&b, "BenchmarkEncode/format=json-2 1000 %d ns/op %d B/op\n", 2000+i*7%10, 64)
		fmt.Fprintf(&b, "BenchmarkEncode/format=gob-2 1000 %d ns/op %d B/op\n", ns+i*3%10, 128)
	}
	b.WriteString("PASS\n")
	return b.Bytes()
}

// TestBenchCompareExamples runs the examples of whet bench compare, and reads the output for
// programs.
func TestBenchCompareExamples(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	_, help, _ := runWhet(t, "bench", "compare", "--help")
	examples := exampleLines(help)
	if len(examples) < 5 {
		t.Fatalf("%d examples in\n%s", len(examples), help)
	}
	for _, example := range examples {
		code, stdout, stderr := runWhet(t, shellFields(strings.ReplaceAll(example, "-o difference.html", "-o -"))[1:]...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "gob") {
			t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
		}
	}

	_, stdout, _ := runWhet(t, "bench", "compare", "--json", "old.txt", "new.txt")
	c := new(bench.Comparison)
	if err := json.Unmarshal([]byte(stdout), c); err != nil {
		t.Fatal(err)
	}
	d := c.Tables[0].Rows[1].Cells[1].Change
	if c.Schema != bench.Schema || len(c.Tables) != 2 || !d.Holds || d.Delta > -0.09 || d.Delta < -0.11 {
		t.Errorf("%s: change %+v", c.Schema, d)
	}
	_, stdout, _ = runWhet(t, "bench", "compare", "--format", "csv", "old.txt", "new.txt")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || len(rows) != 1+2*(2*2+2) {
		t.Errorf("%v: %d rows\n%s", err, len(rows), stdout)
	}

	data, err := os.ReadFile("new.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := cli.Main(
		t.Context(), []string{"bench", "compare", "old.txt", "new=-"}, bytes.NewReader(data), &out, &errs,
	); code != 0 || !strings.Contains(out.String(), "-9.9") {
		t.Errorf("standard input: exit code %d\n%s%s", code, &out, &errs)
	}
}
