package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTQuantile compares with the two-sided 95% column of the table of Student's t in the
// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, and for one and two degrees of
// freedom with the closed forms.
func TestTQuantile(t *testing.T) {
	for freedom, want := range map[float64]float64{
		3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 20: 2.086, 30: 2.042,
		60: 2.000, 100: 1.984, 1e7: 1.960,
	} {
		if got := StudentQuantile(0.95, freedom); math.Abs(got-want) > 0.0005001 {
			t.Errorf("%g degrees of freedom: %g, want %g", freedom, got, want)
		}
	}
	for _, p := range []float64{0.01, 0.5, 0.95, 0.999} {
		if got, want := StudentQuantile(p, 1), math.Tan(math.Pi*p/2); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("p %g, one degree of freedom: %g, want %g", p, got, want)
		}
		if got, want := StudentQuantile(p, 2), p*math.Sqrt(2/(1-p*p)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("p %g, two degrees of freedom: %g, want %g", p, got, want)
		}
	}
	// Half degrees of freedom, as Welch and Satterthwaite may yield, against the integral.
	for _, freedom := range []float64{2.5, 7.3} {
		q := StudentQuantile(0.95, freedom)
		a, _ := math.Lgamma((freedom + 1) / 2)
		b, _ := math.Lgamma(freedom / 2)
		density := func(x float64) float64 {
			return math.Exp(a-b) / math.Sqrt(freedom*math.Pi) * math.Pow(1+x*x/freedom, -(freedom+1)/2)
		}
		const steps = 100_000
		sum := 0.0
		for i := range steps {
			sum += density((float64(i)+0.5)*q/steps) * q / steps
		}
		if math.Abs(2*sum-0.95) > 1e-6 {
			t.Errorf("%g degrees of freedom: %g of the distribution lies within %g", freedom, 2*sum, q)
		}
	}
}

func TestHalfWidth(t *testing.T) {
	// Two and two values of equal variance: two degrees of freedom, t = 4.3027.
	if got, want := halfWidth(estimate{0.5, 1}, estimate{0.5, 1}), 4.302653; math.Abs(got-want) > 1e-5 {
		t.Errorf("%g, want %g", got, want)
	}
	// One side without variance: the other's degrees of freedom.
	if got, want := halfWidth(estimate{0, 9}, estimate{4, 3}), 2*3.182446; math.Abs(got-want) > 1e-5 {
		t.Errorf("%g, want %g", got, want)
	}
	if got := halfWidth(estimate{0, 3}, estimate{0, 3}); got != 0 {
		t.Errorf("%g, want 0", got)
	}
}

// autoregressive returns n values of unit variance, each rho of the one before.
func autoregressive(random *rand.Rand, n int, rho float64) []float64 {
	x, last := make([]float64, n), random.NormFloat64()
	for i := range x {
		last = rho*last + math.Sqrt(1-rho*rho)*random.NormFloat64()
		x[i] = last
	}
	return x
}

// TestBlockLength compares with the best length for an autoregressive series of the
// first order, whose autocovariances are rho^k/(1-rho²): with these, the sums in
// blockLength have closed forms.
func TestBlockLength(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const n = 1000
	for _, rho := range []float64{0, 0.3, 0.6, 0.8} {
		// In units of the innovations' variance.
		g := 1 / ((1 - rho) * (1 - rho))
		big := 2 * rho / ((1 - rho) * (1 - rho)) / (1 - rho*rho)
		want := math.Cbrt(2*big*big/(4./3*g*g)) * math.Cbrt(n)
		var lengths []float64
		for range 200 {
			lengths = append(lengths, float64(blockLength(autoregressive(random, n, rho))))
		}
		if got := mean(lengths); got < 0.6*want || got > 1.5*want+3 {
			t.Errorf("autocorrelation %g: blocks of %g on average, want about %g", rho, got, want)
		}
	}
	for _, x := range [][]float64{nil, {1, 2, 3}, make([]float64, 100)} {
		if got := blockLength(x); got != 1 {
			t.Errorf("%d values without variance: blocks of %d", len(x), got)
		}
	}
	ramp := make([]float64, 30)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	if got := blockLength(ramp); got < 2 || got > 10 {
		t.Errorf("a ramp: blocks of %d; want at most a third", got)
	}
}
