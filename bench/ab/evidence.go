package ab

import (
	"cmp"
	"math"
	"slices"
)

// LeastPairs is the smallest number of pairs, all with the same sign, that reach significance at the
// usual 5%.
const LeastPairs = 7

// Bets come in two families: on signs weighted by ranks, which is best where noise is about normal,
// and on signs alone, which is best where many pairs are disturbed. Of the latter, the highest rate
// is for effects that all pairs show: it nearly doubles its capital with each pair, and loses it with
// the first of the other sign. The second is for effects that all but one in ten show.
const (
	rankRates   = 12  // from leastRate, each rateStep times the previous one
	leastRate   = 0.1 // best for some thousand pairs; the highest is for ten
	rateStep    = 1.4
	rankShare   = 0.56 // of the prior
	weightSteps = 64   // a weight is a multiple of 1/64
)

// A signBet is a rate of bets on signs alone, with its share of the prior.
type signBet struct{ rate, share float64 }

// signBets returns the bets on signs alone, for some hundred pairs down to seven.
func signBets() []signBet { return []signBet{{0.2, 0.03}, {0.6, 0.03}, {1.2, 0.12}, {4, 0.26}} }

// A bet is one component of the mixture: a rate and the logarithm of its prior, for each of both
// directions.
type bet struct {
	rate, prior float64
	signs       bool // all weights are 1
	logCosh     [weightSteps + 1]float64
}

type bets []bet

// newBets returns the mixture. Any prior is valid; this one makes intervals tight from ten to a
// thousand pairs. Where ranks count, it is that of a normal mixture with variance 1.
func newBets() bets {
	var out bets
	sum := 0.0
	for i := range rankRates {
		rate := leastRate * math.Pow(rateStep, float64(i))
		out = append(out, bet{rate: rate, prior: rate * math.Exp(-rate*rate/2)})
		sum += out[i].prior
	}
	for i := range out {
		out[i].prior *= rankShare / sum
	}
	for _, s := range signBets() {
		out = append(out, bet{rate: s.rate, prior: s.share, signs: true})
	}
	for i := range out {
		b := &out[i]
		b.prior = math.Log(b.prior / 2)
		for w := range b.logCosh {
			b.logCosh[w] = logCosh(b.rate * float64(w) / weightSteps)
		}
	}
	return out
}

func logCosh(x float64) float64 { return math.Abs(x) + math.Log1p(math.Exp(-2*math.Abs(x))) - math.Ln2 }

// A walk sums up the signs of values minus a center.
type walk struct {
	sum          int                  // of the signs, each weighted by a sequential rank, in steps
	above, below int                  // values
	weights      [weightSteps + 1]int // number of occurrences of each weight
}

// walkOf walks along d. A value's rank is that of its distance from theta among those before it,
// equal ones included; its weight is rank over number, rounded up to a step. If d is symmetric
// about theta, each sign is a fair coin's, given the weights and all that was before.
func walkOf(d []float64, theta float64) (out walk) {
	n := len(d)
	size := make([]float64, n)
	order := make([]int, n)
	for i, v := range d {
		size[i], order[i] = math.Abs(v-theta), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	place := make([]int, n) // of a size among all, after its equals
	for from := 0; from < n; {
		to := from + 1
		for to < n && size[order[to]] == size[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			place[i] = to
		}
		from = to
	}
	seen := make(counts, n+1)
	for i, v := range d {
		seen.add(place[i] - 1)
		if v == theta {
			continue // no sign to bet on
		}
		rank := seen.upTo(place[i])
		w := (rank*weightSteps + i) / (i + 1)
		out.weights[w]++
		if v > theta {
			out.sum += w
			out.above++
		} else {
			out.sum -= w
			out.below++
		}
	}
	return out
}

// counts is a Fenwick tree: how often each index was added.
type counts []int

func (c counts) add(place int) {
	for i := place + 1; i < len(c); i += i & -i {
		c[i]++
	}
}

// upTo counts the indexes below end.
func (c counts) upTo(end int) int {
	n := 0
	for i := end; i > 0; i &= i - 1 {
		n += c[i]
	}
	return n
}

// evidence returns the logarithm of the test martingale against d being symmetric about theta: it
// exceeds log(1/alpha) at any time with a probability of at most alpha.
func (b bets) evidence(d []float64, theta float64) float64 {
	walk := walkOf(d, theta)
	// A bet on sign s with weight w multiplies its capital by exp(rate*w*s)/cosh(rate*w),
	// whose mean is 1.
	logs := make([]float64, 0, 2*len(b))
	most := math.Inf(-1)
	for i := range b {
		bet := &b[i]
		gain, cost := bet.rate*float64(walk.sum)/weightSteps, 0.0
		if bet.signs {
			gain = bet.rate * float64(walk.above-walk.below)
			cost = float64(walk.above+walk.below) * bet.logCosh[weightSteps]
		} else {
			for w, n := range walk.weights {
				cost += float64(n) * bet.logCosh[w]
			}
		}
		logs = append(logs, bet.prior+gain-cost, bet.prior-gain-cost)
		most = max(most, bet.prior+math.Abs(gain)-cost)
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	return most + math.Log(sum)
}

// pValue returns the p value of d being symmetric about zero, valid whenever one stops.
func pValue(d []float64) float64 {
	return min(1, math.Exp(-newBets().evidence(d, 0)))
}
