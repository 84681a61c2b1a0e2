package find

import (
	"cmp"
	"maps"
	"slices"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/find/patterns"
)

// A claim is a finding that a rule's cause makes about a line.
type claim struct {
	of    *group
	cause *cause
	order int   // of the finding
	wide  int64 // share of the line that the cause matches, over all profiles, in millionths
}

// An attribution is what the profiles charge to groups of matches.
type attribution struct {
	portions  map[*group]*portion
	claimed   map[sourceLine]map[Cost]int64 // by all groups
	assisting int64                         // CPU time of the collector's functions below the lines, as claimed
}

// A portion is what is charged to a group.
type portion struct {
	own     map[Cost]float64 // samples not charged to any other group
	shared  map[*group]map[Cost]float64
	callees map[Cost]map[string]int64
}

// attributeHot attributes to the groups that reach the minimum share, and returns these. The others
// must not take samples from them.
func attributeHot(groups []*group, c *lineCosts, set *ruleset) ([]*group, *attribution) {
	all := attribute(groups, c, set)
	hot := slices.DeleteFunc(slices.Clone(groups), func(g *group) bool {
		return largest(c.evidence(all.portions[g].all())) < c.minShare
	})
	return hot, attribute(hot, c, set)
}

// attribute charges each sample to one group, however many groups cover it, so that the charges of
// findings can be added up. The others record with whom they share it. A group with a rewrite takes
// precedence over one without, then the one whose cause matches less of the line, because it is
// more specific. Groups of one cause on a line have equal rank, since they are about different
// calls, and split the sample.
func attribute(groups []*group, c *lineCosts, set *ruleset) *attribution {
	t := &attribution{portions: map[*group]*portion{}, claimed: map[sourceLine]map[Cost]int64{}}
	claims := map[sourceLine][]claim{}
	for i, g := range groups {
		t.portions[g] = &portion{
			own: map[Cost]float64{}, shared: map[*group]map[Cost]float64{}, callees: map[Cost]map[string]int64{},
		}
		for at, causes := range g.causes {
			for one := range causes {
				claims[at] = append(claims[at], claim{of: g, cause: one, order: i, wide: c.width(at, one)})
			}
		}
	}
	for _, at := range sortedPlaces(claims) {
		list := claims[at]
		slices.SortFunc(list, func(a, b claim) int {
			return cmp.Or(cmp.Compare(a.of.rank(), b.of.rank()), cmp.Compare(a.wide, b.wide), cmp.Compare(a.order, b.order),
				cmp.Compare(a.cause.Category, b.cause.Category))
		})
		t.claimed[at] = map[Cost]int64{}
		for _, l := range c.ledgers {
			for _, a := range c.places[at][l.cost] {
				t.split(at, l.cost, a, list, set)
				t.splitCallees(l.cost, a, list, set)
			}
		}
	}
	return t
}

func sortedPlaces[V any](m map[sourceLine]V) []sourceLine {
	return slices.SortedFunc(maps.Keys(m), func(a, b sourceLine) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
}

// split charges an account of a line to the claims on the line, which are sorted by rank.
func (t *attribution) split(at sourceLine, cost Cost, a *account, list []claim, set *ruleset) {
	for _, m := range slices.SortedFunc(maps.Keys(a.matched), patterns.Mask.Compare) {
		v := a.matched[m]
		var first *claim
		var equals, others []*group
		alike := map[*cause]float64{} // other findings of a cause
		causeOf := map[*group]*cause{}
		for i := range list {
			c := &list[i]
			switch {
			case !m.Has(c.cause.pattern[cost]) || slices.Contains(equals, c.of) || slices.Contains(others, c.of):
			case first == nil:
				first, equals = c, append(equals, c.of)
			case c.cause == first.cause && c.of.rank() == first.of.rank():
				equals = append(equals, c.of)
			default:
				others = append(others, c.of)
				causeOf[c.of] = c.cause
				alike[c.cause]++
			}
		}
		if first == nil {
			continue
		}
		t.claimed[at][cost] += v
		if cost == CPU && m.Has(set.collecting) && !m.Unknown() {
			t.assisting += v
		}
		for _, g := range equals {
			t.portions[g].own[cost] += float64(v) / float64(len(equals))
		}
		for _, g := range others {
			with, shared := equals[0], t.portions[g].shared
			if shared[with] == nil {
				shared[with] = map[Cost]float64{}
			}
			shared[with][cost] += float64(v) / alike[causeOf[g]]
		}
	}
}

// splitCallees charges the callees of an account to the first claims that they match.
func (t *attribution) splitCallees(cost Cost, a *account, list []claim, set *ruleset) {
	for name, v := range a.callees {
		matches := set.patterns.Match(name)
		var of []*group // of a single cause
		var cause *cause
		for _, c := range list {
			if matches.Has(c.cause.pattern[cost]) && (cause == nil || c.cause == cause) && !slices.Contains(of, c.of) {
				of, cause = append(of, c.of), c.cause
			}
		}
		for _, g := range of {
			callees := t.portions[g].callees
			if callees[cost] == nil {
				callees[cost] = map[string]int64{}
			}
			callees[cost][name] += v / int64(len(of))
		}
	}
}

// rank orders findings that cover the same samples: those that can be applied on their own come
// first.
func (g *group) rank() int {
	m := g.matches[0]
	switch {
	case m.fix != nil && m.cause.Needs == rules.Free:
		return 0
	case m.fix != nil && m.cause.Needs == rules.Review:
		return 1
	case m.fix != nil || m.cause.Setting != nil:
		return 2
	}
	return 3
}

// width returns how much of a line a cause matches, in millionths of the profiles' totals.
func (c *lineCosts) width(at sourceLine, of *cause) int64 {
	sum := 0.0
	for _, l := range c.ledgers {
		for _, a := range c.places[at][l.cost] {
			sum += share(a.charged(of.pattern[l.cost]), l.total)
		}
	}
	return int64(1e6 * sum)
}

// all returns everything a group covers: its own samples, and those charged to others.
func (p *portion) all() map[Cost]float64 {
	sum := maps.Clone(p.own)
	for _, values := range p.shared {
		for cost, v := range values {
			sum[cost] += v
		}
	}
	return sum
}
