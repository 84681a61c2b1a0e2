package compare

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

// A Metric is a quantity that a result contains. Besides the constants, "p" and a number above 0
// and below 100 is the percentile of that rank: "p97", "p99.95".
type Metric string

// The metrics.
const (
	Min  Metric = "min"  // shortest latency
	Mean Metric = "mean" // mean latency
	P50  Metric = "p50"  // median latency
	P75  Metric = "p75"
	P90  Metric = "p90"
	P95  Metric = "p95"
	P99  Metric = "p99"
	P999 Metric = "p99.9"
	// P9999 is exceeded by one answer in ten thousand.
	P9999 Metric = "p99.99"
	Max   Metric = "max" // longest latency
	// Errors is the share of requests that failed or got a status of 400 or above.
	Errors Metric = "errors"
	// Status5xx is the share of requests that got a status of 500 or above.
	Status5xx Metric = "status5xx"
	// Timeouts is the share of requests without a complete answer in time.
	Timeouts Metric = "timeouts"
	// Rate is the number of complete answers per second.
	Rate Metric = "rate"
	// TargetCPU is the target's CPU time per request.
	TargetCPU Metric = "cpu/req"
	// GeneratorCPU is the generator's CPU time per request.
	GeneratorCPU Metric = "generator-cpu/req"
)

// A Unit is the unit of a value.
type Unit string

// The units.
const (
	Nanoseconds Unit = "ns"
	Share       Unit = "share" // from 0 to 1
	PerSecond   Unit = "per_second"
)

// Unit returns the unit of m's values.
func (m Metric) Unit() Unit {
	switch m {
	case Errors, Status5xx, Timeouts:
		return Share
	case Rate:
		return PerSecond
	default:
		return Nanoseconds
	}
}

// HigherIsBetter reports whether larger values of m are better.
func (m Metric) HigherIsBetter() bool { return m == Rate }

// Percentile returns the rank of m, between 0 and 100, if m is a percentile.
func (m Metric) Percentile() (float64, bool) {
	digits, ok := strings.CutPrefix(string(m), "p")
	if !ok || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	p, err := strconv.ParseFloat(digits, 64)
	return p, err == nil && p > 0 && p < 100
}

// A Value is a number with its unit.
type Value struct {
	Amount float64 `json:"amount"`
	Unit   Unit    `json:"unit"`
}

// Duration returns the value of a metric in [Nanoseconds].
func (v Value) Duration() time.Duration { return time.Duration(v.Amount) }

// String formats v: "12.50ms", "0.10%", "1500/s".
func (v Value) String() string {
	switch v.Unit {
	case Nanoseconds:
		return unit.Duration(v.Duration())
	case Share:
		return unit.FormatPercent(v.Amount * 100)
	default:
		return strconv.FormatFloat(v.Amount, 'f', decimals(v.Amount), 64) + "/s"
	}
}

// decimals returns the number of decimals for a rate.
func decimals(rate float64) int {
	if rate < 100 {
		return 1
	}
	return 0
}

// An Op compares a measured value with a limit.
type Op string

// The comparisons.
const (
	Below   Op = "<"
	AtMost  Op = "<="
	Above   Op = ">"
	AtLeast Op = ">="
)

func (op Op) holds(value, limit float64) bool {
	switch op {
	case Below:
		return value < limit
	case AtMost:
		return value <= limit
	case Above:
		return value > limit
	default:
		return value >= limit
	}
}

// An Objective is a limit on a metric.
type Objective struct {
	Metric Metric `json:"metric"`
	Op     Op     `json:"op"`
	Limit  Value  `json:"limit"`
	// Target is the target whose metric is limited: its name, its address or the path of its
	// address; empty means all targets together.
	Target string `json:"target,omitempty"`
}

// String formats o as [ParseObjectives] accepts it.
func (o Objective) String() string {
	limit := strconv.FormatFloat(o.Limit.Amount, 'g', -1, 64)
	if o.Limit.Unit == Nanoseconds {
		limit = o.Limit.Duration().String()
	}
	text := string(o.Metric) + string(o.Op) + limit
	if o.Target != "" {
		text = o.Target + ": " + text
	}
	return text
}

// Objectives are limits that must all be met.
type Objectives []Objective

// String formats the objectives as [ParseObjectives] accepts them.
func (os Objectives) String() string {
	texts := make([]string, len(os))
	for i, o := range os {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

// ExampleObjectives is a list of objectives for help texts.
const ExampleObjectives = "p99<50ms,errors<0.1%,rate>1000"

// metricsHelp lists the metrics for hints.
const metricsHelp = "metrics: min, mean, p50, p75, p90, p95, p99, p99.9, p99.99 or any other percentile, max, " +
	"cpu/req, generator-cpu/req (durations); errors, status5xx, timeouts (shares, such as 0.1%); rate (a second); for " +
	"example " + ExampleObjectives +
	"; with NAME: before it, of one target, of which there are min, mean, max, the percentiles listed, shares and rate"

// ParseObjectives parses objectives separated by commas. Each has the form [TARGET:]METRIC OP
// LIMIT. OP is one of < <= > >=. LIMIT is a duration of at most 1000h in the syntax of
// [time.ParseDuration], a share ("0.1%" or "0.001") or a number per second ("1000" or "1000/s").
// Spaces around the parts are ignored. The error is a [*load.Error] whose hint lists the metrics.
func ParseObjectives(text string) (Objectives, error) {
	var out Objectives
	for part := range strings.SplitSeq(text, ",") {
		o, err := parse(strings.TrimSpace(part))
		if err != nil {
			return nil, &load.Error{
				Op: "parse objective", Subject: strconv.Quote(strings.TrimSpace(part)), Err: err,
				Hint: metricsHelp,
			}
		}
		out = append(out, o)
	}
	return out, nil
}

func parse(text string) (Objective, error) {
	if text == "" {
		return Objective{}, errors.New("is empty")
	}
	var o Objective
	if colon := strings.LastIndexByte(text, ':'); colon >= 0 {
		o.Target, text = strings.TrimSpace(text[:colon]), text[colon+1:]
		if o.Target == "" {
			return o, errors.New("no target before the colon")
		}
	}
	at := strings.IndexAny(text, "<>=")
	if at < 0 {
		return Objective{}, errors.New("missing comparison (want <, <=, > or >=)")
	}
	o.Op = Op(text[at : at+1])
	limit := text[at+1:]
	if rest, ok := strings.CutPrefix(limit, "="); ok {
		o.Op, limit = o.Op+"=", rest
	}
	switch o.Op {
	case Below, AtMost, Above, AtLeast:
	default:
		return o, fmt.Errorf("unknown comparison %q (want <, <=, > or >=)", string(o.Op))
	}
	var err error
	if o.Metric, err = parseMetric(strings.TrimSpace(text[:at])); err != nil {
		return o, err
	}
	if o.Target != "" && !ofTarget(o.Metric) {
		return o, fmt.Errorf("%s is not measured for each target", o.Metric)
	}
	o.Limit, err = parseLimit(strings.TrimSpace(limit), o.Metric.Unit())
	return o, err
}

// ofTarget reports whether m is measured for each target.
func ofTarget(m Metric) bool {
	if p, ok := m.Percentile(); ok {
		return slices.Contains(load.Percentiles(), p)
	}
	return m != TargetCPU && m != GeneratorCPU
}

func parseMetric(name string) (Metric, error) {
	m := Metric(strings.ToLower(name))
	switch m {
	case Min, Mean, Max, Errors, Status5xx, Timeouts, Rate, TargetCPU, GeneratorCPU:
		return m, nil
	default:
		if p, ok := m.Percentile(); ok {
			return Metric("p" + strconv.FormatFloat(p, 'f', -1, 64)), nil
		}
	}
	return "", fmt.Errorf("unknown metric %q (want one such as p99, errors or rate)", name)
}

// longest is the longest limit; a float64 represents every duration up to it exactly.
const longest = 1000 * time.Hour

func parseLimit(text string, u Unit) (Value, error) {
	v := Value{Unit: u}
	switch u {
	case Nanoseconds:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || d > longest {
			return v, fmt.Errorf("%q is not a duration such as 50ms", text)
		}
		v.Amount = float64(d)
	case Share:
		number, percent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if percent {
			x /= 100
		}
		// Not x < 0 || x > 1, because of NaN.
		if err != nil || !(x >= 0 && x <= 1) {
			return v, fmt.Errorf("%q is not a share such as 0.1%% or 0.001", text)
		}
		v.Amount = x
	default:
		x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "/s")), 64)
		if err != nil || !(x >= 0 && x <= 1e12) {
			return v, fmt.Errorf("%q is not a number a second such as 1000", text)
		}
		v.Amount = x
	}
	return v, nil
}
