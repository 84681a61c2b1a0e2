package findings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// groupPlaces is the number of places of a group that are listed; JSON has all.
const groupPlaces = 10

// A group is findings that are shown as one: those without a rewrite of the same rule and category. Its
// Finding is that of the member that can save most, with the sums of all.
type group struct {
	find.Finding
	members []*find.Finding // the one that can save most first
}

// alike groups findings, the group that can save most first.
//
// Sums count no sample twice: a sample is charged to one finding, and findings of one cause split those
// that they share with others.
func alike(found []find.Finding) []*group {
	type key struct{ rule, category string }
	var groups []*group
	without := map[key]*group{}
	for i := range found {
		f := &found[i]
		k := key{f.Rule, f.Identity.Category}
		if g := without[k]; g != nil && f.Fix == nil {
			g.add(f)
			continue
		}
		g := &group{Finding: *f, members: []*find.Finding{f}}
		g.Evidence, g.Shared, g.Waits = slices.Clone(f.Evidence), slices.Clone(f.Shared), slices.Clone(f.Waits)
		groups = append(groups, g)
		if f.Fix == nil {
			without[k] = g
		}
	}
	for _, g := range groups {
		g.Shared = slices.DeleteFunc(g.Shared, func(s find.Shared) bool {
			return slices.ContainsFunc(g.members, func(f *find.Finding) bool { return f.ID == s.With })
		})
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.Saving, a.Saving) })
	return groups
}

// add adds a finding to a group.
func (g *group) add(f *find.Finding) {
	g.members = append(g.members, f)
	g.Saving += f.Saving
	g.Alone += f.Alone
	g.PerRequest += f.PerRequest
	g.Known = g.Known && f.Known
	g.Evidence = sum(g.Evidence, f.Evidence)
	for _, s := range f.Shared {
		i := slices.IndexFunc(g.Shared, func(x find.Shared) bool { return x.With == s.With })
		if i < 0 {
			g.Shared = append(g.Shared, s)
			continue
		}
		g.Shared[i].Evidence = sum(g.Shared[i].Evidence, s.Evidence)
	}
	g.Waits, g.Notes = nil, nil // of one place each
	if g.NoFix != f.NoFix {
		g.NoFix = ""
	}
}

// sum adds up evidence by cost, in a new slice. What each calls is not added up.
func sum(a, b []find.Evidence) []find.Evidence {
	var total []find.Evidence
	for _, e := range slices.Concat(a, b) {
		i := slices.IndexFunc(total, func(x find.Evidence) bool { return x.Cost == e.Cost })
		if i < 0 {
			total = append(total, find.Evidence{Cost: e.Cost, Value: e.Value, Share: e.Share})
			continue
		}
		total[i].Value += e.Value
		total[i].Share += e.Share
	}
	return total
}

// places lists the members of a group, each with its reason unless all have the same.
func (g *group) places() []blocks.Text {
	var list []blocks.Text
	for _, f := range g.members[:min(len(g.members), groupPlaces)] {
		text := " " + f.Function + ", " + layout.SharePercent(f.Saving) + ": " + f.Why
		if g.NoFix == "" && f.NoFix != "" {
			text += "; no rewrite: " + f.NoFix
		}
		list = append(list, blocks.Text{blocks.Name(f.Where()), blocks.Plain(text)})
	}
	if more := len(g.members) - groupPlaces; more > 0 {
		list = append(list, blocks.Text{blocks.Plain(fmt.Sprintf("%d more in the JSON document", more))})
	}
	return list
}
