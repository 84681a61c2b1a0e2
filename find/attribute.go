package find

import (
	"cmp"
	"maps"
	"slices"

	"github.com/whet-go/whet/find/rules"
)

// A claim is a finding that a rule's cause makes about a line.
type claim struct {
	of    *charged
	cause *cause
	order int   // of the finding
	wide  int64 // share of the line that the cause matches, over all profiles, in millionths
}

// attribute charges each sample to one finding, however many findings cover it, so that the charges
// of findings can be added up. The others record with whom they share it. A finding with a rewrite
// takes precedence over one without, then the one whose cause matches less of the line, because it
// is more specific. Findings of one cause on a line have equal rank, since they are about different
// calls, and split the sample.
func (f *finder) attribute(groups []*charged) {
	claims := map[place][]claim{}
	for i, g := range groups {
		g.own, g.shared, g.callees = map[Cost]float64{}, map[*charged]map[Cost]float64{}, map[Cost]map[string]int64{}
		for at, causes := range g.causes {
			for c := range causes {
				claims[at] = append(claims[at], claim{of: g, cause: c, order: i, wide: f.width(at, c)})
			}
		}
	}
	f.claimed, f.assisting = map[place]map[Cost]int64{}, 0
	for _, at := range sortedPlaces(claims) {
		list := claims[at]
		slices.SortFunc(list, func(a, b claim) int {
			return cmp.Or(cmp.Compare(a.of.rank(), b.of.rank()), cmp.Compare(a.wide, b.wide), cmp.Compare(a.order, b.order),
				cmp.Compare(a.cause.Category, b.cause.Category))
		})
		f.claimed[at] = map[Cost]int64{}
		for _, l := range f.ledgers {
			for _, a := range f.places[at][l.cost] {
				f.split(at, l.cost, a, list)
			}
		}
	}
}

func sortedPlaces[V any](m map[place]V) []place {
	return slices.SortedFunc(maps.Keys(m), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
}

// split charges an account of a line to the claims on the line, which are sorted by rank.
func (f *finder) split(at place, cost Cost, a *account, list []claim) {
	for _, m := range slices.SortedFunc(maps.Keys(a.matched), mask.compare) {
		v := a.matched[m]
		var first *claim
		var equals, others []*charged
		alike := map[*cause]float64{} // other findings of a cause
		causeOf := map[*charged]*cause{}
		for i := range list {
			c := &list[i]
			switch {
			case !m.has(c.cause.pattern[cost]) || slices.Contains(equals, c.of) || slices.Contains(others, c.of):
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
		f.claimed[at][cost] += v
		if cost == CPU && m.has(f.collecting) && !m.unknown() {
			f.assisting += v
		}
		for _, g := range equals {
			g.own[cost] += float64(v) / float64(len(equals))
		}
		for _, g := range others {
			with := equals[0]
			if g.shared[with] == nil {
				g.shared[with] = map[Cost]float64{}
			}
			g.shared[with][cost] += float64(v) / alike[causeOf[g]]
		}
	}
	for name, v := range a.callees {
		matches := f.pats.match(name)
		var of []*charged // of a single cause
		var cause *cause
		for _, c := range list {
			if matches.has(c.cause.pattern[cost]) && (cause == nil || c.cause == cause) && !slices.Contains(of, c.of) {
				of, cause = append(of, c.of), c.cause
			}
		}
		for _, g := range of {
			if g.callees[cost] == nil {
				g.callees[cost] = map[string]int64{}
			}
			g.callees[cost][name] += v / int64(len(of))
		}
	}
}

// rank orders findings that cover the same samples: those that can be applied on their own come
// first.
func (g *charged) rank() int {
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
func (f *finder) width(at place, c *cause) int64 {
	sum := 0.0
	for _, l := range f.ledgers {
		for _, a := range f.places[at][l.cost] {
			sum += share(a.charged(c.pattern[l.cost]), l.total)
		}
	}
	return int64(1e6 * sum)
}

// all returns everything the finding covers: its own samples, and those charged to others.
func (g *charged) all() map[Cost]float64 {
	sum := maps.Clone(g.own)
	for _, values := range g.shared {
		for cost, v := range values {
			sum[cost] += v
		}
	}
	return sum
}

// evidence returns values with their shares of the profiles. Parts of samples are rounded down, so
// that the sum over all findings is at most the total.
func (f *finder) evidence(values map[Cost]float64) []Evidence {
	list := []Evidence{}
	for _, l := range f.ledgers {
		if v := int64(values[l.cost] + 1e-3); v != 0 {
			list = append(list, Evidence{Cost: l.cost, Value: v, Share: share(v, l.total)})
		}
	}
	return list
}

func (f *finder) total(cost Cost) int64 {
	for _, l := range f.ledgers {
		if l.cost == cost {
			return l.total
		}
	}
	return 0
}

// share records which samples of a finding are charged to others.
func (f *finder) share(g *charged) {
	x := &f.result.Findings[g.at]
	for with, values := range g.shared {
		if evidence := f.evidence(values); len(evidence) > 0 {
			x.Shared = append(x.Shared, Shared{With: f.result.Findings[with.at].ID, Evidence: evidence})
		}
	}
	slices.SortFunc(x.Shared, func(a, b Shared) int {
		return cmp.Or(cmp.Compare(largest(b.Evidence), largest(a.Evidence)), cmp.Compare(a.With, b.With))
	})
}
