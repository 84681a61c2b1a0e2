package ab

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn returns n values, some of them equal.
func drawn(r *rand.Rand, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = r.NormFloat64()
		if r.IntN(3) == 0 {
			d[i] = math.Round(d[i] * 2)
		}
	}
	return d
}

func TestHodgesLehmann(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n++ {
		d := drawn(r, n)
		var means []float64
		for i := range d {
			for j := i; j < n; j++ {
				means = append(means, mean(min(d[i], d[j]), max(d[i], d[j])))
			}
		}
		if got, want := hodgesLehmann(d), median(means); got != want {
			t.Fatalf("%v: %v, want %v", d, got, want)
		}
	}
	if !math.IsNaN(hodgesLehmann(nil)) {
		t.Error("of nothing is a number")
	}
}

// TestWalk compares with a direct implementation of the definition.
func TestWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 50 {
		d := drawn(r, n)
		theta := float64(r.IntN(3)) - 1
		var want walk
		for i := range d {
			rank := 1
			for j := range i {
				if math.Abs(d[j]-theta) <= math.Abs(d[i]-theta) {
					rank++
				}
			}
			w := int(math.Ceil(float64(rank*weightSteps) / float64(i+1)))
			switch {
			case d[i] > theta:
				want.sum += w
				want.above++
				want.weights[w]++
			case d[i] < theta:
				want.sum -= w
				want.below++
				want.weights[w]++
			}
		}
		if got := walkOf(d, theta); got != want {
			t.Fatalf("n=%d: %+v, want %+v", n, got, want)
		}
	}
}

// TestLeastPairs checks that seven of seven are enough in any order of sizes, and that six never
// are.
func TestLeastPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 300 {
		d := make([]float64, 9)
		for i := range d {
			d[i] = 1 + r.Float64()
		}
		sorted := slices.Sorted(slices.Values(d))
		reversed := slices.Clone(sorted)
		slices.Reverse(reversed) // the worst order
		for _, d := range [][]float64{d, sorted, reversed} {
			if p := pValue(d); p > 0.0125 {
				t.Fatalf("nine: %v: p = %v", d, p)
			}
			if p := pValue(d[:LeastPairs]); p > 0.05 {
				t.Fatalf("%v: p = %v", d[:LeastPairs], p)
			}
			if p := pValue(d[:LeastPairs-1]); p <= 0.05 {
				t.Fatalf("%v: p = %v", d[:LeastPairs-1], p)
			}
		}
	}
}

// TestEvidence checks that the capital of all bets after one more sign is, on average over both
// signs, the capital before. That makes it a martingale, whatever the sizes are.
func TestEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	b := newBets()
	if at := b.evidence(nil, 0); math.Abs(at) > 1e-12 {
		t.Errorf("it begins with %v", at)
	}
	for range 200 {
		d := drawn(r, 1+r.IntN(60))
		before := math.Exp(b.evidence(d[:len(d)-1], 0))
		up := math.Exp(b.evidence(d, 0))
		d[len(d)-1] *= -1
		down := math.Exp(b.evidence(d, 0))
		if mean := (up + down) / 2; math.Abs(mean/before-1) > 1e-9 {
			t.Fatalf("n=%d: %v, and then %v or %v", len(d), before, up, down)
		}
	}
}

// TestEvidenceAtAnyTime tests after each pair of equal sides, under several kinds of noise, and
// counts how often the evidence was ever sufficient. Chance exceeds the bound once in 1 000 such
// tests.
func TestEvidenceAtAnyTime(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand, int) float64{
		"normal":   func(r *rand.Rand, _ int) float64 { return r.NormFloat64() },
		"one size": func(r *rand.Rand, _ int) float64 { return float64(r.IntN(2)*2 - 1) },
		"heavy":    func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / r.NormFloat64() },
		"growing":  func(r *rand.Rand, i int) float64 { return r.NormFloat64() * math.Exp(float64(i)/20) },
		"often equal": func(r *rand.Rand, _ int) float64 {
			return max(0, math.Round(r.ExpFloat64()*2)-2) * float64(r.IntN(2)*2-1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(15, 16))
			const trials, looks, alpha = 1500, 120, 0.05
			alarms := 0
			b := newBets()
			d := make([]float64, looks)
			for range trials {
				for i := range d {
					d[i] = draw(r, i)
					if b.evidence(d[:i+1], 0) >= math.Log(1/alpha) {
						alarms++
						break
					}
				}
			}
			t.Logf("%d false alarms in %d", alarms, trials)
			if most := alpha*trials + 3.1*math.Sqrt(alpha*trials); float64(alarms) > most {
				t.Errorf("%d false alarms in %d, at most %.0f are allowed", alarms, trials, most)
			}
			if alarms == 0 {
				t.Error("no false alarm at all: the test is not looking")
			}
		})
	}
}

// TestCoverage checks that the interval contains the true ratio at whichever look one stops.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	const trials = 400
	missed := 0
	for range trials {
		d := make([]float64, 100)
		for i := range d {
			d[i] = 0.3 + r.NormFloat64()
			if r.IntN(6) == 0 {
				d[i] = 0.3 + 10*r.NormFloat64()
			}
		}
		// The worst moment to stop is the first at which the interval misses the truth.
		for _, n := range []int{7, 8, 10, 13, 17, 25, 40, 60, 100} {
			if low, high := interval(d[:n], hodgesLehmann(d[:n]), 0.05); low > 0.3 || high < 0.3 {
				missed++
				break
			}
		}
	}
	t.Logf("%d of %d missed the truth at some look", missed, trials)
	if missed > 34 { // at most 20 are expected; chance exceeds 34 once in 1 000
		t.Errorf("%d of %d missed the truth at some look", missed, trials)
	}
}

// TestInterval checks that values just inside the ends are not rejected, that values just outside
// are, and that p agrees with the interval.
func TestInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		d := make([]float64, LeastPairs+r.IntN(200))
		shift := r.NormFloat64() / 2
		for i := range d {
			d[i] = r.NormFloat64() + shift
		}
		center := hodgesLehmann(d)
		low, high := interval(d, center, 0.05)
		if !(low < center && center < high) {
			t.Fatalf("n=%d: %v in %v…%v", len(d), center, low, high)
		}
		if math.IsInf(low, 0) || math.IsInf(high, 0) {
			continue
		}
		limit, bets := math.Log(20), newBets()
		for k := range 20 {
			off := float64(k+1) / 20
			if bets.evidence(d, low-off) < limit || bets.evidence(d, high+off) < limit {
				t.Fatalf("n=%d: %v is outside of %v…%v, but not refused", len(d), off, low, high)
			}
		}
		if outside := low > 0 || high < 0; outside != (pValue(d) < 0.05) {
			t.Errorf("n=%d: %v…%v with p = %v", len(d), low, high, pValue(d))
		}
	}
}

func TestIntervalOfLittle(t *testing.T) {
	for n := range 30 {
		d := slices.Repeat([]float64{0.7}, n)
		low, high := interval(d, 0.7, 0.05)
		exact := low == 0.7 && high == 0.7
		if !exact && !(math.IsInf(low, -1) && math.IsInf(high, 1)) {
			t.Errorf("%d equal values: %v…%v", n, low, high)
		}
		if exact != (n >= LeastPairs) || exact != (pValue(d) <= 0.05) {
			t.Errorf("%d equal values: %v…%v, p = %v", n, low, high, pValue(d))
		}
	}
	if p := pValue(make([]float64, 100)); math.Abs(p-1) > 1e-12 {
		t.Errorf("p of no difference is %v", p)
	}
}

// TestHalfWidth checks that the forecast is close to the actual half width.
func TestHalfWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{40, 100, 300, 1000} {
		var widths []float64
		for range 30 {
			d := make([]float64, n)
			for i := range d {
				d[i] = r.NormFloat64() * 0.05
			}
			low, high := interval(d, hodgesLehmann(d), 0.05)
			widths = append(widths, (high-low)/2)
		}
		got, want := median(widths), halfWidth(0.05, n, 0.05)
		if math.Abs(got/want-1) > 0.2 {
			t.Errorf("n=%d: %.4f, forecast %.4f", n, got, want)
		}
		if pairs := pairsFor(0.05, got, 0.05); math.Abs(float64(pairs)/float64(n)-1) > 0.35 {
			t.Errorf("n=%d: forecast of %d pairs", n, pairs)
		}
	}
}

func BenchmarkLook(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	d := make([]float64, 500)
	for i := range d {
		d[i] = r.NormFloat64()
	}
	b.ReportAllocs()
	for b.Loop() {
		interval(d, hodgesLehmann(d), 0.05)
	}
}
