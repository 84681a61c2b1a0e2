package ab

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aclements/go-moremath/stats"
)

// A noise returns how a machine disturbs a round: a factor for its time.
type noise func(r *rand.Rand, at time.Duration) float64

// noises returns kinds of noise as observed on real machines, or worse.
func noises() map[string]func(*rand.Rand) noise {
	return map[string]func(*rand.Rand) noise{
		"quiet": func(*rand.Rand) noise {
			return func(r *rand.Rand, _ time.Duration) float64 { return math.Exp(0.005 * r.NormFloat64()) }
		},
		// Another program that runs half of the time, for seconds at a time, and uses up to a
		// quarter of the CPU.
		"neighbor": func(seed *rand.Rand) noise {
			var until time.Duration
			busy := false
			return func(r *rand.Rand, at time.Duration) float64 {
				for at >= until {
					busy = !busy
					until += time.Duration(seed.ExpFloat64() * float64(2*time.Second))
				}
				f := math.Exp(0.03 * r.NormFloat64())
				if busy {
					f *= 1 + r.Float64()/4
				}
				return f
			}
		},
		// A slow wave, as of a CPU that heats up, with rare long stalls.
		"wave": func(*rand.Rand) noise {
			return func(r *rand.Rand, at time.Duration) float64 {
				f := 1 + 0.1*math.Sin(at.Seconds()/7) + 0.02*r.NormFloat64()
				if r.IntN(40) == 0 {
					f *= 1 + 3*r.Float64()
				}
				return f
			}
		},
	}
}

// simulated is a subject that takes time only on the fake clock.
type simulated struct {
	name   string
	random *rand.Rand
	noise  noise
	began  time.Time
	slower float64 // B than A
}

func (s *simulated) Name() string { return s.name }

func (s *simulated) Measure(ctx context.Context, r Round) (Measurement, error) {
	op := 1e-6 * s.noise(s.random, time.Since(s.began))
	if r.Side == B {
		op *= 1 + s.slower
	}
	const start = 3 * time.Millisecond
	inside := time.Duration(float64(r.Length) * op / 1e-6)
	select {
	case <-ctx.Done():
		return Measurement{}, ctx.Err()
	case <-time.After(start + inside):
	}
	return Measurement{Values: Values{"sec/op": op, "allocs/op": 2}, Inside: inside, CPU: inside}, nil
}

// compareOnce runs one comparison on the fake clock.
func compareOnce(t *testing.T, seed uint64, makeNoise func(*rand.Rand) noise, slower float64, o Options) (r *Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := &simulated{name: "X", random: random, noise: makeNoise(random), began: time.Now(), slower: slower}
		o.Seed = seed
		var err error
		if r, err = Run(t.Context(), []Subject{s}, o); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// TestFalseAlarms compares equal sides. The bound on the alarms is twice what the level allows,
// which chance exceeds once in 1 000 such tests.
func TestFalseAlarms(t *testing.T) {
	for name, n := range noises() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const trials = 100
			alarms, wide := 0, 0
			for seed := range uint64(trials) {
				u := compareOnce(t, seed, n, 0, Options{
					MaxTime: 20 * time.Second, Plans: []Plan{{Length: 60 * time.Millisecond}},
					Trial: time.Second,
				}).Subjects[0].Units[0]
				if u.Verdict == Better || u.Verdict == Worse {
					alarms++
				}
				if u.Verdict == Undecided {
					wide++
				}
				if (u.Low > 1 || u.High < 1) != (u.P <= 0.05) {
					t.Errorf("%v…%v, p = %v", u.Low, u.High, u.P)
				}
			}
			t.Logf("%d alarms in %d, %d undecided", alarms, trials, wide)
			if alarms > 10 {
				t.Errorf("%d false alarms in %d comparisons", alarms, trials)
			}
		})
	}
}

// TestPower plants a slowdown of 2%, and shows how often it is found in the same time if all of A
// runs before all of B, as is usual.
func TestPower(t *testing.T) {
	for name, n := range noises() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const trials = 40
			found, usual, usualAlarms, most := 0, 0, 0, time.Duration(0)
			for seed := range uint64(trials) {
				r := compareOnce(t, 1000+seed, n, 0.02, Options{Plans: []Plan{{Length: 60 * time.Millisecond}}, Trial: time.Second})
				u := r.Subjects[0].Units[0]
				if u.Verdict == Worse {
					found++
				}
				if !(u.Low < 1.02 && 1.02 < u.High) {
					t.Logf("seed %d: %.4f…%.4f", seed, u.Low, u.High)
				}
				most = max(most, r.Elapsed)
				if share := r.Inside.Seconds() / r.Elapsed.Seconds(); share < 0.9 {
					t.Errorf("%.0f%% of the time was inside", share*100)
				}
				if p := inTurn(t, 2000+seed, n, 0.02, r.Elapsed); p <= 0.05 {
					usual++
				}
				if p := inTurn(t, 3000+seed, n, 0, r.Elapsed); p <= 0.05 {
					usualAlarms++
				}
			}
			t.Logf("found %d of %d, in up to %v; ten of A and then ten of B in the same time: %d, and %d false alarms", found,
				trials, most, usual, usualAlarms)
			if found < trials*95/100 {
				t.Errorf("found %d of %d slowdowns", found, trials)
			}
		})
	}
}

// inTurn returns the p value of ten long runs of A followed by ten of B, in the same time.
func inTurn(t *testing.T, seed uint64, makeNoise func(*rand.Rand) noise, slower float64,
	budget time.Duration,
) (p float64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := &simulated{random: random, noise: makeNoise(random), began: time.Now(), slower: slower}
		var sides [2][]float64
		const runs, round = 10, 60 * time.Millisecond
		for side := range sides {
			for range runs {
				// A long run consists of many rounds whose times are added up.
				var sum float64
				rounds := max(1, int(budget/(2*runs)/round))
				for range rounds {
					m, err := s.Measure(t.Context(), Round{Side: Side(side), Length: round})
					if err != nil {
						t.Fatal(err)
					}
					sum += m.Values["sec/op"]
				}
				sides[side] = append(sides[side], sum/float64(rounds))
			}
		}
		u, err := stats.MannWhitneyUTest(sides[0], sides[1], stats.LocationDiffers)
		if err != nil {
			t.Fatal(err)
		}
		p = u.P
	})
	return p
}

// TestManySubjects checks that the 5 subjects that differ are found among 40 that do not.
func TestManySubjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(11, 1))
		quiet := noises()["quiet"](random)
		var subjects []Subject
		for i := range 45 {
			s := &simulated{name: fmt.Sprint(i), random: random, noise: quiet, began: time.Now()}
			if i%9 == 0 {
				s.slower = 0.05
			}
			subjects = append(subjects, s)
		}
		r, err := Run(t.Context(), subjects, Options{Plans: []Plan{{Length: 60 * time.Millisecond}}})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range r.Subjects {
			want := Same
			if i%9 == 0 {
				want = Worse
			}
			if got := c.Units[0]; got.Verdict != want || c.Stopped != Precise || got.Q < got.P {
				t.Errorf("%s: %v after %d pairs (%v), p %v, q %v", c.Name, got.Verdict, c.Pairs, c.Stopped, got.P, got.Q)
			}
		}
		if g := r.Geomean[0]; g.Of != 45 || math.Abs(float64(g.Ratio)-math.Pow(1.05, 5.0/45)) > 0.003 ||
			g.Low > g.Ratio || g.High < g.Ratio {
			t.Errorf("geometric means %+v", r.Geomean)
		}
	})
}

// TestClusters simulates rounds that are processes, each with its own memory layout, on a machine
// that drifts and whose disturbances last from slice to slice and into the next process. The value
// of a round is that of its fastest slice. Examined repeatedly, the interval over processes misses
// the truth as rarely as the level promises, whereas one over slices, which are not independent,
// misses it most of the time.
func TestClusters(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const (
		pairs, slicesEach = 60, 20
		truth             = 0.02
		placement         = 0.02
	)
	missed := func(trials int, bySlice bool) (missed int) {
		random := rand.New(rand.NewPCG(31, 32))
		for range trials {
			var d []float64
			state, at := 0.0, 0
			process := func(b bool) (values []float64) {
				luck := placement * random.NormFloat64()
				if b {
					luck += truth
				}
				for range slicesEach {
					state = 0.95*state + 0.02*random.NormFloat64()
					at++
					drift := 0.1 * float64(at) / (pairs * slicesEach)
					values = append(values, luck+drift+max(0, state))
				}
				return values
			}
			for range pairs {
				var sides [2][]float64
				first := random.IntN(2)
				for _, side := range []int{first, 1 - first} {
					sides[side] = process(side == 1)
				}
				if !bySlice {
					d = append(d, slices.Min(sides[1])-slices.Min(sides[0]))
					continue
				}
				for i := range slicesEach {
					d = append(d, sides[1][i]-sides[0][i])
				}
			}
			for _, share := range []int{6, 4, 3, 2, 1} {
				seen := d[:len(d)/share]
				if low, high := interval(seen, hodgesLehmann(seen), 0.05); low > truth || high < truth {
					missed++
					break
				}
			}
		}
		return missed
	}
	const trials, few = 400, 40
	n := missed(trials, false)
	t.Logf("the truth is missed %d times of %d", n, trials)
	if n > 34 { // at most 20 are expected; chance exceeds 34 once in 1 000
		t.Errorf("processes as pairs: the truth is missed %d times of %d", n, trials)
	}
	if n := missed(few, true); n < few/2 {
		t.Errorf("slices as pairs: the truth is missed only %d times of %d; the noise of this test is too easy", n, few)
	}
}
