package documents

import (
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/diag"
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
