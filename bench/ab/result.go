package ab

import (
	"math"
	"time"

	"github.com/whet-go/whet/bench"
)

// Schema is the schema of Result as JSON.
const Schema = "whet.bench-ab/2"

// A Result is a comparison of B with A.
type Result struct {
	Schema  string    `json:"schema"`
	Sides   [2]string `json:"sides"` // names of A and B; "" means unnamed
	Machine Machine   `json:"machine"`
	// Plan is how the rounds were run; Tried are the plans to choose from, with A against A.
	Plan  Plan    `json:"plan"`
	Tried []Trial `json:"tried,omitempty"`

	Unit       string  `json:"unit"`                // unit of Precision
	Precision  float64 `json:"precision"`           // as requested
	OfEffect   float64 `json:"of_effect,omitempty"` // as requested
	Confidence float64 `json:"confidence"`          // of intervals
	Alpha      float64 `json:"alpha"`               // of verdicts

	Subjects []SubjectResult `json:"subjects"`
	Geomean  []Mean          `json:"geomean,omitempty"` // with several subjects, by unit

	Interrupted bool          `json:"interrupted,omitempty"`
	Elapsed     time.Duration `json:"elapsed_ns"`
	// Inside is how much of Elapsed was spent in the measured code. Rounds that run simultaneously
	// count half each.
	Inside   time.Duration  `json:"inside_ns"`
	Warnings bench.Warnings `json:"warnings,omitempty"`
}

// A Trial is a plan tried on A against A.
type Trial struct {
	Plan  Plan `json:"plan"`
	Pairs int  `json:"pairs"`
	// Spread is the standard deviation of a pair's log ratio, estimated from its median absolute
	// deviation: 0.05 is 5%.
	Spread bench.Float   `json:"spread"`
	Pair   time.Duration `json:"pair_ns"` // wall time of a pair
	// HalfWidth estimates the half width of an interval after MaxTime.
	HalfWidth bench.Float `json:"reach"`
}

// SubjectResult is a subject's result.
type SubjectResult struct {
	Name    string        `json:"name"`
	Pairs   int           `json:"pairs"`
	Elapsed time.Duration `json:"elapsed_ns"`
	Stopped Stop          `json:"stopped"`
	// Unpinned reports whether the rounds ran on all CPUs because the subject uses several, although
	// the Result's plan pins them.
	Unpinned bool `json:"free,omitempty"`
	// CanShare reports whether the subject says that a plan with Shared measures it.
	CanShare bool `json:"can_share,omitempty"`
	// VariedLayout reports whether each pair was measured with the functions of both programs in another order.
	VariedLayout bool `json:"varied_layout,omitempty"`
	// Error is why the subject could not be measured, or not completely; "" means no error.
	Error string `json:"error,omitempty"`
	// Units begins with the one that decides: the Result's, or the time if that is CPU time and
	// Free is set. The others are sorted by name.
	Units []Unit `json:"units"`
}

// TimeNeeded estimates how long the subject must be measured until a unit's interval shows a
// difference, if its ratio and noise are as measured; 0 if that is unknown, or longer than any
// comparison.
func (r *Result) TimeNeeded(c *SubjectResult, u *Unit) time.Duration {
	width := math.Abs(math.Log(float64(u.Ratio)))
	n := len(u.Rounds[A])
	if n < 2 || c.Pairs == 0 || width == 0 || math.IsNaN(width) || math.IsInf(width, 0) {
		return 0
	}
	pairs := pairsFor(float64(u.Spread), width, 1-r.Confidence)
	if pairs >= maxPairs {
		return 0
	}
	return time.Duration(pairs) * (c.Elapsed / time.Duration(c.Pairs))
}

// Stop is why the measurement of a subject ended.
type Stop string

// Reasons to stop.
const (
	Precise     Stop = "precise" // the interval is as narrow as requested
	TimeUp      Stop = "time"
	Interrupted Stop = "interrupted"
	Failed      Stop = "failed"
)

// A Verdict is how B differs from A in a unit.
type Verdict string

// Verdicts.
const (
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Same      Verdict = "same"      // no significant difference, at the requested precision
	Undecided Verdict = "undecided" // the noise is larger than the requested precision
)

// A Unit holds the results of a subject in one unit.
type Unit struct {
	Unit   string  `json:"unit"`
	Better string  `json:"better"` // bench.Lower or bench.Higher
	A      Summary `json:"a"`
	B      Summary `json:"b"`
	// Ratio is B/A, with its interval, which is infinitely wide when there are too few pairs. It is
	// NaN when a side measured zero; then differences are tested.
	Ratio bench.Float `json:"ratio"`
	Low   bench.Float `json:"low"`
	High  bench.Float `json:"high"`
	// P is the probability of evidence like this if A and B did not differ, and Q is P adjusted for
	// the number of subjects.
	P float64 `json:"p"`
	Q float64 `json:"q"`
	// Spread is the standard deviation of a pair's log ratio, from its median absolute deviation.
	Spread  bench.Float `json:"spread"`
	Verdict Verdict     `json:"verdict"`
	// Shared reports whether the sides shared a CPU while this was measured, unlike the subject's other units.
	Shared bool `json:"shared,omitempty"`
	// Rounds are the values of A and of B, pair by pair in order of time.
	Rounds [2][]float64 `json:"rounds"`
}

// A Summary is the median and quartiles of one side's measurements.
type Summary struct {
	Median bench.Float `json:"median"`
	Low    bench.Float `json:"q1"`
	High   bench.Float `json:"q3"`
}

// A Mean is the geometric mean of the subjects' ratios in a unit, with its interval.
type Mean struct {
	Unit  string      `json:"unit"`
	Of    int         `json:"of"` // subjects
	Ratio bench.Float `json:"ratio"`
	Low   bench.Float `json:"low"`
	High  bench.Float `json:"high"`
}

// PairRatios returns B's values divided by A's, pair by pair; nil if some have no ratio, or all are
// equal.
func (u *Unit) PairRatios() []float64 {
	a, b := u.Rounds[A], u.Rounds[B]
	var out []float64
	vary := false
	for i := range min(len(a), len(b)) {
		if !(a[i] > 0 && b[i] > 0) {
			return nil
		}
		out = append(out, b[i]/a[i])
		vary = vary || out[i] != out[0]
	}
	if !vary {
		return nil
	}
	return out
}
