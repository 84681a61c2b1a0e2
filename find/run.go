package find

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/module"
	"github.com/whet-go/whet/profile"
)

// Find looks for the causes of what profiles show in a module's source. It is an error if there is
// no module, if no profile has a value, or if no line of the module is in the profiles.
//
// It runs in phases, each a function from the results of those before it.
func Find(ctx context.Context, p Profiles, o Options) (*Result, error) {
	m, err := module.Find(o.Dir)
	if err != nil {
		return nil, err
	}
	o = o.complete(m, p)
	set, err := newRuleset(o.Rules)
	if err != nil {
		return nil, err
	}
	costs, err := chargeLines(ctx, p, m, &set.patterns, o)
	if err != nil {
		return nil, err
	}
	r := costs.result(len(o.Rules))
	if err := costs.checkFound(); err != nil {
		return r, err
	}
	code, err := loadHotCode(ctx, costs, o, p.adviceDirs(costs, o))
	if err != nil {
		return nil, err
	}
	matches, failed := set.diagnose(ctx, code, m, o)
	groups, split := attributeHot(groupMatches(matches, costs.source), costs, set)
	found := lineFindings(groups, split, costs)

	program, unread := newProgram(p.CPU, costs, &o.Target)
	judged, invalid := set.judge(program, costs, found, split.assisting)
	found = append(found, judged...)

	o.Progress("get compiler notes")
	compiled, incomplete := compileNotes(ctx, o, costs, code, found)
	found = ranked(withNotes(found, compiled, costs.source))
	hot := unexplained(costs, split.claimed, code, compiled)

	waits := p.Waits.onLines(costs, o)
	r.Findings = waits.withFindings(found)
	r.perRequest(o.Target.Requests)
	r.Unexplained, r.Waiting = waits.divide(hot, found, costs, code)
	r.Advice = withoutKnown(p.advice(costs, code, o), r.Findings)
	proposed, unproposed := costs.candidates(ctx, found, code, o)
	r.Candidates = proposed
	r.Diagnoses = costs.diagnoses(r, split.claimed, code, compiled, set)
	r.Requests, r.Stale = waits.requests, waits.withStale(r.Stale)
	r.Warnings = code.warnings
	r.Warnings.Add(slices.Concat(failed, unread, invalid, unproposed)...)
	r.Warnings = append(r.Warnings, incomplete...)
	return r, ctx.Err()
}

// complete returns the options with defaults for what is not set.
func (o Options) complete(m *module.Module, p Profiles) Options {
	o.MinShare = cmp.Or(o.MinShare, DefaultMinShare)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Rules == nil {
		o.Rules = index.Rules()
	}
	if o.Own == nil {
		own := []string{m.Path}
		o.Own = profile.OwnMatcher(own, p.dependencies(own))
	}
	return o
}

// dependencies returns the packages in the profiles that are in other modules than own.
func (p Profiles) dependencies(own []string) []string {
	var deps []string
	for _, one := range []*profile.Profile{p.CPU, p.Allocs, p.Mutex, p.Block} {
		if one != nil {
			deps = append(deps, one.Dependencies(own)...)
		}
	}
	slices.Sort(deps)
	return slices.Compact(deps)
}

// result returns a result without findings.
func (c *lineCosts) result(rules int) *Result {
	r := &Result{
		Schema: Schema, Module: c.module.Path, Dir: c.module.Dir, Rules: rules,
		Totals: c.totals(), GCBackground: c.background, Stale: c.stale,
		Findings: []Finding{}, Unexplained: []HotLine{}, charged: map[sourceLine]float64{},
	}
	if l := c.ledger(CPU); l != nil {
		r.GC = share(l.gc.Total(), l.total)
	}
	for at := range c.places {
		for _, l := range c.ledgers {
			r.charged[at] = max(r.charged[at], share(c.value(at, l.cost), l.total))
		}
	}
	return r
}

// perRequest sets the CPU times per request, if requests were counted.
func (r *Result) perRequest(requests float64) {
	i := slices.IndexFunc(r.Totals, func(t Total) bool { return t.Cost == CPU && t.Unit == "nanoseconds" })
	if i < 0 || requests < 1 {
		return
	}
	one := float64(r.Totals[i].Value) / requests
	r.PerRequest = time.Duration(one)
	for i := range r.Findings {
		r.Findings[i].PerRequest = time.Duration(one * r.Findings[i].Saving)
	}
}

// checkFound returns an error if no line of the module is in the profiles.
func (c *lineCosts) checkFound() error {
	if len(c.places) > 0 {
		return nil
	}
	return &diag.Error{
		Op: "find", Subject: c.module.Dir,
		Err:  errors.New("no line of the module " + c.module.Path + " is in the profiles"),
		Hint: "name the recorded source with --dir, or add own code with --own",
	}
}

// ranked sorts findings by what they would save, largest first.
func ranked(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(largest(b.Evidence), largest(a.Evidence)),
			cmp.Compare(b.Alone, a.Alone), cmp.Compare(a.ID, b.ID))
	})
	return found
}

// largest returns the largest share of any profile.
func largest(e []Evidence) float64 {
	most := 0.0
	for _, one := range e {
		most = max(most, one.Share)
	}
	return most
}

// unexplained lists the hot lines of which findings claim less than half, the hottest first.
func unexplained(c *lineCosts, claimed map[sourceLine]map[Cost]int64, code *hotCode, compiled fileNotes) []HotLine {
	var hot []HotLine
	for _, at := range sortedPlaces(c.places) {
		left, ok := c.unclaimed(at, claimed[at])
		if !ok {
			continue
		}
		h := code.hotLine(at, c.source)
		h.Evidence, h.Saving = left, c.saving(left)
		h.Notes = compiled.on(c.source, at.file, at.line, at.line)
		hot = append(hot, h)
	}
	slices.SortStableFunc(hot, func(a, b HotLine) int {
		return cmp.Or(cmp.Compare(b.Saving, a.Saving), cmp.Compare(largest(b.Evidence), largest(a.Evidence)))
	})
	return hot
}

// unclaimed returns what findings leave of a line's costs, and whether that reaches the minimum
// share and half of the line.
func (c *lineCosts) unclaimed(at sourceLine, claimed map[Cost]int64) (left []Evidence, hot bool) {
	whole := 0.0
	for _, l := range c.ledgers {
		accounts := c.places[at][l.cost]
		if len(accounts) == 0 {
			continue
		}
		value := c.value(at, l.cost)
		whole = max(whole, share(value, l.total))
		rest := Evidence{Cost: l.cost, Value: value - claimed[l.cost]}
		if rest.Value == 0 {
			continue
		}
		rest.Share = share(rest.Value, l.total)
		callees := map[string]int64{}
		for _, a := range accounts {
			for name, v := range a.callees {
				callees[name] += v
			}
		}
		rest.Callees = heaviest(callees, rest.Value, l.total)
		left = append(left, rest)
	}
	most := largest(left)
	return left, most >= c.minShare && most >= whole/2
}

// hotLine returns a line without its costs.
func (h *hotCode) hotLine(at sourceLine, source *matcher) HotLine {
	line := HotLine{
		Place: source.placeOf(at.file, at.line, 1, at.line), Function: source.function(at.file, at.line),
		Why: h.unchecked[at.file],
	}
	if strings.HasSuffix(at.file, "_test.go") {
		line.Why = "test code"
	}
	return line
}

// maxCallees is the number of callees shown for a line.
const maxCallees = 5

// heaviest returns the callees with the largest values. Each counts at most limit.
func heaviest(callees map[string]int64, limit, total int64) []Callee {
	list := make([]Callee, 0, len(callees))
	for name, v := range callees {
		v = min(v, limit)
		list = append(list, Callee{Function: name, Value: v, Share: share(v, total)})
	}
	slices.SortFunc(list, func(a, b Callee) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Function, b.Function))
	})
	return list[:min(len(list), maxCallees)]
}

// withNotes returns the findings with the compiler's notes on their places.
func withNotes(found []Finding, compiled fileNotes, source *matcher) []Finding {
	found = slices.Clone(found)
	for i := range found {
		var list []notes.Note
		for _, p := range found[i].Places {
			for _, n := range compiled.on(source, p.File, p.Line, p.EndLine) {
				list = appendNote(list, n)
			}
		}
		found[i].Notes = list
	}
	return found
}
