package workload

import (
	"math"
	"slices"
	"testing"
	"time"
)

// due lists all times of the parts of a schedule, in order.
func due(o *Arrivals, warmup, end time.Duration, parts int) []time.Duration {
	var all []time.Duration
	for k := range parts {
		for s := NewSchedule(o, warmup, end, 7, 1, k, parts); s.Next() != Never; s.Advance() {
			all = append(all, s.Next())
		}
	}
	slices.Sort(all)
	return all
}

func TestConstantSchedule(t *testing.T) {
	for _, parts := range []int{1, 2, 3} {
		all := due(&Arrivals{Rate: 1000}, 0, 2*time.Second, parts)
		if len(all) != 2000 {
			t.Fatalf("%d parts: %d requests", parts, len(all))
		}
		for i, at := range all {
			if want := time.Duration(i) * time.Millisecond; (at - want).Abs() > time.Nanosecond {
				t.Fatalf("%d parts: request %d is due at %v, want %v", parts, i, at, want)
			}
		}
	}
}

// TestRampSchedule compares the count up to each time with the integral of the rate.
func TestRampSchedule(t *testing.T) {
	for _, o := range []Arrivals{
		{Rate: 100, RampTo: 2000, Ramp: 5 * time.Second},
		{Rate: 2000, RampTo: 100, Ramp: 5 * time.Second},
		{Rate: 500, RampTo: 500, Ramp: 5 * time.Second},
		{Rate: 1e-9, RampTo: 1000, Ramp: 5 * time.Second},
	} {
		const warmup = 2 * time.Second
		all := due(&o, warmup, warmup+8*time.Second, 3)
		integral := func(t float64) float64 {
			t -= warmup.Seconds()
			n := o.Rate * warmup.Seconds()
			ramp := o.Ramp.Seconds()
			in := min(max(t, 0), ramp)
			return n + min(t, 0)*o.Rate + o.Rate*in + (o.RampTo-o.Rate)*in*in/(2*ramp) + max(t-ramp, 0)*o.RampTo
		}
		for i, at := range all {
			if got := integral(at.Seconds()); math.Abs(got-float64(i)) > 1e-3 {
				t.Fatalf("%+v: request %d is due at %v, when %.4f should be", o, i, at, got)
			}
		}
		if want := integral(10); math.Abs(float64(len(all))-want) > 1.5 {
			t.Errorf("%+v: %d requests, want %.1f", o, len(all), want)
		}
	}
}

// TestPoissonSchedule checks mean and variance of the gaps, which are equal to the
// mean and its square, and the share of gaps above the mean, which is 1/e.
func TestPoissonSchedule(t *testing.T) {
	for _, parts := range []int{1, 4} {
		all := due(&Arrivals{Rate: 1000, Poisson: true}, 0, 100*time.Second, parts)
		var sum, squares, above float64
		for i := 1; i < len(all); i++ {
			gap := (all[i] - all[i-1]).Seconds() * 1000
			sum += gap
			squares += gap * gap
			if gap > 1 {
				above++
			}
		}
		n := float64(len(all) - 1)
		mean := sum / n
		variance := squares/n - mean*mean
		if math.Abs(mean-1) > 0.02 || math.Abs(variance-1) > 0.05 || math.Abs(above/n-1/math.E) > 0.01 {
			t.Errorf("%d parts: %.0f gaps of mean %.4f, variance %.4f, %.4f of them above the mean", parts, n,
				mean, variance, above/n)
		}
		if !slices.Equal(all, due(&Arrivals{Rate: 1000, Poisson: true}, 0, 100*time.Second, parts)) {
			t.Error("the same seed gave other times")
		}
	}
}
