package find

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/find/diagnosis"
)

// diagnoses returns the diagnoses of all lines that have diagnosis.MinShare or more of a profile,
// and the minimum share, the most expensive first. They name the result's findings and candidates.
func (c *lineCosts) diagnoses(
	r *Result, claimed map[sourceLine]map[Cost]int64, code *hotCode, compiled fileNotes, set *ruleset,
) []diagnosis.Line {
	var ran []string
	for _, r := range set.rules {
		ran = append(ran, r.Analyzer.Name)
	}
	findings := map[sourceLine][]*Finding{}
	for i := range r.Findings {
		for _, at := range r.Findings[i].lines() {
			findings[at] = append(findings[at], &r.Findings[i])
		}
	}
	proposed := map[sourceLine][]string{}
	for i := range r.Candidates {
		at := sourceLine{r.Candidates[i].Place.File, r.Candidates[i].Place.Line}
		proposed[at] = append(proposed[at], fmt.Sprintf("C%d", i+1))
	}
	all := []diagnosis.Line{}
	for _, at := range sortedPlaces(c.places) {
		if !c.hot(at) {
			continue
		}
		place := code.hotLine(at, c.source)
		d := diagnosis.Line{
			File: at.file, Line: at.line, Function: place.Function, Test: strings.HasSuffix(at.file, "_test.go"),
		}
		for _, f := range findings[at] {
			d.Findings = append(d.Findings, f.ID)
		}
		for _, l := range c.ledgers {
			whole := share(c.value(at, l.cost), l.total)
			costs := c.kinds(at, l)
			if l.cost == AllocObjects || whole < max(diagnosis.MinShare, c.minShare) || len(costs) == 0 {
				continue
			}
			in := diagnosis.Input{
				Resource: diagnosis.Resource(l.cost), Costs: costs, Code: place.Code, Rules: ran, Test: d.Test,
				Unchecked: place.Why, Notes: compiled.on(c.source, at.file, at.line, at.line),
				Candidates: proposed[at],
				Claimed:    share(claimed[at][l.cost], l.total),
			}
			if cpu := c.ledger(CPU); cpu != nil {
				in.Hints = c.kinds(at, cpu)
			}
			for _, f := range findings[at] {
				if slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.Cost == l.cost }) {
					in.Findings = append(in.Findings, diagnosis.Finding{
						ID: f.ID, Fix: f.Rewrites(), Setting: f.Fix != nil && f.Fix.Setting != nil, NoFix: f.NoFix,
					})
				}
			}
			d.Costs = append(d.Costs, diagnosis.Of(in))
		}
		if len(d.Costs) > 0 {
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b diagnosis.Line) int {
		return cmp.Compare(b.Costs[0].Line, a.Costs[0].Line)
	})
	return all
}

// kinds returns a line's costs in a ledger by kind, as shares; empty if it is not known what the
// line calls.
func (c *lineCosts) kinds(at sourceLine, l *ledger) map[diagnosis.Kind]float64 {
	shares, sums := map[diagnosis.Kind]float64{}, map[diagnosis.Kind]int64{}
	for _, a := range c.places[at][l.cost] {
		for k, v := range a.kinds {
			sums[cmp.Or(k, diagnosis.Library)] += v
		}
	}
	for k, v := range sums {
		shares[k] = share(v, l.total)
	}
	return shares
}
