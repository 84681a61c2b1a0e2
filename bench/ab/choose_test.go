package ab

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestFewTrials checks that a plan that is no better than the first one, and was tried with few
// pairs, is preferred to it in at most 5% of the cases, however noisy the machine is. A plan
// without noise is chosen when it was tried with enough pairs.
func TestFewTrials(t *testing.T) {
	draws := map[string]func(*rand.Rand) float64{
		"normal": func(r *rand.Rand) float64 { return 0.1 * r.NormFloat64() },
		"heavy":  func(r *rand.Rand) float64 { return 0.05 * r.NormFloat64() / (0.1 + r.Float64()) },
		"at times": func(r *rand.Rand) float64 {
			if r.IntN(3) > 0 {
				return 0.02 * r.NormFloat64()
			}
			return r.NormFloat64()
		},
	}
	tried := func(r *rand.Rand, draw func(*rand.Rand) float64, pairs int, length time.Duration, noise float64) *attempt {
		a := &attempt{plan: Plan{Length: length}, elapsed: time.Duration(pairs) * 2 * length}
		for range pairs {
			a.d[0] = append(a.d[0], noise*draw(r))
		}
		a.d[1] = a.d[0]
		return a
	}
	for name, draw := range draws {
		for _, pairs := range []int{1, 2, 3, 5, 7} {
			random := rand.New(rand.NewPCG(61, uint64(pairs)))
			const choices = 1000
			byChance, known := 0, 0
			for range choices {
				// Without correlation, noise shrinks with the root of the length, and no length is better.
				tr := &trials{runner: newRunner(nil, Options{Precision: 0.01})}
				plans := []*attempt{
					tried(random, draw, 10, time.Second/2, 1),
					tried(random, draw, pairs, time.Second, math.Sqrt(1./2)),
					tried(random, draw, pairs, 2*time.Second, math.Sqrt(1./4)),
				}
				if best, _ := tr.best(plans); best != plans[0] {
					byChance++
				}
				plans[1] = tried(random, draw, pairs, time.Second/2, 0.01)
				if best, _ := tr.best(plans); best == plans[1] {
					known++
				}
			}
			t.Logf("%s, %d pairs: by chance %d of %d, known %d", name, pairs, byChance, choices, known)
			if byChance > 72 { // 50, and 3.1 standard deviations
				t.Errorf("%s, %d pairs: chosen by chance %d times of %d", name, pairs, byChance, choices)
			}
			if pairs >= 7 && known < choices*8/10 {
				t.Errorf("%s, %d pairs without noise: chosen %d times of %d", name, pairs, known, choices)
			}
		}
	}
}

// TestAffordable checks that lengths of rounds are not tried if they would leave too few pairs, or
// if there is no time to try them often enough.
func TestAffordable(t *testing.T) {
	for _, test := range []struct {
		maxTime time.Duration
		tried   int
	}{{10 * time.Second, 1}, {2 * time.Minute, 1}, {5 * time.Minute, 1}, {10 * time.Minute, 2}, {20 * time.Minute, 3}} {
		s := &scripted{name: "X", do: func(n int, _ Round) (Values, error) {
			return Values{"sec/op": 1 + 0.3*float64(n*7919%101)/101}, nil
		}}
		r, err := runIn(t, Options{
			MaxTime: test.maxTime,
			Plans:   []Plan{{Length: time.Second / 2}, {Length: time.Second}, {Length: 2 * time.Second}},
		}, s)
		if err != nil {
			t.Fatal(err)
		}
		for i, tried := range r.Tried {
			if len(r.Tried) != test.tried || tried.Pairs < trialPairs && i > 0 {
				t.Errorf("in %v: tried %+v, want %d", test.maxTime, r.Tried, test.tried)
			}
		}
	}
}
