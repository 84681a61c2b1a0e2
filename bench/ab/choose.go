package ab

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/aclements/go-moremath/stats"

	"github.com/whet-go/whet/bench"
)

// Limits of the trials.
const (
	trialPairs    = 8  // of each pairing, before the best is chosen
	maxTrialPairs = 40 // of each length of its rounds
	trialSubjects = 3  // that plans are tried on
	// pairsInTime is how many pairs a length of rounds must allow within MaxTime to be tried: with
	// fewer, the noise of single pairs decides.
	pairsInTime = 4 * LeastPairs
	// byChance is the probability with which a plan with fewer than trialPairs may seem better than
	// the first one without being so.
	byChance = 0.05
)

// An attempt is a plan being tried.
type attempt struct {
	plan    Plan
	d       [2][]float64 // log ratios of A to A over all subjects tried: of Unit, and of Instead where it is measured
	both    [2][]float64 // the same, for pairs that measured both
	elapsed time.Duration
}

func (a *attempt) pairs() int { return len(a.d[0]) }

// cost is proportional to the time that a given width of the interval takes, in Unit or in Instead:
// the smaller, the better the plan.
func (a *attempt) cost(of int, precision float64) float64 { return a.costBy(a.d[of], precision) }

// costBy returns the cost for these log ratios. When pairs differ by less than the requested
// precision, few are needed in any case: which plan has the smallest differences is then chance,
// and the quicker one is better.
func (a *attempt) costBy(d []float64, precision float64) float64 {
	if len(d) == 0 {
		return math.Inf(1)
	}
	s := max(precision, spread(d), disturbed(d))
	return s * s * a.elapsed.Seconds() / float64(a.pairs())
}

// disturbed estimates the standard deviation of log ratios from the fifth that differ most: the
// median would not see a neighbor that disturbs fewer than half of the pairs.
func disturbed(d []float64) float64 {
	size := make([]float64, len(d))
	for i, v := range d {
		size[i] = math.Abs(v)
	}
	slices.Sort(size)
	return size[len(size)*4/5] / 1.2816 // the 80% quantile of the absolute value of a normal distribution
}

// Limits of the ratio between Instead and Unit at which Instead may replace it.
const (
	leastSize = 0.85
	mostSize  = 1.3
)

// muchQuieter is how much less time Instead must promise to be preferred.
const muchQuieter = 0.5

// choose tries the plans on A against A and takes the best: first those with the shortest rounds of
// each pairing in turn, then those lengths of the best pairing for which there is time. Failures
// are left for the measurement to report.
func (r *runner) choose(ctx context.Context) {
	plans := r.Plans
	if len(plans) == 0 {
		plans = defaultPlans(len(r.allowed))
	}
	var all, first []*attempt
	for _, p := range plans {
		a := &attempt{plan: p}
		all = append(all, a)
		if i := slices.IndexFunc(first, a.pairedLike); i < 0 {
			first = append(first, a)
		} else if p.Length < first[i].plan.Length {
			first[i] = a
		}
	}
	t := trials{runner: r, ctx: ctx, on: slices.Clone(spreadOut(r.subjects, trialSubjects))}
	unpinned := slices.DeleteFunc(slices.Clone(first), func(a *attempt) bool { return a.plan.Pinned })
	if len(unpinned) < len(first) && !t.keepPinnable(first[0].plan) && len(unpinned) > 0 {
		first = unpinned
	}
	// A pairing with too few trials would be chosen by chance, so trials take their time.
	t.until = time.Now().Add(2 * r.Trial)
	t.turns(first, trialPairs)
	best, _ := t.best(first)
	t.until = t.until.Add(-r.Trial)
	lengths := slices.DeleteFunc(slices.Clone(all), func(a *attempt) bool { return !a.pairedLike(best) })
	lengths = t.affordable(lengths, best)
	if len(lengths) > 1 {
		t.turns(lengths, maxTrialPairs)
	}
	best, of := t.best(lengths)

	r.plan, r.planned = best.plan, true
	if of == 1 {
		r.Unit = r.Instead
	}
	for _, a := range all {
		if len(a.d[of]) > 0 {
			r.tried = append(r.tried, r.trial(a, of))
		}
	}
	for _, s := range r.subjects {
		s.elapsed = 0
	}
	r.leaveOut()
}

// leaveOut leaves out subjects if Total is too short for all of them with the plan: an interval takes enough pairs.
func (r *runner) leaveOut() {
	i := slices.IndexFunc(r.tried, func(t Trial) bool { return t.Plan == r.plan })
	if r.Total == 0 || i < 0 || r.tried[i].Pair <= 0 {
		return
	}
	n := max(1, int(r.Total/(enoughPairs*r.tried[i].Pair)))
	all := len(r.subjects)
	r.subjects = spreadOut(r.subjects, n)
	r.leftOut += all - len(r.subjects)
}

// pairedLike reports whether the plans differ at most in the length of their rounds.
func (a *attempt) pairedLike(b *attempt) bool {
	return a.plan.Pinned == b.plan.Pinned && a.plan.Together == b.plan.Together && a.plan.Shared == b.plan.Shared
}

func (r *runner) trial(a *attempt, of int) Trial {
	each := max(1, a.elapsed/time.Duration(a.pairs()))
	s := spread(a.d[of])
	return Trial{
		Plan: a.plan, Pairs: a.pairs(), Spread: bench.Float(s), Pair: each,
		HalfWidth: bench.Float(math.Expm1(halfWidth(s, max(1, int(r.MaxTime/each)), 1-r.Confidence))),
	}
}

// trials measure A against A.
type trials struct {
	*runner
	ctx   context.Context
	until time.Time
	on    []*subject // those that have not failed
	// sizes are Instead's values as shares of Unit's.
	sizes []float64
}

// unit chooses the unit that decides: Unit, or Instead, which must be much quieter and, on an
// undisturbed machine, about equal.
func (t *trials) unit(running []*attempt) int {
	if len(t.sizes) == 0 {
		return 0
	}
	slices.Sort(t.sizes)
	if undisturbed := t.sizes[len(t.sizes)*9/10]; undisturbed < leastSize || undisturbed > mostSize {
		return 0
	}
	var least [2]float64
	for of := range least {
		least[of] = math.Inf(1)
		for _, a := range running {
			if len(a.both[of]) >= min(trialPairs, len(running[0].both[of])) {
				least[of] = min(least[of], a.costBy(a.both[of], t.logPrecision()))
			}
		}
	}
	if least[1] < muchQuieter*least[0] {
		return 1
	}
	return 0
}

// turns gives each plan the given number of pairs, as long as there is time.
func (t *trials) turns(plans []*attempt, pairs int) {
	for plans[0].pairs() < pairs && t.more() {
		// Every plan gets its turn before time is checked.
		for _, a := range plans {
			t.try(a)
		}
	}
}

// affordable returns those of some plans, in order of their lengths, that leave enough pairs within
// MaxTime and can all have trialPairs in the time that is left for trials. shortest, which has been
// tried and is always among them, shows how long pairs take.
func (t *trials) affordable(plans []*attempt, shortest *attempt) []*attempt {
	slices.SortStableFunc(plans, func(a, b *attempt) int { return cmp.Compare(a.plan.Length, b.plan.Length) })
	if shortest.pairs() == 0 {
		return []*attempt{shortest}
	}
	left := time.Until(t.until)
	out := []*attempt{}
	for _, a := range plans {
		each := shortest.elapsed.Seconds() / float64(shortest.pairs()) *
			a.plan.Length.Seconds() / shortest.plan.Length.Seconds()
		left -= time.Duration(each * trialPairs * float64(time.Second))
		if a != shortest && (left < 0 || each*pairsInTime > t.MaxTime.Seconds()) {
			break
		}
		out = append(out, a)
	}
	return out
}

// best returns the plan with the most precise result for its time, and the unit that decides. The
// spread of a few pairs may be small by chance: a plan with few pairs replaces the first only if
// its differences are smaller than chance explains.
func (t *trials) best(plans []*attempt) (best *attempt, of int) {
	of = t.unit(plans)
	best = slices.MinFunc(plans, func(a, b *attempt) int {
		return cmp.Compare(a.cost(of, t.logPrecision()), b.cost(of, t.logPrecision()))
	})
	if min(best.pairs(), plans[0].pairs()) < trialPairs &&
		best.chance(plans[0], of, t.logPrecision()) > byChance/float64(max(1, len(plans)-1)) {
		best = plans[0]
	}
	return best, of
}

// chance is the p value of the differences of a, weighed by the time they take, being as large as
// those of b or larger: Mann and Whitney's test.
func (a *attempt) chance(b *attempt, of int, precision float64) float64 {
	var sides [2][]float64
	for i, x := range []*attempt{a, b} {
		if x.pairs() == 0 {
			return 1
		}
		each := math.Sqrt(x.elapsed.Seconds() / float64(x.pairs()))
		for _, d := range x.d[of] {
			sides[i] = append(sides[i], each*max(precision, math.Abs(d)))
		}
	}
	u, err := stats.MannWhitneyUTest(sides[0], sides[1], stats.LocationLess)
	if err != nil {
		return 1 // all are equal
	}
	return u.P
}

// keepPinnable keeps the candidates that may be pinned, or all if none may. It reports whether any
// may, which it measures without pinning.
func (t *trials) keepPinnable(p Plan) bool {
	var pinned []*subject
	for _, s := range t.on {
		if t.ctx.Err() != nil {
			break
		}
		if t.report(Progress{Trying: true, Subject: s.Name()}); t.decidePinning(t.ctx, s, p) == nil && !s.unpinned {
			pinned = append(pinned, s)
		}
	}
	if len(pinned) == 0 {
		return false
	}
	t.on = pinned
	return true
}

// report reports progress, with the fields that all reports of the trials share.
func (t *trials) report(p Progress) {
	if t.Progress == nil {
		return
	}
	p.Of, p.Elapsed, p.Left = len(t.subjects), t.elapsed(), -1
	p.Ratio, p.Low, p.High = math.NaN(), 0, math.Inf(1)
	t.Progress(p)
}

// more reports whether there is time left and something to try.
func (t *trials) more() bool {
	return t.ctx.Err() == nil && len(t.on) > 0 && time.Now().Before(t.until)
}

func (t *trials) try(a *attempt) {
	if t.ctx.Err() != nil || len(t.on) == 0 {
		return
	}
	// Each plan meets each subject: the turn moves on after a round of the plans.
	s := t.on[a.pairs()%len(t.on)]
	began := time.Now()
	p, err := t.pair(t.ctx, s, a.plan, [2]Side{A, A})
	if err != nil {
		t.on = slices.DeleteFunc(t.on, func(o *subject) bool { return o == s })
		return
	}
	a.elapsed += time.Since(began)
	s.before = append(s.before, measured{A, a.plan, p[A]}, measured{A, a.plan, p[B]})
	var ratios [2]float64
	for of, unit := range []string{t.Unit, t.Instead} {
		if x, y := p[A][unit], p[B][unit]; x > 0 && y > 0 {
			ratios[of] = math.Log(y / x)
		}
	}
	if p.has(t.Instead) {
		for of, ratio := range ratios {
			a.both[of] = append(a.both[of], ratio)
		}
	} else {
		ratios[1] = ratios[0] // subjects that do not measure it use Unit
	}
	for of, ratio := range ratios {
		a.d[of] = append(a.d[of], ratio)
	}
	for _, v := range p {
		if size := v[t.Instead] / v[t.Unit]; size > 0 && !math.IsInf(size, 0) {
			t.sizes = append(t.sizes, size)
		}
	}
	t.report(Progress{Trying: true, Subject: s.Name()})
}

// spreadOut picks n of the subjects, evenly; fewer if there are fewer.
func spreadOut[S any](subjects []S, n int) []S {
	if len(subjects) <= n {
		return subjects
	}
	var out []S
	for i := range n {
		out = append(out, subjects[i*len(subjects)/n])
	}
	return out
}
