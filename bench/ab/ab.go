package ab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// Side is one of the two builds.
type Side uint8

// The sides. A is what B is compared with.
const (
	A Side = iota
	B
)

// String returns "A" or "B".
func (s Side) String() string { return string(rune('A' + s)) }

// Values are the measurements of one round by unit, tidied as golang.org/x/perf/benchunit does:
// "sec/op", "B/op", "allocs/op", "B/s". Each must be finite.
type Values map[string]float64

// Anywhere is the Round.CPU of a round that is not pinned.
const Anywhere = -1

// A Round describes how a Subject is to be measured.
type Round struct {
	Side   Side
	Length time.Duration // about how long to measure
	// Fit lets the subject choose a shorter round if its overhead allows that. All of its rounds
	// with this Length and Fit are equally long.
	Fit bool
	CPU int // logical CPU to stay on; Anywhere for all
	// Shared is set if the other side runs on the same CPU at once: only what does not depend on that, such as CPU
	// time and counts, is measured.
	Shared bool
}

// A Measurement is what a round measured.
type Measurement struct {
	Values Values
	// Inside is how much of the round's wall time was spent in the measured code, as opposed to
	// starting and stopping it.
	Inside time.Duration
	// CPU is the CPU time of everything that the round ran, and Wall how long it ran; 0 means
	// unknown. A subject that uses several CPUs is not pinned to one.
	CPU, Wall time.Duration
}

// A Subject is something that exists in two builds. Measure returns the context's error when that
// ends the round; any other error ends the measurement of the subject. It is called from one
// goroutine at a time or, when the plan is Together or Shared, from two with different sides. A subject with
// a method Concurrent that returns true uses several CPUs. One with a method CanShare that returns true is
// measured by a plan that is Shared, after a first round. One with a method Prepare, of a context and
// the number of a pair, from 0, is prepared before each pair of A and B, in its time; the error ends its
// measurement.
type Subject interface {
	Name() string
	Measure(ctx context.Context, r Round) (Measurement, error)
}

// A Plan describes how rounds are run.
type Plan struct {
	Length   time.Duration `json:"length_ns"`
	Fit      bool          `json:"fit,omitempty"` // rounds may be shorter, as suits each subject
	Pinned   bool          `json:"pinned"`        // each round stays on one CPU
	Together bool          `json:"together"`      // A and B run at once, on two CPUs, which they swap; requires Pinned
	// Shared runs A and B at once on one CPU, which they share by turns of a few milliseconds: whatever slows down that
	// CPU affects both alike. Only CPU time and counts are compared. Requires Pinned, and excludes Together and Fit.
	Shared bool `json:"shared,omitempty"`
}

// SharedPlan returns a plan in which A and B share a CPU, with rounds in which the start of a process hardly counts.
func SharedPlan() Plan { return Plan{Length: 250 * time.Millisecond, Pinned: true, Shared: true} }

// valid reports whether the plan can be run.
func (p Plan) valid() bool {
	return p.Length > 0 && (p.Pinned || !p.Together && !p.Shared) && !(p.Shared && (p.Together || p.Fit))
}

// String describes the plan.
func (p Plan) String() string {
	text := fmt.Sprintf("rounds of %v, ", p.Length)
	if p.Fit {
		text = fmt.Sprintf("rounds of up to %v, ", p.Length)
	}
	switch {
	case p.Shared:
		return text + "A and B at once, sharing one CPU"
	case p.Together:
		return text + "A and B at once, each on one CPU, swapped each time"
	case p.Pinned:
		return text + "one after the other, on one CPU"
	default:
		return text + "one after the other, on all CPUs"
	}
}

// Options configure Run. The zero value is usable.
type Options struct {
	Precision float64 // half width of the ratio's interval at which a subject is done; 0 means 0.01
	// OfEffect is a share of the log ratio: a subject that differs is also done at this half width,
	// so that a large difference takes little time. 0 means that only Precision counts.
	OfEffect float64
	MaxTime  time.Duration // for each subject; 0 means a minute
	// Total is for all subjects together, which share it in turns; 0 means that only MaxTime counts.
	// If there are so many subjects that each would get less than a second, only some are measured,
	// evenly spread over the list, with a warning.
	Total time.Duration
	// Overtime is how much longer, at most, a subject and all of them together are measured than MaxTime and
	// Total if its interval is expected to be as narrow as Enough then. 0 means none. A subject that can share a CPU has
	// none: a comparison with SharedPlan takes less time.
	Overtime   time.Duration
	Enough     float64 // half width of the ratio's interval at which a subject in overtime is done; 0 means Precision
	Confidence float64 // of intervals, as a share; 0 means 0.95
	Alpha      float64 // share of false positives among the differences found; 0 means 0.05
	Unit       string  // unit of Precision and of the choice of a plan; "" means "sec/op"
	// Instead is a unit that may replace Unit if it is much less noisy here and about equal in
	// size, like the CPU time of code that does not wait; "" means none.
	Instead string

	// Plans are the plans to choose from by measuring; nil means PlansFor(len(Processors()),
	// PairsAuto, 0). A single plan is used after as many trials.
	Plans []Plan
	// Trial is about how long to measure A against A; 0 means a twelfth of MaxTime, but at least
	// two seconds if MaxTime is that long.
	Trial time.Duration
	Seed  uint64 // of the order of the rounds

	Sides [2]string // names of A and B for the result, such as commits

	// Identity identifies what is compared; it is written to the journal. A run can continue only
	// from a journal with the same identity.
	Identity string
	Journal  io.Writer // receives each pair; nil means none
	Resume   *Journal  // pairs of an earlier run; nil means none

	Progress func(Progress) // called after each pair, from one goroutine; may be nil
}

// Progress is the state of a run after a pair of rounds.
type Progress struct {
	Trying   bool // plans are being tried on A against A
	Subject  string
	Pairs    int // measured of the subject
	Done, Of int // subjects finished, and all subjects
	// Ratio, Low and High of the subject's unit so far; NaN and infinite while unknown.
	Ratio, Low, High float64
	Elapsed          time.Duration
	Left             time.Duration // estimate for all subjects; negative means unknown
}

// ErrNoSubjects is Run's error when there is nothing to compare.
var ErrNoSubjects = errors.New("nothing to compare")

// Limits on what Run keeps.
const (
	maxPairs = 20_000 // of one subject
	maxUnits = 64     // of one subject
	// leastShare is what a subject gets of Total at least.
	leastShare = time.Second
	// enoughPairs is how many pairs a subject should have time for in Total.
	enoughPairs = 2 * LeastPairs
)

// defaultPlans returns the plans to try with this many CPUs to pin to. Rounds are as short as suits
// each subject: what differs between processes is the same for a round of 20 ms and one of 200, so
// many short ones carry more information.
func defaultPlans(processors int) []Plan {
	plan := Plan{Length: 100 * time.Millisecond, Fit: true}
	plans := []Plan{plan}
	if plan.Pinned = true; processors > 0 {
		plans = append(plans, plan)
	}
	if plan.Together = true; processors > 1 {
		plans = append(plans, plan)
	}
	return plans
}

func (o Options) withDefaults() (Options, error) {
	for _, f := range []struct {
		name      string
		value     *float64
		otherwise float64
		below     float64
	}{
		{"precision", &o.Precision, 0.01, 10},
		{"confidence", &o.Confidence, 0.95, 1},
		{"alpha", &o.Alpha, 0.05, 1},
	} {
		if *f.value == 0 {
			*f.value = f.otherwise
		}
		if !(*f.value > 0 && *f.value < f.below) {
			return o, fmt.Errorf("%s: %v is out of range (want 0 to %v)", f.name, *f.value, f.below)
		}
	}
	if o.MaxTime == 0 {
		o.MaxTime = time.Minute
	}
	if o.Trial == 0 {
		o.Trial = min(max(o.MaxTime/12, 2*time.Second), o.MaxTime)
	}
	if !(o.OfEffect >= 0 && o.OfEffect < 1) {
		return o, fmt.Errorf("share of the effect: %v is out of range (want 0 to 1)", o.OfEffect)
	}
	if o.MaxTime < 0 || o.Trial < 0 || o.Total < 0 || o.Overtime < 0 {
		return o, errors.New("max time: must not be negative")
	}
	if o.Enough == 0 {
		o.Enough = o.Precision
	}
	if !(o.Enough > 0 && o.Enough < 10) {
		return o, fmt.Errorf("enough: %v is out of range (want 0 to 10)", o.Enough)
	}
	if o.Unit == "" && slices.ContainsFunc(o.Plans, func(p Plan) bool { return p.Shared }) {
		o.Unit = o.Instead
	}
	if o.Unit == "" {
		o.Unit = "sec/op"
	}
	for _, p := range o.Plans {
		if !p.valid() {
			return o, fmt.Errorf("plan %v: rounds need a length, and must be pinned to run at once", p)
		}
	}
	return o, nil
}

// logPrecision returns the precision as the half width of the log ratio's interval.
func (o *Options) logPrecision() float64 { return math.Log1p(o.Precision) }

// A Pairing determines where the rounds of a pair run.
type Pairing string

// The pairings.
const (
	PairsAuto     Pairing = "auto"     // the one with the least noise
	PairsFree     Pairing = "free"     // one after the other, on all CPUs
	PairsPinned   Pairing = "pinned"   // one after the other, on one CPU
	PairsTogether Pairing = "together" // simultaneously, each on one CPU
	PairsShared   Pairing = "shared"   // simultaneously, both on one CPU, for CPU time
)

// Pairings returns all pairings.
func Pairings() []Pairing {
	return []Pairing{PairsAuto, PairsFree, PairsPinned, PairsTogether, PairsShared}
}

// PlansFor returns the plans to try with a pairing, given the number of CPUs to pin to (see
// [Processors]). length is that of a round; 0 leaves it to each subject.
func PlansFor(processors int, pairing Pairing, length time.Duration) []Plan {
	plans := defaultPlans(processors)
	switch pairing {
	case PairsAuto:
	case PairsShared:
		plans = []Plan{SharedPlan()}
	default:
		plans = slices.DeleteFunc(plans, func(p Plan) bool {
			return p.Pinned != (pairing != PairsFree) || p.Together != (pairing == PairsTogether)
		})
	}
	if length > 0 {
		for i := range plans {
			plans[i].Length, plans[i].Fit = length, false
		}
		slices.SortFunc(plans, func(a, b Plan) int { return strings.Compare(a.String(), b.String()) })
	}
	return plans
}
