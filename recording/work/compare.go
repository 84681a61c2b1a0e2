package work

import (
	"math"

	"github.com/whet-go/whet/load/compare"
)

// Confidence is that of intervals and verdicts: one in a hundred comparisons of equal
// rates is called a change.
const Confidence = 0.99

// A Rate is what a request costs.
type Rate struct {
	Value    float64
	Variance float64 // relative, of Value
	Freedom  float64 // degrees of freedom of Variance; +Inf when it is known
}

// Rate is that of a sampled value, with its relative variance by the caller's model of
// the noise: k events of equal weight, a Poisson count, have 1/k.
func (c *Count) Rate(value, variance float64) Rate {
	r := Rate{Value: value / c.Requests, Variance: variance + c.requests.variance, Freedom: math.Inf(1)}
	if c.requests.variance > 0 {
		r.Freedom = r.Variance * r.Variance / (c.requests.variance * c.requests.variance / c.requests.freedom)
	}
	return r
}

// Clocked is the rate of a share of the CPU time by the process's clock, with the
// relative variance of the share: k of n events, a binomial count, have 1/k - 1/n.
// The drift of the machine is in it.
func (c *Count) Clocked(share, variance float64) Rate {
	r := Rate{Value: share * float64(c.CPU), Variance: variance + c.cpu.variance + c.Drift*c.Drift, Freedom: math.Inf(1)}
	if c.cpu.variance > 0 {
		r.Freedom = r.Variance * r.Variance / (c.cpu.variance * c.cpu.variance / c.cpu.freedom)
	}
	return r
}

// A Verdict says what is known of a change.
type Verdict string

// The verdicts.
const (
	More    Verdict = "more"    // a request costs more in B
	Less    Verdict = "less"    // it costs less in B
	Noise   Verdict = "noise"   // the interval holds no change
	Unknown Verdict = "unknown" // there is no interval
)

// A Change is what B costs a request against A.
type Change struct {
	Before   float64  `json:"before"` // for each request, in the unit of the sample type
	After    float64  `json:"after"`
	Relative *float64 `json:"relative"` // change over before; null when before is 0
	// Low and High bound Relative with Confidence; null without an interval.
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Verdict Verdict  `json:"verdict"`
}

// Compare compares B with A: the interval of the logarithm of the ratio, by Student's t
// with the degrees of freedom of Welch and Satterthwaite.
func Compare(a, b Rate) Change {
	c := Change{Before: a.Value, After: b.Value, Verdict: Unknown}
	if a.Value == 0 {
		return c
	}
	relative := b.Value/a.Value - 1
	c.Relative = &relative
	ratio := b.Value / a.Value
	if ratio <= 0 || math.IsNaN(a.Variance+b.Variance) {
		return c
	}
	half := 0.0
	if v := a.Variance + b.Variance; v > 0 {
		freedom := math.Inf(1)
		if f := a.Variance*a.Variance/a.Freedom + b.Variance*b.Variance/b.Freedom; f > 0 {
			freedom = v * v / f
		}
		half = compare.StudentQuantile(Confidence, min(freedom, 1e4)) * math.Sqrt(v)
	}
	low, high := math.Expm1(math.Log(ratio)-half), math.Expm1(math.Log(ratio)+half)
	c.Low, c.High = &low, &high
	switch {
	case low > 0:
		c.Verdict = More
	case high < 0:
		c.Verdict = Less
	default:
		c.Verdict = Noise
	}
	return c
}
