package shape

import "math"

// Chance returns the similarity that two profiles of the same work would have on average: samples are drawn by chance,
// so that few of them never agree wholly. It is 1 for profiles without samples, which say nothing.
//
// The difference of two shares of p, from a and b samples, has a standard deviation of sqrt(p(1-p)(1/a+1/b)), and a
// normal variable is sqrt(2/pi) standard deviations from its mean on average. Half of the sum of differences is missing
// in the similarity.
func Chance(a, b Shape) float64 {
	if a.Samples == 0 || b.Samples == 0 {
		return 1
	}
	n, m := float64(a.Samples), float64(b.Samples)
	lost := 0.0
	add := func(p float64) {
		lost += min(math.Sqrt(2/math.Pi*p*(1-p)*(1/n+1/m)), 2*p) / 2
	}
	for at, share := range a.parts {
		add((share*n + b.parts[at]*m) / (n + m))
	}
	for at, share := range b.parts {
		if _, both := a.parts[at]; !both {
			add(share * m / (n + m))
		}
	}
	return 1 - min(lost, 1)
}
