package benchmarks

import (
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench/history"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/ui"
)

// HistoryMark is near the start of every page of benchmarks along commits.
const HistoryMark = `<meta name="generator" content="whet bench history">`

// The wire types of the page; ui/src/api/benchhistory.ts is generated from them.
type (
	historyDoc struct {
		Title   string          `json:"title"`
		Facts   pages.Facts     `json:"facts"`
		Notes   []string        `json:"notes"`
		Legend  string          `json:"legend"`
		Commits []historyCommit `json:"commits"` // oldest first
		Series  []historySeries `json:"series"`
		Changes []historyListed `json:"changes"` // of all series, newest first
		Tables  []pages.Table   `json:"tables"`  // of gates
	}
	// A historyListed is a change of any series as the list of changes shows it.
	historyListed struct {
		After   int      `json:"after"` // indices of commits
		At      int      `json:"at"`
		Cells   []string `json:"cells"` // benchmark, unit, before, after, change, interval, q
		Verdict string   `json:"verdict"`
	}
	historyCommit struct {
		Short   string `json:"short"`
		Hash    string `json:"hash"`
		Time    string `json:"time"`
		Subject string `json:"subject"`
	}
	historySeries struct {
		Name    string          `json:"name"`
		Unit    string          `json:"unit"`
		Better  string          `json:"better"` // lower, higher, or "" if neither is better
		Binary  bool            `json:"binary"` // prefixes are Ki, Mi, …
		About   string          `json:"about"`  // machine, base
		Points  []historyPoint  `json:"points"` // in the order of the commits
		Changes []historyChange `json:"changes"`
	}
	historyPoint struct {
		Commit  int     `json:"commit"` // index of a commit
		Center  float64 `json:"center"`
		Bounded bool    `json:"bounded"` // low and high are finite
		Low     float64 `json:"low"`
		High    float64 `json:"high"`
		N       int     `json:"n"`
		Runs    int     `json:"runs"`
	}
	historyChange struct {
		After   int     `json:"after"` // indices of commits
		At      int     `json:"at"`
		From    float64 `json:"from"`
		To      float64 `json:"to"`
		Text    string  `json:"text"`
		Verdict string  `json:"verdict"` // better, worse, changed
	}
)

// WriteHistoryPage writes a self-contained page: a line for each benchmark along the commits, with
// intervals and change points. It makes no network request.
func WriteHistoryPage(w io.Writer, r *history.Report) error {
	doc := newHistoryDoc(r)
	return pages.WriteData(w, pages.DataPage{
		Mark: HistoryMark, ID: "whet-bench-history", Title: doc.Title, Script: ui.BenchHistoryJS(), Data: doc,
		Without: "<code>whet bench history</code> shows the changes as text.",
	})
}

// HistoryDocument is what a page of benchmarks along commits shows.
type HistoryDocument = historyDoc

// NewHistoryDocument returns the contents of the page that WriteHistoryPage writes.
func NewHistoryDocument(r *history.Report) HistoryDocument { return newHistoryDoc(r) }

func newHistoryDoc(r *history.Report) historyDoc {
	doc := historyDoc{
		Title: "Benchmarks along " + layout.Plural(len(r.Commits), "commit", "commits"), Facts: pages.Facts{},
		Notes:   pages.CleanAll(r.Warnings.Texts()),
		Commits: []historyCommit{}, Series: []historySeries{}, Changes: historyChanges(r),
		Tables: historyGates(r),
		Legend: fmt.Sprintf(
			"Points are medians of commits, or ratios to a base measured in the same session; the band is their "+
				"%s%% confidence interval. At most %s%% of the changes are expected to be chance.",
			percentOf(r.Confidence), percentOf(r.Alpha)),
	}
	if first, last := r.Commits[0], r.Commits[len(r.Commits)-1]; len(r.Commits) > 1 {
		doc.Facts.Add("commits", first.Short()+" to "+last.Short())
	}
	doc.Facts.Add("runs", fmt.Sprint(r.Runs))
	doc.Facts.Add("order",
		map[string]string{history.OrderGit: "git", history.OrderTime: "time of the commits"}[r.Order])
	for _, c := range r.Commits {
		doc.Commits = append(doc.Commits, historyCommit{
			Short: c.Short(), Hash: c.Hash,
			Time: c.Time.UTC().Format(time.DateTime) + " UTC", Subject: layout.Clean(c.Subject),
		})
	}
	for i := range r.Series {
		doc.Series = append(doc.Series, newHistorySeries(r, &r.Series[i]))
	}
	return doc
}

func newHistorySeries(r *history.Report, s *history.Series) historySeries {
	about := layout.Facts{historyMachine(r.Machines[s.Machine])}
	about.If(s.Package != "", "%s", s.Package)
	about.If(s.Base != "", "ratio to %s, measured in the same session", s.Base[:min(len(s.Base), 12)])
	out := historySeries{
		Name: historyName(r, s), Unit: historyUnit(s), Better: s.Better, Binary: historyClass(s) == benchunit.Binary,
		About:  layout.Clean(strings.Join(about, " · ")),
		Points: []historyPoint{}, Changes: []historyChange{},
	}
	for _, p := range s.Points {
		point := historyPoint{Commit: p.Commit, Center: pageNumber(float64(p.Center)), N: p.N, Runs: p.Runs}
		if low, high := float64(p.Low), float64(p.High); IsFinite(low) && IsFinite(high) {
			point.Bounded, point.Low, point.High = true, pageNumber(low), pageNumber(high)
		}
		out.Points = append(out.Points, point)
	}
	for _, c := range s.Changes {
		text := strings.TrimSpace(changePercent(float64(c.Delta)) + " " + percentInterval(float64(c.Low), float64(c.High)))
		out.Changes = append(out.Changes, historyChange{
			After: c.After, At: c.At, From: pageNumber(float64(c.From)),
			To: pageNumber(float64(c.To)), Text: text, Verdict: c.Verdict,
		})
	}
	return out
}

// historyChanges returns the changes of all series, newest first.
func historyChanges(r *history.Report) []historyListed {
	list := []historyListed{}
	for i, row := range changeRows(r, r.Changes) {
		c := &r.Changes[i]
		last := len(row) - 1
		row[last-1] = strings.TrimPrefix(row[last-1], "q ")
		list = append(list, historyListed{After: c.After, At: c.At, Cells: row[:last], Verdict: row[last]})
	}
	return list
}

// historyGates returns the table of the outcomes of gates; none without gates.
func historyGates(r *history.Report) []pages.Table {
	if len(r.Gate) == 0 {
		return []pages.Table{}
	}
	gates := pages.Table{Caption: "Gates at the newest commit", Columns: []string{
		"gate", "benchmark", "unit", "before", "newest", "change", "outcome",
	}}
	for i := range r.Gate {
		c := &r.Gate[i]
		gates.Rows = append(gates.Rows, append([]string{layout.Clean(c.Gate)}, gateRow(r, c)...))
	}
	return []pages.Table{gates}
}
