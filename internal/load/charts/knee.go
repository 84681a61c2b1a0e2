package charts

import (
	"cmp"
	"slices"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/load/compare"
)

// A Knee is the latency at each rate tried.
type Knee struct {
	// Metric is the latency that is drawn: "p99".
	Metric string `json:"metric"`
	// Limit is the objective's limit for it; 0 if the objective is on something else.
	Limit time.Duration `json:"limit_ns"`
	// Capacity is the highest rate that held; 0 if none did.
	Capacity float64     `json:"capacity"`
	Points   []KneePoint `json:"points"` // ordered by rate
}

// A KneePoint is one run of the search.
type KneePoint struct {
	Rate  float64       `json:"rate"`     // requested
	Value time.Duration `json:"value_ns"` // of the metric; 0 without answers
	Held  bool          `json:"held"`
}

// NewKnee returns the latency of each run of a search by rate, without probes and runs that were
// cut off.
func NewKnee(r *capacity.Result) *Knee {
	k := &Knee{Metric: string(compare.P99), Capacity: r.Rate, Points: []KneePoint{}}
	for _, o := range r.SLO {
		if o.Metric.Unit() == compare.Nanoseconds && o.Metric != compare.TargetCPU &&
			o.Metric != compare.GeneratorCPU {
			k.Metric = string(o.Metric)
			k.Limit = o.Limit.Duration()
			break
		}
	}
	for _, step := range r.Steps {
		if step.Verdict == capacity.Measured || step.Verdict == capacity.Interrupted {
			continue
		}
		k.Points = append(k.Points, KneePoint{
			Rate: step.Requested, Value: stepLatency(step, compare.Metric(k.Metric)),
			Held: step.Verdict == capacity.Held,
		})
	}
	slices.SortStableFunc(k.Points, func(a, b KneePoint) int { return cmp.Compare(a.Rate, b.Rate) })
	return k
}

// stepLatency returns a step's value of a metric: from its outcomes, which have percentiles that
// Latency has no field for, else from its latencies.
func stepLatency(step capacity.Step, m compare.Metric) time.Duration {
	for _, o := range step.Outcomes {
		if o.Objective.Metric == m {
			return o.Actual.Duration()
		}
	}
	if v, err := compare.Measure(&load.Result{Latency: step.Latency, Responses: step.Responses}, m); err == nil {
		return v.Duration()
	}
	return 0
}
