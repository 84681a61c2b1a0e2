package history

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// shift returns Hodges and Lehmann's estimate of how much larger b is than a, the median of all
// differences, with the interval that belongs to the Mann-Whitney U test (Hollander, Wolfe and
// Chicken, "Nonparametric Statistical Methods", section 4.3). The interval is infinite when there
// are too few values.
func shift(a, b []float64, confidence float64) (estimate, low, high float64) {
	d := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			d = append(d, y-x)
		}
	}
	slices.Sort(d)
	estimate = medianOf(d)
	c, ok := shiftRank(len(a), len(b), (1-confidence)/2)
	if !ok {
		return estimate, math.Inf(-1), math.Inf(1)
	}
	return estimate, d[c], d[len(d)-1-c]
}

// exactShift is the largest product of sizes for which the distribution of U is computed; beyond,
// its normal approximation is accurate to a rank or two.
const exactShift = 400

// shiftRank returns how many differences lie outside the interval on each side, each outside having
// a probability of at most tail; false when even the widest has more.
func shiftRank(m, k int, tail float64) (rank int, ok bool) {
	if m*k > exactShift {
		sd := math.Sqrt(float64(m) * float64(k) * float64(m+k+1) / 12)
		z := stats.StdNormal.InvCDF(tail)
		return max(int(math.Floor(float64(m)*float64(k)/2+z*sd)), 0), true
	}
	// The number of orders with each U are the coefficients of a Gaussian binomial, the
	// product of (1 - x^(k+i))/(1 - x^i); whole numbers that floats of 53 bits hold.
	orders := make([]float64, m*k/2+1)
	orders[0] = 1
	all := 1.0
	for i := 1; i <= m; i++ {
		for u := len(orders) - 1; u >= k+i; u-- {
			orders[u] -= orders[u-k-i]
		}
		for u := i; u < len(orders); u++ {
			orders[u] += orders[u-i]
		}
		all *= float64(k+i) / float64(i)
	}
	below := 0.0
	for rank < len(orders) {
		if below += orders[rank]; below > tail*all*(1+1e-12) {
			break
		}
		rank++
	}
	return rank - 1, rank > 0
}

// medianOf returns the median of sorted values.
func medianOf(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return medianOf(sorted)
}

// summary returns the median with its interval, as package bench computes it.
func summary(values []float64, confidence float64) (center, low, high float64) {
	t := benchmath.DefaultThresholds
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &t), confidence)
	return s.Center, s.Lo, s.Hi
}

// spread returns the standard deviation of values, after moving those farther than three standard
// deviations (estimated from the median absolute deviation) from the median to that distance.
func spread(values []float64) float64 {
	middle := median(values)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - middle)
	}
	limit := 3 * 1.4826 * median(away)
	drawn := slices.Clone(values)
	if limit > 0 {
		for i, v := range drawn {
			drawn[i] = min(max(v, middle-limit), middle+limit)
		}
	}
	return stats.StdDev(drawn)
}

// tQuantile returns the p quantile of Student's t with the degrees of freedom.
func tQuantile(p, freedom float64) float64 {
	return stats.InvCDF(stats.TDist{V: freedom})(p)
}

// tAbove returns the probability of a t of at least v.
func tAbove(v, freedom float64) float64 { return stats.TDist{V: freedom}.CDF(-v) }
