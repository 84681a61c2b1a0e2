package benchmarks

import (
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
)

// WriteABPage writes a comparison of two builds as a self-contained page that makes no request: for
// each benchmark the rounds of A and B, and the ratios of its pairs in order of time, which show
// drift.
func WriteABPage(w io.Writer, r *ab.Result) error {
	return writeBenchDoc(w, newABDoc(r))
}

// NewABDocument returns the contents of the page that WriteABPage writes.
func NewABDocument(r *ab.Result) Document { return newABDoc(r) }

func newABDoc(r *ab.Result) benchDoc {
	doc := benchDoc{
		Title:   layout.Clean("B against A: " + r.Sides[ab.B] + " against " + r.Sides[ab.A]),
		Verdict: abVerdict(r), Facts: pages.Facts{},
		Notes: pages.CleanAll(append(ABSummary(r), r.Warnings.Texts()...)), Tables: []benchPageTable{},
		Legend: "Verdicts go by q, which is p adjusted for the number of benchmarks.",
	}
	doc.Facts.Add("rounds", layout.Clean(abPlan(r)))
	doc.Facts.Add("machine", strings.Join(MachineLines(r.Machine), ", "))
	cells := 0
	for _, c := range r.Subjects {
		cells += 3 * len(c.Units) // A, B and the ratios
	}
	most := pointsPerCell(cells)
	for _, table := range abTables(r) {
		doc.Tables = append(doc.Tables, newABPageTable(r, layout.Clean(table.Head[0]), most))
	}
	return doc
}

func newABPageTable(r *ab.Result, name string, most int) benchPageTable {
	out := benchPageTable{
		Config: pages.Facts{}, Unit: name, Binary: benchunit.ClassOf(name) == benchunit.Binary, Center: "median",
		Spread:  "quartiles",
		Columns: []string{layout.Clean("A: " + r.Sides[ab.A]), layout.Clean("B: " + r.Sides[ab.B])}, Means: []benchPageMean{},
		Rows: []benchPageRow{}, Notes: []string{},
	}
	for _, c := range r.Subjects {
		for i := range c.Units {
			if layout.Clean(c.Units[i].Unit) == name {
				out.Rows = append(out.Rows, newABPageRow(&c, &c.Units[i], most))
			}
		}
	}
	for _, g := range r.Geomean {
		if layout.Clean(g.Unit) == name {
			out.Means = append(out.Means, benchPageMean{},
				benchPageMean{Change: changeText(FormatChange(float64(g.Ratio)), halfOf(float64(g.Low), float64(g.High)))})
		}
	}
	return out
}

func newABPageRow(c *ab.SubjectResult, u *ab.Unit, most int) benchPageRow {
	row := benchPageRow{Name: layout.Clean(c.Name), Cells: []benchPageCell{}, Pairs: []benchPagePairs{}, Notes: []string{}}
	texts := ABRowOf("", c.Pairs, u)
	for side, s := range []ab.Summary{u.A, u.B} {
		cell := benchPageCell{
			Column: side, N: len(u.Rounds[side]), Values: pageValues(bench.Downsample(u.Rounds[side], most)),
			Center: pageNumber(float64(s.Median)),
			Text:   texts[1+side], Range: quartileRange(s), Changes: []benchPageChange{},
		}
		if low, high := float64(s.Low), float64(s.High); IsFinite(low) && IsFinite(high) && low <= high {
			cell.Bounded, cell.Low, cell.High = true, pageNumber(low), pageNumber(high)
		}
		if ab.Side(side) == ab.B {
			change := benchPageChange{
				Text: changeText(texts[3], texts[4]), P: u.P, Q: u.Q, Verdict: string(u.Verdict),
				Words: Verdict(u),
			}
			if ratio := float64(u.Ratio); IsFinite(ratio) {
				change.Delta, change.Finite = ratio-1, true
			}
			cell.Changes = append(cell.Changes, change)
		}
		row.Cells = append(row.Cells, cell)
	}
	if ratios := u.PairRatios(); len(ratios) > 0 && IsFinite(float64(u.Ratio)) {
		pairs := benchPagePairs{Ratios: pageValues(bench.Downsample(ratios, most)), Ratio: pageNumber(float64(u.Ratio))}
		if low, high := float64(u.Low), float64(u.High); IsFinite(low) && IsFinite(high) && low > 0 {
			pairs.Bounded, pairs.Low, pairs.High = true, pageNumber(low), pageNumber(high)
		}
		row.Pairs = append(row.Pairs, pairs)
	}
	if c.Error != "" {
		row.Notes = append(row.Notes, layout.Clean("not fully measured: "+c.Error))
	}
	return row
}

// quartileRange returns the distance of the farther quartile from the median.
func quartileRange(s ab.Summary) string {
	median := float64(s.Median)
	far := max(float64(s.High)-median, median-float64(s.Low)) / math.Abs(median)
	if !IsFinite(far) {
		return ""
	}
	return fmt.Sprintf("±%.2g%%", far*100)
}
