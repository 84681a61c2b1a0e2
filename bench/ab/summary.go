package ab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/whet-go/whet/bench"
)

// A column holds the values of a subject's pairs in one unit.
type column struct {
	a, b     []float64
	d        []float64 // log ratios, or differences when not all values are positive
	positive bool      // all values are positive
}

// column returns the pairs of a unit, without those that miss it on one side.
func (s *subject) column(unit string) column {
	c := column{positive: true}
	for _, p := range s.pairs {
		a, ok := p[A][unit]
		b, both := p[B][unit]
		if !ok || !both || math.IsNaN(a-b) || math.IsInf(a-b, 0) {
			continue
		}
		c.a, c.b = append(c.a, a), append(c.b, b)
		c.positive = c.positive && a > 0 && b > 0
	}
	for i := range c.a {
		if c.positive {
			c.d = append(c.d, math.Log(c.b[i]/c.a[i]))
		} else {
			c.d = append(c.d, c.b[i]-c.a[i])
		}
	}
	return c
}

// units returns the units that both sides have, the deciding one first.
func (s *subject) units(first string) []string {
	seen := map[string]bool{}
	for _, p := range s.pairs {
		for unit := range p[A] {
			if _, ok := p[B][unit]; ok && len(seen) < maxUnits {
				seen[unit] = true
			}
		}
	}
	var out []string
	for unit := range seen {
		out = append(out, unit)
	}
	sort.Slice(out, func(i, j int) bool {
		if (out[i] == first) != (out[j] == first) {
			return out[i] == first
		}
		return out[i] < out[j]
	})
	return out
}

func (r *runner) result(ctx context.Context) *Result {
	out := &Result{
		Schema: Schema, Sides: r.Sides, Machine: ThisMachine(), Plan: r.plan, Tried: r.tried,
		Unit: r.Unit, Precision: r.Precision, OfEffect: r.OfEffect, Confidence: r.Confidence, Alpha: r.Alpha,
		Interrupted: ctx.Err() != nil, Elapsed: time.Since(r.began), Inside: r.inside,
	}
	for _, s := range r.subjects {
		out.Subjects = append(out.Subjects, r.compared(s, ctx.Err() != nil))
	}
	r.judge(out)
	out.Warnings = append(out.Warnings, r.pinnedElsewhere()...)
	if r.leftOut > 0 {
		out.Warnings.Addf("%d of %d benchmarks were not measured, for lack of time", r.leftOut, r.leftOut+len(r.subjects))
	}
	if r.Unit == r.Instead {
		out.Warnings = append(out.Warnings, r.waits()...)
	}
	out.Geomean = r.geomeans(out)
	return out
}

func (r *runner) compared(s *subject, interrupted bool) SubjectResult {
	c := SubjectResult{Name: s.Name(), Pairs: len(s.pairs), Elapsed: s.elapsed, Stopped: s.stopped, Unpinned: s.unpinned}
	c.CanShare = s.canShare()
	if c.Stopped == "" && interrupted {
		c.Stopped = Interrupted
	}
	if s.err != nil {
		c.Error = s.err.Error()
	}
	for _, unit := range s.units(r.unitOf(s)) {
		c.Units = append(c.Units, r.unit(s, unit))
	}
	return c
}

// unit evaluates one unit of a subject. judge fills in the verdict.
func (r *runner) unit(s *subject, unit string) Unit {
	c := s.column(unit)
	u := Unit{
		Unit: unit, Better: betterOf(unit), A: summary(c.a), B: summary(c.b), P: pValue(c.d),
		Ratio: bench.Float(math.NaN()), Low: bench.Float(math.Inf(-1)), High: bench.Float(math.Inf(1)),
		Spread: bench.Float(math.NaN()),
		Rounds: [2][]float64{c.a, c.b},
	}
	alpha := 1 - r.Confidence
	more, counts := [2][]float64{}, r.counts(s, unit)
	if counts {
		more, alpha = r.earlier(s, unit), alpha/countTests
		u.P = c.countP(more)
	}
	switch {
	case len(c.d) == 0:
	case c.positive:
		center := hodgesLehmann(c.d)
		low, high := interval(c.d, center, alpha)
		if counts {
			from, to := c.countInterval(more, alpha)
			low, high = max(low, from), min(high, to)
		}
		u.Ratio, u.Low, u.High = bench.Float(math.Exp(center)), bench.Float(math.Exp(low)), bench.Float(math.Exp(high))
		u.Spread = bench.Float(spread(c.d))
		if low == high {
			u.Ratio = bench.Float(c.b[0] / c.a[0])
			u.Low, u.High, u.Spread = u.Ratio, u.Ratio, 0
		}
	case !slices.ContainsFunc(c.d, func(d float64) bool { return d != 0 }):
		// All values are equal, or zero on both sides: nothing changed.
		u.Ratio, u.Low, u.High, u.Spread = 1, 1, 1, 0
	}
	return u
}

func summary(values []float64) Summary {
	sorted := slices.Sorted(slices.Values(values))
	at := func(q float64) bench.Float {
		if len(sorted) == 0 {
			return bench.Float(math.NaN())
		}
		x := q * float64(len(sorted)-1)
		i := min(int(x), len(sorted)-1)
		next := min(i+1, len(sorted)-1)
		return bench.Float(sorted[i] + (x-float64(i))*(sorted[next]-sorted[i]))
	}
	return Summary{Median: at(0.5), Low: at(0.25), High: at(0.75)}
}

// betterOf returns the direction of a unit: higher rates are better, and lower counts and times.
func betterOf(unit string) string {
	if strings.HasSuffix(unit, "/s") || strings.HasSuffix(unit, "/sec") {
		return bench.Higher
	}
	return bench.Lower
}

// judge adjusts the p values of each unit for the number of subjects and sets the verdicts.
func (r *runner) judge(out *Result) {
	byUnit := map[string][]*Unit{}
	for i := range out.Subjects {
		for j := range out.Subjects[i].Units {
			u := &out.Subjects[i].Units[j]
			byUnit[u.Unit] = append(byUnit[u.Unit], u)
		}
	}
	for _, units := range byUnit {
		p := make([]float64, len(units))
		for i, u := range units {
			p[i] = u.P
		}
		for i, q := range bench.Adjust(p) {
			units[i].Q = q
			units[i].Verdict = r.verdict(units[i])
		}
	}
}

func (r *runner) verdict(u *Unit) Verdict {
	if u.Q <= r.Alpha {
		up := u.Ratio > 1
		if math.IsNaN(float64(u.Ratio)) {
			up = u.B.Median > u.A.Median
		}
		if up == (u.Better == bench.Higher) {
			return Better
		}
		return Worse
	}
	low, high := math.Log(float64(u.Low)), math.Log(float64(u.High))
	if (high-low)/2 <= r.logPrecision() {
		return Same
	}
	return Undecided
}

// geomeans returns the geometric means of the ratios of all subjects, by unit. The errors of the
// subjects are independent, so their squares add up; the half widths of the intervals are used as
// the errors.
func (r *runner) geomeans(out *Result) []Mean {
	type sums struct {
		n           int
		log, square float64
	}
	byUnit := map[string]*sums{}
	var order []string
	for _, c := range out.Subjects {
		for _, u := range c.Units {
			ratio := math.Log(float64(u.Ratio))
			if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
				continue
			}
			s := byUnit[u.Unit]
			if s == nil {
				s = &sums{}
				byUnit[u.Unit] = s
				order = append(order, u.Unit)
			}
			half := (math.Log(float64(u.High)) - math.Log(float64(u.Low))) / 2
			s.n++
			s.log += ratio
			s.square += half * half
		}
	}
	var means []Mean
	for _, unit := range order {
		s := byUnit[unit]
		if s.n < 2 {
			continue
		}
		center, half := s.log/float64(s.n), math.Sqrt(s.square)/float64(s.n)
		means = append(means, Mean{
			Unit: unit, Of: s.n, Ratio: bench.Float(math.Exp(center)),
			Low: bench.Float(math.Exp(center - half)), High: bench.Float(math.Exp(center + half)),
		})
	}
	return means
}

// waits returns warnings about subjects that wait longer on one side than on the other, which
// Instead does not fully show. A neighbor makes either side wait: the sides must differ by more
// than the pairs do by chance.
func (r *runner) waits() (warnings bench.Warnings) {
	for _, s := range r.subjects {
		if s.unpinned {
			continue // the time decides
		}
		var shares [2][]float64
		var d []float64
		for _, p := range s.pairs {
			a, b := p[A][r.Instead]/p[A][r.requestedUnit], p[B][r.Instead]/p[B][r.requestedUnit]
			if a > 0 && b > 0 && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
				shares[A], shares[B] = append(shares[A], a), append(shares[B], b)
				d = append(d, math.Log(b/a))
			}
		}
		if len(d) < LeastPairs || pValue(d) > r.Alpha {
			continue
		}
		var undisturbed [2]float64
		for side := range shares {
			slices.Sort(shares[side])
			undisturbed[side] = shares[side][len(shares[side])*9/10]
		}
		if math.Abs(undisturbed[A]-undisturbed[B]) > 0.1 {
			warnings = append(warnings, bench.Warning{
				Where: s.Name(),
				Text: fmt.Sprintf("%s is %.2f of %s in A and %.2f in B: use %s, since one side waits or "+
					"uses more CPUs", r.Instead, undisturbed[A], r.requestedUnit, undisturbed[B], r.requestedUnit),
			})
		}
	}
	return warnings
}
