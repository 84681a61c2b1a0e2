package findings

import (
	"io"
	"strings"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
)

// RulesSchema is the schema of Rules.
const RulesSchema = "whet.rules/1"

// Rules is a list of rules.
type Rules struct {
	Schema   string        `json:"schema"`
	Rules    []Rule        `json:"rules"`
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A Rule is a rule's documentation.
type Rule struct {
	Name string `json:"name"`
	rules.Doc
	Causes []Cause `json:"causes"`
}

// A Cause is a kind of a rule's pattern.
type Cause struct {
	Name  string     `json:"name"`
	Title string     `json:"title"`
	Needs rules.Need `json:"needs,omitempty"`
}

// NewRules returns the documentation of rules.
func NewRules(list []*rules.Rule) *Rules {
	d := &Rules{Schema: RulesSchema}
	for _, r := range list {
		one := Rule{Name: r.Analyzer.Name, Doc: r.Doc}
		for _, c := range r.Causes {
			name := c.Category
			if name == "" {
				name = r.Analyzer.Name
			}
			one.Causes = append(one.Causes, Cause{Name: name, Title: c.Title, Needs: c.Needs})
		}
		d.Rules = append(d.Rules, one)
	}
	return d
}

// WriteRuleList writes a line for each rule.
func WriteRuleList(w io.Writer, s layout.Style, d *Rules) error {
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
func WriteRules(w io.Writer, s layout.Style, d *Rules) error {
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
