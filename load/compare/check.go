package compare

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/load"
)

// An Outcome reports whether a result meets an objective.
type Outcome struct {
	Objective Objective `json:"objective"`
	// Actual is the measured value; meaningless when Unknown is set.
	Actual Value `json:"actual"`
	// Unknown is why the result lacks the metric; "" otherwise.
	Unknown string `json:"unknown,omitempty"`
	// Held is false when Unknown is set.
	Held bool `json:"held"`
}

// String formats o: "p99<50ms held: 12.50ms", "p99<50ms missed: 71ms".
func (o Outcome) String() string {
	switch {
	case o.Unknown != "":
		return o.Objective.String() + " missed: " + o.Unknown
	case o.Held:
		return o.Objective.String() + " held: " + o.Actual.String()
	default:
		return o.Objective.String() + " missed: " + o.Actual.String()
	}
}

// Check compares r with each objective, in order.
func (os Objectives) Check(r *load.Result) []Outcome {
	out := make([]Outcome, len(os))
	for i, o := range os {
		v, err := o.measure(r)
		out[i] = Outcome{Objective: o, Actual: v}
		if err != nil {
			out[i].Unknown = err.Error()
		} else {
			out[i].Held = o.Op.holds(v.Amount, o.Limit.Amount)
		}
	}
	return out
}

// measure returns the value that o limits.
func (o Objective) measure(r *load.Result) (Value, error) {
	if o.Target == "" {
		return Measure(r, o.Metric)
	}
	row, err := o.row(r.PerTarget)
	if err != nil {
		return Value{Unit: o.Metric.Unit()}, err
	}
	return Measure(&load.Result{
		Requests: row.Requests, Responses: row.Responses, Errors: row.Errors, Status: row.Status, Rate: row.Rate,
		Latency: row.Latency,
	}, o.Metric)
}

// row returns the row of a table of targets that o is about.
func (o Objective) row(rows []load.TargetResult) (*load.TargetResult, error) {
	var found *load.TargetResult
	for i := range rows {
		switch {
		case !rows[i].Matches(o.Target):
		case found != nil:
			return nil, errors.New("several targets have this name")
		default:
			found = &rows[i]
		}
	}
	if found == nil {
		return nil, errors.New("no target has this name")
	}
	return found, nil
}

// CheckTargets returns an error for an objective about a target that matches none or several of the
// rows, as returned by [load.Options.Rows].
func (os Objectives) CheckTargets(rows []load.TargetResult) error {
	const most = 10
	for _, o := range os {
		if o.Target == "" {
			continue
		}
		hint := "there is one target: omit the name"
		_, err := o.row(rows)
		switch {
		case len(rows) < 2:
			err = errors.New("there is only one target")
		case err == nil:
			continue
		default:
			labels := make([]string, 0, most)
			for _, row := range rows[:min(len(rows), most)] {
				labels = append(labels, row.Label())
			}
			if len(rows) > most {
				labels = append(labels, "…")
			}
			hint = "the targets are " + strings.Join(labels, ", ") +
				"; to name one, put a line before it in its file: # name: " + cmp.Or(strings.Trim(o.Target, "/"), "home")
		}
		return &load.Error{Op: "objective", Subject: strconv.Quote(o.String()), Err: err, Hint: hint}
	}
	return nil
}

// Held reports whether all outcomes are held; it returns true if there are none.
func Held(outcomes []Outcome) bool {
	for _, o := range outcomes {
		if !o.Held {
			return false
		}
	}
	return true
}

var (
	errNoAnswers  = errors.New("there were no answers")
	errNoRequests = errors.New("no request finished")
	errNoCPU      = errors.New("its CPU time is unknown")
)

// Measure returns the value of m in r. Latencies are over the complete answers; shares are of all
// finished requests. It returns an error if r lacks m: a latency without answers, a share without
// requests, unknown CPU time, or a percentile that is neither listed nor in a histogram.
func Measure(r *load.Result, m Metric) (Value, error) {
	v := Value{Unit: m.Unit()}
	var err error
	switch m.Unit() {
	case PerSecond:
		v.Amount = r.Rate
	case Share:
		if r.Requests <= 0 {
			return v, errNoRequests
		}
		v.Amount = float64(count(r, m)) / float64(r.Requests)
	default:
		var d time.Duration
		d, err = duration(r, m)
		v.Amount = float64(d)
	}
	return v, err
}

// count returns the number of requests of which m is the share.
func count(r *load.Result, m Metric) int64 {
	switch m {
	case Timeouts:
		return r.Errors.Timeout
	case Status5xx:
		var n int64
		for code, c := range r.Status {
			if code >= 500 {
				n += c
			}
		}
		return n
	default:
		return r.Errors.Total() + r.Failed()
	}
}

func duration(r *load.Result, m Metric) (time.Duration, error) {
	if m == TargetCPU {
		if r.TargetCPU == nil || r.Requests <= 0 {
			return 0, errNoCPU
		}
		return r.TargetCPU.PerRequest, nil
	}
	if m == GeneratorCPU {
		if r.CPU == nil || r.Requests <= 0 {
			return 0, errNoCPU
		}
		return r.CPU.PerRequest, nil
	}
	if r.Responses <= 0 {
		return 0, errNoAnswers
	}
	l := &r.Latency
	switch m {
	case Min:
		return l.Min, nil
	case Mean:
		return l.Mean, nil
	case P50:
		return l.P50, nil
	case P75:
		return l.P75, nil
	case P90:
		return l.P90, nil
	case P95:
		return l.P95, nil
	case P99:
		return l.P99, nil
	case P999:
		return l.P999, nil
	case P9999:
		return l.P9999, nil
	case Max:
		return l.Max, nil
	default:
		return percentile(l, m)
	}
}

// percentile reads the percentile m from the histogram.
func percentile(l *load.Latency, m Metric) (time.Duration, error) {
	p, ok := m.Percentile()
	if !ok {
		return 0, fmt.Errorf("metric %q is not a percentile", string(m))
	}
	if l.HDR == "" {
		return 0, errors.New("the result has no histogram")
	}
	h, err := hdrhistogram.Decode([]byte(l.HDR))
	if err != nil {
		return 0, fmt.Errorf("decode latency histogram: %w", err)
	}
	if h.TotalCount() == 0 {
		return 0, errNoAnswers
	}
	// A bucket reports its upper edge, which may lie above the largest value.
	return min(time.Duration(h.ValueAtQuantile(p)), l.Max), nil
}

// Missed describes the outcomes that are not held; "" if all are.
func Missed(outcomes []Outcome) string {
	var missed []string
	for _, o := range outcomes {
		if !o.Held {
			missed = append(missed, o.String())
		}
	}
	return strings.Join(missed, "; ")
}
