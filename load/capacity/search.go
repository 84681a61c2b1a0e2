package capacity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/unit"
)

// climb is the factor between rates before there is a bracket.
const climb = 2

// A Runner runs a load, as [load.Run] does.
type Runner func(context.Context, load.Options) (*load.Result, error)

// Search finds the highest rate that meets the objectives. If ctx is canceled, it returns what it
// has found so far, without an error. If a load cannot be run, it returns the error and what it has
// found so far; the Result is nil if that is nothing.
func Search(ctx context.Context, o Options, run Runner) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &search{Options: o, run: run, metric: latencyMetric(o.SLO), rates: map[float64]*votes{}}
	s.result = Result{Schema: Schema, SLO: o.SLO, Precision: o.Precision, Started: time.Now(), Limit: LimitUnknown}
	err = s.search(ctx)
	if len(s.result.Steps) == 0 {
		if err == nil {
			err = &load.Error{Op: "search for", Subject: "capacity", Err: context.Cause(ctx)}
		}
		return nil, err
	}
	s.finish()
	return &s.result, err
}

// votes are the runs at one rate.
type votes struct {
	held, missed int
	limits       []Limit // of each run that missed
	why          []string
	points       []float64 // latencies of the runs limited by the server
}

// limit returns what most of the missed runs show, and the reason of the first of them. On a tie it
// is not the server.
func (v *votes) limit() (Limit, string) {
	count := map[Limit]int{}
	for _, l := range v.limits {
		count[l]++
	}
	best := LimitServer
	for _, l := range []Limit{LimitConnections, LimitGenerator} {
		if count[l] > 0 && count[l] >= count[best] {
			best = l
		}
	}
	return best, v.why[slices.Index(v.limits, best)]
}

// verdict returns what the runs so far show; on a tie they show nothing.
func (v *votes) verdict() (held, known bool) {
	return v.held > v.missed, v.held != v.missed
}

// confirmed reports whether two runs agree.
func (v *votes) confirmed() bool { return v.held >= 2 || v.missed >= 2 }

// search is the state of a search.
type search struct {
	Options
	run    Runner
	metric compare.Metric
	rates  map[float64]*votes
	idle   time.Duration // least mean latency of the steps that were held; 0 means none yet
	result Result
	done   bool // both ends are confirmed, or nothing more can be tried
}

// errInterrupted ends the search without counting as an error.
var errInterrupted = errors.New("interrupted")

func (s *search) search(ctx context.Context) error {
	rate := s.Min
	if rate == 0 {
		probed, err := s.probe(ctx)
		if err != nil {
			return s.ended(err)
		}
		rate = max(probed/2, lowestRate)
	}
	if s.Max > 0 {
		rate = min(rate, s.Max)
	}
	kind := Climb
	for rate > 0 && len(s.result.Steps) < MaxSteps {
		if err := s.step(ctx, kind, rate); err != nil {
			return s.ended(err)
		}
		rate, kind = s.next()
	}
	s.done = rate == 0
	return nil
}

func (s *search) ended(err error) error {
	if errors.Is(err, errInterrupted) {
		s.result.Interrupted = true
		return nil
	}
	return err
}

// bracket returns the lowest rate that was not held, and the highest below it that was held; 0 when
// there is none.
func (s *search) bracket() (low, high float64) {
	for rate, v := range s.rates {
		if held, known := v.verdict(); known && !held && (high == 0 || rate < high) {
			high = rate
		}
	}
	for rate, v := range s.rates {
		if held, known := v.verdict(); known && held && rate > low && (high == 0 || rate < high) {
			low = rate
		}
	}
	return low, high
}

// next returns the rate to try next and the kind of step; 0 when there is none.
func (s *search) next() (rate float64, kind string) {
	for rate, v := range s.rates {
		if _, known := v.verdict(); !known { // only the last can be a tie
			return rate, Confirm
		}
	}
	low, high := s.bracket()
	floor := max(s.Min, lowestRate)
	switch {
	case high == 0 && s.Max > 0 && low >= s.Max, high == 0 && low >= highestRate:
		return s.confirm(low)
	case high == 0:
		rate = min(low*climb, highestRate)
		if s.Max > 0 {
			rate = min(rate, s.Max)
		}
		return rate, Climb
	case low == 0 && high <= floor:
		return s.confirm(high)
	case low == 0:
		return max(high/climb, floor), Climb
	case high <= low*(1+s.Precision):
		return s.confirm(low, high)
	default:
		return math.Sqrt(low * high), Bisect
	}
}

// confirm returns the first of rates on which two runs do not yet agree.
func (s *search) confirm(rates ...float64) (float64, string) {
	for _, rate := range rates {
		if !s.rates[rate].confirmed() {
			return rate, Confirm
		}
	}
	return 0, ""
}

// probe measures the rate of the closed model.
func (s *search) probe(ctx context.Context) (float64, error) {
	step := Step{Kind: Probe, Run: 1, Verdict: Measured}
	r, err := s.load(ctx, step)
	if err != nil {
		return 0, err
	}
	if r.Responses == 0 {
		return 0, &load.Error{
			Op: "search for", Subject: "capacity", Err: errors.New("the server does not answer"),
			Hint: "is the server running, and is this its address?",
		}
	}
	s.note(r, step)
	return r.Rate, nil
}

// load runs the load of a step. An error that comes with a result (no answer at all) counts as a
// result.
func (s *search) load(ctx context.Context, step Step) (*load.Result, error) {
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	o := s.Load
	o.Rate, o.Duration = step.Requested, s.Step
	if o.Rate == 0 {
		o.Arrivals = ""
	}
	r, err := s.run(ctx, o)
	switch {
	case r == nil && ctx.Err() != nil:
		return nil, errInterrupted
	case r == nil && err == nil:
		return nil, errors.New("the load has no result")
	case r == nil:
		return nil, err
	}
	if len(s.result.Steps) == 0 {
		s.result.Targets, s.result.Connections, s.result.Protocol, s.result.Engine = r.Targets, r.Connections, r.Protocol,
			r.Engine
	}
	if r.Interrupted {
		step.Verdict, step.Why = Interrupted, "the run was cut off"
		s.note(r, step)
		return nil, errInterrupted
	}
	return r, nil
}

// note adds r's results to a step and keeps it.
func (s *search) note(r *load.Result, step Step) {
	step.Requests, step.Responses = r.Requests, r.Responses
	if seconds := r.Elapsed.Seconds(); seconds > 0 {
		step.Achieved = float64(r.Requests) / seconds
	}
	if v, err := compare.Measure(r, compare.Errors); err == nil {
		step.Errors = v.Amount
	}
	step.Latency, step.SendDelay, step.Warnings = r.Latency, r.SendDelay, r.Warnings
	step.Latency.HDR = ""
	s.result.Steps = append(s.result.Steps, step)
	if s.Progress != nil {
		low, high := s.bracket()
		s.Progress(Progress{Step: step, Low: low, High: high, Remaining: s.remaining(low, high)})
	}
}

// remaining estimates how long the search will take.
func (s *search) remaining(low, high float64) time.Duration {
	if low == 0 || high == 0 {
		return 0
	}
	runs := 0.0
	for _, rate := range []float64{low, high} {
		if !s.rates[rate].confirmed() {
			runs++
		}
	}
	if gap := math.Log(high / low); gap > math.Log1p(s.Precision) {
		runs = 2 + math.Ceil(math.Log2(gap/math.Log1p(s.Precision)))
	}
	return time.Duration(runs * float64(s.Step+s.Load.Warmup))
}

// step runs one rate and records the outcome.
func (s *search) step(ctx context.Context, kind string, rate float64) error {
	v := s.rates[rate]
	if v == nil {
		v = &votes{}
		s.rates[rate] = v
	}
	step := Step{Kind: kind, Requested: rate, Run: v.held + v.missed + 1}
	r, err := s.load(ctx, step)
	if err != nil {
		return err
	}
	step.Outcomes = s.SLO.Check(r)
	var limit Limit
	step.Verdict, limit, step.Why = judge(r, rate, step.Outcomes, s.idle)
	if step.Verdict == Held {
		v.held++
		if s.idle == 0 || r.Latency.Mean < s.idle {
			s.idle = r.Latency.Mean
		}
	} else {
		v.missed++
		v.limits, v.why = append(v.limits, limit), append(v.why, step.Why)
	}
	if step.Verdict != Generator {
		if l, err := compare.Measure(r, s.metric); err == nil {
			v.points = append(v.points, l.Amount)
		}
	}
	s.note(r, step)
	return nil
}

// judge reports whether r held the requested rate, and if not, what prevented it. idle is the mean
// latency at a rate that was held, 0 if unknown.
func judge(r *load.Result, rate float64, outcomes []compare.Outcome, idle time.Duration) (Verdict, Limit, string) {
	short := shortOf(r, rate)
	if compare.Held(outcomes) && short == "" {
		return Held, "", ""
	}
	why := short
	for _, o := range outcomes {
		if !o.Held {
			why = o.String()
			break
		}
	}
	for _, d := range r.Verdict() {
		if d.Kind == load.GeneratorLate || d.Kind == load.GeneratorCPU {
			return Generator, LimitGenerator, why + "; but " + d.Text
		}
	}
	if short != "" && fewConnections(r, idle) {
		return Busy, LimitConnections, why + "; requests waited for a free connection"
	}
	return Missed, LimitServer, why
}

// fewConnections reports whether requests waited for connections although the server was hardly
// slower than when idle. When all connections are busy, the mean latency is their number divided by
// the rate (Little: A proof for the queuing formula L = λW, Operations Research 9, 1961). An
// overloaded server keeps connections busy too, but with longer latencies.
func fewConnections(r *load.Result, idle time.Duration) bool {
	if r.SendDelay == nil || r.SendDelay.Waited == 0 || r.Requests == 0 {
		return false
	}
	inFlight := float64(r.Connections) * float64(max(r.Streams, 1))
	service := inFlight * float64(r.Elapsed) / float64(r.Requests)
	return idle == 0 || service < 2*float64(idle)
}

// shortOf describes how far r falls short of the requested rate; "" when it does not.
func shortOf(r *load.Result, rate float64) string {
	const least = 0.97
	due := rate * r.Elapsed.Seconds()
	// Requests in flight at the end were sent. One more may be due at the very end.
	sent := float64(r.Requests+min(r.Unfinished, int64(r.Connections)*int64(max(r.Streams, 1)))) + 1
	need := least * due
	if r.Open != nil && r.Open.Arrivals == load.Poisson {
		need = min(need, due-3*math.Sqrt(due)) // three standard deviations of the number of arrivals
	}
	if sent >= need {
		return ""
	}
	return fmt.Sprintf("%.0f of %.0f requests were sent in time", sent-1, due)
}

// finish assembles the result.
func (s *search) finish() {
	r := &s.result
	r.Elapsed = time.Since(r.Started)
	low, high := s.bracket()
	r.Rate, r.High = low, high
	switch {
	case high > 0:
		r.Limit, r.Why = s.rates[high].limit()
	case low > 0 && s.done:
		r.Limit, r.Why = LimitMax, "the highest rate allowed met the objective"
	case r.Interrupted:
		r.Why = "the search was interrupted"
	default:
		r.Why = "the search ended before it found a limit"
	}
	r.Confirmed = s.done
	r.Warnings = s.warnings()
	r.Knee = s.knee()
}

// warnings lists the objectives for which the steps at the capacity are too short: a percentile
// with fewer than ten answers above it is largely chance.
func (s *search) warnings() load.Warnings {
	const above = 10
	var out load.Warnings
	for _, step := range s.result.Steps {
		if step.Requested != s.result.Rate || step.Verdict != Held {
			continue
		}
		for _, o := range s.SLO {
			p, ok := o.Metric.Percentile()
			need := above * 100 / (100 - p)
			if ok && float64(step.Responses) < need {
				out = append(out, load.Warning{
					Kind: load.TooShort,
					Text: fmt.Sprintf("%d answers at %.4g/s are too few for %s, which needs %.0f",
						step.Responses, step.Requested, o.Metric, math.Ceil(need)),
					Hint: "make the steps longer than " +
						unit.Duration(time.Duration(need/step.Requested*float64(time.Second))),
				})
			}
		}
		break
	}
	return out
}

// knee finds the knee over the rates at which the generator was not the limit.
func (s *search) knee() *Knee {
	var points []point
	for _, rate := range slices.Sorted(maps.Keys(s.rates)) {
		if l := s.rates[rate].points; len(l) > 0 {
			slices.Sort(l)
			points = append(points, point{rate, l[len(l)/2]})
		}
	}
	at := knee(points)
	if at < 0 {
		return nil
	}
	return &Knee{Rate: points[at].rate, Metric: s.metric, Latency: time.Duration(points[at].latency)}
}
