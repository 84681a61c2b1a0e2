package ab

import (
	"math"
	"regexp"
	"slices"

	"github.com/whet-go/whet/bench"
)

// A measured holds the values of a round before the comparison: of a trial, or while deciding whether to pin.
type measured struct {
	side   Side
	plan   Plan
	values Values
}

// countTests is the number of tests of a count, which share the level: that of [pValue], that of
// separated counts, and that of constant ones.
const countTests = 3

// leastSteady is how many rounds of A must agree for a unit of the benchmark's own to be a count.
const leastSteady = 8

var (
	countUnit = regexp.MustCompile(`^(allocs|B|syscalls)/op$`)
	timeUnit  = regexp.MustCompile(`(^|-)sec(/|$)`)
)

// counts reports whether a unit counts things, such as allocations or bytes. How busy the machine
// is does not change such values, so all rounds are exchangeable, not only the two of a pair. Other
// units are counts if they had the same value in all rounds of A before the comparison.
//
// The allocations of a request (allocs/req) are not: what a service allocates besides its requests
// is divided by how many there are, and a busy machine answers fewer.
func (r *runner) counts(s *subject, unit string) bool {
	if countUnit.MatchString(unit) {
		return true
	}
	if timeUnit.MatchString(unit) || betterOf(unit) == bench.Higher {
		return false
	}
	a := r.earlier(s, unit)[A]
	return len(a) >= leastSteady && constant(a)
}

// earlier returns the values of the rounds before the comparison that were run in the same way as
// its own.
func (r *runner) earlier(s *subject, unit string) (sides [2][]float64) {
	for _, m := range s.before {
		if v, ok := m.values[unit]; ok && m.plan == r.planOf(s) {
			sides[m.side] = append(sides[m.side], v)
		}
	}
	return sides
}

// countP returns the p value of counts that do not differ, valid whenever one stops: three times the
// least of three. more are the values from before the comparison.
func (c column) countP(more [2][]float64) float64 {
	return min(1, countTests*min(pValue(c.d), c.divisionP(more)))
}

// divisionP returns the probability of counts like these if the sides did not differ, or 1 if their
// ranges overlap or they are too few.
//
// There are binomial(n+m, m) equally likely ways to divide n+m exchangeable rounds between A and B.
// Two of them have every value of A on the same side of every value of B. If A has the same value n
// times and B has another one m times, only the observed division has that property, or two if n is
// m. If the values are separated now, they were separated at every earlier look, so each p holds
// whenever one stops.
func (c column) divisionP(more [2][]float64) float64 {
	p := 1.0
	if n := len(c.a); n > 0 && (slices.Max(c.a) < slices.Min(c.b) || slices.Max(c.b) < slices.Min(c.a)) {
		p = 2 / binomial(2*n, n)
	}
	a, b := slices.Concat(more[A], c.a), slices.Concat(more[B], c.b)
	if len(c.a) < leastCounts || !constant(a) || !constant(b) || a[0] == b[0] {
		return p
	}
	return min(p, constantP(len(a), len(b)))
}

// leastCounts is the minimum number of pairs to decide about constant counts.
const leastCounts = 2

// constantP returns the probability of dividing n equal and m other equal values into these sides
// by chance.
func constantP(n, m int) float64 {
	p := 1 / binomial(n+m, m)
	if n == m {
		p *= 2
	}
	return p
}

// countInterval returns the interval of the log ratio at the level alpha by the same tests: the
// ratios by which B can be divided so that its values are not separated from A's. It is infinite
// with too few rounds.
func (c column) countInterval(more [2][]float64, alpha float64) (low, high float64) {
	n := len(c.a)
	a, b := slices.Concat(more[A], c.a), slices.Concat(more[B], c.b)
	same := n >= leastCounts && constant(a) && constant(b) && constantP(len(a), len(b)) <= alpha
	if n == 0 || !c.positive || !same && 2/binomial(2*n, n) > alpha {
		return math.Inf(-1), math.Inf(1)
	}
	return math.Log(slices.Min(c.b) / slices.Max(c.a)), math.Log(slices.Max(c.b) / slices.Min(c.a))
}

// constant reports whether all values are equal.
func constant(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// binomial returns the number of ways to choose k of n, which may be infinite.
func binomial(n, k int) float64 {
	b := 1.0
	for i := 1; i <= k; i++ {
		b *= float64(n-k+i) / float64(i)
	}
	return b
}
