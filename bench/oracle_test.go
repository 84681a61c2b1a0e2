package bench_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench"
)

// TestBenchstat wants every cell that benchstat prints to come out here: the files of
// its own tests and generated ones, through filters and projections.
func TestBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	benchstat := filepath.Join(t.TempDir(), "benchstat")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
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
			args := []string{"-format", "csv"}
			for flag, value := range map[string]string{"-table": tt.table, "-row": tt.row, "-col": tt.col, "-ignore": tt.skip, "-filter": tt.keep} {
				if value != "" {
					args = append(args, flag, value)
				}
			}
			var want, errs bytes.Buffer
			cmd := exec.CommandContext(t.Context(), benchstat, append(args, tt.args...)...)
			cmd.Stdout, cmd.Stderr = &want, &errs
			if err := cmd.Run(); err != nil || want.Len() == 0 {
				t.Fatalf("benchstat: %v\n%s", err, &errs)
			}
			c, err := bench.Compare(t.Context(), bench.ParseInputs(tt.args), bench.Options{Table: tt.table, Row: tt.row, Column: tt.col, Ignore: tt.skip, Filter: tt.keep})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), benchstatCSV(t, c)); diff != "" {
				t.Errorf("-benchstat +whet\n%s", diff)
			}
			for _, text := range warningsOf(c) {
				// This one is ours: benchstat leaves it to the reader to see.
				if !strings.HasPrefix(text, "nothing is compared") && !strings.Contains(errs.String(), text) {
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
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "golang.org/x/perf/cmd/benchstat").Output()
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

// generated is a file of benchmarks with differences of many sizes, units with and
// without noise, few and many measurements, zeros and negative numbers. Files of
// different sides do not have quite the same benchmarks.
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

// benchstatCSV writes a comparison as benchstat -format csv does.
func benchstatCSV(t *testing.T, c *bench.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	emit := func(row ...string) {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	known := map[string]string{}
	for i, table := range c.Tables {
		if i > 0 {
			emit("")
		}
		for _, f := range table.Config {
			if old, ok := known[f.Key]; !ok || old != f.Value {
				emit(f.Key + ": " + f.Value)
			}
			known[f.Key] = f.Value
		}
		width := 3 + 4*(len(table.Columns)-1)
		put := func(row *[]string, column int, cells ...string) {
			at := 1
			if column > 0 {
				at = 3 + 4*(column-1)
			}
			for len(*row) < at {
				*row = append(*row, "")
			}
			*row = append(*row, cells...)
		}
		pad := func(row []string) []string {
			for len(row) < width {
				row = append(row, "")
			}
			return row
		}
		for f := range table.Columns[0].Fields {
			var row []string
			for k, col := range table.Columns {
				put(&row, k, col.Fields[f].Value)
			}
			emit(pad(row)...)
		}
		var head []string
		for k := range table.Columns {
			put(&head, k, table.Unit, "CI")
			if k > 0 {
				head = append(head, "vs base", "P")
			}
		}
		emit(head...)
		for _, r := range table.Rows {
			row := []string{r.Name}
			for k, cell := range r.Cells {
				if cell == nil {
					continue
				}
				put(&row, k, fmt.Sprint(float64(cell.Center)), cell.Range)
				if d := cell.Change; d != nil {
					p := ""
					if d.P != 0 {
						p = fmt.Sprintf("p=%0.3f ", d.P)
					}
					n := fmt.Sprintf("n=%d", cell.N)
					if d.BaseN != cell.N {
						n = fmt.Sprintf("n=%d+%d", d.BaseN, cell.N)
					}
					row = append(row, d.Text, p+n)
				}
			}
			emit(row...)
		}
		row := []string{"geomean"}
		for k, m := range table.Geomean {
			put(&row, k)
			if m.Center != nil {
				row = append(row, fmt.Sprint(float64(*m.Center)))
			}
			if k > 0 {
				for len(row) < 3+4*(k-1)+2 {
					row = append(row, "")
				}
				if m.Delta != nil {
					row = append(row, fmt.Sprintf("%+.2f%%", float64(*m.Delta)*100))
				} else {
					row = append(row, "?")
				}
			}
		}
		emit(pad(row)...)
	}
	w.Flush()
	return b.String()
}

func warningsOf(c *bench.Comparison) []string {
	out := c.Warnings
	for _, t := range c.Tables {
		for _, m := range t.Geomean {
			out = append(out, m.Warnings...)
		}
		for _, r := range t.Rows {
			for _, cell := range r.Cells {
				if cell == nil {
					continue
				}
				if out = append(out, cell.Warnings...); cell.Change != nil {
					out = append(out, cell.Change.Warnings...)
				}
			}
		}
	}
	return out
}
