package loads

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
)

// WriteComparison writes a comparison of loads: a line per metric with the change and its
// certainty, first for the whole, then for targets and phases.
func WriteComparison(w io.Writer, s layout.Style, c *loadcompare.Comparison) error {
	t := layout.NewWriter(w)
	for i, side := range []loadcompare.Side{c.A, c.B} {
		letter := [...]string{"A", "B"}[i]
		about := fmt.Sprintf("  %s, %s of %s", layout.Plural(side.Runs, "run", "runs"),
			layout.Plural(side.Seconds, "second", "seconds"), Targets(&load.Result{Targets: side.Targets}))
		name := layout.CutMiddle(layout.Clean(side.Name), max(s.Remaining(3, 20)/2, 10))
		t.Line(letter, "  ", s.Paint(layout.Bold, name),
			layout.Cut(layout.Clean(about), s.Remaining(3+layout.Columns(name), 10)))
	}
	layout.Warnings(t, s, "warning: ", c.Warnings)
	t.Line()
	sections := []comparisonSection{{rows: c.Rows}}
	add := func(kind string, parts []loadcompare.Part, metrics []loadcompare.Metric) {
		for _, p := range parts {
			sections = append(sections, comparisonSection{
				name: layout.CutMiddle(kind+layout.Clean(p.Name), s.Remaining(0, 20)),
				rows: slices.DeleteFunc(slices.Clone(p.Rows), func(r loadcompare.Row) bool {
					return !slices.Contains(metrics, r.Metric)
				}),
			})
		}
	}
	targets := c.Targets[:min(len(c.Targets), loadTextTargets)]
	add("target ", targets, []loadcompare.Metric{
		loadcompare.Rate, loadcompare.Mean, loadcompare.P50, loadcompare.P99, loadcompare.Max, loadcompare.Errors,
	})
	add("phase ", c.Phases, []loadcompare.Metric{loadcompare.Mean, loadcompare.P50, loadcompare.P99, loadcompare.Max})
	tables := make([]*layout.Table, len(sections))
	for i, section := range sections {
		tables[i] = comparisonTable(c, section.rows)
	}
	layout.SameWidths(tables...)
	for i, section := range sections {
		if i > 0 {
			tables[i].Head = nil
			t.Line()
			t.Line(s.Paint(layout.Bold, section.name))
		}
		tables[i].Write(t, s)
	}
	if n := len(c.Targets) - len(targets); n > 0 {
		t.Line()
		t.Line(s.Paint(layout.Dim,
			fmt.Sprintf("--json has %s and all percentiles", layout.Plural(n, "more target", "more targets"))))
	}
	t.Line()
	comparisonNotes(t, s, c, sections)
	return t.Result()
}

// A comparisonSection is the whole, a target or a phase.
type comparisonSection struct {
	name string // "": the whole
	rows []loadcompare.Row
}

// comparisonTable returns the table of some rows.
func comparisonTable(c *loadcompare.Comparison, rows []loadcompare.Row) *layout.Table {
	colors := map[loadcompare.Verdict]layout.Color{
		loadcompare.Worse: layout.Red, loadcompare.Better: layout.Cyan, loadcompare.Same: layout.Dim,
		loadcompare.Unknown: layout.Dim,
	}
	return &layout.Table{
		Head: comparisonColumns(c), Rows: comparisonRows(rows), Align: "lrrrrl",
		Color: func(row, column int) layout.Color {
			if column < len("lrrrr") {
				return ""
			}
			return colors[rows[row].Verdict]
		},
	}
}

// comparisonNotes writes the notes of rows, each once with its metrics or parts, and those of the
// comparison.
func comparisonNotes(t *layout.Writer, s layout.Style, c *loadcompare.Comparison, sections []comparisonSection) {
	about := map[string][]string{}
	var order []string
	for _, section := range sections {
		for _, r := range section.rows {
			subject := string(r.Metric)
			if kind, _, ok := strings.Cut(section.name, " "); ok {
				subject = kind + "s" // targets, phases
			}
			if r.Note == "" || slices.Contains(about[r.Note], subject) {
				continue
			}
			if len(about[r.Note]) == 0 {
				order = append(order, r.Note)
			}
			about[r.Note] = append(about[r.Note], subject)
		}
	}
	for _, note := range order {
		layout.Wrap(t, s, "", layout.Clean(strings.Join(about[note], ", ")+": "+note), 2)
	}
	for _, note := range c.Notes {
		layout.Wrap(t, s, "", layout.Clean(note), 2)
	}
}

// comparisonTables returns the tables of a page: the whole, the targets, the phases.
func comparisonTables(c *loadcompare.Comparison) []pages.Table {
	out := []pages.Table{{Caption: "B compared with A", Columns: comparisonColumns(c), Rows: comparisonRows(c.Rows)}}
	for _, kind := range []struct {
		caption string
		parts   []loadcompare.Part
	}{{"Targets", c.Targets[:min(len(c.Targets), loadPageTargets)]}, {"Phases", c.Phases}} {
		table := pages.Table{Caption: kind.caption + ": B compared with A", Columns: comparisonColumns(c)}
		for _, p := range kind.parts {
			for _, row := range comparisonRows(p.Rows) {
				row[0] = p.Name + ": " + row[0]
				table.Rows = append(table.Rows, row)
			}
		}
		if len(table.Rows) > 0 {
			out = append(out, table)
		}
	}
	return out
}

// comparisonColumns returns the headings of a table.
func comparisonColumns(c *loadcompare.Comparison) []string {
	return []string{"", "A", "B", "change", fmt.Sprintf("%.0f%% interval", c.Confidence*100), "B is"}
}

// comparisonRows returns the cells of rows.
func comparisonRows(rows []loadcompare.Row) [][]string {
	out := [][]string{}
	for _, r := range rows {
		name := string(r.Metric)
		if r.Unknown != "" {
			out = append(out, []string{name, "", "", "", "", "not known"})
			continue
		}
		change := "–"
		if r.Change != nil {
			change = layout.SignedPercent(*r.Change)
		}
		between := "–"
		if i := r.Interval; i != nil {
			low, high := i.Low, i.High
			if i.Scale == loadcompare.Ratio {
				low, high = low-1, high-1
			}
			between = layout.SignedPercent(low) + " to " + layout.SignedPercent(high)
			if i.Scale == loadcompare.Difference {
				between += " pp"
			}
		}
		verdict := map[loadcompare.Verdict]string{
			loadcompare.Better: "better", loadcompare.Worse: "worse", loadcompare.Same: "unclear",
			loadcompare.Unknown: "not known",
		}[r.Verdict]
		out = append(out, []string{name, r.A.String(), r.B.String(), change, between, verdict})
	}
	return out
}

// ComparisonPage returns the page of a comparison, with charts of the first run of each side.
func ComparisonPage(c *loadcompare.Comparison, a, b *load.Result) Page {
	return Page{
		Title: c.A.Name + " against " + c.B.Name, Runs: []*load.Result{a, b}, Names: []string{"A", "B"},
		Tables: comparisonTables(c), Notes: slices.Concat(c.Warnings.Texts(), c.Notes),
	}
}
