package work

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// A Source is where requests were counted.
type Source string

// The sources.
const (
	Load  Source = "load"  // the result of the load that whet record sent
	Trace Source = "trace" // the execution trace
)

// A Count is the work that a target did in the window of a profile.
type Count struct {
	Source   Source        `json:"source"`
	Requests float64       `json:"requests"`
	Window   time.Duration `json:"window_ns"`
	// Counted is the part of the window in which requests were counted. If it is shorter than
	// Window, Requests is an estimate for all of Window.
	Counted time.Duration `json:"counted_ns"`
	// CPU is the CPU time of a request by the clock of the target's process; 0 when
	// it is not known.
	CPU time.Duration `json:"cpu_per_request_ns,omitempty"`

	// Others is the share of the machine's CPUs that programs other than the target and the load
	// used; 0 if it is not known.
	Others float64 `json:"others_cpu_share,omitempty"`
	// Drift is the relative standard deviation that is allowed for the machine's state,
	// which differs between recordings; 0 for those made at the same time.
	Drift float64 `json:"drift,omitempty"`

	from, to time.Time

	requests estimate // relative variance of Requests
	cpu      estimate // relative variance of CPU
	answers  map[string]int64
	targets  []string
	open     bool // the load was sent at a set rate
}

// An estimate is a variance with its degrees of freedom.
type estimate struct{ variance, freedom float64 }

// minSeconds is the minimum number of seconds for estimating how much a request's CPU time varies.
const minSeconds = 3

// ofLoad counts the requests of a load between two times.
func ofLoad(r *load.Result, from, to time.Time) (*Count, error) {
	c := &Count{
		Source: Load, Window: to.Sub(from), requests: estimate{0, math.Inf(1)},
		answers: answers(r), targets: r.Targets, open: r.Open != nil, from: from, to: to,
	}
	if r.Others != nil {
		c.Others = r.Others.Share
	}
	if r.Warmup > 0 && from.Before(r.Started.Add(-10*time.Millisecond)) && to.After(r.Started.Add(-r.Warmup)) {
		return nil, uncounted("the warm-up of the load, whose requests are not counted, lies within the profile",
			"record with a load without warm-up: `whet record --load URL`")
	}
	var cpu, n []float64 // of whole seconds
	for _, s := range r.Seconds {
		begin := r.Started.Add(s.Start)
		end := begin.Add(s.Elapsed)
		within := minTime(end, to).Sub(maxTime(begin, from))
		if within <= 0 || s.Elapsed <= 0 {
			continue
		}
		c.Counted += within
		share := within.Seconds() / s.Elapsed.Seconds()
		c.Requests += share * float64(s.Responses+s.Errors)
		if share > 0.9 && s.TargetCPU > 0 && s.Responses+s.Errors > 0 && s.Elapsed >= time.Second/2 {
			cpu, n = append(cpu, float64(s.TargetCPU)), append(n, float64(s.Responses+s.Errors))
		}
	}
	if c.Requests < 1 {
		return nil, uncounted("its load answered no request while the profile was taken", "")
	}
	if len(n) >= minSeconds {
		ratio, e := ratioOf(cpu, n)
		c.CPU, c.cpu = time.Duration(math.Round(ratio)), e
	}
	return c, nil
}

// ratioOf returns Σx/Σn with its relative variance, that of the linearized ratio
// estimator: Σ(x-rn)²·k/(k-1)/(Σx)² (Cochran, Sampling Techniques, 1977, section 6.4).
// The autocovariance of lag one is added, since neighboring residuals may be correlated.
func ratioOf(x, n []float64) (ratio float64, e estimate) {
	var sumX, sumN float64
	for i := range x {
		sumX, sumN = sumX+x[i], sumN+n[i]
	}
	ratio = sumX / sumN
	squares, products, last := 0.0, 0.0, 0.0
	for i := range x {
		d := x[i] - ratio*n[i]
		squares += d * d
		if i > 0 {
			products += d * last
		}
		last = d
	}
	k := float64(len(x))
	return ratio, estimate{(squares + 2*max(products, 0)) * k / (k - 1) / (sumX * sumX), k - 1}
}

// answers counts the answers of a load by status.
func answers(r *load.Result) map[string]int64 {
	m := make(map[string]int64)
	for code, n := range r.Status {
		m["status "+strconv.Itoa(code)] += n
	}
	if n := r.Errors.Total(); n > 0 {
		m["no complete answer"] = n
	}
	return m
}

// slices is the number of parts of a trace from which the variation of its request rate is
// estimated.
const slicesOfTrace = 10

// ofTrace counts the requests of a trace that lies within the window.
func ofTrace(x *index.Index, profiled time.Duration) (*Count, error) {
	length := x.Info.Duration
	if length <= 0 {
		return nil, uncounted("its trace is empty", "")
	}
	var counts [slicesOfTrace]float64
	r, err := requests.Find(x, requests.Options{Slowest: 1, Each: func(_ string, r *requests.Request) {
		counts[min(max(r.To*slicesOfTrace/length, 0), slicesOfTrace-1)]++
	}})
	if err != nil {
		return nil, err
	}
	if r.Count == 0 {
		return nil, uncounted("its trace has no complete request", "record with --load URL, or a longer --trace")
	}
	// Half of the requests cut by the ends of the trace are counted.
	seen := float64(r.Count) + float64(r.Open)/2
	mean, squares := float64(r.Count)/slicesOfTrace, 0.0
	for _, n := range counts {
		squares += (n - mean) * (n - mean)
	}
	scale := max(profiled.Seconds()/time.Duration(length).Seconds(), 1)
	// The slices are a sample of the window's: a relative variance of s²/(k m²), minus the share of
	// the window that was observed.
	variance := squares / (slicesOfTrace - 1) / slicesOfTrace / (mean * mean) * (1 - 1/scale)
	variance += float64(r.Open) / 4 / (seen * seen)
	return &Count{
		Source: Trace, Requests: seen * scale, Window: profiled, Counted: min(time.Duration(length), profiled),
		requests: estimate{variance, slicesOfTrace - 1},
	}, nil
}

// path returns the part of a target that identifies a request: the host may differ between
// recordings.
func path(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	return u.RequestURI()
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Rounded returns Requests, rounded.
func (c *Count) Rounded() int64 { return int64(math.Round(c.Requests)) }

// Estimated explains how Requests was extrapolated; "" if all of them were counted.
func (c *Count) Estimated() string {
	if c.Source != Trace || c.Counted >= c.Window {
		return ""
	}
	return fmt.Sprintf("estimated from the %v of the trace", c.Counted.Round(time.Millisecond))
}
