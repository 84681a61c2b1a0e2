package compare

import "math"

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// variance returns the unbiased estimate of the variance of the population that x is a sample of.
func variance(x []float64) float64 {
	mu, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - mu) * (v - mu)
	}
	return sum / float64(len(x)-1)
}

// estimate is the variance of an estimated value with its degrees of freedom.
type estimate struct{ variance, freedom float64 }

// halfWidth returns half the width of the confidence interval of the difference of two independent
// estimates: Student's t with the degrees of freedom of Welch (Biometrika 34, 1947, pages 28 to 35)
// and Satterthwaite (Biometrics Bulletin 2, 1946, pages 110 to 114).
func halfWidth(a, b estimate) float64 {
	v := a.variance + b.variance
	if v == 0 {
		return 0
	}
	freedom := v * v / (a.variance*a.variance/a.freedom + b.variance*b.variance/b.freedom)
	return StudentQuantile(Confidence, freedom) * math.Sqrt(v)
}

// StudentQuantile returns t such that Student's t with the given degrees of freedom lies
// between -t and t with probability p.
func StudentQuantile(p, freedom float64) float64 {
	low, high := 0.0, 1.0
	for tBetween(high, freedom) < p {
		if high *= 2; math.IsInf(high, 1) {
			return high
		}
	}
	for range 100 {
		middle := (low + high) / 2
		if tBetween(middle, freedom) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// tBetween returns the probability that Student's t lies between -t and t (DLMF, 8.17; Abramowitz,
// Stegun: Handbook of Mathematical Functions, 26.7.1): 1 minus the regularized incomplete beta
// function at v/(v+t²) of v/2 and 1/2.
func tBetween(t, freedom float64) float64 {
	return 1 - incompleteBeta(freedom/(freedom+t*t), freedom/2, 0.5)
}

// incompleteBeta returns the regularized incomplete beta function I_x(a, b), by its continued
// fraction (DLMF, 8.17.22) on the side on which that converges fast (8.17.4), evaluated with
// Lentz's method (Thompson, Barnett: Coulomb and Bessel functions of complex arguments and order,
// Journal of Computational Physics 64, 1986).
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	const tiny = 1e-300
	nonzero := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	// f = 1 + d1/(1 + d2/(1 + …)); I = front/(a f).
	f, c, d := 1.0, 1.0, 0.0
	for i := 1; i <= 500; i++ {
		m := float64(i / 2)
		term := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		if i%2 == 0 {
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		}
		d = 1 / nonzero(1+term*d)
		c = nonzero(1 + term/c)
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return front / (a * f)
}
