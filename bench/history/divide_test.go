package history

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aclements/go-moremath/stats"
)

// noise draws values about 1 whose logarithms have the standard deviation sd.
func noise(r *rand.Rand, n int, sd float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = sd * r.NormFloat64()
	}
	return out
}

func step(values []float64, from, to int, by float64) {
	for i := from; i < to; i++ {
		values[i] += by
	}
}

func divideOne(t *testing.T, values []float64) []int {
	t.Helper()
	points, err := divide(t.Context(), [][]float64{values}, []uint64{1}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, p := range points[0] {
		out = append(out, p.at)
	}
	return out
}

// TestEnergy compares the split that the trees find with the definition, summed pair by
// pair, also among equal values.
func TestEnergy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		values := make([]float64, 2*leastSegment+r.IntN(20))
		for i := range values {
			values[i] = 1e6 + r.NormFloat64()
			if r.IntN(2) == 0 {
				values[i] = 1e6 + float64(r.IntN(3))
			}
		}
		mean := func(a, b []float64, pairs float64) float64 {
			sum := 0.0
			for _, x := range a {
				for _, y := range b {
					sum += math.Abs(x - y)
				}
			}
			return sum / pairs
		}
		wantAt, want := 0, 0.0
		for at := leastSegment; at <= len(values)-leastSegment; at++ {
			a, b := values[:at], values[at:]
			m, k := float64(len(a)), float64(len(b))
			q := m * k / (m + k) * (2*mean(a, b, m*k) - mean(a, a, m*(m-1)) - mean(b, b, k*(k-1)))
			if q > want+1e-9 {
				wantAt, want = at, q
			}
		}
		e := newEnergy(values)
		at, q := e.split(e.rank)
		if want > 0 && (at != wantAt || math.Abs(q-want) > 1e-8) {
			t.Fatalf("%v: split at %d with %v, want %d with %v", values, at, q, wantAt, want)
		}
	}
}

// TestStepsAreFound checks that steps of five standard deviations are found, one or several, in
// either direction, within one commit, and few other changes.
func TestStepsAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	histories, wrong := 0, 0.0
	for _, tt := range []struct {
		n     int
		steps []int
	}{
		{30, []int{12}},
		{40, []int{5}},
		{40, []int{35}},
		{60, []int{20, 40}},
		{90, []int{30, 45, 70}},
		{200, []int{150}},
		{200, []int{100, 110}},
		{16, []int{8}},
	} {
		trials := max(32-tt.n/4, 6)
		right := 0
		for range trials {
			values := noise(r, tt.n, 0.01)
			for i, at := range tt.steps {
				by := 0.05
				if i%2 == 1 {
					by = -0.05 // back again
				}
				step(values, at, tt.n, by)
			}
			got := divideOne(t, values)
			hit := 0
			for _, want := range tt.steps {
				if slices.ContainsFunc(got, func(at int) bool { return at >= want-1 && at <= want+1 }) {
					hit++
				}
			}
			if hit == len(tt.steps) {
				right++
			}
			histories++
			wrong += float64(len(got)-hit) / float64(max(len(got), 1))
		}
		if right < trials-trials/10 {
			t.Errorf("%d commits with steps at %v: all found in %d of %d histories", tt.n, tt.steps, right, trials)
		}
	}
	// The standard deviation of the mean is about 1.2%.
	if rate := wrong / float64(histories); rate > 0.08 {
		t.Errorf("%.1f%% of the changes are false", 100*rate)
	}
}

// TestFalseAlarms expects no change in noise of several shapes in all but 5% of histories, each of
// several series: that is what controlling false discoveries means when there is nothing to
// discover.
func TestFalseAlarms(t *testing.T) {
	shapes := map[string]func(r *rand.Rand) float64{
		"normal":    func(r *rand.Rand) float64 { return r.NormFloat64() },
		"heavy":     func(r *rand.Rand) float64 { return r.NormFloat64() / math.Max(math.Abs(r.NormFloat64()), 0.05) },
		"skewed":    func(r *rand.Rand) float64 { return r.ExpFloat64() },
		"few steps": func(r *rand.Rand) float64 { return float64(r.IntN(3)) },
	}
	for name, draw := range shapes {
		r := rand.New(rand.NewPCG(3, 3))
		const histories, series = 150, 8
		alarms := 0
		for h := range histories {
			all, seeds := make([][]float64, series), make([]uint64, series)
			for i := range all {
				all[i] = make([]float64, 12+r.IntN(30))
				for k := range all[i] {
					all[i][k] = draw(r)
				}
				seeds[i] = uint64(h*series + i)
			}
			points, err := divide(t.Context(), all, seeds, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(points, func(p []changePoint) bool { return len(p) > 0 }) {
				alarms++
			}
		}
		// 5% of 150 is 7.5, with a standard deviation of 2.7.
		t.Logf("%s: %d of %d histories with an alarm", name, alarms, histories)
		if alarms > 14 {
			t.Errorf("%s: %d of %d histories without a change show one", name, alarms, histories)
		}
	}
}

// TestOutlier checks that a single outlier is not a change, wherever it is and however large, also
// among equal values.
func TestOutlier(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	alarms := 0
	for _, sd := range []float64{0, 0.01} {
		for at := range 40 {
			values := noise(r, 40, sd)
			values[at] += 3
			if got := divideOne(t, values); len(got) > 0 {
				alarms++
			}
		}
	}
	if alarms > 4 {
		t.Errorf("%d of 80 outliers are taken for changes", alarms)
	}
	values := make([]float64, 30)
	if got := divideOne(t, values); len(got) != 0 {
		t.Errorf("equal values change at %v", got)
	}
	step(values, 25, 30, 1)
	if got := divideOne(t, values); !slices.Equal(got, []int{25}) {
		t.Errorf("a step among equal values is at %v", got)
	}
}

// TestManySeries expects the few series that change to be found among many that do not.
func TestManySeries(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	all, seeds := make([][]float64, 200), make([]uint64, 200)
	for i := range all {
		all[i], seeds[i] = noise(r, 50, 0.02), uint64(i)
		if i < 3 {
			step(all[i], 30, 50, 0.1)
		}
	}
	points, err := divide(t.Context(), all, seeds, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	alarms := 0
	for i, p := range points {
		if i < 3 && (len(p) != 1 || p[0].at < 29 || p[0].at > 31) {
			t.Errorf("series %d changes at %v, want 30", i, p)
		}
		if i >= 3 {
			alarms += len(p)
		}
	}
	if alarms > 1 {
		t.Errorf("%d changes in 197 series without one", alarms)
	}
}

// TestShift compares with the definition, and checks that the interval covers the true shift as
// often as it promises.
func TestShift(t *testing.T) {
	// The differences are 2, 4, 4.5, 6.5, 7 and 9; sizes 2 and 3 have no interval at 95%.
	d, low, high := shift([]float64{0, 2}, []float64{4, 6.5, 9}, 0.95)
	if d != 5.5 || !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("%v from %v to %v", d, low, high)
	}
	r := rand.New(rand.NewPCG(6, 6))
	for _, n := range [][2]int{{4, 4}, {5, 9}, {20, 20}, {25, 60}} {
		const trials = 1000
		covered := 0
		for range trials {
			a, b := noise(r, n[0], 1), noise(r, n[1], 1)
			step(b, 0, n[1], 3)
			d, low, high := shift(a, b, 0.95)
			if low > d || high < d {
				t.Fatalf("%v is not from %v to %v", d, low, high)
			}
			if low <= 3 && 3 <= high {
				covered++
			}
		}
		// 2.7 standard deviations of 0.7% below 95%; small sizes have more.
		if covered < 931 {
			t.Errorf("sizes %v: %d of %d intervals hold the shift", n, covered, trials)
		}
	}
}

// TestShiftRank compares with the distribution of U in go-moremath.
func TestShiftRank(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {3, 3}, {3, 4}, {4, 4}, {9, 4}, {12, 12}, {1, 60}, {20, 20}} {
		u := stats.UDist{N1: n[0], N2: n[1]}
		for _, tail := range []float64{0.025, 0.005, 0.11} {
			want := 0
			for u.CDF(float64(want)) <= tail {
				want++
			}
			if got, ok := shiftRank(n[0], n[1], tail); got != want-1 || ok != (want > 0) {
				t.Errorf("sizes %v, tail %v: %d %v, want %d", n, tail, got, ok, want-1)
			}
		}
	}
}

// TestStudent has values of the table of Student's t in the NIST/SEMATECH e-Handbook of
// Statistical Methods, 1.3.6.7.2.
func TestStudent(t *testing.T) {
	for freedom, want := range map[float64]float64{2: 4.303, 5: 2.571, 30: 2.042} {
		if got := tQuantile(0.975, freedom); math.Abs(got-want) > 0.0005001 {
			t.Errorf("t of %v degrees of freedom: %v, want %v", freedom, got, want)
		}
		if p := tAbove(want, freedom); math.Abs(p-0.025) > 1e-4 {
			t.Errorf("above %v: %v", want, p)
		}
	}
}
