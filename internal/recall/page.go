package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/report/layout"
)

//go:embed page.md
var pageText string

// page renders docs/measured/recall.md.
func page(r *results, cases []testCase) ([]byte, error) {
	t, err := template.New("recall").Option("missingkey=error").Funcs(template.FuncMap{
		"counts": func() string { return r.counts(cases) },
		"cases":  func() string { return r.table(cases) },
		"rest":   func() string { return r.rest(cases) },
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := t.Execute(&out, nil); err != nil {
		return nil, err
	}
	return []byte(layout.WrapMarkdown(strings.TrimRight(out.String(), "\n")+"\n", 100)), nil
}

// counted reports whether a measurement counts.
func (m *measurement) counted() bool { return m != nil && m.Error == "" && m.Subject != "" }

// counts is the table of how many cases are how far, by half.
func (r *results) counts(cases []testCase) string {
	rows := [][]string{{"cases", "measured", "diagnosed", "right kind", "proposed", "proven", "enough"}}
	for _, held := range []bool{false, true} {
		var n [6]int
		for i := range cases {
			m := r.of(cases[i].Name)
			if cases[i].held() != held || !m.counted() {
				continue
			}
			for k, is := range []bool{true, m.Diagnosed, m.Right, m.Proposed, len(m.Kept) > 0, m.enough()} {
				if is {
					n[k]++
				}
			}
		}
		name := "open"
		if held {
			name = "held back"
		}
		row := []string{name, fmt.Sprint(n[0])}
		for _, part := range n[1:] {
			row = append(row, fmt.Sprintf("%d (%s)", part, percent(part, n[0])))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole)) //nolint:mnd // percent
}

// table lists the cases that count.
func (r *results) table(cases []testCase) string {
	rows := [][]string{{"case", "what the maintainers did", "their gain", "diagnoses", "proposed by", "whet's gain"}}
	for i := range cases {
		c := &cases[i]
		m := r.of(c.Name)
		if !m.counted() {
			continue
		}
		name := c.Name
		if c.held() {
			name += " (held back)"
		}
		kinds := joined(m.Kinds)
		if !m.Right {
			kinds += " (not: " + joined(c.Kinds) + ")"
		}
		ours := "–"
		if m.Ours != nil {
			ours = gain(*m.Ours, m.Unit)
		} else if len(m.Kept) > 0 {
			ours = "kept, and not measured on it"
		}
		rows = append(rows, []string{
			layout.EscapeMarkdown(name), layout.EscapeMarkdown(c.What), gain(m.Theirs, m.Unit), kinds,
			strings.Join(m.By, ", "), ours,
		})
	}
	if len(rows) == 1 {
		return "None was measured.\n"
	}
	return table(rows)
}

func joined(kinds []diagnosis.Kind) string {
	if len(kinds) == 0 {
		return "none"
	}
	var texts []string
	for _, k := range kinds {
		texts = append(texts, string(k))
	}
	return strings.Join(texts, ", ")
}

// gain formats the gain of a ratio. The unit is that of times if there is none.
func gain(ratio float64, unit string) string {
	text := fmt.Sprintf("%+.0f%%", 100*(ratio-1)) //nolint:mnd // percent
	if unit != "sec/op" {
		text += " " + unit
	}
	return text
}

// rest says which cases do not count, and how long it took.
func (r *results) rest(cases []testCase) string {
	var failed, small []string
	missing, took := 0, time.Duration(0)
	for i := range cases {
		m := r.of(cases[i].Name)
		switch {
		case m == nil:
			missing++
		case m.Error != "":
			text, _, _ := strings.Cut(m.Error, "\n")
			failed = append(failed, "- "+layout.EscapeMarkdown(m.Name+": "+text))
		case m.Subject == "":
			small = append(small, layout.EscapeMarkdown(m.Name))
		}
		if m != nil {
			took += m.Elapsed
		}
	}
	var out strings.Builder
	if len(small) > 0 {
		fmt.Fprintf(&out, "These did not gain 10%% here, and do not count: %s.\n\n", strings.Join(small, ", "))
	}
	if len(failed) > 0 {
		fmt.Fprintf(&out, "These could not be measured:\n\n%s\n\n", strings.Join(failed, "\n"))
	}
	fmt.Fprintf(&out, "%d of %d cases were not measured. All others took %v.\n", missing, len(cases), took)
	return out.String()
}

// table writes a Markdown table; the first row is its head.
func table(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			out.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return out.String()
}
