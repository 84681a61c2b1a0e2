package ab

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/bench"
)

// Bounds of the trials.
const (
	trialPairs    = 6 // before plans are first dropped
	trialSubjects = 3 // that the plans are tried on
)

// attempt is a plan being tried.
type attempt struct {
	plan    Plan
	d       []float64 // log ratios of A to A, of all subjects tried
	elapsed time.Duration
}

// cost is proportional to the time that a given width of the interval takes: the
// smaller, the better the plan.
func (a *attempt) cost() float64 {
	if len(a.d) == 0 {
		return math.Inf(1)
	}
	s := spread(a.d)
	return s * s * a.elapsed.Seconds() / float64(len(a.d))
}

// choose tries the plans on A against A, in turns, drops the worse half each time each
// has had its pairs, and takes the one that is left. What fails is left for the measuring
// to find.
func (r *runner) choose(ctx context.Context) {
	plans := r.Plans
	if len(plans) == 0 {
		plans = DefaultPlans(len(r.allowed))
	}
	var all []*attempt
	for _, p := range plans {
		all = append(all, &attempt{plan: p})
	}
	t := trials{runner: r, ctx: ctx, until: time.Now().Add(r.Trial), on: spreadOut(r.subjects, trialSubjects)}
	running := slices.Clone(all)
	for pairs := trialPairs; t.more(); pairs *= 2 {
		for len(running[0].d) < pairs && t.more() {
			for _, a := range running {
				t.try(a)
			}
		}
		if t.parallel() {
			running = slices.DeleteFunc(running, func(a *attempt) bool { return a.plan.Pinned && len(running) > 1 })
		}
		slices.SortStableFunc(running, compareCost)
		if t.more() && len(running) > 1 {
			running = running[:(len(running)+1)/2]
		}
	}
	r.plan, r.planned = running[0].plan, true
	for _, a := range all {
		if len(a.d) > 0 {
			r.tried = append(r.tried, r.trial(a))
		}
	}
	for _, s := range r.subjects {
		s.elapsed = 0
	}
}

func (r *runner) trial(a *attempt) Trial {
	each := max(1, a.elapsed/time.Duration(len(a.d)))
	s := spread(a.d)
	return Trial{
		Plan: a.plan, Pairs: len(a.d), Spread: bench.Float(s), Pair: each,
		Reach: bench.Float(math.Expm1(halfWidth(s, max(1, int(r.MaxTime/each)), 1-r.Confidence))),
	}
}

func compareCost(a, b *attempt) int { return cmp.Compare(a.cost(), b.cost()) }

// trials measure A against A.
type trials struct {
	*runner
	ctx   context.Context
	until time.Time
	on    []*subject // those that have not failed
}

// more tells whether there is time, and something to try.
func (t *trials) more() bool {
	return t.ctx.Err() == nil && len(t.on) > 0 && time.Now().Before(t.until)
}

func (t *trials) try(a *attempt) {
	if !t.more() {
		return
	}
	// Each plan meets each subject: the turn moves on after a round of the plans.
	s := t.on[len(a.d)%len(t.on)]
	began := time.Now()
	p, err := t.pair(t.ctx, s, a.plan, [2]Side{A, A})
	if err != nil {
		t.on = slices.DeleteFunc(t.on, func(o *subject) bool { return o == s })
		return
	}
	a.elapsed += time.Since(began)
	d := 0.0
	if x, y := p[A][t.Unit], p[B][t.Unit]; x > 0 && y > 0 {
		d = math.Log(y / x)
	}
	a.d = append(a.d, d)
	if t.Progress != nil {
		t.Progress(Progress{
			Trying: true, Subject: s.Name(), Of: len(t.subjects),
			Ratio: math.NaN(), Low: 0, High: math.Inf(1), Elapsed: t.elapsed(), Left: -1,
		})
	}
}

// severalProcessors is how much processor time a second of measuring takes when more
// than one processor is needed, and not only for some of the collector's work.
const severalProcessors = 1.3

// parallel tells whether a subject uses several processors.
func (t *trials) parallel() bool {
	return slices.ContainsFunc(t.on, func(s *subject) bool {
		return s.inside > 0 && s.cpu.Seconds() > severalProcessors*s.inside.Seconds()
	})
}

// spreadOut picks n of the subjects, evenly.
func spreadOut(subjects []*subject, n int) []*subject {
	if len(subjects) <= n {
		return subjects
	}
	var out []*subject
	for i := range n {
		out = append(out, subjects[i*len(subjects)/n])
	}
	return out
}
