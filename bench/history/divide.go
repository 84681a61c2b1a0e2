package history

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/perf/benchmath"
	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/bench"
)

// leastSegment is the minimum number of commits in a segment.
const leastSegment = 3

// Limits on the permutations of one test.
const (
	firstPermutations = 999
	mostPermutations  = 100_000
	// maxExceed is how many permutations that reach the observed value end a test.
	maxExceed = 20
)

// A changePoint is a change point of one series: values[at] is the first after it.
type changePoint struct {
	at   int
	p, q float64
}

// A segment is values[from:to] of one series.
type segment struct{ series, from, to int }

// divide finds the change points of several series together. Values of series i are
// all[i]; seeds[i] belongs to it, so that its permutations do not depend on the others. The
// result has the change points of each, in order.
func divide(ctx context.Context, all [][]float64, seeds []uint64, alpha float64) ([][]changePoint, error) {
	out := make([][]changePoint, len(all))
	var open []segment
	for i, values := range all {
		open = append(open, segment{i, 0, len(values)})
	}
	for len(open) > 0 {
		open = slices.DeleteFunc(open, func(s segment) bool { return s.to-s.from < 2*leastSegment })
		tests := make([]*test, len(open))
		for i, s := range open {
			tests[i] = newTest(all[s.series][s.from:s.to],
				rand.New(rand.NewPCG(seeds[s.series], uint64(s.from)<<32|uint64(s.to))))
		}
		q, err := decide(ctx, tests, alpha)
		if err != nil {
			return nil, err
		}
		var next []segment
		for i, s := range open {
			if q[i] > alpha {
				continue
			}
			at := s.from + tests[i].at
			out[s.series] = append(out[s.series], changePoint{at, tests[i].p(), q[i]})
			next = append(next, segment{s.series, s.from, at}, segment{s.series, at, s.to})
		}
		open = next
	}
	for i := range out {
		slices.SortFunc(out[i], func(a, b changePoint) int { return a.at - b.at })
		relocate(all[i], out[i])
	}
	return out, nil
}

// relocate searches again for each change between its neighbors: when it was found, other changes
// were in its segment.
func relocate(values []float64, changes []changePoint) {
	for i := range changes {
		from, to := 0, len(values)
		if i > 0 {
			from = changes[i-1].at
		}
		if i+1 < len(changes) {
			to = changes[i+1].at
		}
		e := newEnergy(values[from:to])
		at, _ := e.split(e.rank)
		changes[i].at = from + at
	}
}

// decide runs tests together and returns their adjusted p values. A test that no permutation
// contradicts, but that has too few permutations to be significant among all tests, gets more.
func decide(ctx context.Context, tests []*test, alpha float64) ([]float64, error) {
	most := min(int(4*float64(len(tests))/alpha), mostPermutations)
	p := make([]float64, len(tests))
	var q []float64
	for upTo := firstPermutations; ; upTo *= 4 {
		work, ctx := errgroup.WithContext(ctx)
		work.SetLimit(runtime.GOMAXPROCS(0))
		for i, t := range tests {
			if upTo == firstPermutations || t.needsMore(q[i], alpha) {
				work.Go(func() error {
					t.run(upTo)
					return ctx.Err()
				})
			}
		}
		if err := work.Wait(); err != nil {
			return nil, err
		}
		more := false
		for i, t := range tests {
			p[i] = t.p()
		}
		q = bench.Adjust(p)
		for i, t := range tests {
			more = more || t.needsMore(q[i], alpha)
		}
		if !more || upTo >= most {
			return q, nil
		}
	}
}

// A test is about whether to split a segment.
type test struct {
	e      *energy
	order  []int // the current permutation
	r      *rand.Rand
	at     int     // the best split
	seen   float64 // its distance
	done   int     // permutations
	exceed int     // of them, those that reach the observed value
	empty  bool    // there is nothing to test
}

func newTest(values []float64, r *rand.Rand) *test {
	t := &test{e: newEnergy(values), r: r}
	t.order = slices.Clone(t.e.rank)
	t.at, t.seen = t.e.best(t.order)
	t.empty = t.seen == 0 || !differ(values, t.at)
	return t
}

// run tries permutations until their number is reached, or enough of them contradict a change.
func (t *test) run(upTo int) {
	for !t.empty && t.done < upTo && t.exceed < maxExceed {
		t.r.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
		t.done++
		// Rounding must not decide about equal arrangements.
		if _, q := t.e.best(t.order); q >= t.seen*(1-1e-9) {
			t.exceed++
		}
	}
}

// needsMore reports whether more permutations could make the test significant.
func (t *test) needsMore(q, alpha float64) bool { return !t.empty && t.exceed == 0 && q > alpha }

// p returns the p value so far.
func (t *test) p() float64 {
	switch {
	case t.empty:
		return 1
	case t.exceed >= maxExceed:
		return float64(t.exceed) / float64(t.done)
	default:
		return float64(t.exceed+1) / float64(t.done+1)
	}
}

// differ reports whether the values on both sides of a split differ, on some scale, by their ranks
// (the Mann-Whitney U test). One or two outliers affect it less than they affect a distance.
func differ(values []float64, at int) bool {
	t := benchmath.DefaultThresholds
	for width := 5; ; width *= 2 {
		from, to := max(at-width, 0), min(at+width, len(values))
		a, b := slices.Clone(values[from:at]), slices.Clone(values[at:to])
		if benchmath.AssumeNothing.Compare(benchmath.NewSample(a, &t), benchmath.NewSample(b, &t)).P <= 0.05 {
			return true
		}
		if from == 0 && to == len(values) {
			return false
		}
	}
}

// energy computes the energy distance between the two parts of a segment, or of a window in it, for
// all splits in O(n log n), for any order of its values. The distances between values are sums over
// the values below and above, kept in Fenwick trees over the ranks.
type energy struct {
	sorted  []float64 // values in ascending order, centered so that sums lose little precision
	rank    []int     // of each value, by index
	windows [][2]int  // where to search for a split

	tree   []node    // Fenwick tree of the values visited
	within []float64 // distances of the pairs up to an index
}

func newEnergy(values []float64) *energy {
	n := len(values)
	e := &energy{
		sorted: make([]float64, n), rank: make([]int, n), windows: windows(n),
		tree: make([]node, n+1), within: make([]float64, n+1),
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	for r, i := range order {
		e.rank[i] = r
		e.sorted[r] = values[i] - values[order[n/2]]
	}
	return e
}

type node struct{ count, sum float64 }

// windows returns the whole segment and those of a half and a quarter of its length, each
// overlapping the next by half. A change that another one reverts is hard to see in a window that
// contains both (Kovacs, Buhlmann, Li and Munk, "Seeded Binary Segmentation", Biometrika 110,
// 2023).
func windows(n int) [][2]int {
	out := [][2]int{{0, n}}
	for parts := 2; parts <= 4; parts *= 2 {
		length := n / parts
		if length < 4*leastSegment {
			break
		}
		for i := range 2*parts - 1 {
			from := i * (n - length) / (2*parts - 2)
			out = append(out, [2]int{from, from + length})
		}
	}
	return out
}

// best returns the split with the largest distance in any window, and the distance. order are the
// ranks of the values.
func (e *energy) best(order []int) (at int, distance float64) {
	at = len(order) / 2
	for _, w := range e.windows {
		if place, d := e.split(order[w[0]:w[1]]); d > distance {
			at, distance = w[0]+place, d
		}
	}
	return at, distance
}

// split returns the split with the largest scaled energy distance, m·k/(m+k) times that of the m
// values before it from the k values after it.
func (e *energy) split(order []int) (at int, distance float64) {
	n := len(order)
	clear(e.tree)
	left := 0.0
	for i, r := range order {
		e.within[i+1] = e.within[i] + e.distances(r, i, left)
		left += e.sorted[r]
	}
	pairs := e.within[n]
	clear(e.tree)
	right, other := 0.0, 0.0 // of the right part: sum, distances of its pairs
	for i := n - 1; i >= leastSegment; i-- {
		other += e.distances(order[i], n-1-i, right)
		right += e.sorted[order[i]]
		m, k := float64(i), float64(n-i)
		if n-i < leastSegment {
			continue
		}
		within := e.within[i]
		between := pairs - within - other
		q := m * k / (m + k) * (2*between/(m*k) - 2*within/(m*(m-1)) - 2*other/(k*(k-1)))
		// A distance must exceed rounding errors.
		if q >= distance && q > pairs*1e-13 {
			at, distance = i, q
		}
	}
	return at, distance
}

// distances returns the sum of the distances of a rank's value to the n values visited, whose sum
// is given, and visits it.
func (e *energy) distances(r, n int, sum float64) float64 {
	v := e.sorted[r]
	var below node
	for k := r + 1; k > 0; k &= k - 1 {
		below.count += e.tree[k].count
		below.sum += e.tree[k].sum
	}
	for k := r + 1; k < len(e.tree); k += k & -k {
		e.tree[k].count++
		e.tree[k].sum += v
	}
	return v*below.count - below.sum + (sum - below.sum) - v*(float64(n)-below.count)
}
