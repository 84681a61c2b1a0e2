package regressions

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// Find returns what changed in the profiles of a query. Without profiles the error is
// store.ErrNotFound.
func Find(ctx context.Context, r store.Reader, o Options) (*Report, error) {
	o.defaults()
	series, err := r.Series(ctx, o.Query)
	if err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, &diag.Error{
			Op: "regressions", Subject: store.Selector(o.Matchers), Err: store.ErrNotFound,
			Hint: "`whet query series` lists what is stored",
		}
	}
	byService := map[string][]store.Series{}
	var names []string
	first, last := series[0].First, series[0].Last
	for _, s := range series {
		if byService[s.Service] == nil {
			names = append(names, s.Service)
		}
		byService[s.Service] = append(byService[s.Service], s)
		if s.First.Before(first) {
			first = s.First
		}
		if s.Last.After(last) {
			last = s.Last
		}
	}
	if len(names) > maxServices {
		return nil, diag.Usagef("regressions", fmt.Sprintf("%d services are selected (limit %d)", len(names), maxServices),
			"select some with a matcher of service")
	}
	from, step, slots, err := o.slotting(first, last)
	if err != nil {
		return nil, diag.Usagef("regressions", err.Error(), "--step sets the width, --since bounds the time")
	}
	l := loader{r: r, o: o}
	var panels []*panel
	for _, name := range names {
		p, err := l.load(ctx, name, byService[name], from, step, slots)
		if err != nil {
			return nil, fmt.Errorf("regressions of %s: %w", name, err)
		}
		panels = append(panels, p)
	}
	report := judge(o, panels)
	report.From, report.To, report.Step = from, from.Add(time.Duration(slots)*step), step
	if o.Repo != "" {
		err = report.Annotate(ctx, o.Repo)
	}
	return report, err
}

func (o *Options) defaults() {
	o.Kind = cmp.Or(o.Kind, "cpu")
	o.Q = cmp.Or(o.Q, DefaultQ)
	o.MinShare = cmp.Or(o.MinShare, DefaultMinShare)
	o.MinChange = cmp.Or(o.MinChange, DefaultMinChange)
}

// judge tests panels and reports what is significant among all tests.
func judge(o Options, panels []*panel) *Report {
	r := &Report{
		Kind: o.Kind, Q: o.Q, Services: []Service{}, Regressions: []Change{}, Improvements: []Change{},
		Shifts: []Shift{}, Gone: []Change{},
	}
	var all []*test
	for _, p := range panels {
		p.findDeploys()
		r.Type = p.typ
		s := Service{
			Name: p.service, Instances: p.instances, Profiles: p.profiles, Seasonal: p.period > 0, Deploys: p.deploys,
		}
		if s.Deploys == nil {
			s.Deploys = []Deploy{}
		}
		for _, x := range p.subjects {
			if x.line {
				s.Lines++
			} else {
				s.Functions++
			}
		}
		r.Services = append(r.Services, s)
		r.warn(p)
		all = append(all, p.detect()...)
	}
	adjust(all)
	r.collect(o, all)
	// What is a shift or went away is not among what is reported as changed, so it must not make
	// the limit for the rest more lenient.
	r.Regressions, r.Improvements, r.Shifts, r.Gone = []Change{}, []Change{}, []Shift{}, []Change{}
	r.Tested = adjust(all)
	r.collect(o, all)
	return r
}

// adjust sets the q of tests that nothing explains.
func adjust(all []*test) (tested int) {
	var open []*test
	var p []float64
	for _, t := range all {
		if !t.explained {
			open, p = append(open, t), append(p, t.p)
		}
	}
	for i, q := range bench.Adjust(p) {
		open[i].q = q
	}
	return len(open)
}

// warn adds what limits the tests of a service.
func (r *Report) warn(p *panel) {
	add := func(text string) {
		r.Warnings = append(r.Warnings, diag.Warning{Text: p.service + ": " + text})
	}
	if p.period == 0 {
		add("less than two days of profiles, so load that depends on the time of day is not removed, and change points " +
			"without a deploy are not searched")
	}
	if p.instances == 1 {
		add("one instance, so its noise cannot be told from that of the build")
	}
}

// sites are tests of one service at the same place, by subject.
type site struct {
	panel  *panel
	deploy int
	slot   int
}

// collect makes the lists of a report.
func (r *Report) collect(o Options, all []*test) {
	groups := map[site][]*test{}
	var order []site
	for _, t := range all {
		at := site{t.panel, t.deploy, t.slot}
		if t.deploy >= 0 {
			at.slot = 0
		}
		if groups[at] == nil {
			order = append(order, at)
		}
		groups[at] = append(groups[at], t)
	}
	for _, at := range order {
		r.site(o, at, groups[at])
	}
	byChange := func(a, b Change) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Change), math.Abs(a.Change)), cmp.Compare(a.Function, b.Function))
	}
	slices.SortStableFunc(r.Regressions, byChange)
	slices.SortStableFunc(r.Improvements, byChange)
	slices.SortStableFunc(r.Gone, byChange)
	slices.SortStableFunc(r.Shifts, func(a, b Shift) int { return byChange(a.To, b.To) })
}

// site adds the significant tests of one place.
func (r *Report) site(o Options, at site, tests []*test) {
	p := at.panel
	significant := func(t *test) bool { return !t.reverts && t.q <= o.Q && math.Abs(t.est.step) >= o.MinChange }
	functions := map[string]*test{}
	lines := map[string][]*test{}
	var found []string
	for _, t := range tests {
		name := p.subjects[t.subject].function
		if p.subjects[t.subject].line {
			if significant(t) {
				lines[name] = append(lines[name], t)
			}
			continue
		}
		functions[name] = t
	}
	for _, t := range tests {
		name := p.subjects[t.subject].function
		if !p.subjects[t.subject].line && (significant(t) || lines[name] != nil) {
			found = append(found, name)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(functions[b].est.step, functions[a].est.step), cmp.Compare(a, b))
	})
	taken := map[string]bool{} // as what another took over
	for _, name := range found {
		t := functions[name]
		c := r.change(p, t, lines[name], significant(t))
		switch {
		case taken[name]:
			explain(tests, name)
		case !c.Whole && within(lines[name], t):
			explain(tests, name)
			r.Shifts = append(r.Shifts, Shift{
				Service: p.service, At: c.At, Deploy: c.Deploy, To: c, From: []Change{}, Net: t.est.step,
				Low: t.est.step - t.est.half(), High: t.est.step + t.est.half(),
			})
		case t.gone || !c.Whole && lines[name][0].gone:
			explain(tests, name)
			r.Gone = append(r.Gone, c)
		case c.Change < 0:
			if s, ok := r.movedTo(p, t, functions, c, significant); ok {
				explain(tests, name)
				explain(tests, s.To.Function)
				r.Shifts = append(r.Shifts, s)
				continue
			}
			r.Improvements = append(r.Improvements, c)
		default:
			if s, ok := r.shift(p, t, functions, c, taken); ok {
				explain(tests, name)
				r.Shifts = append(r.Shifts, s)
				continue
			}
			r.Regressions = append(r.Regressions, c)
		}
	}
}

// explain marks the tests of a function and its lines as explained.
func explain(tests []*test, function string) {
	for _, t := range tests {
		if t.panel.subjects[t.subject].function == function {
			t.explained = true
		}
	}
}

// within reports whether lines of a function changed in both directions, or moved, and the function
// is shown to have changed by less than half as much.
func within(lines []*test, function *test) bool {
	up, down := 0.0, 0.0
	for _, t := range lines {
		up, down = max(up, t.est.step), min(down, t.est.step)
	}
	most := max(up, -down)
	return up > 0 && down < 0 && math.Abs(function.est.step)+function.est.half() < most/2
}

// shift returns what related functions lost to one, if that is shown to be most of what it gained.
func (r *Report) shift(
	p *panel, t *test, functions map[string]*test, c Change, taken map[string]bool,
) (Shift, bool) {
	gained := c.Function
	var losers []*test
	for _, x := range p.subjects {
		if x.line || x.function == gained || taken[x.function] || !p.related(gained, x.function) {
			continue
		}
		l := functions[x.function]
		if l == nil { // change points have a test only of what changed
			l = p.same(t, x.function)
		}
		if l != nil && l.est.step < 0 && l.est.p() < 0.05 {
			losers = append(losers, l)
		}
	}
	slices.SortStableFunc(losers, func(a, b *test) int { return cmp.Compare(a.est.step, b.est.step) })
	sum := p.subjects[t.subject].values()
	net := t.est.step
	var from []Change
	var names []string
	for _, l := range losers {
		// What would make the sum worse is not a part of it.
		if math.Abs(net+l.est.step) >= math.Abs(net) {
			continue
		}
		net += l.est.step
		for i, v := range p.subjects[l.subject].share {
			sum[i] += float64(v)
		}
		from = append(from, r.change(p, l, nil, true))
		names = append(names, p.subjects[l.subject].function)
	}
	if len(from) == 0 {
		return Shift{}, false
	}
	steps, _ := t.design.fit(sum)
	half := steps[t.step].half()
	if !(net+half < t.est.step/2 && net-half > -t.est.step) {
		return Shift{}, false
	}
	for _, name := range names {
		taken[name] = true
	}
	return Shift{
		Service: p.service, At: c.At, Deploy: c.Deploy, To: c, From: from, Net: net, Low: net - half, High: net + half,
	}, true
}

// movedTo returns the related function that gained most of what one lost, if that is shown. Its gain is not significant
// by itself, or it would have been reported first, with what it took over.
func (r *Report) movedTo(
	p *panel, t *test, functions map[string]*test, c Change, significant func(*test) bool,
) (Shift, bool) {
	var to *test
	for _, x := range p.subjects {
		if x.line || x.function == c.Function || !p.related(c.Function, x.function) {
			continue
		}
		g := functions[x.function]
		if g == nil {
			g = p.same(t, x.function)
		}
		if g == nil || significant(g) || g.est.step <= 0 || g.est.p() >= 0.05 {
			continue
		}
		if to == nil || math.Abs(t.est.step+g.est.step) < math.Abs(t.est.step+to.est.step) {
			to = g
		}
	}
	if to == nil {
		return Shift{}, false
	}
	sum := p.subjects[t.subject].values()
	for i, v := range p.subjects[to.subject].share {
		sum[i] += float64(v)
	}
	steps, _ := t.design.fit(sum)
	net, half := t.est.step+to.est.step, steps[t.step].half()
	if !(net-half > t.est.step/2 && net+half < -t.est.step) {
		return Shift{}, false
	}
	return Shift{
		Service: p.service, At: c.At, Deploy: c.Deploy, To: r.change(p, to, nil, true), From: []Change{c}, Net: net,
		Low: net - half, High: net + half,
	}, true
}

// same returns the test of another function at the place of t.
func (p *panel) same(t *test, function string) *test {
	for s, x := range p.subjects {
		if x.line || x.function != function {
			continue
		}
		steps, _ := t.design.fit(x.values())
		o := *t
		o.subject, o.est = s, steps[t.step]
		o.before = p.levelBefore(s, t.slot)
		o.p = o.est.p()
		o.q = o.p
		return &o
	}
	return nil
}

// change describes a test of a function and those of its lines.
func (r *Report) change(p *panel, t *test, lines []*test, whole bool) Change {
	x := &p.subjects[t.subject]
	c := Change{
		Service: p.service, Function: x.function, File: x.file, Cause: CauseTime, Effect: t.effect(), Whole: whole,
		At: p.from.Add(time.Duration(t.slot) * p.step),
	}
	if t.deploy >= 0 {
		c.Cause, c.Deploy = CauseDeploy, &p.deploys[t.deploy]
	} else if len(lines) == 0 {
		for s, line := range p.subjects {
			if !line.line || line.function != x.function {
				continue
			}
			steps, _ := t.design.fit(line.values())
			o := *t
			o.subject, o.est, o.before = s, steps[t.step], p.levelBefore(s, t.slot)
			if o.p = o.est.p(); o.p < 0.01 {
				o.q = o.p
				lines = append(lines, &o)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b *test) int {
		return cmp.Compare(math.Abs(b.est.step), math.Abs(a.est.step))
	})
	for _, l := range lines {
		n := LineChange{Effect: l.effect()}
		n.LineBefore, n.LineAfter = p.numbers(l)
		c.Lines = append(c.Lines, n)
	}
	if !whole && len(lines) > 0 {
		c.Effect = lines[0].effect()
	}
	return c
}

// numbers returns the usual number of a line before and after a test's step.
func (p *panel) numbers(t *test) (before, after int) {
	counts := [2]map[int]int{{}, {}}
	for i, n := range p.subjects[t.subject].number {
		n := int(n)
		if n == 0 {
			continue
		}
		c := p.cells[i]
		switch {
		case t.deploy < 0 && c.slot < t.slot, t.deploy >= 0 && c.epoch == t.deploy:
			counts[0][n]++
		case t.deploy < 0, c.epoch == t.deploy+1:
			counts[1][n]++
		}
	}
	usual := func(m map[int]int) (best int) {
		for n, k := range m {
			if k > m[best] || k == m[best] && n < best {
				best = n
			}
		}
		return best
	}
	return usual(counts[0]), usual(counts[1])
}

// effect returns the size of a step.
func (t *test) effect() Effect {
	e := Effect{
		Before: t.before, After: max(t.before+t.est.step, 0), Change: t.est.step, Low: t.est.step - t.est.half(),
		High: t.est.step + t.est.half(), P: t.p, Q: t.q,
	}
	if e.Before > 1e-9 {
		e.Relative = e.Change / e.Before
	}
	return e
}
