package index

import (
	"regexp"
	"slices"

	"github.com/whet-go/whet/find/rules"
)

// Named returns the rule with a name; nil if there is none.
func Named(name string) *rules.Rule {
	all := Rules()
	i := slices.IndexFunc(all, func(r *rules.Rule) bool { return r.Analyzer.Name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Matching returns the rules whose names match; all for nil.
func Matching(names *regexp.Regexp) []*rules.Rule {
	return slices.DeleteFunc(Rules(), func(r *rules.Rule) bool {
		return names != nil && !names.MatchString(r.Analyzer.Name)
	})
}

// Names returns the names of all rules, sorted.
func Names() []string {
	var names []string
	for _, r := range Rules() {
		names = append(names, r.Analyzer.Name)
	}
	return names
}
