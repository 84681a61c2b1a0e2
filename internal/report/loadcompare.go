package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
)

// WriteLoadComparison renders a comparison of loads: one line a metric with the
// change and how sure it is. names are what the sides are called, such as the
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
	table := comparisonTable(c)
	widths := make([]int, len(table.Columns))
	for _, row := range append([][]string{table.Columns}, table.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	line := func(cells []string, code string) {
		var parts []string
		for i, cell := range cells {
			switch i {
			case 0:
				cell = left(cell, widths[i])
			case len(cells) - 1:
				cell = s.paint(code, cell)
			default:
				cell = right(cell, widths[i])
			}
			parts = append(parts, cell)
		}
		t.line(strings.Join(parts, "  "))
	}
	line(table.Columns, "")
	for i, row := range table.Rows {
		code := ""
		switch c.Rows[i].Verdict {
		case loadcompare.Worse:
			code = red
		case loadcompare.Better:
			code = cyan
		case loadcompare.Same, loadcompare.Unknown:
			code = dim
		}
		line(row, code)
	}
	t.line()
	notes := map[string][]string{}
	var order []string
	for _, r := range c.Rows {
		if r.Note == "" {
			continue
		}
		if len(notes[r.Note]) == 0 {
			order = append(order, r.Note)
		}
		notes[r.Note] = append(notes[r.Note], string(r.Metric))
	}
	for _, note := range order {
		loadWrap(t, s, "", Clean(strings.Join(notes[note], ", ")+": "+note), 2)
	}
	for _, note := range c.Notes {
		loadWrap(t, s, "", Clean(note), 2)
	}
	return t.result()
}

// comparisonTable is the table of a comparison, one row for each of its rows.
func comparisonTable(c *loadcompare.Comparison) LoadTable {
	out := LoadTable{
		Caption: "B compared with A",
		Columns: []string{"", "A", "B", "change", fmt.Sprintf("%.0f%% interval", c.Confidence*100), "B is"},
		Rows:    [][]string{},
	}
	for _, r := range c.Rows {
		name := string(r.Metric)
		if r.Unknown != "" {
			out.Rows = append(out.Rows, []string{name, "", "", "", "", "not known"})
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
		out.Rows = append(out.Rows, []string{name, r.A.String(), r.B.String(), change, between, verdict})
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
		Tables: []LoadTable{comparisonTable(c)}, Notes: append(append([]string{}, c.Warnings...), c.Notes...),
	}
}
