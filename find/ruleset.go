package find

import (
	"cmp"
	"fmt"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/find/patterns"
	"github.com/whet-go/whet/profile"
)

// A ruleset is the rules of a run, with the patterns of their causes compiled.
type ruleset struct {
	rules      []*rules.Rule
	causes     map[string]*cause // by rule and category: see causeKey
	patterns   patterns.Set
	collecting int // index of the pattern for the collector's functions
}

// A cause is a rule's cause, with the indexes of its patterns.
type cause struct {
	*rules.Cause
	rule    *rules.Rule
	pattern map[Cost]int
}

func newRuleset(list []*rules.Rule) (*ruleset, error) {
	s := &ruleset{rules: list, causes: map[string]*cause{}}
	for _, r := range list {
		for i := range r.Causes {
			c := &cause{rule: r, Cause: &r.Causes[i], pattern: map[Cost]int{}}
			for cost, expr := range map[Cost]string{
				CPU: c.CPU, AllocSpace: c.Alloc, AllocObjects: c.Alloc,
				Mutex: c.Mutex, Block: c.Block,
			} {
				var err error
				if c.pattern[cost], err = s.patterns.Add(expr); err != nil {
					return nil, fmt.Errorf("rule %s, %s: %w", r.Analyzer.Name, cost, err)
				}
			}
			s.causes[causeKey(r.Analyzer.Name, c.Category)] = c
		}
	}
	var err error
	if s.collecting, err = s.patterns.Add(profile.CollectorPattern()); err != nil {
		return nil, err
	}
	if n := s.patterns.Len(); n > patterns.Most {
		return nil, fmt.Errorf("the rules have %d patterns, more than %d", n, patterns.Most)
	}
	return s, nil
}

func causeKey(rule, category string) string { return rule + "/" + cmp.Or(category, rule) }
