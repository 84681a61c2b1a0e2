package diff

import (
	"math"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/work"
)

// diffRates compares values per request. With the CPU clocks of both processes, shares come from
// the CPU profile and the total from the clock: k of n ticks are a binomial count of relative
// variance 1/k - 1/n, and the total varies as the clock does from second to second. Without clocks,
// counts have the variance of the noise model.
type diffRates struct {
	pair    *work.Pair
	model   noiseName
	clock   bool
	a, b    measured // of all samples
	verdict bool     // the model supports a verdict
}

// PerRequest compares the sum of a sample type per request in a and b. It returns nil if the type is
// not a cost of requests.
func PerRequest(a, b *profile.Profile, typ profile.ValueType, pair *work.Pair) *work.Change {
	ta, tb := slices.Index(a.SampleTypes, typ), slices.Index(b.SampleTypes, typ)
	if ta < 0 || tb < 0 {
		return nil
	}
	sides := [2]*diffGathered{{model: newNoiseModel(a, ta)}, {model: newNoiseModel(b, tb)}}
	sides[0].gatherWhole(a, ta)
	sides[1].gatherWhole(b, tb)
	r := &Result{Type: typ.Type, Unit: typ.Unit}
	return r.rates(sides[0], sides[1], Options{Work: pair}).compare(sides[0].whole, sides[1].whole)
}

// gatherWhole adds up all samples, before filters.
func (g *diffGathered) gatherWhole(p *profile.Profile, t int) {
	for i := range p.NumSamples() {
		value := p.Value(i, t)
		g.whole.add(value, g.model.variance(value, g.model.events(p, i, value)))
	}
}

// rates returns how to compare values per request, or nil if that is not possible.
func (r *Result) rates(a, b *diffGathered, opt Options) *diffRates {
	if opt.Normalize || !work.PerRequest(r.Type) || a.model.name == noiseExact {
		return nil
	}
	if opt.Work == nil {
		if opt.NoWork != nil {
			w := diag.Warn(opt.NoWork)
			w.Kind, w.Text = NoPerRequest, "no comparison per request: "+w.Text
			r.Warnings = append(r.Warnings, w)
		}
		return nil
	}
	r.PerRequest = true
	d := &diffRates{pair: opt.Work, model: a.model.name, a: a.whole, b: b.whole}
	known := a.model.name == b.model.name && (d.model == noiseTicks || d.model == noiseHeap)
	d.verdict = known && !opt.Work.Other
	d.clock = d.model == noiseTicks && r.Unit == "nanoseconds" && opt.Work.Clock() && d.a.value > 0 && d.b.value > 0
	return d
}

func (d *diffRates) compare(a, b measured) *work.Change {
	if d == nil {
		return nil
	}
	ra, rb := d.rate(d.pair.A, a, d.a), d.rate(d.pair.B, b, d.b)
	c := work.Compare(ra, rb)
	switch {
	case !d.verdict:
		c.Low, c.High, c.Verdict = nil, nil, work.Unknown
	case a.events()+b.events() < minEvents:
		c.Verdict = work.Noise
	case a.value == 0 && b.value > 0:
		c.Verdict = oneSided(b.events(), d.pair.Scale(), work.More)
	case b.value == 0 && a.value > 0:
		c.Verdict = oneSided(a.events(), 1/d.pair.Scale(), work.Less)
	}
	return &c
}

// oneSided returns the verdict on k events in one profile and none in the other, which has 1/scale
// of its work. At equal rates, each event is in this profile with probability scale/(1+scale).
func oneSided(k, scale float64, verdict work.Verdict) work.Verdict {
	if k*math.Log1p(1/scale) > -math.Log((1-work.Confidence)/2) {
		return verdict
	}
	return work.Noise
}

func (d *diffRates) rate(c *work.Count, m, whole measured) work.Rate {
	variance := m.relative()
	if !d.clock {
		if d.model == noiseTicks {
			variance += c.Drift * c.Drift
		}
		return c.Rate(float64(m.value), variance)
	}
	share := float64(m.value) / float64(whole.value)
	return c.Clocked(share, max(variance-whole.relative(), 0))
}

// relative returns the variance relative to the value; 0 for a value of 0.
func (m measured) relative() float64 {
	if m.value == 0 {
		return 0
	}
	return m.variance / (float64(m.value) * float64(m.value))
}

// events returns the number of equal events that would have the same relative variance.
func (m measured) events() float64 {
	if m.variance == 0 {
		return 0
	}
	return float64(m.value) * float64(m.value) / m.variance
}
