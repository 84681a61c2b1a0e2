package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/ui"
)

// TestBenchPageTypes keeps the page's types those of Go.
func TestBenchPageTypes(t *testing.T) {
	reporttest.PageTypes(t, "../../../ui/src/api/bench.ts", reflect.TypeFor[pages.Fact](),
		reflect.TypeFor[benchPageChange](), reflect.TypeFor[benchPageCell](),
		reflect.TypeFor[benchPagePairs](), reflect.TypeFor[benchPageRow](), reflect.TypeFor[benchPageMean](),
		reflect.TypeFor[benchPageTable](), reflect.TypeFor[benchVerdictLine](), reflect.TypeFor[benchDoc]())
}

// TestBenchUnits writes what benchunit makes of many numbers. The page's own scales
// (ui/src/lib/benchunit.ts) are tested against the same file.
func TestBenchUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	values := []float64{
		0, 1, -1, 0.5, 9.9994, 9.9996, 99.994, 99.996, 999.94, 999.96, 1023, 1024, 1e-9, 9.9996e-10, 1e-12,
		3e-20, 1e15, 1 << 50,
	}
	for range 200 {
		values = append(values, math.Exp(r.Float64()*70-35))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, v := range values {
		v = pageNumber(v)
		if err := enc.Encode(map[string]any{
			"value": v, "decimal": benchunit.Scale(v, benchunit.Decimal),
			"binary": benchunit.Scale(v, benchunit.Binary),
		}); err != nil {
			t.Fatal(err)
		}
	}
	golden.Check(t, "testdata/bench-units.jsonl", b.Bytes())
}

// drawnBenchmarks compares benchmarks with drawn noise: rows of them, columns wide, n measurements
// each. Every fifth differs.
func drawnBenchmarks(t *testing.T, rows, columns, n int) *bench.Comparison {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), uint64(columns*n)))
	var text strings.Builder
	text.WriteString("goos: linux\ngoarch: amd64\npkg: example.com/encode\ncpu: Some Processor @ 3.00GHz\n")
	for side := range columns {
		fmt.Fprintf(&text, "side: %s\n", []string{"old", "new", "third", "fourth", "fifth", "sixth"}[side])
		for row := range rows {
			base := 30 * math.Pow(1.07, float64(row))
			if row%5 == 0 {
				base *= 1 + 0.06*float64(side)*float64(1-row%2*2)
			}
			for range n {
				v := base * math.Exp(0.01*r.NormFloat64())
				if r.IntN(40) == 0 {
					v *= 1.5
				}
				fmt.Fprintf(&text, "BenchmarkEncode/format=json/size=%d-8 100 %.5g ns/op %d B/op %.4g MB/s\n", row, v,
					64*(row+1)*(5+side*(1-min(row%4, 1)))/5, 1e5/v)
			}
		}
	}
	c, err := bench.Compare(t.Context(), []bench.Input{{Path: "-"}},
		bench.Options{Stdin: strings.NewReader(text.String()), Column: "side"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hostileBenchmarks holds markup wherever a name can stand, and numbers that JSON
// cannot hold.
func hostileBenchmarks(t *testing.T) *bench.Comparison {
	const evil = `</script><script>window.pwned=1</script><img src=x onerror=pwned=1>`
	c := drawnBenchmarks(t, 2, 2, 7)
	c.Warnings = bench.Warnings{{Text: evil}, {Text: "a\x1b[31mb\u202ec"}}
	for i := range c.Tables {
		table := &c.Tables[i]
		table.Config = append(table.Config, bench.Field{Key: evil, Value: evil})
		table.Columns[0].Name, table.Columns[1].Name = evil, "x\u202ey"
		table.Rows[0].Name = evil
		table.Unpaired = []bench.Unpaired{{Row: evil, In: []string{evil}, NotIn: []string{evil}}}
		table.Rows[0].Cells[0].Warnings = bench.Warnings{{Text: evil}}
		cell := table.Rows[1].Cells[1]
		cell.Low, cell.High, cell.Change.Delta = bench.Float(math.Inf(-1)), bench.Float(math.Inf(1)), bench.Float(math.Inf(1))
		cell.Values[0] = math.MaxFloat64
	}
	c.Tables[0].Unit = evil
	return c
}

func benchPages(t *testing.T) map[string]*bench.Comparison {
	lone := drawnBenchmarks(t, 3, 2, 1)
	lone.Tables[0].Rows[2].Cells[1] = nil
	return map[string]*bench.Comparison{
		"two": drawnBenchmarks(t, 2, 2, 10), "many": drawnBenchmarks(t, 200, 2, 12), "six": drawnBenchmarks(t, 12, 6, 10),
		"single": drawnBenchmarks(t, 4, 1, 10), "lone": lone, "thousand": drawnBenchmarks(t, 2, 2, 1000),
		"hostile": hostileBenchmarks(t),
	}
}

// drawnAB is a comparison of two builds with drawn noise: one is faster, one drifts, one is
// the same, one broke.
func drawnAB() *ab.Result {
	r := rand.New(rand.NewPCG(9, 9))
	of := func(name string, pairs int, ratio, drift float64, v ab.Verdict) ab.SubjectResult {
		u := ab.Unit{
			Unit: "sec/op", Better: bench.Lower, Ratio: bench.Float(ratio), Low: bench.Float(ratio * 0.99),
			High: bench.Float(ratio * 1.01), P: 0.01, Q: 0.02, Verdict: v,
		}
		for i := range pairs {
			day := 1e-6 * math.Exp(0.2*r.NormFloat64())
			u.Rounds[ab.A] = append(u.Rounds[ab.A], day)
			u.Rounds[ab.B] = append(u.Rounds[ab.B], day*ratio*math.Exp(0.02*r.NormFloat64()+drift*float64(i)/float64(pairs)))
		}
		u.A, u.B = ab.Summary{Median: 1e-6, Low: 0.9e-6, High: 1.1e-6}, ab.Summary{
			Median: bench.Float(1e-6 * ratio),
			Low:    bench.Float(0.9e-6 * ratio), High: bench.Float(1.1e-6 * ratio),
		}
		bytes := ab.Unit{Unit: "B/op", Better: bench.Lower, Ratio: 1, Low: 1, High: 1, P: 1, Q: 1, Verdict: ab.Same}
		bytes.Rounds[ab.A], bytes.Rounds[ab.B] = make([]float64, pairs), make([]float64, pairs)
		return ab.SubjectResult{Name: name, Pairs: pairs, Units: []ab.Unit{u, bytes}}
	}
	out := abResult()
	out.Subjects = []ab.SubjectResult{
		of("Faster", 60, 0.8, 0, ab.Better), of("Drifts", 400, 1.02, 0.15, ab.Undecided),
		of("Same", 24, 1, 0, ab.Same), of("Cut", 1, 1.5, 0, ab.Undecided),
		{Name: "Broken", Error: "B: panic: oh"},
	}
	out.Subjects[3].Units[0].Low, out.Subjects[3].Units[0].High = 0, bench.Float(math.Inf(1))
	out.Subjects[3].Error = "<b>killed</b>"
	out.Warnings = bench.Warnings{{Text: "x\u202e<b>"}}
	return out
}

// TestBenchABPage holds a page to the result that it is of.
func TestBenchABPage(t *testing.T) {
	var out bytes.Buffer
	r := drawnAB()
	if err := WriteABPage(&out, r); err != nil {
		t.Fatal(err)
	}
	doc := benchPageData(t, out.Bytes())
	if len(doc.Tables) != 2 || doc.Tables[0].Unit != "sec/op" || len(doc.Tables[0].Rows) != 4 ||
		len(doc.Tables[0].Means) != 2 || !strings.Contains(doc.Title, "the working tree against main") {
		t.Fatalf("%+v", doc)
	}
	for i, row := range doc.Tables[0].Rows {
		u := &r.Subjects[i].Units[0]
		if len(row.Cells) != 2 || len(row.Cells[0].Changes) != 0 || len(row.Cells[1].Changes) != 1 ||
			len(row.Cells[1].Values) != len(u.Rounds[ab.B]) {
			t.Errorf("%s: %+v", row.Name, row.Cells)
		}
		if d := row.Cells[1].Changes[0]; d.Verdict != string(u.Verdict) || d.Q != 0.02 ||
			math.Abs(d.Delta-float64(u.Ratio)+1) > 1e-9 {
			t.Errorf("%s: %+v", row.Name, d)
		}
		if i == 3 {
			if len(row.Pairs) != 0 || len(row.Notes) != 1 {
				t.Errorf("a single pair: %+v", row)
			}
			continue
		}
		for k, ratio := range row.Pairs[0].Ratios {
			if want := u.Rounds[ab.B][k] / u.Rounds[ab.A][k]; math.Abs(ratio-want) > 1e-5 {
				t.Fatalf("%s: pair %d is %v, want %v", row.Name, k, ratio, want)
			}
		}
	}
	if rows := doc.Tables[1].Rows; len(rows[0].Pairs) != 0 {
		t.Error("equal bytes have ratios")
	}
}

// benchPageData takes the data out of a page again.
func benchPageData(t *testing.T, page []byte) benchDoc {
	t.Helper()
	_, rest, ok := bytes.Cut(page, []byte(`id="whet-bench">`))
	data, _, end := bytes.Cut(rest, []byte("</script>"))
	var doc benchDoc
	if err := json.Unmarshal(data, &doc); err != nil || !ok || !end {
		t.Fatal(err, ok, end)
	}
	return doc
}

// TestBenchPage holds a page to the comparison that it is of.
func TestBenchPage(t *testing.T) {
	for name, js := range map[string]string{"bench.js": ui.BenchJS(), "benchhistory.js": ui.BenchHistoryJS()} {
		if strings.Contains(js, "</script") || strings.Contains(js, "<!--") || len(js) < 10_000 {
			t.Errorf("%s (%d bytes) cannot stand inline", name, len(js))
		}
	}
	for name, c := range benchPages(t) {
		var out bytes.Buffer
		if err := WritePage(&out, c); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(out.Bytes(), []byte("<script")); n != 2 || bytes.Contains(out.Bytes(), []byte("\u202e")) {
			t.Errorf("%s: %d scripts", name, n)
		}
		doc := benchPageData(t, out.Bytes())
		if len(doc.Tables) != len(c.Tables) {
			t.Fatalf("%s: %d tables", name, len(doc.Tables))
		}
		for i, table := range doc.Tables {
			from := c.Tables[i]
			if len(table.Rows) != len(from.Rows) || len(from.Rows) > 1 && len(table.Means) != len(from.Columns) {
				t.Fatalf("%s: %d rows, %d means", name, len(table.Rows), len(table.Means))
			}
			for k, row := range table.Rows {
				for _, cell := range row.Cells {
					checkBenchCell(t, from.Better, from.Rows[k].Cells[cell.Column], &cell)
				}
			}
		}
	}
}

func checkBenchCell(t *testing.T, better string, from *bench.Cell, cell *benchPageCell) {
	t.Helper()
	if cell.N != from.N || math.Abs(cell.Center-float64(from.Center)) > 1e-6*math.Abs(float64(from.Center)) ||
		len(cell.Values) != len(from.Values) {
		t.Errorf("%d of %d values about %v, want %v", len(cell.Values), cell.N, cell.Center, from.Center)
	}
	if cell.Bounded && (cell.Low > cell.Center || cell.High < cell.Center) {
		t.Errorf("%v is not between %v and %v", cell.Center, cell.Low, cell.High)
	}
	if len(cell.Changes) == 0 {
		return
	}
	d, want := cell.Changes[0], from.Change
	holds := d.Verdict == benchWorse || d.Verdict == benchBetter || d.Verdict == benchChangedTo
	if holds != (want.Holds && want.Delta != 0) || d.P != want.P || d.Q != want.Adjusted {
		t.Errorf("%+v of %+v", d, want)
	}
	if holds && (d.Verdict == benchWorse) != ((want.Delta > 0) == (better == bench.Lower)) {
		t.Errorf("%v is %s when %s is better", want.Delta, d.Verdict, better)
	}
}

// TestBenchPageBounded checks that a page of many benchmarks has fewer points of each.
func TestBenchPageBounded(t *testing.T) {
	for cells, want := range map[int]int{1: 1000, 250: 1000, 1000: 250, 1_000_000: benchPageLeast} {
		if got := pointsPerCell(cells); got != want {
			t.Errorf("%d cells have %d points each, want %d", cells, got, want)
		}
	}
	c := drawnBenchmarks(t, 1, 1, 300)
	table := newBenchPageTable(c, 0, 50)
	if n := len(table.Rows[0].Cells[0].Values); n != 50 || !strings.Contains(strings.Join(table.Notes, "\n"),
		"an even selection") {
		t.Errorf("%d points, notes %q", n, table.Notes)
	}
}

// TestBenchJourney walks through pages in a real browser, as ui/journey/bench.mjs
// says. WHET_SHOTS names a folder for its screenshots.
func TestBenchJourney(t *testing.T) {
	reporttest.RunJourney(t, "bench.mjs", func() map[string][]byte {
		pages := make(map[string][]byte)
		for name, c := range benchPages(t) {
			var out bytes.Buffer
			if err := WritePage(&out, c); err != nil {
				t.Fatal(err)
			}
			pages[name] = out.Bytes()
		}
		var out bytes.Buffer
		if err := WriteABPage(&out, drawnAB()); err != nil {
			t.Fatal(err)
		}
		pages["ab"] = out.Bytes()
		return pages
	})
}
