package ab

import (
	"math"
	"slices"
)

// steps is the number of steps in which an interval's end is searched before it is refined.
const steps = 32

// interval returns the range of values that d may be symmetric about, around its center, at the
// level alpha; the ends are infinite when there is too little data.
func interval(d []float64, center, alpha float64) (low, high float64) {
	if len(d) == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	least, greatest := slices.Min(d), slices.Max(d)
	limit := math.Log(1 / alpha)
	bets := newBets()
	end := func(outer float64) float64 {
		if least == greatest {
			// All are equal, so their number alone decides.
			if bets.evidence(d, center+1) >= limit && bets.evidence(d, center-1) >= limit {
				return center
			}
			return outer
		}
		beyond := greatest + (greatest - least)
		if outer < 0 {
			beyond = least - (greatest - least)
		}
		if bets.evidence(d, beyond) < limit {
			return outer
		}
		// The evidence need not grow monotonically. From outside to inside, the end is the first
		// value that is not rejected.
		from := beyond
		for k := 1; k <= steps; k++ {
			to := beyond + (center-beyond)*float64(k)/steps
			if bets.evidence(d, to) >= limit && k < steps {
				from = to
				continue
			}
			for range 30 {
				mid := from + (to-from)/2
				if bets.evidence(d, mid) >= limit {
					from = mid
				} else {
					to = mid
				}
			}
			return from
		}
		return center
	}
	return end(math.Inf(-1)), end(math.Inf(1))
}

// hodgesLehmann returns the median of the means of all pairs of d, each with itself included
// (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
// Statistics 34, 1963); NaN without any.
func hodgesLehmann(d []float64) float64 {
	n := len(d)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(d))
	all := n * (n + 1) / 2
	a := meanAt(sorted, (all+1)/2)
	if all%2 == 1 {
		return a
	}
	return a + (meanAt(sorted, all/2+1)-a)/2
}

// meanAt returns the k-th smallest, from 1, of the means of all pairs of sorted without storing
// them: it narrows the range until one mean is left.
func meanAt(sorted []float64, k int) float64 {
	low, high := sorted[0], sorted[len(sorted)-1]
	if n, _ := meansUpTo(sorted, low); n >= k {
		return low
	}
	// At most k-1 means are up to low, and at least k up to high.
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return high
		}
		n, largest := meansUpTo(sorted, mid)
		if n >= k {
			high = largest
		} else {
			low = mid
		}
	}
}

// meansUpTo counts the means of pairs that are at most limit and returns the largest.
func meansUpTo(sorted []float64, limit float64) (n int, largest float64) {
	largest = math.Inf(-1)
	j := len(sorted) - 1
	for i := range sorted {
		for j >= i && mean(sorted[i], sorted[j]) > limit {
			j--
		}
		if j < i {
			break
		}
		n += j - i + 1
		largest = max(largest, mean(sorted[i], sorted[j]))
	}
	return n, largest
}

func mean(a, b float64) float64 { return a + (b-a)/2 }

// median returns the median of values, which it sorts; NaN without any.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return mean(values[(n-1)/2], values[n/2])
}

// spread returns the standard deviation of d, estimated from its median absolute deviation as for a
// normal distribution: single disturbed pairs do not change it.
func spread(d []float64) float64 {
	center := median(slices.Clone(d))
	off := make([]float64, len(d))
	for i, v := range d {
		off[i] = math.Abs(v - center)
	}
	return 1.4826 * median(off)
}

// mixture is the variance of a normal mixture's inverse by which halfWidth forecasts: in
// the unit of the sum of the weights' squares, which grows by about a third with each pair.
const mixture = 3.0

// halfWidth estimates the half width of an interval at the level alpha, of n pairs whose log ratios
// have this spread.
func halfWidth(spread float64, n int, alpha float64) float64 {
	variance := float64(n) / 3
	z := math.Sqrt(2 * (1 + mixture/variance) * (math.Log(1/alpha) + math.Log1p(variance/mixture)/2))
	// For normal values, ranks have 3/pi of the efficiency of the mean.
	return z * spread * math.Sqrt(math.Pi/3/float64(n))
}

// pairsFor estimates how many pairs an interval of this half width takes.
func pairsFor(spread, width, alpha float64) int {
	n := LeastPairs
	for n < maxPairs && halfWidth(spread, n, alpha) > width {
		n += max(1, n/16)
	}
	return n
}
