package benchmarks

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/ui"
)

// Limits on the contents of a page with benchmarks.
const (
	benchPagePoints = 250_000 // measurements, of all cells together
	benchPageLeast  = 20      // of a cell, however many cells there are
)

// BenchMark is near the start of every page of compared benchmarks.
const BenchMark = `<meta name="generator" content="whet bench">`

// The wire types of the page; ui/src/api/bench.ts is generated from them. An optional value is a
// list of at most one.
type (
	benchDoc struct {
		Title   string             `json:"title"`
		Verdict []benchVerdictLine `json:"verdict"` // none without a comparison
		Facts   pages.Facts        `json:"facts"`
		Notes   []string           `json:"notes"`
		Legend  string             `json:"legend"` // what is drawn, in a sentence
		Tables  []benchPageTable   `json:"tables"`
	}
	// benchPageTable is the benchmarks of one unit and configuration.
	benchPageTable struct {
		Config  pages.Facts     `json:"config"`
		Unit    string          `json:"unit"`
		Binary  bool            `json:"binary"` // prefixes are Ki, Mi, …
		Center  string          `json:"center"` // the kind of center: median
		Spread  string          `json:"spread"` // the kind of low and high
		Columns []string        `json:"columns"`
		Means   []benchPageMean `json:"means"` // one for each column; none when there is one row
		Rows    []benchPageRow  `json:"rows"`
		Notes   []string        `json:"notes"`
	}
	benchPageMean struct {
		Center string `json:"center"`
		Change string `json:"change"`
	}
	benchPageRow struct {
		Name  string           `json:"name"`
		Cells []benchPageCell  `json:"cells"` // ordered by column
		Pairs []benchPagePairs `json:"pairs"`
		Notes []string         `json:"notes"`
	}
	benchPageCell struct {
		Column  int               `json:"column"`
		N       int               `json:"n"`      // number of measurements; values may be fewer
		Values  []float64         `json:"values"` // in order of time
		Center  float64           `json:"center"`
		Bounded bool              `json:"bounded"` // low and high are finite
		Low     float64           `json:"low"`
		High    float64           `json:"high"`
		Text    string            `json:"text"`  // of the center
		Range   string            `json:"range"` // of low and high
		Changes []benchPageChange `json:"changes"`
	}
	benchPageChange struct {
		Delta   float64 `json:"delta"`  // 0 if it is not finite
		Finite  bool    `json:"finite"` // delta is finite
		Text    string  `json:"text"`   // of the change, even if it is chance
		P       float64 `json:"p"`
		Q       float64 `json:"q"`
		Verdict string  `json:"verdict"` // better, worse, changed, chance, same, undecided
		Words   string  `json:"words"`   // the verdict as text
	}
	// benchPagePairs are the ratios of pairs of rounds in order of time.
	benchPagePairs struct {
		Ratios  []float64 `json:"ratios"`
		Ratio   float64   `json:"ratio"`
		Bounded bool      `json:"bounded"` // low and high are finite
		Low     float64   `json:"low"`
		High    float64   `json:"high"`
	}
)

// Verdicts of a change on the page.
const (
	benchBetter    = "better"
	benchWorse     = "worse"
	benchChangedTo = "changed" // in a unit without a better direction
	benchChance    = "chance"  // significant alone, but not among this many
	benchSame      = "same"
)

// WritePage writes a comparison of benchmarks as a self-contained page: one HTML file that makes no
// request. The measurements of each benchmark are strips of points with the center and its
// interval.
func WritePage(w io.Writer, c *bench.Comparison) error {
	return writeBenchDoc(w, newBenchDoc(c))
}

func writeBenchDoc(w io.Writer, doc benchDoc) error {
	return pages.WriteData(w, pages.DataPage{
		Mark: BenchMark, ID: "whet-bench", Title: doc.Title, Script: ui.BenchJS(), Data: doc,
		Without: "<code>whet bench compare</code> shows the same figures as text.",
	})
}

// Document is what a page of benchmarks shows, in words and figures that are safe to show.
type Document = benchDoc

// NewDocument returns the contents of the page that WritePage writes.
func NewDocument(c *bench.Comparison) Document { return newBenchDoc(c) }

func newBenchDoc(c *bench.Comparison) benchDoc {
	doc := benchDoc{
		Title: "Benchmarks", Verdict: comparisonVerdict(c), Facts: pages.Facts{}, Notes: pages.CleanAll(c.Warnings.Texts()),
		Tables: []benchPageTable{},
	}
	cells, compared := 0, false
	for i := range c.Tables {
		t := &c.Tables[i]
		compared = compared || len(t.Columns) > 1
		for _, r := range t.Rows {
			cells += len(r.Cells)
		}
		if i == 0 && len(t.Columns) > 1 {
			names := make([]string, len(t.Columns))
			for k, col := range t.Columns {
				names[k] = col.Name
			}
			doc.Title = layout.Clean("Benchmarks: " + strings.Join(names[1:], ", ") + " against " + names[0])
		}
	}
	most := pointsPerCell(cells)
	for i := range c.Tables {
		doc.Tables = append(doc.Tables, newBenchPageTable(c, i, most))
	}
	if compared {
		doc.Legend = fmt.Sprintf(
			"A change is significant if q is at most %v: at most %v%% of these changes are expected to be chance. q is p "+
				"adjusted for the number of benchmarks compared.", c.Alpha, percentOf(c.Alpha))
	}
	return doc
}

// pointsPerCell returns how many measurements each cell may draw.
func pointsPerCell(cells int) int {
	return max(benchPageLeast, min(bench.MaxValues, benchPagePoints/max(cells, 1)))
}

func newBenchPageTable(c *bench.Comparison, at, most int) benchPageTable {
	t := &c.Tables[at]
	class := benchunit.ClassOf(t.Unit)
	out := benchPageTable{
		Config: pages.Facts{}, Unit: layout.Clean(t.Unit), Binary: class == benchunit.Binary, Center: t.Statistic,
		Spread: percentOf(c.Confidence) + "% confidence interval", Columns: []string{}, Means: []benchPageMean{},
		Rows:  []benchPageRow{},
		Notes: pages.CleanAll(benchUnpaired(t)),
	}
	for _, f := range t.Config {
		out.Config.Add(layout.Clean(f.Key), layout.Clean(f.Value))
	}
	for _, col := range t.Columns {
		out.Columns = append(out.Columns, layout.Clean(col.Name))
	}
	thinned := false
	for _, r := range t.Rows {
		row := benchPageRow{
			Name: layout.Clean(r.Name), Cells: []benchPageCell{}, Pairs: []benchPagePairs{},
			Notes: []string{},
		}
		scale := benchunit.CommonScale(centersOf(r), class)
		for k, cell := range r.Cells {
			if cell == nil {
				continue
			}
			to := newBenchPageCell(cell, k, t.Better, most)
			to.Text = scale.Format(float64(cell.Center))
			thinned = thinned || len(to.Values) < cell.N
			row.Cells = append(row.Cells, to)
			row.Notes = appendNew(row.Notes, cell.Warnings.Texts()...)
			if cell.Change != nil {
				row.Notes = appendNew(row.Notes, cell.Change.Warnings.Texts()...)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	if len(t.Rows) > 1 {
		for k, m := range t.Geomean {
			mean := benchPageMean{}
			if m.Center != nil {
				mean.Center = benchunit.Scale(float64(*m.Center), class)
			}
			if k > 0 && m.Delta != nil {
				mean.Change = fmt.Sprintf("%+.2f%%", float64(*m.Delta)*100)
			}
			out.Means = append(out.Means, mean)
			out.Notes = appendNew(out.Notes, m.Warnings.Texts()...)
		}
	}
	if thinned {
		out.Notes = append(out.Notes,
			"of benchmarks with many measurements, an even selection is drawn; the figures include all of them")
	}
	return out
}

func newBenchPageCell(cell *bench.Cell, column int, better string, most int) benchPageCell {
	out := benchPageCell{
		Column: column, N: cell.N, Values: pageValues(bench.Downsample(cell.Values, most)),
		Center: pageNumber(float64(cell.Center)),
		Range:  rangeText(cell), Changes: []benchPageChange{},
	}
	if low, high := float64(cell.Low), float64(cell.High); IsFinite(low) && IsFinite(high) {
		out.Bounded, out.Low, out.High = true, pageNumber(low), pageNumber(high)
	}
	if d := cell.Change; d != nil {
		change := benchPageChange{P: d.P, Q: d.Adjusted, Text: "?"}
		if delta := float64(d.Delta); IsFinite(delta) {
			change.Delta, change.Finite, change.Text = delta, true, fmt.Sprintf("%+.2f%%", delta*100)
		}
		change.Verdict, change.Words = benchVerdict(d, better)
		out.Changes = append(out.Changes, change)
	}
	return out
}

// benchVerdict returns the verdict on a change.
func benchVerdict(d *bench.Change, better string) (verdict, words string) {
	delta := float64(d.Delta)
	switch {
	case delta == 0 || math.IsNaN(delta) || !d.Significant:
		return benchSame, "no change shown"
	case !d.Holds:
		return benchChance, "perhaps chance"
	case better == "":
		return benchChangedTo, "changed"
	case (delta < 0) == (better == bench.Lower):
		return benchBetter, "better"
	default:
		return benchWorse, "worse"
	}
}

func centersOf(r bench.Row) []float64 {
	var out []float64
	for _, c := range r.Cells {
		if c != nil {
			out = append(out, float64(c.Center))
		}
	}
	return out
}

// appendNew cleans the texts and appends those not in the list yet.
func appendNew(to []string, texts ...string) []string {
	for _, text := range texts {
		if text = layout.Clean(text); !slices.Contains(to, text) {
			to = append(to, text)
		}
	}
	return to
}

// IsFinite reports whether v is a number that JSON can hold.
func IsFinite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// pageNumber rounds to seven digits, more than a screen can show, and returns 0 for what JSON
// cannot hold.
func pageNumber(v float64) float64 {
	if !IsFinite(v) {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	if err != nil || !IsFinite(short) {
		return v // the largest number rounds up to infinity
	}
	return short
}

func pageValues(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = pageNumber(v)
	}
	return out
}
