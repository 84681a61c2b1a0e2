package compare

import (
	"errors"
	"fmt"
	"math"

	"github.com/whet-go/whet/load"
)

// Schema names the JSON form of [Comparison].
const Schema = "whet.load-compare/2"

// Minimum data for an interval.
const (
	MinRuns    = 3  // runs per side
	MinSeconds = 10 // seconds per side
)

// Confidence is the confidence level of the intervals.
const Confidence = 0.95

// A Comparison compares B with A.
type Comparison struct {
	Schema string `json:"schema"` // always [Schema]
	A      Side   `json:"a"`
	B      Side   `json:"b"`
	// Confidence is always [Confidence].
	Confidence float64 `json:"confidence"`
	Rows       []Row   `json:"rows"`
	// Targets compares the targets that all runs have, in the order of A's first run; nil when
	// there is only one. Their metrics are those of [TargetMetrics].
	Targets []Part `json:"targets,omitempty"`
	// Phases compares the phases that all runs have. Their metrics are those of [PhaseMetrics].
	Phases []Part `json:"phases,omitempty"`
	// Warnings are reasons why A and B are not comparable, or not trustworthy.
	Warnings load.Warnings `json:"warnings,omitempty"`
	// Notes explain where the intervals come from and what they do not cover.
	Notes []string `json:"notes,omitempty"`
}

// An Input is the runs of one side.
type Input struct {
	Name string // such as the file name; "" means unnamed
	Runs []*load.Result
}

// A Side describes the runs of one side.
type Side struct {
	Name    string   `json:"name,omitempty"`
	Runs    int      `json:"runs"`
	Seconds int      `json:"seconds"` // over all runs, without slices shorter than half a second
	Targets []string `json:"targets"` // of the first run
}

// A Row compares one metric.
type Row struct {
	Metric Metric `json:"metric"`
	// A and B are the values of the whole run; for several runs, their geometric mean (the plain
	// mean for shares, and when one is 0).
	A Value `json:"a"`
	B Value `json:"b"`
	// Unknown is why a side lacks the metric; the other fields are then meaningless. "" otherwise.
	Unknown string `json:"unknown,omitempty"`
	// Change is B/A - 1: 0.1 for 10% more; nil when A is 0.
	Change *float64 `json:"change,omitempty"`
	// Interval is the confidence interval of the change; nil when the data do not yield one.
	Interval *Interval `json:"interval,omitempty"`
	Verdict  Verdict   `json:"verdict"`
	// Note is why there is no interval, or qualifies the row; may be empty.
	Note string `json:"note,omitempty"`
}

// A Verdict is what an interval shows.
type Verdict string

// The verdicts.
const (
	Better  Verdict = "better"  // B is better, and the interval excludes no change
	Worse   Verdict = "worse"   // B is worse, and the interval excludes no change
	Same    Verdict = "same"    // the interval includes no change
	Unknown Verdict = "unknown" // there is no interval
)

// A Basis is the kind of data behind an interval.
type Basis string

// The bases.
const (
	Runs    Basis = "runs"
	Seconds Basis = "seconds"
)

// A Scale is the quantity that an interval covers.
type Scale string

// The scales.
const (
	Ratio      Scale = "ratio"      // B over A; 1 is no change
	Difference Scale = "difference" // B minus A; 0 is no change; for shares, which are often 0
)

// An Interval is a confidence interval.
type Interval struct {
	Basis    Basis   `json:"basis"`
	Scale    Scale   `json:"scale"`
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	// ExcludesNoChange reports whether no change lies outside the interval.
	ExcludesNoChange bool `json:"excludes_no_change"`
	// Blocks are the bootstrap's block lengths in seconds, for A and B; only for [Seconds].
	Blocks *[2]int `json:"blocks,omitempty"`
}

// Metrics returns the metrics that are compared, in the order of the rows.
func Metrics() []Metric {
	return []Metric{
		Rate, Mean, P50, P75, P90, P95, P99, P999, Max,
		Errors, GeneratorCPU, TargetCPU,
	}
}

// Compare compares the runs of inputB with those of inputA. It returns an error if a side has no
// result, or a result does not have the schema [load.Schema].
func Compare(inputA, inputB Input) (*Comparison, error) {
	a, b := inputA.Runs, inputB.Runs
	for i, runs := range [][]*load.Result{a, b} {
		name := [...]string{"A", "B"}[i]
		if len(runs) == 0 {
			return nil, &load.Error{
				Op: "compare", Subject: name, Err: errors.New("no result given"),
				Hint: "give one result per side, or better three",
			}
		}
		for _, r := range runs {
			if r == nil || r.Schema != load.Schema {
				return nil, &load.Error{Op: "compare", Subject: name, Err: fmt.Errorf("not a load result (want schema %s)",
					load.Schema), Hint: "give a file written by whet load --json"}
			}
		}
	}
	c := &Comparison{Schema: Schema, A: side(inputA), B: side(inputB), Confidence: Confidence, Warnings: warnings(a, b)}
	basis := Seconds
	if len(a) >= MinRuns && len(b) >= MinRuns {
		basis = Runs
	}
	for _, m := range Metrics() {
		c.Rows = append(c.Rows, row(m, basis, a, b))
	}
	var notes []string
	c.Targets, notes = targets(basis, a, b)
	c.Phases = phases(basis, a, b)
	switch {
	case basis == Runs:
		c.Notes = append(c.Notes, fmt.Sprintf("intervals come from %d runs of A and %d of B", len(a), len(b)))
	case min(c.A.Seconds, c.B.Seconds) >= MinSeconds:
		c.Notes = append(c.Notes, fmt.Sprintf("intervals come from the seconds within the runs, and do not include "+
			"differences between runs; %d runs per side do", MinRuns))
	default:
		c.Notes = append(c.Notes, fmt.Sprintf("no intervals: they need %d runs per side, or %d seconds", MinRuns, MinSeconds))
	}
	c.Notes = append(c.Notes, notes...)
	return c, nil
}

func side(in Input) Side {
	s := Side{Name: in.Name, Runs: len(in.Runs), Targets: in.Runs[0].Targets}
	for _, r := range in.Runs {
		s.Seconds += len(wholeSeconds(r))
	}
	return s
}

// wholeSeconds drops short slices, such as the last one of a run.
func wholeSeconds(r *load.Result) []load.Second {
	var out []load.Second
	for _, s := range r.Seconds {
		if s.Elapsed.Seconds() >= 0.5 {
			out = append(out, s)
		}
	}
	return out
}

func row(m Metric, basis Basis, a, b []*load.Result) Row {
	w := Row{Metric: m, A: Value{Unit: m.Unit()}, B: Value{Unit: m.Unit()}, Verdict: Unknown}
	as, errA := values(m, a)
	bs, errB := values(m, b)
	switch {
	case errA != nil:
		w.Unknown = "A: " + errA.Error()
		return w
	case errB != nil:
		w.Unknown = "B: " + errB.Error()
		return w
	}
	w.A.Amount, w.B.Amount = center(m, as), center(m, bs)
	if w.A.Amount != 0 {
		change := w.B.Amount/w.A.Amount - 1
		w.Change = &change
	}
	switch basis {
	case Runs:
		w.Interval, w.Note = fromRuns(m, as, bs)
	case Seconds:
		w.Interval, w.Note = fromSeconds(m, a, b)
	default:
		w.Note = "no interval: " + notInSeconds()
	}
	if i := w.Interval; i != nil {
		switch none := i.noChange(); {
		case !i.ExcludesNoChange:
			w.Verdict = Same
		case i.Low > none == m.HigherIsBetter():
			w.Verdict = Better
		default:
			w.Verdict = Worse
		}
	}
	if m == Rate && w.Note == "" && a[0].Open != nil && b[0].Open != nil {
		w.Note = "the open model sends at a given rate; this is the rate achieved"
	}
	return w
}

// values returns m of each run.
func values(m Metric, runs []*load.Result) ([]float64, error) {
	var out []float64
	for i, r := range runs {
		v, err := Measure(r, m)
		if err != nil && len(runs) > 1 {
			err = fmt.Errorf("run %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v.Amount)
	}
	return out, nil
}

// scale returns the scale on which m is compared.
func scale(m Metric) Scale {
	if m.Unit() == Share {
		return Difference
	}
	return Ratio
}

// center returns the geometric mean, or the plain mean for shares and when a value is 0.
func center(m Metric, values []float64) float64 {
	if logs, ok := logarithms(values); ok && scale(m) == Ratio && len(values) > 1 {
		return math.Exp(mean(logs))
	}
	return mean(values)
}

// logarithms returns the logarithms of values, which must be positive.
func logarithms(values []float64) ([]float64, bool) {
	out := make([]float64, len(values))
	for i, v := range values {
		if !(v > 0) {
			return nil, false
		}
		out[i] = math.Log(v)
	}
	return out, true
}

// interval returns the interval around estimate, which is B - A, of logarithms for [Ratio], with
// the given half width.
func interval(s Scale, basis Basis, estimate, half float64) *Interval {
	i := &Interval{Basis: basis, Scale: s, Estimate: estimate, Low: estimate - half, High: estimate + half}
	if s == Ratio {
		i.Estimate, i.Low, i.High = math.Exp(i.Estimate), math.Exp(i.Low), math.Exp(i.High)
	}
	for _, x := range []float64{i.Estimate, i.Low, i.High} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	none := i.noChange()
	i.ExcludesNoChange = i.Low > none || i.High < none
	return i
}

// noChange returns the value that means no change.
func (i *Interval) noChange() float64 {
	if i.Scale == Ratio {
		return 1
	}
	return 0
}

// fromRuns returns Welch's interval over the runs.
func fromRuns(m Metric, as, bs []float64) (*Interval, string) {
	if scale(m) == Ratio {
		la, okA := logarithms(as)
		lb, okB := logarithms(bs)
		if !okA || !okB {
			return nil, "no interval: a run has the value 0"
		}
		as, bs = la, lb
	}
	half := halfWidth(
		estimate{variance(as) / float64(len(as)), float64(len(as) - 1)},
		estimate{variance(bs) / float64(len(bs)), float64(len(bs) - 1)},
	)
	if i := interval(scale(m), Runs, mean(bs)-mean(as), half); i != nil {
		return i, ""
	}
	return nil, "no interval: the runs differ too much"
}

// fromSeconds returns the bootstrap interval over the seconds.
func fromSeconds(m Metric, a, b []*load.Result) (*Interval, string) {
	sa, why := newSeries(m, a)
	if why == "" {
		var sb *series
		if sb, why = newSeries(m, b); why == "" {
			ea, eb := sa.bootstrap(), sb.bootstrap()
			if i := interval(scale(m), Seconds, sb.statistic()-sa.statistic(), halfWidth(ea, eb)); i != nil {
				i.Blocks = &[2]int{sa.block, sb.block}
				return i, ""
			}
			why = "the seconds differ too much"
		}
	}
	return nil, "no interval: " + why
}
