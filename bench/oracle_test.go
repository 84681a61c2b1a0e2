package bench_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/bench/export"
)

// TestBenchstat compares with benchstat's text and CSV, byte for byte, and its warnings: the files of
// benchstat's tests and generated ones, through filters and projections.
func TestBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	benchstat := filepath.Join(t.TempDir(), "benchstat")
	if out, err := exec.CommandContext(
		t.Context(), "go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat",
	).CombinedOutput(); err != nil {
		t.Fatalf("build benchstat: %v\n%s", err, out)
	}
	files := stored(t)
	t.Chdir(t.TempDir())
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type test struct {
		args  []string
		table string
		row   string
		col   string
		skip  string
		keep  string
	}
	tests := []test{
		{args: []string{"old.txt", "new.txt"}},
		{args: []string{"old.txt"}},
		{args: []string{"old.txt", "old.txt"}},
		{args: []string{"O=old.txt", "N=new.txt"}},
		{args: []string{"crc-old.txt", "crc-new.txt"}},
		{args: []string{"crc-old.txt", "crc-new.txt"}, row: ".name /size", skip: "/align"},
		{args: []string{"crc-old.txt", "crc-new.txt"}, skip: "note"},
		{args: []string{"crc-new.txt"}, col: "/poly", row: "/size", keep: "/size:(15 OR 40)"},
		{args: []string{"new.txt"}, col: "/format@(gob json)", row: ".name", skip: ".file"},
		{args: []string{"old.txt", "new.txt"}, keep: ".unit:sec/op"},
		{args: []string{"old.txt", "new.txt"}, table: "goos"},
		{args: []string{"units.txt"}, col: "note"},
		{args: []string{"zero.txt"}, col: "note"},
		{args: []string{"smallSample.txt"}, col: "note"},
		{args: []string{"old.txt", "new.txt"}, col: ".file,/format", row: ".name"},
		{args: []string{"old.txt", "new.txt"}, col: "/format,.file", row: ".name"},
		{args: []string{
			"a-label-that-is-wider-than-what-stands-below-it-in-all-its-columns=old.txt", "ä/€=new.txt", "old.txt",
		}},
		{args: []string{"old.txt", "crc-old.txt", "new.txt"}},
		{args: []string{"old.txt", "new.txt", "units.txt"}, table: "pkg"},
		{args: []string{"units.txt", "zero.txt", "smallSample.txt", "old.txt"}, col: "note,.file", table: "goos,pkg"},
		{args: []string{"old.txt", "new.txt"}, row: "nothing"},
		{args: []string{"issue19565.txt"}},
		{args: []string{"issue19634.txt"}},
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		var args []string
		for i := range 2 + r.IntN(2) {
			name := fmt.Sprintf("g%d-%d.txt", seed, i)
			args = append(args, name)
			if err := os.WriteFile(name, generated(r, i), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tests = append(tests, test{args: args})
	}
	changes := 0
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " ")+" "+tt.col+tt.row+tt.keep+tt.table, func(t *testing.T) {
			var args []string
			for flag, value := range map[string]string{
				"-table": tt.table, "-row": tt.row, "-col": tt.col, "-ignore": tt.skip, "-filter": tt.keep,
			} {
				if value != "" {
					args = append(args, flag, value)
				}
			}
			c, err := bench.Compare(t.Context(), bench.ParseInputs(tt.args), bench.Options{
				Table: tt.table, Row: tt.row, Column: tt.col, Ignore: tt.skip, Filter: tt.keep,
			})
			if err != nil {
				t.Fatal(err)
			}
			run := func(format string) (stdout, stderr string) {
				var out, errs bytes.Buffer
				cmd := exec.CommandContext(t.Context(), benchstat, slices.Concat([]string{"-format", format}, args, tt.args)...)
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil || out.Len() == 0 {
					t.Fatalf("benchstat: %v\n%s", err, &errs)
				}
				return out.String(), errs.String()
			}
			want, _ := run("text")
			var got, cells bytes.Buffer
			if err := export.Benchstat(&got, c); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("text: -benchstat +whet\n%s", diff)
			}
			want, errs := run("csv")
			got.Reset()
			if err := export.BenchstatCSV(&got, &cells, c); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("CSV: -benchstat +whet\n%s", diff)
			}
			// Warnings about lines of the input come first.
			if !strings.HasSuffix(errs, cells.String()) ||
				strings.Count(errs, "\n") != strings.Count(cells.String(), "\n")+unreadable(c) {
				t.Errorf("warnings of cells:\n%swant the end of\n%s", &cells, errs)
			}
			for _, text := range warningsOf(c) {
				// This warning is whet's: benchstat leaves it to the reader.
				if !strings.HasPrefix(text, "nothing is compared") && !strings.Contains(errs, text) {
					t.Errorf("benchstat does not warn %q", text)
				}
			}
			for _, table := range c.Tables {
				for _, row := range table.Rows {
					for _, cell := range row.Cells {
						if cell != nil && cell.Change != nil && cell.Change.Significant {
							changes++
						}
					}
				}
			}
		})
	}
	if changes < 30 {
		t.Errorf("only %d significant changes: the files prove little", changes)
	}
}

// stored returns the files of benchstat's tests by name.
func stored(t testing.TB) map[string][]byte {
	t.Helper()
	out, err := exec.CommandContext(
		t.Context(), "go", "list", "-f", "{{.Dir}}", "golang.org/x/perf/cmd/benchstat",
	).Output()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "testdata", "*.txt"))
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

// generated returns a file of benchmarks with differences of many sizes, units with and without
// noise, few and many measurements, zeros and negative numbers. Files of different sides do not
// have exactly the same benchmarks.
func generated(r *rand.Rand, side int) []byte {
	var b bytes.Buffer
	b.WriteString("goos: linux\ngoarch: amd64\npkg: example.com/p\n\n")
	if r.IntN(2) == 0 {
		b.WriteString("Unit bytes assume=exact\nUnit req/s assume=normal better=higher\n")
	}
	for i := range 3 + r.IntN(4) {
		if r.IntN(8) == 0 {
			continue
		}
		base, noise := math10(i), []float64{0, 0.002, 0.02, 0.3}[r.IntN(4)]
		for range []int{1, 3, 5, 6, 10, 13, 20}[r.IntN(7)] {
			v := base * (1 + 0.01*float64(side*i)) * (1 + noise*r.NormFloat64())
			fmt.Fprintf(&b, "BenchmarkB%d/n=%d-2 \t %d\t%.4g ns/op\t%d B/op\t%d allocs/op\t%.5g req/s\t%d bytes\t%.3g diff\n",
				i, i*10, 1+r.IntN(1e6), v, 16*i, r.IntN(2)*side, 1e9/v, 1000+side*i/2, r.NormFloat64())
		}
	}
	b.WriteString("PASS\nok  \texample.com/p\t1.2s\n")
	return b.Bytes()
}

func math10(n int) float64 {
	v := 3.3
	for range n {
		v *= 10
	}
	return v
}

// unreadable returns the number of lines of the inputs that c warns about.
func unreadable(c *bench.Comparison) int {
	n := 0
	for _, w := range c.Warnings {
		if !strings.HasPrefix(w.Text, "nothing is compared") {
			n++
		}
	}
	return n
}

func warningsOf(c *bench.Comparison) []string {
	out := c.Warnings.Texts()
	for _, t := range c.Tables {
		for _, m := range t.Geomean {
			out = append(out, m.Warnings.Texts()...)
		}
		for _, r := range t.Rows {
			for _, cell := range r.Cells {
				if cell == nil {
					continue
				}
				if out = append(out, cell.Warnings.Texts()...); cell.Change != nil {
					out = append(out, cell.Change.Warnings.Texts()...)
				}
			}
		}
	}
	return out
}
