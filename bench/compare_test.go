package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/diag"
)

// compare compares the given texts, which become the columns a, b, ….
func compare(t testing.TB, o bench.Options, texts ...string) (*bench.Comparison, error) {
	t.Helper()
	dir := t.TempDir()
	var inputs []bench.Input
	for i, text := range texts {
		label := string(rune('a' + i))
		path := filepath.Join(dir, label)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, bench.Input{Path: path, Label: label})
	}
	return bench.Compare(t.Context(), inputs, o)
}

// TestSame compares a file with itself and expects no change, whatever it contains.
func TestSame(t *testing.T) {
	cells := 0
	for seed := range uint64(20) {
		text := string(generated(rand.New(rand.NewPCG(seed, 2)), int(seed%3)))
		c, err := compare(t, bench.Options{}, text, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Tables {
			if len(table.Unpaired) > 0 {
				t.Errorf("unpaired: %v", table.Unpaired)
			}
			if d := table.Geomean[1].Delta; d != nil && *d != 0 {
				t.Errorf("geometric mean changed by %v", *d)
			}
			for _, row := range table.Rows {
				cells++
				d := row.Cells[1].Change
				if d.Delta != 0 || (d.Text != "~" && d.Text != "0.00%") {
					t.Errorf("%s %s: %+v", row.Name, table.Unit, d)
				}
			}
		}
	}
	if cells < 300 {
		t.Errorf("%d cells", cells)
	}
}

// TestAdjust compares with values computed by hand from the definition, and with its bounds.
func TestAdjust(t *testing.T) {
	got := bench.Adjust([]float64{0.01, 0.02, 0.03, 0.04, 0.05})
	for _, q := range got {
		if math.Abs(q-0.05) > 1e-15 {
			t.Errorf("adjusted: %v, want all 0.05", got)
		}
	}
	// 0.005·4/1 = 0.02; 0.011·4/2 = 0.022; 0.02·4/3 = 0.02667; 0.04·4/4.
	for i, want := range []float64{0.04, 0.022, 0.02, 0.08 / 3} {
		if q := bench.Adjust([]float64{0.04, 0.011, 0.005, 0.02})[i]; math.Abs(q-want) > 1e-15 {
			t.Errorf("adjusted %d: %v, want %v", i, q, want)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		p := make([]float64, r.IntN(30))
		for i := range p {
			p[i] = r.Float64() * r.Float64()
		}
		for i, q := range bench.Adjust(p) {
			if q < p[i] || q > 1 || q > p[i]*float64(len(p))+1e-12 {
				t.Fatalf("%v of %d became %v", p[i], len(p), q)
			}
		}
	}
}

// TestFalseAlarms compares many benchmarks without a difference: the share of tables with a change
// that holds is at most alpha, while benchstat's rule finds a change in most of them.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const tables, rows = 300, 30
	r := rand.New(rand.NewPCG(4, 4))
	significant, holds := 0, 0
	for range tables {
		var sides [2]strings.Builder
		for side := range sides {
			for i := range rows {
				for range 10 {
					line, err := json.Marshal(100 + r.NormFloat64())
					if err != nil {
						t.Fatal(err)
					}
					sides[side].WriteString("BenchmarkX" + string(rune('A'+i)) + " 1 " + string(line) + " ns/op\n")
				}
			}
		}
		c, err := compare(t, bench.Options{}, sides[0].String(), sides[1].String())
		if err != nil {
			t.Fatal(err)
		}
		s, h := false, false
		for _, row := range c.Tables[0].Rows {
			s, h = s || row.Cells[1].Change.Significant, h || row.Cells[1].Change.Holds
		}
		if s {
			significant++
		}
		if h {
			holds++
		}
	}
	// 5% of 300 is 15, with a standard deviation of 3.8.
	if holds > 27 || significant < tables/2 {
		t.Errorf("of %d tables without a difference %d show one at p, %d after adjustment", tables, significant, holds)
	}
}

func TestUnpairedAndMore(t *testing.T) {
	one := "BenchmarkA 1 10 ns/op\nBenchmarkB 1 10 ns/op\n"
	c, err := compare(t, bench.Options{}, one,
		"BenchmarkB 1 10 ns/op\nBenchmarkC 1 NaN ns/op\nBenchmarkC 1 7 ns/op\nBenchmarkD 1 x ns/op\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []bench.Unpaired{
		{Row: "A", In: []string{"a"}, NotIn: []string{"b"}},
		{Row: "C", In: []string{"b"}, NotIn: []string{"a"}},
	}
	if diff := cmp.Diff(want, c.Tables[0].Unpaired); diff != "" {
		t.Error(diff)
	}
	if len(c.Warnings) != 2 || !strings.Contains(c.Warnings[0].String(), "b:2: NaN sec/op is not a measurement") ||
		!strings.Contains(c.Warnings[1].String(), "b:4: parsing measurement") {
		t.Errorf("warnings: %q", c.Warnings)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	back := new(bench.Comparison)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, back); diff != "" || !math.IsInf(float64(back.Tables[0].Rows[0].Cells[0].High), 1) {
		t.Errorf("JSON loses something: %s", diff)
	}

	c, err = compare(t, bench.Options{}, "cpu: x\n"+one, "cpu: y\n"+one)
	if err != nil || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].String(), "differ in cpu") {
		t.Errorf("other cpu: %v, %q", err, c.Warnings)
	}
}

func TestErrors(t *testing.T) {
	one := "BenchmarkA 1 10 ns/op\n"
	for _, tt := range []struct {
		o    bench.Options
		text string
		want string
	}{
		{bench.Options{Filter: "("}, one, "filter: "},
		{bench.Options{Row: "("}, one, "row: "},
		{bench.Options{Column: "a@nothing"}, one, "col: "},
		{bench.Options{Table: ")"}, one, "table: "},
		{bench.Options{Ignore: "("}, one, "ignore: "},
		{bench.Options{Alpha: -1}, one, "alpha: -1"},
		{bench.Options{Confidence: math.NaN()}, one, "confidence: NaN"},
		{bench.Options{Filter: ".name:B"}, one, "no benchmark results that match the filter, out of 1"},
		{bench.Options{}, "hello\n", "no benchmark results"},
		{bench.Options{}, "BenchmarkA x\n", "a:1: parsing iteration count"},
		{bench.Options{}, one + strings.Repeat("x", 1<<17), "a:1: bufio.Scanner: token too long"},
	} {
		if _, err := compare(t, tt.o, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
	for path, want := range map[string]string{"absent.txt": "read benchmarks: open absent.txt", "-": "no standard input"} {
		if _, err := bench.Compare(t.Context(), bench.ParseInputs([]string{path}), bench.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bench.Compare(ctx, bench.ParseInputs([]string{"-"}),
		bench.Options{Stdin: strings.NewReader(one)}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestParseInputs(t *testing.T) {
	got := bench.ParseInputs([]string{"x", "a=x", "-", "x", "b=c=d"})
	want := []bench.Input{
		{Path: "x", Label: "x#0"},
		{Path: "x", Label: "a"},
		{Path: "-", Label: "-"},
		{Path: "x", Label: "x#1"},
		{Path: "c=d", Label: "b"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzCompare expects a comparison or an error for any text, and JSON that can be read back.
func FuzzCompare(f *testing.F) {
	for _, data := range stored(f) {
		if len(data) < 4000 {
			f.Add(string(data))
		}
	}
	f.Add("Unit ns/op assume=normal\nBenchmarkA 1 1e308 ns/op -3 x\nBenchmarkA 1 -1e308 ns/op 0 x\n")
	f.Add("Unit x assume=exact\nBenchmarkA 1 1 x NaN y +Inf z\nBenchmarkA 1 2 x\nlabel: \xff\nBenchmarkA/a=b-8 1 2 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		first, second, _ := strings.Cut(text, "\x00")
		inputs := []bench.Input{{Path: "-", Label: "a"}, {Path: "-", Label: "b"}}
		for _, rest := range []string{first, second} {
			c, err := bench.Compare(t.Context(), inputs, bench.Options{Stdin: &twice{text: rest}})
			if err != nil {
				continue
			}
			data, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, new(bench.Comparison)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// twice returns its text once for each of two inputs.
type twice struct {
	text string
	at   int
}

func (r *twice) Read(p []byte) (int, error) {
	if r.at == len(r.text) {
		r.at = 0
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	r.at += n
	return n, nil
}

// TestUnique checks that results of two commits in one cell are refused, and separated or pooled on
// request.
func TestUnique(t *testing.T) {
	text := func(commits ...string) string {
		var out strings.Builder
		for i, c := range commits {
			if c != "" {
				fmt.Fprintf(&out, "commit: %s\n", c)
			}
			for k := range 8 {
				fmt.Fprintf(&out, "BenchmarkX 100 %d ns/op\n", 100*(i+1)+k)
			}
		}
		return out.String()
	}
	compare := func(text string, o bench.Options) (*bench.Comparison, error) {
		o.Stdin, o.Unique = strings.NewReader(text), "commit"
		return bench.Compare(t.Context(), bench.ParseInputs([]string{"results=-"}), o)
	}
	_, err := compare(text("aaa", "bbb"), bench.Options{Ignore: "commit"})
	var pooled *bench.PooledError
	if !errors.As(err, &pooled) || pooled.Error() != "X of results has results of 2 values of commit: aaa, bbb" {
		t.Fatalf("%v", err)
	}
	c, err := compare(text("aaa", "bbb"), bench.Options{Column: "commit"})
	if err != nil || len(c.Tables[0].Columns) != 2 || c.Tables[0].Rows[0].Cells[1].N != 8 {
		t.Errorf("separated: %+v, %v", c, err)
	}
	if c, err = compare(text("aaa", "bbb"), bench.Options{Ignore: "commit", Filter: "commit:bbb"}); err != nil ||
		c.Tables[0].Rows[0].Cells[0].N != 8 {
		t.Errorf("one of them: %+v, %v", c, err)
	}
	if _, err = compare(text("aaa", "aaa"), bench.Options{Ignore: "commit"}); err != nil {
		t.Errorf("twice the same: %v", err)
	}
	if _, err = compare(text(""), bench.Options{Ignore: "commit"}); err != nil {
		t.Errorf("without one: %v", err)
	}
}

// TestHints checks that errors about options, and about results that cannot be compared, have
// hints.
func TestHints(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&bench.OptionError{Option: "row", Err: errors.New("x")}, "benchproc/syntax"},
		{&bench.PooledError{Key: "commit"}, "--col commit compares them"},
		{fmt.Errorf("wrapped: %w", bench.ErrNoResults), "go test -bench"},
	} {
		if got := diag.Hint(test.err); !strings.Contains(got, test.want) {
			t.Errorf("%v has hint %q, want %q in it", test.err, got, test.want)
		}
	}
	if !slices.Contains(bench.DescriptiveKeys(), "commit") {
		t.Errorf("%q has no commit", bench.DescriptiveKeys())
	}
}
