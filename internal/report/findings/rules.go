package findings

import (
	"io"
	"strings"

	"github.com/whet-go/whet/internal/find/documents"
	"github.com/whet-go/whet/internal/report/layout"
)

// WriteRuleList writes a line for each rule.
func WriteRuleList(w io.Writer, s layout.Style, d *documents.Rules) error {
	t := layout.NewWriter(w)
	wide := 0
	for _, r := range d.Rules {
		wide = max(wide, layout.Columns(r.Name))
	}
	for _, r := range d.Rules {
		layout.Wrap(t, s, layout.Join(s.Paint(layout.Bold, layout.Left(r.Name, wide)), "  "), r.Title, wide+2)
	}
	return t.Result()
}

// WriteRules writes the rules' whole documentation.
func WriteRules(w io.Writer, s layout.Style, d *documents.Rules) error {
	t := layout.NewWriter(w)
	for i, r := range d.Rules {
		if i > 0 {
			t.Line()
		}
		t.Line(s.Paint(layout.Bold, r.Name), ": ", r.Title)
		section := func(title, body string, isCode bool) {
			if body == "" {
				return
			}
			t.Line()
			if title != "" {
				t.Line(s.Paint(layout.Bold, title))
			}
			if isCode {
				for line := range strings.Lines(body) {
					t.Line("    ", strings.TrimRight(line, "\n"))
				}
				return
			}
			for i, paragraph := range strings.Split(body, "\n\n") {
				if i > 0 {
					t.Line()
				}
				layout.Wrap(t, s, "", paragraph, 0)
			}
		}
		section("", r.Text, false)
		section("Before", r.Before, true)
		section("After", r.After, true)
		section("Evidence", r.Evidence, false)
		section("Safety", r.Safety, false)
		t.Line()
		t.Line(s.Paint(layout.Bold, "Kinds"))
		for _, c := range r.Causes {
			layout.Wrap(t, s, "  "+c.Name+": ", c.Title+needText(c.Needs), 4)
		}
	}
	return t.Result()
}
