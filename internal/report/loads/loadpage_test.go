package loads

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/load/charts"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/ui"
)

// TestLoadPageTypes keeps the page's types those of Go.
func TestLoadPageTypes(t *testing.T) {
	reporttest.PageTypes(t, "../../../ui/src/api/load.ts",
		reflect.TypeFor[pages.Fact](), reflect.TypeFor[loadCell](), reflect.TypeFor[loadPoint](), reflect.TypeFor[loadBar](),
		reflect.TypeFor[loadSecond](), reflect.TypeFor[loadSeries](),
		reflect.TypeFor[loadReason](), reflect.TypeFor[loadRun](),
		reflect.TypeFor[pages.Table](),
		reflect.TypeFor[charts.KneePoint](), reflect.TypeFor[charts.Knee](), reflect.TypeFor[loadDoc](),
	)
}

// hostilePage holds markup wherever a name can stand.
func hostilePage(t *testing.T) Page {
	const evil = `</script><script>window.pwned=1</script><img src=x onerror=pwned=1>`
	r := failedLoad(t)
	r.Targets = []string{"http://127.0.0.1/" + evil}
	r.Method, r.Engine = evil, load.Engine(evil)
	r.Warnings = append(r.Warnings, load.Warning{Text: evil}, load.Warning{Text: "a\x1b[31mb\u202ec"})
	r.Errors.First = map[string]string{"timeout": evil}
	r.Warnings[0].Text, r.Warnings[0].Hint = evil, evil
	return Page{
		Title: evil, Runs: []*load.Result{r}, Names: []string{evil}, Notes: []string{evil},
		Tables: []pages.Table{{Caption: evil, Columns: []string{evil, evil}, Rows: [][]string{{evil, evil}}}},
	}
}

func kneePage() Page {
	p := Page{
		Title: "Capacity of http://127.0.0.1:18080/", Knee: &charts.Knee{
			Metric: "p99", Limit: 50 * time.Millisecond,
			Capacity: 9_200,
		},
		Tables: []pages.Table{{
			Caption: "Capacity", Columns: []string{"", "rate"},
			Rows: [][]string{{"highest that held", "9200/s"}, {"lowest that missed", "9600/s"}},
		}},
	}
	for rate := 1000.0; rate < 10_000; rate += 400 {
		p.Knee.Points = append(p.Knee.Points, charts.KneePoint{
			Rate: rate, Value: time.Duration(1e6 / (1 - rate/10_000)),
			Held: rate <= 9200,
		})
	}
	p.Knee.Points = append(p.Knee.Points, charts.KneePoint{Rate: 10_000, Value: 900 * time.Millisecond})
	return p
}

// partPage has a run that ends in the middle of a second, with a stall at its end, and whose
// requests fail for a while; and one without.
func partPage(t *testing.T) Page {
	r := loadResult(t, 5, 1)
	for i := range r.Seconds {
		if s := &r.Seconds[i]; i >= 3 && i < 6 {
			s.Status = map[int]int64{200: s.Responses - 1200, 503: 1000, 404: 200}
			s.Errors, s.Failures = 40, map[string]int64{"timeout": 40}
		}
	}
	last := r.Seconds[len(r.Seconds)-1]
	r.Seconds = append(r.Seconds, load.Second{
		Start: last.Start + last.Elapsed, Elapsed: 150 * time.Millisecond, Partial: true, Responses: 3,
		P50: 90 * time.Millisecond,
		P99: 95 * time.Millisecond, Max: 99 * time.Millisecond,
	})
	return Page{Runs: []*load.Result{r, loadResult(t, 6, 1.1)}, Names: []string{"before", "after"}}
}

func loadPages(t *testing.T) map[string]Page {
	long := loadResult(t, 4, 1)
	for i := range 3600 {
		s := long.Seconds[i%10]
		s.Start = time.Duration(i+10) * time.Second
		long.Seconds = append(long.Seconds, s)
	}
	return map[string]Page{
		"one":  {Runs: []*load.Result{loadResult(t, 1, 1)}},
		"fail": {Runs: []*load.Result{failedLoad(t)}},
		"none": {Runs: []*load.Result{emptyLoad()}},
		"long": {Runs: []*load.Result{long}},
		"two": {
			Title: "A against B", Runs: []*load.Result{loadResult(t, 1, 1), loadResult(t, 2, 1.3)}, Names: []string{"A", "B"},
			Tables: []pages.Table{{
				Caption: "Difference", Columns: []string{"", "A", "B", "change"},
				Rows: [][]string{{"p50", "400us", "520us", "+30% ±2%"}},
			}},
		},
		"knee": kneePage(), "hostile": hostilePage(t), "part": partPage(t),
	}
}

// pageData takes the data out of a page again.
func pageData(t *testing.T, page []byte) loadDoc {
	t.Helper()
	_, rest, ok := bytes.Cut(page, []byte(`id="whet-load">`))
	data, _, end := bytes.Cut(rest, []byte("</script>"))
	var doc loadDoc
	if err := json.Unmarshal(data, &doc); err != nil || !ok || !end {
		t.Fatal(err, ok, end)
	}
	return doc
}

// TestLoadPage holds a page to the result that it is of.
func TestLoadPage(t *testing.T) {
	if js := ui.LoadJS(); strings.Contains(js, "</script") || strings.Contains(js, "<!--") {
		t.Error("the script cannot stand inline")
	}
	for name, p := range loadPages(t) {
		var out bytes.Buffer
		if err := WritePage(&out, p); err != nil {
			t.Fatal(err)
		}
		doc := pageData(t, out.Bytes())
		for i, run := range doc.Runs {
			r := p.Runs[i]
			if r.Responses == 0 {
				continue
			}
			var share float64
			for _, b := range run.Bars {
				share += b.Share
			}
			if math.Abs(share-100) > 1e-6 || len(run.Bars) > loadPageBars {
				t.Errorf("%s: %d bars hold %v %%", name, len(run.Bars), share)
			}
			for j, p := range run.Percentiles {
				if j > 0 && (p.Inverse <= run.Percentiles[j-1].Inverse || p.MS < run.Percentiles[j-1].MS) {
					t.Fatalf("%s: percentiles fall at %v", name, p)
				}
				// Within the width of a bucket.
				if p.Inverse == 100 && math.Abs(p.MS-millis(r.Latency.P99)) > 0.002*p.MS {
					t.Errorf("%s: p99 is %v ms, want %v", name, p.MS, r.Latency.P99)
				}
			}
			if last := run.Percentiles[len(run.Percentiles)-1]; math.Abs(last.MS-millis(r.Latency.Max)) > 0.002*last.MS {
				t.Errorf("%s: the last percentile is %v ms, max %v", name, last.MS, r.Latency.Max)
			}
			if len(run.Seconds) != len(r.Seconds) || run.Seconds[0].Rate != 5000 {
				t.Errorf("%s: %d seconds, want %d", name, len(run.Seconds), len(r.Seconds))
			}
		}
		if got := bytes.Count(out.Bytes(), []byte("<script")); got != 2+bytes.Count([]byte(ui.LoadJS()), []byte("<script")) {
			t.Errorf("%s: %d scripts", name, got)
		}
	}
}

// TestLoadJourney walks through pages in a real browser, as ui/journey/load.mjs
// says. WHET_SHOTS names a folder for its screenshots.
func TestLoadJourney(t *testing.T) {
	reporttest.RunJourney(t, "load.mjs", func() map[string][]byte {
		pages := make(map[string][]byte)
		for name, p := range loadPages(t) {
			var out bytes.Buffer
			if err := WritePage(&out, p); err != nil {
				t.Fatal(err)
			}
			pages[name] = out.Bytes()
		}
		return pages
	})
}

// TestOutcomes adds up statuses and failures of each second.
func TestOutcomes(t *testing.T) {
	if got := outcomes([]load.Second{{Elapsed: time.Second, Responses: 3}}); len(got) != 0 {
		t.Errorf("all answered with 200: %+v", got)
	}
	got := outcomes([]load.Second{
		{Elapsed: time.Second, Responses: 10},
		{},
		{
			Elapsed: 500 * time.Millisecond, Responses: 6, Status: map[int]int64{200: 4, 503: 2}, Errors: 1,
			Failures: map[string]int64{"timeout": 1},
		},
	})
	want := []loadSeries{
		{Name: "200", Values: []float64{10, 8}},
		{Name: "503", Failed: true, Values: []float64{0, 4}},
		{Name: "timeout", Failed: true, Values: []float64{0, 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Many statuses share the last series, and nothing is lost.
	many := load.Second{Elapsed: time.Second, Status: map[int]int64{}}
	for code := 200; code < 230; code++ {
		many.Status[code] = int64(code)
		many.Responses += int64(code)
	}
	sum := 0.0
	for _, s := range outcomes([]load.Second{many}) {
		sum += s.Values[0]
	}
	if got := outcomes([]load.Second{many}); len(got) != mostOutcomes || got[mostOutcomes-1].Name != otherOutcomes ||
		sum != float64(many.Responses) {
		t.Errorf("%v of %d answers in %+v", sum, many.Responses, got)
	}
}

// TestLoadPagePart checks that a page marks an incomplete last second.
func TestLoadPagePart(t *testing.T) {
	r := &load.Result{Seconds: []load.Second{
		{Elapsed: time.Second, Responses: 100, Rate: 100},
		{Start: time.Second, Elapsed: 250 * time.Millisecond, Partial: true, Responses: 20, Rate: 80},
	}}
	run := newLoadDoc(Page{Runs: []*load.Result{r}}).Runs[0]
	if got := run.Seconds[1]; got.Rate != 80 || got.At != 1.25 || !got.Partial || got.Length != 0.25 {
		t.Errorf("%+v", got)
	}
	if !slices.Contains(run.Facts, pages.Fact{Name: "last second", Value: "only 0.2s of it; not in the charts"}) {
		t.Errorf("facts %+v", run.Facts)
	}
}
