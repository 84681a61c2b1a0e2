package ab

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// unitOf returns the result of comparing these values, given the values of A before the comparison.
func unitOf(t *testing.T, unit string, a, b []float64, before ...float64) Unit {
	t.Helper()
	r := newRunner(nil, Options{Confidence: 0.95, Alpha: 0.05, Precision: 0.01})
	r.plan = Plan{Length: time.Second}
	s := &subject{}
	for _, v := range before {
		s.before = append(s.before, measured{A, r.plan, Values{unit: v}}, measured{A, Plan{}, Values{unit: v + 1}})
	}
	for i := range a {
		s.pairs = append(s.pairs, pair{Values{unit: a[i]}, Values{unit: b[i]}})
	}
	return r.unit(s, unit)
}

// TestConstantCounts checks that counts that are the same in every round decide after five pairs,
// after two if the trials measured them too, or after three with the few trials of one subject
// among three; the ratio then has no interval.
func TestConstantCounts(t *testing.T) {
	for _, test := range []struct{ before, least int }{{0, 5}, {5, 3}, {16, 2}} {
		before := slices.Repeat([]float64{50}, test.before)
		for n := 1; n <= 9; n++ {
			a, b := slices.Repeat([]float64{50}, n), slices.Repeat([]float64{14}, n)
			for _, unit := range []string{"allocs/op", "B/op", "syscalls/op"} {
				u := unitOf(t, unit, a, b, before...)
				if decided := u.P <= 0.05; decided != (n >= test.least) ||
					decided != (u.Low == u.High && u.High == u.Ratio && u.Ratio == 0.28) {
					t.Errorf("%d before, %d pairs, 50 and 14 %s: %+v", test.before, n, unit, u)
				}
			}
			u := unitOf(t, "allocs/op", a, a, before...)
			if exact := u.Low == 1 && u.High == 1; exact != (n >= test.least) || u.P != 1 {
				t.Errorf("%d before, %d pairs, 50 and 50: %+v", test.before, n, u)
			}
			zero := make([]float64, n)
			u = unitOf(t, "allocs/op", zero, b, make([]float64, test.before)...)
			if (u.P <= 0.05) != (n >= test.least) {
				t.Errorf("%d before, %d pairs, 0 and 14: %+v", test.before, n, u)
			}
			if u := unitOf(t, "sec/op", a, b, before...); u.P <= 0.05 && n < LeastPairs {
				t.Errorf("%d before, %d pairs of times: %+v", test.before, n, u)
			}
		}
	}
	// A unit that the benchmark defines is a count if the trials had a single value.
	a, b := []float64{3, 3}, []float64{2, 2}
	if u := unitOf(t, "nodes/op", a, b, slices.Repeat([]float64{3}, 16)...); u.P > 0.05 {
		t.Errorf("nodes of one number: %+v", u)
	}
	if u := unitOf(t, "nodes/op", a, b, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 3); u.P <= 0.05 {
		t.Errorf("nodes of two numbers: %+v", u)
	}
}

// TestCountsApart checks that varying counts decide after five pairs if those of one side are all
// less, with an interval as wide as their variation; trials do not count then.
func TestCountsApart(t *testing.T) {
	a := []float64{50.02, 50, 50.01, 50.03, 50, 50.02}
	b := []float64{14.01, 14, 14, 14.02, 14.01, 14.02}
	for n := 1; n <= len(a); n++ {
		u := unitOf(t, "allocs/op", a[:n], b[:n], 50, 50, 50, 50, 50, 50, 50, 50.5)
		narrow := 0.2796 < u.Low && u.Low < u.Ratio && u.Ratio < u.High && u.High < 0.2805
		if decided := u.P <= 0.05; decided != (n >= 5) || decided != narrow {
			t.Errorf("%d pairs: p %v, %v (%v to %v)", n, u.P, u.Ratio, u.Low, u.High)
		}
	}
	b[0] = 50.01 // between those of A
	if u := unitOf(t, "allocs/op", a, b); u.P <= 0.05 {
		t.Errorf("one of them not: %+v", u)
	}
	// Counts per request depend on the number of requests, so they are decided like times: after
	// seven pairs alone, and after nine among the six units of a service, of which two differ.
	for n := 5; n <= 9; n++ {
		u := unitOf(t, "allocs/req", slices.Repeat([]float64{50, 50.1}, 5)[:n], slices.Repeat([]float64{14, 14.1}, 5)[:n])
		if (u.P <= 0.05) != (n >= LeastPairs) || (u.P*6/2 <= 0.05) != (n >= 9) {
			t.Errorf("%d pairs of requests: p %v", n, u.P)
		}
	}
}

// TestTwentyTimes checks that times with a ratio of 20 are detected with nine of nine pairs, even
// among four subjects, with any noise. Six are too few.
func TestTwentyTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 52))
	for range 200 {
		a, b := make([]float64, 9), make([]float64, 9)
		for i := range a {
			a[i], b[i] = math.Exp(random.NormFloat64()/4), 20*math.Exp(random.NormFloat64()/4)
		}
		for _, n := range []int{6, 9} {
			if u := unitOf(t, "sec/op", a[:n], b[:n]); (4*u.P <= 0.05) != (n == 9) || (u.Low > 1) != (n == 9) {
				t.Errorf("%d pairs: p %v, %v to %v", n, u.P, u.Low, u.High)
			}
		}
	}
	// So is -60% in 13 pairs, even if a disturbance makes one of them a loss.
	for disturbed := range 13 {
		a, b := make([]float64, 13), make([]float64, 13)
		for i := range a {
			a[i], b[i] = math.Exp(random.NormFloat64()/5), 0.4*math.Exp(random.NormFloat64()/5)
		}
		b[disturbed] *= 4
		if u := unitOf(t, "p50-sec", a, b); u.P > 0.05 || u.High >= 1 {
			t.Errorf("pair %d of 13 disturbed: p %v, %v to %v", disturbed, u.P, u.Low, u.High)
		}
	}
}

// TestCountsAtAnyTime tests after each pair of counts that do not differ, and counts how often a
// difference was ever found, with and without trials. The level is 5%; chance exceeds the bound
// once in 1 000 such tests.
func TestCountsAtAnyTime(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) float64{
		"two values":  func(r *rand.Rand) float64 { return 2 + float64(r.IntN(2)) },
		"rarely else": func(r *rand.Rand) float64 { return 50 + float64(min(1, r.IntN(8))) },
		"few values":  func(r *rand.Rand) float64 { return 50 + math.Round(r.NormFloat64()) },
		"many values": func(r *rand.Rand) float64 { return 50 + 0.01*r.NormFloat64() },
	} {
		for _, trials := range []int{0, 5, 16} {
			random := rand.New(rand.NewPCG(19, uint64(trials)))
			const comparisons = 500
			alarms := 0
			for range comparisons {
				var before, a, b, d []float64
				for range trials {
					before = append(before, draw(random))
				}
				for len(a) < 16 {
					a, b = append(a, draw(random)), append(b, draw(random))
					d = append(d, math.Log(b[len(b)-1]/a[len(a)-1]))
					c := column{a: a, b: b, d: d, positive: true}
					if c.countP([2][]float64{before}) <= 0.05 {
						alarms++
						break
					}
				}
			}
			t.Logf("%s, %d trials: %d alarms in %d", name, trials, alarms, comparisons)
			if alarms > 40 { // 25, and 3.1 standard deviations
				t.Errorf("%s, %d trials: %d alarms in %d", name, trials, alarms, comparisons)
			}
		}
	}
}

// TestCountDecides checks that a comparison by a count ends after two pairs if the count is
// constant.
func TestCountDecides(t *testing.T) {
	s := &scripted{name: "X", do: func(n int, r Round) (Values, error) {
		count := 50.0
		if r.Side == B {
			count = 14
		}
		return Values{"sec/op": 1 + float64(n*7919%101)/101, "allocs/op": count}, nil
	}}
	o := Options{Unit: "allocs/op", Plans: []Plan{{Length: 50 * time.Millisecond}}, MaxTime: 20 * time.Second}
	r, err := runIn(t, o, s)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Subjects[0]; c.Pairs != 2 || c.Stopped != Precise || c.Units[0].Verdict != Better {
		t.Errorf("%+v", c)
	}
}
