package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/load/slo"
)

// WriteLoadComparison renders a comparison of loads: one line a metric with the
// change and how sure it is, first of the whole, then of targets and phases. names are what the sides are called, such as the
// names of their files.
func WriteLoadComparison(w io.Writer, s Style, c *loadcompare.Comparison, names [2]string) error {
	t := &text{w: w}
	for i, side := range []loadcompare.Side{c.A, c.B} {
		letter := [...]string{"A", "B"}[i]
		about := fmt.Sprintf("  %s, %s of %s", plural(side.Runs, "run", "runs"), plural(side.Seconds, "second", "seconds"), loadTargets(&load.Result{Targets: side.Targets}))
		name := middle(Clean(names[i]), max(s.room(3, 20)/2, 10))
		t.line(letter, "  ", s.paint(bold, name), cut(Clean(about), s.room(3+columns(name), 10)))
	}
	for _, warning := range c.Warnings {
		loadWrap(t, s, s.paint(gold, "warning: "), Clean(warning), 9)
	}
	t.line()
	// All tables have the columns of the widest cells.
	sections := []comparisonSection{{rows: c.Rows}}
	add := func(kind string, parts []loadcompare.Part, metrics []slo.Metric) {
		for _, p := range parts {
			sections = append(sections, comparisonSection{name: middle(kind+Clean(p.Name), s.room(0, 20)), rows: only(p.Rows, metrics)})
		}
	}
	targets := c.Targets[:min(len(c.Targets), loadTextTargets)]
	add("target ", targets, []slo.Metric{slo.Rate, slo.Mean, slo.P50, slo.P99, slo.Max, slo.Errors})
	add("phase ", c.Phases, []slo.Metric{slo.Mean, slo.P50, slo.P99, slo.Max})
	heading := comparisonColumns(c)
	widths := make([]int, len(heading))
	for _, section := range sections {
		for _, row := range append([][]string{heading}, comparisonRows(section.rows)...) {
			for i, cell := range row {
				widths[i] = max(widths[i], columns(cell))
			}
		}
	}
	for i, section := range sections {
		if i > 0 {
			t.line()
			t.line(s.paint(bold, section.name))
		} else {
			t.line(comparisonLine(s, heading, widths, ""))
		}
		for k, row := range comparisonRows(section.rows) {
			code := ""
			switch section.rows[k].Verdict {
			case loadcompare.Worse:
				code = red
			case loadcompare.Better:
				code = cyan
			case loadcompare.Same, loadcompare.Unknown:
				code = dim
			}
			t.line(comparisonLine(s, row, widths, code))
		}
	}
	if n := len(c.Targets) - len(targets); n > 0 {
		t.line()
		t.line(s.paint(dim, fmt.Sprintf("--json has %s and all percentiles", plural(n, "more target", "more targets"))))
	}
	t.line()
	comparisonNotes(t, s, c, sections)
	return t.result()
}

// A comparisonSection is the whole, a target or a phase.
type comparisonSection struct {
	name string // "": the whole
	rows []loadcompare.Row
}

// only returns the rows of some metrics.
func only(rows []loadcompare.Row, metrics []slo.Metric) []loadcompare.Row {
	var out []loadcompare.Row
	for _, r := range rows {
		if slices.Contains(metrics, r.Metric) {
			out = append(out, r)
		}
	}
	return out
}

// comparisonLine is a line of the table, with the verdict in the colour code.
func comparisonLine(s Style, cells []string, widths []int, code string) painted {
	var parts []any
	for i, cell := range cells {
		switch i {
		case 0:
			parts = append(parts, left(cell, widths[i]), "  ")
		case len(cells) - 1:
			parts = append(parts, s.paint(code, cell))
		default:
			parts = append(parts, right(cell, widths[i]), "  ")
		}
	}
	return rich(parts...)
}

// comparisonNotes writes the notes of rows, each once with the metrics or parts that it is
// about, and those of the comparison.
func comparisonNotes(t *text, s Style, c *loadcompare.Comparison, sections []comparisonSection) {
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
		loadWrap(t, s, "", Clean(strings.Join(about[note], ", ")+": "+note), 2)
	}
	for _, note := range c.Notes {
		loadWrap(t, s, "", Clean(note), 2)
	}
}

// comparisonTables are the tables of a page: the whole, the targets, the phases.
func comparisonTables(c *loadcompare.Comparison) []LoadTable {
	out := []LoadTable{{Caption: "B compared with A", Columns: comparisonColumns(c), Rows: comparisonRows(c.Rows)}}
	for _, kind := range []struct {
		caption string
		parts   []loadcompare.Part
	}{{"Targets", c.Targets[:min(len(c.Targets), loadPageTargets)]}, {"Phases", c.Phases}} {
		table := LoadTable{Caption: kind.caption + ": B compared with A", Columns: comparisonColumns(c)}
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

// comparisonColumns are the headings of a table.
func comparisonColumns(c *loadcompare.Comparison) []string {
	return []string{"", "A", "B", "change", fmt.Sprintf("%.0f%% interval", c.Confidence*100), "B is"}
}

// comparisonRows are the cells of rows.
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
			change = signedPercent(*r.Change)
		}
		between := "–"
		if i := r.Interval; i != nil {
			low, high := i.Low, i.High
			if i.Scale == loadcompare.Ratio {
				low, high = low-1, high-1
			}
			between = signedPercent(low) + " to " + signedPercent(high)
			if i.Scale == loadcompare.Difference {
				between += " pp"
			}
		}
		verdict := ""
		switch r.Verdict {
		case loadcompare.Better, loadcompare.Worse:
			verdict = string(r.Verdict)
		case loadcompare.Same:
			verdict = "unclear"
		case loadcompare.Unknown:
			verdict = "not known"
		}
		out = append(out, []string{name, r.A.String(), r.B.String(), change, between, verdict})
	}
	return out
}

// signedPercent writes a share with its sign: "+4.1%", "-0.03%"; as a factor where
// percentages would only be long: "x12".
func signedPercent(share float64) string {
	v := share * 100
	if share >= 10 {
		return fmt.Sprintf("x%.3g", 1+share)
	}
	switch abs := max(v, -v); {
	case abs >= 9.95:
		return fmt.Sprintf("%+.0f%%", v)
	case abs >= 0.995:
		return fmt.Sprintf("%+.1f%%", v)
	case abs < 0.005:
		return "0%"
	}
	return fmt.Sprintf("%+.2f%%", v)
}

// ComparisonPage is the page of a comparison, with the first run of each side drawn.
func ComparisonPage(c *loadcompare.Comparison, a, b *load.Result, names [2]string) LoadPage {
	return LoadPage{
		Title: names[0] + " against " + names[1], Runs: []*load.Result{a, b}, Names: []string{"A", "B"},
		Tables: comparisonTables(c), Notes: append(append([]string{}, c.Warnings...), c.Notes...),
	}
}
