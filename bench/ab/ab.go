package ab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
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

// Values are what one round measured by unit, tidied as golang.org/x/perf/benchunit
// does: "sec/op", "B/op", "allocs/op", "B/s". Each must be finite.
type Values map[string]float64

// Anywhere is the Round.CPU of a round that is not pinned.
const Anywhere = -1

// A Round is what is asked of a Subject.
type Round struct {
	Side   Side
	Length time.Duration // about how long to measure
	// Fit lets the subject measure for less, as it suits what a round costs besides. All of
	// its rounds with this Length and Fit are equally long.
	Fit bool
	CPU int // logical processor to stay on; Anywhere for all
}

// A Measurement is what a round measured.
type Measurement struct {
	Values Values
	// Inside is how much of the round's wall time was spent in what is measured, as
	// opposed to starting and stopping it.
	Inside time.Duration
	// CPU is the CPU time of all that the round ran, and Wall how long it ran; 0 is
	// not known. A subject that uses several processors is not pinned to one.
	CPU, Wall time.Duration
}

// A Subject is one thing that exists in two builds. Measure returns the context's error
// when that ends the round; any other error ends the measuring of the subject. It is called
// from one goroutine at a time, or, when the plan is Together, from two with different
// sides. A subject
// that also has a method Concurrent, which returns true, uses several processors.
type Subject interface {
	Name() string
	Measure(ctx context.Context, r Round) (Measurement, error)
}

// A Plan is how rounds are run.
type Plan struct {
	Length   time.Duration `json:"length_ns"`
	Fit      bool          `json:"fit,omitempty"` // rounds may be shorter, as it suits each subject
	Pinned   bool          `json:"pinned"`        // each round stays on one processor
	Together bool          `json:"together"`      // A and B at once, on two processors, which they swap; needs Pinned
}

// String describes the plan.
func (p Plan) String() string {
	text := fmt.Sprintf("rounds of %v, ", p.Length)
	if p.Fit {
		text = fmt.Sprintf("rounds of up to %v, ", p.Length)
	}
	switch {
	case p.Together:
		return text + "A and B at once, each on a processor, swapped each time"
	case p.Pinned:
		return text + "one after the other, on one processor"
	default:
		return text + "one after the other, on all processors"
	}
}

// Options say how to compare. The zero value is usable.
type Options struct {
	Precision  float64       // half width of the ratio's interval at which a subject is done; 0 is 0.01
	MaxTime    time.Duration // for each subject; 0 is a minute
	Confidence float64       // of intervals, as a share; 0 is 0.95
	Alpha      float64       // share of false alarms among the differences found; 0 is 0.05
	Unit       string        // what Precision and the choice of a plan are about; "" is "sec/op"
	// Instead is a unit that may take the place of Unit if it is much quieter here and
	// about the same in size, as the CPU time of what does not wait; "" is none.
	Instead string

	// Plans are what to choose from by measuring; nil is DefaultPlans. One alone is
	// taken, after as many trials.
	Plans []Plan
	// Trial is about how long to measure A against A; 0 is a twelfth of MaxTime, at least
	// two seconds if MaxTime is.
	Trial time.Duration
	Seed  uint64 // of the order of the rounds

	// Identity is written to the journal: what is compared. A run can go on only from a
	// journal of the same.
	Identity string
	Journal  io.Writer // takes each pair; nil: none
	Resume   *Journal  // pairs of an earlier run; nil: none

	Progress func(Progress) // is called after each pair, from one goroutine; nil: not
}

// Progress is how far a run has come.
type Progress struct {
	Trying   bool // the plans
	Subject  string
	Pairs    int // of the subject
	Done, Of int // subjects
	// Ratio, Low and High of the subject's unit so far; NaN and infinite while unknown.
	Ratio, Low, High float64
	Elapsed          time.Duration
	Left             time.Duration // about, for all subjects; less than 0 is not known
}

// ErrNoSubjects is Run's error when there is nothing to compare.
var ErrNoSubjects = errors.New("nothing to compare")

// Bounds of what Run keeps.
const (
	maxPairs = 20_000 // of one subject
	maxUnits = 64     // of one subject
)

// DefaultPlans are what can be tried with this many processors to pin to. Rounds are as
// short as suits each subject: what differs between processes is the same for a round of 20
// ms and one of 200, so many short ones tell more.
func DefaultPlans(processors int) []Plan {
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
			return o, fmt.Errorf("%s: %v is not between 0 and %v", f.name, *f.value, f.below)
		}
	}
	if o.MaxTime == 0 {
		o.MaxTime = time.Minute
	}
	if o.Trial == 0 {
		o.Trial = min(max(o.MaxTime/12, 2*time.Second), o.MaxTime)
	}
	if o.MaxTime < 0 || o.Trial < 0 {
		return o, errors.New("max time: is negative")
	}
	if o.Unit == "" {
		o.Unit = "sec/op"
	}
	for _, p := range o.Plans {
		if p.Length <= 0 || p.Together && !p.Pinned {
			return o, fmt.Errorf("plan %v: rounds have no length, or are at once without being pinned", p)
		}
	}
	return o, nil
}

// logPrecision is the precision as half the width of the log ratio's interval.
func (o *Options) logPrecision() float64 { return math.Log1p(o.Precision) }
