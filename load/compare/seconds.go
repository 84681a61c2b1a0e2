package compare

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/whet-go/whet/load"
)

const (
	resamples = 1000       // the error of their standard deviation is 2%
	seed      = 0x77686574 // fixed, so that the bootstrap is repeatable
)

// series is a metric second by second, over the runs of a side. Its statistic is a ratio of sums
// over all seconds, of over and under: answers over time, failures over requests, logarithms of
// latencies over 1. With log it is the logarithm of that ratio.
type series struct {
	log         bool
	over, under []float64 // prefix sums: the sum over seconds i to j is [j] - [i]
	runs        []int     // where each run ends
	block       int       // the bootstrap's block length
}

// newSeries builds the series of m, or returns why it cannot.
func newSeries(m Metric, runs []*load.Result) (*series, string) {
	s := &series{log: m == Rate, over: []float64{0}, under: []float64{0}, block: 1}
	for _, r := range runs {
		if m == Errors && r.Failed() > 0 {
			return nil, "status codes are not recorded per second"
		}
		var single []float64 // the metric of each second
		for _, sec := range wholeSeconds(r) {
			over, under, ok := ofSecond(m, sec)
			if !ok {
				return nil, notInSeconds()
			}
			n := len(s.over) - 1
			s.over, s.under = append(s.over, s.over[n]+over), append(s.under, s.under[n]+under)
			if under > 0 {
				single = append(single, over/under)
			}
		}
		s.runs = append(s.runs, len(s.over)-1)
		s.block = max(s.block, blockLength(single))
	}
	if n := len(s.over) - 1; n < MinSeconds {
		return nil, fmt.Sprintf("it needs %d seconds (has %d), or %d runs per side", MinSeconds, n, MinRuns)
	}
	return s, ""
}

// notInSeconds returns why metrics that seconds lack have no interval.
func notInSeconds() string {
	return fmt.Sprintf("not recorded per second; give %d runs per side", MinRuns)
}

// ofSecond returns what a second adds to the two sums. ok is false for metrics that seconds lack.
func ofSecond(m Metric, s load.Second) (over, under float64, ok bool) {
	latency := s.P50
	switch m {
	case Rate:
		return float64(s.Responses), s.Elapsed.Seconds(), true
	case Errors:
		return float64(s.Errors), float64(s.Errors + s.Responses), true
	case P50:
	case P99:
		latency = s.P99
	case Max:
		latency = s.Max
	default:
		return 0, 0, false
	}
	if s.Responses == 0 || latency <= 0 {
		return 0, 0, true
	}
	return math.Log(float64(latency)), 1, true
}

func (s *series) of(over, under float64) float64 {
	if s.log {
		return math.Log(over / under)
	}
	return over / under
}

// statistic returns the statistic of the original seconds.
func (s *series) statistic() float64 {
	n := len(s.over) - 1
	return s.of(s.over[n], s.under[n])
}

// bootstrap estimates the variance of the statistic with the moving-block bootstrap
// (Künsch: The jackknife and the bootstrap for general stationary observations,
// Annals of Statistics 17, 1989): as many seconds as there are, in blocks that start
// anywhere within a run. Blocks are centered at their own mean, which makes the
// variance too small by the share 1/k, k the number of blocks that fit; k-1 are the
// degrees of freedom.
func (s *series) bootstrap() estimate {
	n := len(s.over) - 1
	longest := 0
	for i, end := range s.runs {
		longest = max(longest, end-s.begin(i))
	}
	s.block = min(s.block, longest)
	var starts []int
	for i, end := range s.runs {
		for at := s.begin(i); at+s.block <= end; at++ {
			starts = append(starts, at)
		}
	}
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	stats := make([]float64, resamples)
	for i := range stats {
		over, under := 0.0, 0.0
		for left := n; left > 0; left -= s.block {
			from := starts[random.IntN(len(starts))]
			to := from + min(s.block, left)
			over += s.over[to] - s.over[from]
			under += s.under[to] - s.under[from]
		}
		stats[i] = s.of(over, under)
	}
	blocks := float64(n) / float64(s.block)
	return estimate{variance(stats) * blocks / (blocks - 1), blocks - 1}
}

// begin returns the index of the first second of run i.
func (s *series) begin(i int) int {
	if i == 0 {
		return 0
	}
	return s.runs[i-1]
}

// blockLength chooses the block length for the mean of x (Politis, White: Automatic block-length
// selection for the dependent bootstrap, Econometric Reviews 23, 2004, for the circular bootstrap,
// as corrected by Patton, Politis, White in Econometric Reviews 28, 2009). It is at most a third of
// x, so that there are three blocks.
func blockLength(x []float64) int {
	n := len(x)
	if n < 6 || variance(x) == 0 {
		return 1
	}
	longest := int(min(3*math.Sqrt(float64(n)), float64(n)/3))
	run := max(5, int(math.Ceil(math.Sqrt(math.Log10(float64(n))))))
	lags := min(int(math.Ceil(math.Sqrt(float64(n))))+run, n-1)
	r := autocovariances(x, lags)
	// The last lag before a row of lags without significant autocorrelation.
	limit := 2 * math.Sqrt(math.Log10(float64(n))/float64(n)) * r[0]
	m, quiet := 0, 0
	for k := 1; k <= lags && quiet < run; k++ {
		if math.Abs(r[k]) < limit {
			quiet++
		} else {
			m, quiet = k, 0
		}
	}
	bandwidth := min(2*max(m, 1), lags)
	g, spectrum := 0.0, r[0]
	for k := 1; k <= bandwidth; k++ {
		w := min(1, 2*(1-float64(k)/float64(bandwidth))) // the flat-top window
		g += 2 * w * float64(k) * r[k]
		spectrum += 2 * w * r[k]
	}
	d := 4. / 3 * spectrum * spectrum
	if d == 0 {
		return longest
	}
	b := math.Cbrt(2*g*g/d) * math.Cbrt(float64(n))
	return max(1, int(math.Ceil(min(b, float64(longest)))))
}

// autocovariances returns the autocovariances of x at lags 0 to lags.
func autocovariances(x []float64, lags int) []float64 {
	mu := mean(x)
	r := make([]float64, lags+1)
	for k := range r {
		for i := k; i < len(x); i++ {
			r[k] += (x[i] - mu) * (x[i-k] - mu)
		}
		r[k] /= float64(len(x))
	}
	return r
}
