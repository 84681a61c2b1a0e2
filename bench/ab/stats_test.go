package ab

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn makes n values, some of them equal.
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

// TestWalk compares with the definition, by counting.
func TestWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 50 {
		d := drawn(r, n)
		theta := float64(r.IntN(3)) - 1
		var sum, variance float64
		for i := range d {
			rank := 1.0
			for j := range i {
				switch a, b := math.Abs(d[j]-theta), math.Abs(d[i]-theta); {
				case a < b:
					rank++
				case a == b:
					rank += 0.5
				}
			}
			if d[i] != theta {
				w := rank / float64(i+2)
				sum += math.Copysign(w, d[i]-theta)
				variance += w * w
			}
		}
		gotSum, gotVariance := walk(d, theta)
		if math.Abs(gotSum-sum) > 1e-9 || math.Abs(gotVariance-variance) > 1e-9 {
			t.Fatalf("n=%d: %v %v, want %v %v", n, gotSum, gotVariance, sum, variance)
		}
	}
}

// TestInterval: what lies inside is not refused at the ends, what lies outside is, and
// p agrees with the interval.
func TestInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		d := make([]float64, leastPairs+r.IntN(200))
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
		limit := math.Log(20)
		for k := range 20 {
			off := float64(k+1) / 20
			if evidence(d, low-off) < limit || evidence(d, high+off) < limit {
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
		if exact != (n >= leastPairs) || exact != (pValue(d) <= 0.05) {
			t.Errorf("%d equal values: %v…%v, p = %v", n, low, high, pValue(d))
		}
	}
	if p := pValue(make([]float64, 100)); p != 1 {
		t.Errorf("p of no difference is %v", p)
	}
}

// TestHalfWidth: the forecast is near what comes.
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
