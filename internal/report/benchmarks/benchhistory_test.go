package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/report/reporttest"
)

// TestHistoryPageTypes keeps the page's types those of Go.
func TestHistoryPageTypes(t *testing.T) {
	reporttest.PageTypes(t, "../../../ui/src/api/benchhistory.ts", reflect.TypeFor[pages.Fact](),
		reflect.TypeFor[pages.Table](), reflect.TypeFor[historyCommit](),
		reflect.TypeFor[historyPoint](), reflect.TypeFor[historyChange](), reflect.TypeFor[historySeries](),
		reflect.TypeFor[historyListed](), reflect.TypeFor[historyDoc]())
}

// drawnHistory is a history with drawn noise: of so many benchmarks along so many commits, every third
// changes by 10% at two thirds.
func drawnHistory(t *testing.T, benchmarks, commits int) *history.Report {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(uint64(benchmarks), uint64(commits)))
	for i := range commits {
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		hash := fmt.Sprintf("%08x%032x", r.Uint32(), i)
		var b strings.Builder
		fmt.Fprintf(&b,
			"commit: %s\ncommit-time: %s\ngoos: linux\ngoarch: amd64\npkg: example.com/encode\ncpu: Some Processor\ngo: "+
				"go1.26.0\n", hash, at.Format(time.RFC3339))
		for k := range benchmarks {
			ns := 1000 * math.Pow(1.3, float64(k))
			if k%3 == 0 && i >= commits*2/3 {
				ns *= 1.1
			}
			for range 6 {
				fmt.Fprintf(&b, "BenchmarkEncode/format=json/size=%d-8 1 %.6g ns/op %d B/op\n", k,
					ns*math.Exp(0.01*r.NormFloat64()), 64<<k%20)
			}
		}
		path := filepath.Join(dir, at.Format("20060102T150405Z-")+hash[:12]+".txt")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := history.Read(t.Context(), dir, history.Options{Repository: dir})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// hostileHistory holds what a terminal and a page must not take literally.
func hostileHistory(t *testing.T) *history.Report {
	const evil = `</script><script>window.pwned=1</script><img src=x onerror=pwned=1>` + "\x1b[31m\u202e"
	r := drawnHistory(t, 1, 24)
	for i := range r.Commits {
		r.Commits[i].Subject = evil
	}
	r.Machines[0].CPU, r.Machines[0].Go = evil, evil
	r.Warnings = bench.Warnings{{Text: evil}}
	for i := range r.Series {
		r.Series[i].Benchmark, r.Series[i].Package, r.Series[i].Unit = evil, evil, evil
	}
	r.Gate = []history.GateResult{{Gate: evil, Outcome: history.Undecided, Reason: evil, N: 3}}
	return r
}

func checkGates(t *testing.T, r *history.Report, text string) {
	t.Helper()
	gates, err := history.ParseGates(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(gates); err != nil {
		t.Fatal(err)
	}
}

func TestWriteBenchHistory(t *testing.T) {
	changed := drawnHistory(t, 4, 24)
	checkGates(t, changed, "sec/op<+20%,sec/op<-20%,B/op<+0,sec/op<+0.1%")
	quiet := drawnHistory(t, 1, 5)
	hostile := hostileHistory(t)
	for name, r := range map[string]*history.Report{"changed": changed, "quiet": quiet, "hostile": hostile} {
		var plain, colored, wide bytes.Buffer
		for out, s := range map[*bytes.Buffer]layout.Style{
			&plain: {Width: 80}, &colored: {Width: 80, Color: true},
			&wide: {},
		} {
			if err := WriteHistory(out, s, r); err != nil {
				t.Fatal(err)
			}
		}
		if got := layout.StripColor(colored.String()); got != plain.String() {
			t.Errorf("color changes the text:\n%s\n%s", got, &plain)
		}
		if strings.ContainsAny(plain.String(), "\x1b\u202e") {
			t.Errorf("%s: %q", name, &plain)
		}
		for line := range strings.Lines(plain.String()) {
			if n := layout.Columns(strings.TrimSuffix(line, "\n")); n > 80 && name != "hostile" {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		for _, want := range map[string][]string{
			"changed": {
				"24 commits in order of time, 24 runs, 8 series", "..", "size=0", "size=3", "+10%", "worse",
				"sec/op<+20%", "0 failed, 0 undecided, 4 held", "4 failed, 0 undecided", "undecided: the noise between commits",
			},
			"quiet": {"Nothing changed. Detecting a change takes about 8 commits", "has 5"},
		}[name] {
			if !strings.Contains(wide.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, &wide)
			}
		}
	}
}

// TestBenchHistoryPage holds a page to the report that it is of.
func TestBenchHistoryPage(t *testing.T) {
	r := drawnHistory(t, 3, 24)
	checkGates(t, r, "sec/op<+20%")
	var out bytes.Buffer
	if err := WriteHistoryPage(&out, r); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(out.Bytes(), []byte(`id="whet-bench-history">`))
	data, _, end := bytes.Cut(rest, []byte("</script>"))
	var doc historyDoc
	if err := json.Unmarshal(data, &doc); err != nil || !ok || !end {
		t.Fatal(err, ok, end)
	}
	if len(doc.Commits) != 24 || len(doc.Series) != 6 || len(doc.Tables) != 1 ||
		len(doc.Tables[0].Rows) != 3 || len(doc.Changes) != len(r.Changes) {
		t.Errorf("%d commits, %d series, %d changes, tables %+v",
			len(doc.Commits), len(doc.Series), len(doc.Changes), doc.Tables)
	}
	for i, c := range doc.Changes {
		from := &r.Changes[i]
		if c.At != from.At || c.After != from.After || c.Verdict != from.Verdict || len(c.Cells) != 7 {
			t.Errorf("%+v of %+v", c, from)
		}
	}
	for _, table := range doc.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%d cells in %q", len(row), table.Columns)
			}
		}
	}
	for i, s := range doc.Series {
		from := &r.Series[i]
		if len(s.Points) != 24 || len(s.Changes) != len(from.Changes) {
			t.Errorf("%s: %d points, %d changes", s.Name, len(s.Points), len(s.Changes))
		}
		for k, p := range s.Points {
			if math.Abs(p.Center-float64(from.Points[k].Center)) > 1e-6*p.Center || p.Bounded &&
				(p.Low > p.Center || p.High < p.Center) {
				t.Errorf("%s: %+v of %+v", s.Name, p, from.Points[k])
			}
		}
	}
}

// TestBenchHistoryJourney walks through pages in a real browser, as
// ui/journey/benchhistory.mjs says. WHET_SHOTS names a folder for its screenshots.
func TestBenchHistoryJourney(t *testing.T) {
	reporttest.RunJourney(t, "benchhistory.mjs", func() map[string][]byte {
		few := drawnHistory(t, 3, 24)
		checkGates(t, few, "sec/op<+20%,sec/op<-20%")
		for i := range few.Commits {
			few.Commits[i].Subject = "Encode faster, maybe"
		}
		pages := make(map[string][]byte)
		for name, r := range map[string]*history.Report{
			"few": few, "many": drawnHistory(t, 60, 40),
			"one": drawnHistory(t, 1, 1), "hostile": hostileHistory(t),
		} {
			var out bytes.Buffer
			if err := WriteHistoryPage(&out, r); err != nil {
				t.Fatal(err)
			}
			pages[name] = out.Bytes()
		}
		return pages
	})
}
