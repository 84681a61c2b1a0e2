package work

import (
	"math"

	"github.com/whet-go/whet/load/compare"
)

// Confidence is the confidence level of intervals and verdicts: one in a hundred comparisons of
// equal rates reports a change.
const Confidence = 0.99

// A Rate is the cost of one request, with its uncertainty.
type Rate struct {
	Value    float64
	Variance float64 // relative, of Value
	Freedom  float64 // degrees of freedom of Variance; +Inf when it is known
}

// Rate returns a sampled value per request. variance is the relative variance of value under the
// caller's model of the noise: 1/k for a Poisson count of k events of equal weight.
func (c *Count) Rate(value, variance float64) Rate {
	r := Rate{Value: value / c.Requests, Variance: variance + c.requests.variance, Freedom: math.Inf(1)}
	if c.requests.variance > 0 {
		r.Freedom = r.Variance * r.Variance / (c.requests.variance * c.requests.variance / c.requests.freedom)
	}
	return r
}

// Clocked returns a share of the CPU time per request by the clock of the process. variance is the
// relative variance of share: 1/k - 1/n for a binomial count of k in n events. The result includes
// the drift of the machine.
func (c *Count) Clocked(share, variance float64) Rate {
	r := Rate{Value: share * float64(c.CPU), Variance: variance + c.cpu.variance + c.Drift*c.Drift, Freedom: math.Inf(1)}
	if c.cpu.variance > 0 {
		r.Freedom = r.Variance * r.Variance / (c.cpu.variance * c.cpu.variance / c.cpu.freedom)
	}
	return r
}

// A Verdict is whether a change exceeds the noise.
type Verdict string

// The verdicts.
const (
	More    Verdict = "more"    // a request costs more in B
	Less    Verdict = "less"    // it costs less in B
	Noise   Verdict = "noise"   // the interval includes no change
	Unknown Verdict = "unknown" // there is no interval
)

// A Change compares the cost of a request in B with that in A.
type Change struct {
	Before   float64  `json:"before"` // per request, in the unit of the sample type
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
