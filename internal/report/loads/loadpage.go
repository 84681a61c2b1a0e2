package loads

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/internal/load/charts"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/ui"
	"github.com/whet-go/whet/unit"
)

// loadPageBars limits the bars of a page's histogram.
const loadPageBars = 48

// Mark is near the start of every page that WritePage writes.
const Mark = `<meta name="generator" content="whet load">`

// Page is the contents of a page with charts of loads. It needs at least one run or a knee.
type Page struct {
	Title string // "" derives it from the first run
	// Runs are drawn in the same charts.
	Runs []*load.Result
	// Names distinguish the runs, one each; nil for a single run.
	Names []string
	// Tables come before the charts.
	Tables []pages.Table
	// Knee is the search for a capacity; nil without one.
	Knee *charts.Knee
	// Notes are sentences to show the reader.
	Notes []string
}

// The wire types of a page; ui/src/api/load.ts is generated from them.
type (
	loadDoc struct {
		Title  string        `json:"title"`
		Notes  []string      `json:"notes"`
		Runs   []loadRun     `json:"runs"`
		Tables []pages.Table `json:"tables"`
		Knees  []charts.Knee `json:"knees"` // at most one
	}
	loadRun struct {
		Name        string       `json:"name"`
		Target      string       `json:"target"`
		Setting     string       `json:"setting"`
		Facts       pages.Facts  `json:"facts"`
		Latency     []loadCell   `json:"latency"`
		Percentiles []loadPoint  `json:"percentiles"`
		Bars        []loadBar    `json:"bars"`
		Seconds     []loadSecond `json:"seconds"`
		Outcomes    []loadSeries `json:"outcomes"` // statuses and kinds of failures; none if all answers had 200
		Answered    bool         `json:"answered"` // at least once
		Reasons     []loadReason `json:"reasons"`
		Warnings    []string     `json:"warnings"`
	}
	loadCell struct {
		Name   string `json:"name"`
		Text   string `json:"text"`
		Chance bool   `json:"chance"` // too few answers above it
	}
	loadPoint struct {
		Inverse float64 `json:"inverse"` // 1/(1-q) of quantile q
		MS      float64 `json:"ms"`
	}
	loadBar struct {
		Upper float64 `json:"upper"` // ms
		Share float64 `json:"share"` // of all answers, percent
	}
	loadSecond struct {
		At     float64 `json:"at"`   // s since the start, of the second's end
		Rate   float64 `json:"rate"` // answers/s
		Failed float64 `json:"failed"`
		P50    float64 `json:"p50"` // ms
		P99    float64 `json:"p99"`
		Max    float64 `json:"max"`
		// Partial is set for a last second that is shorter, and whose figures say little.
		Partial bool    `json:"partial"`
		Length  float64 `json:"length"` // s
	}
	// A loadSeries is a rate over time, a value for each second.
	loadSeries struct {
		Name   string    `json:"name"`
		Failed bool      `json:"failed"` // no complete answer, or a status of 400 and more
		Values []float64 `json:"values"`
	}
	loadReason struct {
		Text string `json:"text"`
		Hint string `json:"hint"`
	}
)

// WritePage writes a self-contained page with charts: one HTML file with its data, code and styles
// that makes no request. Each chart has a table next to it.
func WritePage(w io.Writer, p Page) error {
	doc := newLoadDoc(p)
	return pages.WriteData(w, pages.DataPage{
		Mark: Mark, ID: "whet-load", Title: doc.Title, Script: ui.LoadJS(), Data: doc,
		Without: "<code>whet load</code> shows the same figures as text.",
	})
}

// Document is what a page with charts shows, in words and figures that are safe to show.
type Document = loadDoc

// NewDocument returns the contents of a page.
func NewDocument(p Page) Document { return newLoadDoc(p) }

func newLoadDoc(p Page) loadDoc {
	doc := loadDoc{
		Title: p.Title, Notes: pages.CleanAll(p.Notes), Runs: []loadRun{}, Tables: []pages.Table{},
		Knees: []charts.Knee{},
	}
	hists := make([]*hdrhistogram.Histogram, len(p.Runs))
	for i, r := range p.Runs {
		hists[i], _ = charts.Histogram(r) // without a histogram there is no chart
	}
	bars := charts.CommonBars(hists, loadPageBars)
	for i, r := range p.Runs {
		run := newLoadRun(r, hists[i], bars[i])
		if i < len(p.Names) {
			run.Name = layout.Clean(p.Names[i])
		}
		doc.Runs = append(doc.Runs, run)
	}
	if doc.Title == "" && len(doc.Runs) > 0 {
		doc.Title = doc.Runs[0].Target
	}
	doc.Title = layout.Clean(doc.Title)
	tables := p.Tables
	if len(p.Tables) == 0 { // comparisons have their own
		for i, r := range p.Runs {
			for _, t := range []*pages.Table{phaseTable(r), targetTable(r, loadPageTargets)} {
				if t == nil {
					continue
				}
				if i < len(p.Names) {
					t.Caption += ", " + p.Names[i]
				}
				tables = append(slices.Clip(tables), *t)
			}
		}
	}
	for _, t := range tables {
		clean := pages.Table{Caption: layout.Clean(t.Caption), Columns: pages.CleanAll(t.Columns), Rows: [][]string{}}
		for _, row := range t.Rows {
			clean.Rows = append(clean.Rows, pages.CleanAll(row))
		}
		doc.Tables = append(doc.Tables, clean)
	}
	if p.Knee != nil {
		knee := *p.Knee
		knee.Metric = layout.Clean(knee.Metric)
		knee.Points = append([]charts.KneePoint{}, knee.Points...) // never null
		doc.Knees = append(doc.Knees, knee)
	}
	return doc
}

func newLoadRun(r *load.Result, h *hdrhistogram.Histogram, bars []load.Bar) loadRun {
	run := loadRun{
		Target: Targets(r), Setting: layout.Clean(Setting(r)), Facts: loadPageFacts(r), Latency: []loadCell{},
		Percentiles: []loadPoint{}, Bars: []loadBar{}, Seconds: []loadSecond{}, Outcomes: []loadSeries{},
		Reasons:  []loadReason{},
		Warnings: []string{},
		Answered: r.Responses > 0,
	}
	if r.Responses > 0 {
		for _, row := range loadRows(r) {
			run.Latency = append(run.Latency, loadCell{Name: row.name, Text: unit.Duration(row.value), Chance: row.chance})
		}
	}
	if h != nil {
		run.Percentiles = percentilePoints(h)
		for _, b := range bars {
			run.Bars = append(run.Bars, loadBar{Upper: millis(b.Upper), Share: unit.Share(b.Count, h.TotalCount()) * 100})
		}
	}
	for _, s := range r.Seconds {
		if s.Elapsed <= 0 {
			continue
		}
		per := s.Elapsed.Seconds()
		run.Seconds = append(run.Seconds, loadSecond{
			At: (s.Start + s.Elapsed).Seconds(), Rate: float64(s.Responses) / per, Failed: float64(s.Errors) / per,
			P50: millis(s.P50), P99: millis(s.P99), Max: millis(s.Max), Partial: s.Partial, Length: per,
		})
	}
	run.Outcomes = outcomes(r.Seconds)
	reasons := r.Verdict()
	for _, w := range r.Warnings {
		if slices.Contains(reasons, w) {
			run.Reasons = append(run.Reasons, loadReason{Text: layout.Clean(w.String()), Hint: layout.Clean(w.Hint)})
		} else {
			run.Warnings = append(run.Warnings, layout.Clean(w.String()))
		}
	}
	return run
}

// percentilePoints returns the percentile distribution with the steps of HdrHistogram's own plots.
// The last answer's quantile is 1, which has no inverse: it is drawn where one more answer would
// put it.
func percentilePoints(h *hdrhistogram.Histogram) []loadPoint {
	const ticksPerHalfDistance = 10
	total := float64(h.TotalCount())
	var points []loadPoint
	for _, b := range h.CumulativeDistributionWithTicks(ticksPerHalfDistance) {
		inverse := min(1/(1-min(b.Quantile/100, 1)), total+1)
		if math.IsNaN(inverse) || len(points) > 0 && inverse <= points[len(points)-1].Inverse {
			continue
		}
		points = append(points, loadPoint{Inverse: inverse, MS: millis(time.Duration(b.ValueAt))})
	}
	return points
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// logRatio returns the logarithm of a/b, both above 0.
func logRatio(a, b time.Duration) float64 { return math.Log(float64(a) / float64(b)) }

// Targets describes the targets of a load.
func Targets(r *load.Result) string {
	name := "several targets"
	if len(r.Targets) > 0 {
		name = r.Targets[0]
	}
	if n := len(r.Targets) - 1; n > 0 {
		name += " and " + layout.Plural(n, "other", "others")
	}
	if r.Method != "" {
		name = r.Method + " " + name
	}
	return layout.Clean(name)
}

// loadPageFacts returns what a page says of a run.
func loadPageFacts(r *load.Result) pages.Facts {
	facts := pages.Facts{}
	for _, f := range loadFacts(layout.Style{}, r) {
		if f.name == "" {
			facts[len(facts)-1].Value += "; " + f.value.String()
			continue
		}
		facts.Add(f.name, f.value.String())
	}
	if n := len(r.Seconds); n > 1 && r.Seconds[n-1].Partial {
		facts.Add("last second", fmt.Sprintf("only %.1fs of it; not in the charts", r.Seconds[n-1].Elapsed.Seconds()))
	}
	if !r.Started.IsZero() {
		facts.Add("started", r.Started.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	return facts
}
