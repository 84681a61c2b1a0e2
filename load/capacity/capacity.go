package capacity

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/compare"
)

// Schema names the JSON form of [Result].
const Schema = "whet.capacity/2"

// Defaults for zero fields of [Options], and bounds.
const (
	DefaultStep      = 5 * time.Second
	DefaultWarmup    = time.Second
	DefaultPrecision = 0.05

	// MaxSteps bounds the number of runs of a search.
	MaxSteps = 80

	lowestRate  = 1.0 // per second; no lower rate is tried
	highestRate = 1e8
)

// Options configure Search. Load's target and SLO are required.
type Options struct {
	// Load is what is sent. Its Rate, RampTo, Ramp, Requests and Duration must be 0:
	// the search sets them; its Arrivals are kept. Its Warmup comes before each step; 0 means
	// [DefaultWarmup].
	Load load.Options
	// SLO are the objectives to meet; the rate cannot be one of them.
	SLO compare.Objectives
	// Min is the first rate to try, per second; no lower rate is tried. 0 means half the rate of a
	// run in the closed model, and lower rates down to one per second if necessary.
	Min float64
	// Max is the highest rate to try. 0 means no limit.
	Max float64
	// Step is the length of the measured part of each run; 0 means [DefaultStep].
	Step time.Duration
	// Precision is the largest relative difference between the two ends of the final bracket: 0.05
	// for 5%; 0 means [DefaultPrecision].
	Precision float64
	// Progress, if set, is called after each step.
	Progress func(Progress)
}

// Progress is the state of a search after a step.
type Progress struct {
	Step Step
	// Low is the highest rate held so far, High the lowest not held; 0 means none yet.
	Low, High float64
	// Remaining is an estimate of the remaining time; 0 during the climb, when it is unknown.
	Remaining time.Duration
}

// A Result is what a search found. In JSON, durations are integers of nanoseconds, in keys that end
// in _ns.
type Result struct {
	Schema  string             `json:"schema"` // always [Schema]
	Targets []string           `json:"targets"`
	SLO     compare.Objectives `json:"slo"`
	// Connections, Protocol and Engine are those of the runs.
	Connections int           `json:"connections"`
	Protocol    load.Protocol `json:"protocol"`
	Engine      load.Engine   `json:"engine"`
	Precision   float64       `json:"precision"` // the requested precision
	Started     time.Time     `json:"started"`
	Elapsed     time.Duration `json:"elapsed_ns"`

	// Rate is the capacity: the highest rate, per second, held in two of at most three runs or,
	// unless Confirmed, in the runs there were. 0 means none.
	Rate float64 `json:"rate"`
	// High is the lowest rate that was not held: the capacity lies between Rate and High. 0 means
	// none is known.
	High float64 `json:"high,omitempty"`
	// Confirmed reports whether both ends were repeated and are within the precision.
	Confirmed bool `json:"confirmed"`
	// Limit is what limits the rate.
	Limit Limit `json:"limit"`
	// Why explains Limit in words.
	Why string `json:"why"`
	// Interrupted reports whether the caller's context ended the search.
	Interrupted bool `json:"interrupted"`
	// Warnings are reasons to distrust Rate.
	Warnings load.Warnings `json:"warnings,omitempty"`
	// Knee is where latency begins to rise faster than the rate; nil with fewer than
	// three rates.
	Knee *Knee `json:"knee,omitempty"`
	// Steps are all runs in order.
	Steps []Step `json:"steps"`
}

// A Limit is what prevents a higher rate.
type Limit string

// The limits.
const (
	// LimitServer: at High the server missed the objectives.
	LimitServer Limit = "server"
	// LimitConnections: at High all connections were busy and requests waited for them, while the
	// server was hardly slower than at low rates; more connections may raise the rate.
	LimitConnections Limit = "connections"
	// LimitGenerator: at High the generator could not send the load: the server's
	// capacity is Rate or more.
	LimitGenerator Limit = "generator"
	// LimitMax: the highest rate allowed met the objectives.
	LimitMax Limit = "max"
	// LimitUnknown: the search ended early.
	LimitUnknown Limit = "unknown"
)

// Kinds of steps.
const (
	Probe   = "probe"   // the closed model
	Climb   = "climb"   // upwards, or downwards when the first rate was too high
	Bisect  = "bisect"  // between a rate that was held and one that was not
	Confirm = "confirm" // a rate again
)

// A Verdict is what a step showed.
type Verdict string

// The verdicts.
const (
	Held        Verdict = "held"        // objectives met, load sent
	Missed      Verdict = "missed"      // objectives missed by the server
	Busy        Verdict = "connections" // the load was not sent in time: no connection was free
	Generator   Verdict = "generator"   // missed, possibly because of the generator
	Interrupted Verdict = "interrupted" // cut off; does not count
	Measured    Verdict = "measured"    // a probe
)

// A Step is one run.
type Step struct {
	Kind string `json:"kind"`
	// Requested is the requested rate, per second; 0 for a probe.
	Requested float64 `json:"asked"`
	// Achieved is the number of finished requests per second.
	Achieved float64 `json:"achieved"`
	// Run counts the runs at this rate, from 1.
	Run     int     `json:"run"`
	Verdict Verdict `json:"verdict"`
	// Why explains why the step was not held; "" when it was.
	Why       string            `json:"why,omitempty"`
	Outcomes  []compare.Outcome `json:"outcomes,omitempty"`
	Requests  int64             `json:"requests"`
	Responses int64             `json:"responses"`
	// Errors is the share of requests that failed or got a status of 400 or above.
	Errors float64 `json:"errors"`
	// Latency has no histogram.
	Latency   load.Latency    `json:"latency"`
	SendDelay *load.SendDelay `json:"send,omitempty"`
	Warnings  load.Warnings   `json:"warnings,omitempty"` // of the run
}

// A Knee is the point on the curve of latency over rate beyond which latency rises faster than the
// rate.
type Knee struct {
	Rate    float64        `json:"rate"`   // requested, per second
	Metric  compare.Metric `json:"metric"` // of the latency
	Latency time.Duration  `json:"latency_ns"`
}

const example = "p99<50ms,errors<0.1%"

func (o Options) withDefaults() (Options, error) {
	bad := func(subject string, err error, hint string) (Options, error) {
		return o, &load.Error{Op: "search for", Subject: "capacity", Err: fmt.Errorf("%s: %w", subject, err), Hint: hint}
	}
	if o.Step == 0 {
		o.Step = DefaultStep
	}
	if o.Load.Warmup == 0 {
		o.Load.Warmup = DefaultWarmup
	}
	if o.Precision == 0 {
		o.Precision = DefaultPrecision
	}
	l := o.Load
	switch {
	case len(o.SLO) == 0:
		return bad("objectives", errors.New("none given"), "give objectives such as "+example)
	case slices.ContainsFunc(o.SLO, func(o compare.Objective) bool { return o.Metric == compare.Rate }):
		return bad("objectives", errors.New("the search is for the rate"), "give objectives such as "+example)
	case slices.ContainsFunc(o.SLO, func(o compare.Objective) bool { return o.Target != "" }):
		return bad("objectives", errors.New("per-target objectives are not supported"),
			"the search is for the rate of all targets together: omit the target's name")
	case l.Rate != 0 || l.RampTo != 0 || l.Ramp != 0 || l.Requests != 0 || l.Duration != 0:
		return bad("options", errors.New("the search sets rate, number of requests and duration"),
			"set the lowest and highest rate and the length of a step instead")
	case !(o.Min >= 0 && o.Min <= highestRate) || !(o.Max >= 0 && o.Max <= highestRate):
		return bad("rate", fmt.Errorf("%g and %g are not rates", o.Min, o.Max),
			fmt.Sprintf("give rates from 0 to %g", highestRate))
	case o.Max > 0 && o.Min > o.Max:
		return bad("rate", fmt.Errorf("the lowest, %g, is above the highest, %g", o.Min, o.Max), "exchange them")
	case o.Step < 0:
		return bad("step", fmt.Errorf("%v is negative", o.Step), "give a positive length")
	case !(o.Precision >= 0.001 && o.Precision <= 1):
		return bad("precision", fmt.Errorf("%g is not between 0.001 and 1", o.Precision), "give a share such as 0.05")
	}
	return o, nil
}

// latencyMetric returns the first latency among the objectives, or p99.
func latencyMetric(objectives compare.Objectives) compare.Metric {
	for _, o := range objectives {
		m := o.Metric
		if m.Unit() == compare.Nanoseconds && m != compare.TargetCPU && m != compare.GeneratorCPU {
			return m
		}
	}
	return compare.P99
}

// point is a rate with the latency there.
type point struct{ rate, latency float64 }

// knee finds the point of a rising convex curve that lies farthest below the straight line between
// its ends (Satopää, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, ICDCS workshops
// 2011). The points are in order of their rates. It returns -1 with fewer than three points, and
// when no point is below the line.
func knee(points []point) int {
	if len(points) < 3 {
		return -1
	}
	first, last := points[0], points[len(points)-1]
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = min(low, p.latency), max(high, p.latency)
	}
	best, at := 0.0, -1
	for i, p := range points {
		d := (p.rate-first.rate)/(last.rate-first.rate) - (p.latency-low)/(high-low)
		if d > best { // false for the NaN of a flat curve
			best, at = d, i
		}
	}
	return at
}
