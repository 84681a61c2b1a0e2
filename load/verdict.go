package load

import (
	"fmt"
	"math"
	"time"

	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/unit"
)

// Thresholds of [judge].
const (
	minLate     = time.Millisecond // of sending; below this nothing is late
	lateShare   = 0.10             // of the latency's p99
	busyShare   = 0.90             // of the CPUs that the generator may use
	sentShare   = 0.97             // of the requested rate of the open model
	waitedShare = 0.01             // of the requests sent
	failedShare = 0.01             // of the requests

	// tailAnswers is how many answers must lie above a percentile for it to be meaningful. The
	// relative error of a count of 10 is a third.
	tailAnswers = 10
)

// judge lists the reasons to distrust r, most serious first. cpus is the number of CPUs that the
// process may use; requests is [Options.Requests], which ends the schedule of the open model, or 0
// when only the duration does.
func judge(r *Result, cpus int, requests int64) Warnings {
	var reasons Warnings
	for _, d := range []*Warning{
		errorsHide(r), generatorLate(r), generatorBusy(r, cpus), rateMissed(r, requests), tooShort(r),
	} {
		if d != nil {
			reasons = append(reasons, *d)
		}
	}
	return reasons
}

// errorsHide reports that many requests failed: a refusal is fast, and a timeout has no latency, so
// the remaining latencies do not describe the service.
func errorsHide(r *Result) *Warning {
	failed := r.Errors.Total() + r.Failed()
	if r.Requests == 0 || float64(failed) <= failedShare*float64(r.Requests) {
		return nil
	}
	return &Warning{
		Kind: ErrorsHide,
		Text: fmt.Sprintf("%s of the requests failed (%s): failures are often faster than answers, and latencies "+
			"include the failed answers",
			unit.Percent(failed, r.Requests), r.Failures()),
		Hint: "check the address, the server's log and its limits; compare latencies only between runs without failures",
	}
}

func generatorLate(r *Result) *Warning {
	if r.SendDelay == nil {
		return nil
	}
	limit := max(minLate, time.Duration(lateShare*float64(r.Latency.P99)))
	if r.SendDelay.Own <= limit {
		return nil
	}
	return &Warning{
		Kind: GeneratorLate,
		Text: fmt.Sprintf("the generator sent 1%% of the requests %s or more late although a connection was free: "+
			"latencies include its own delay",
			unit.Duration(r.SendDelay.Own)),
		Hint: "give it a CPU that nothing else uses, lower the rate, or send from another machine",
	}
}

func generatorBusy(r *Result, cpus int) *Warning {
	may := cpus
	if r.Workers > 0 {
		may = min(r.Workers, cpus) // an event loop is one thread
	}
	if r.CPU == nil || r.CPU.Cores <= busyShare*float64(may) {
		return nil
	}
	d := &Warning{
		Kind: GeneratorCPU,
		Text: fmt.Sprintf("the generator used %.2f of the %s available to it: the rate may be its limit, not the server's",
			r.CPU.Cores, plural(may, "CPU")),
		Hint: "send from another machine",
	}
	if r.Workers > 0 && may < cpus {
		d.Hint = fmt.Sprintf("try --workers %d, or send from another machine", min(2*may, cpus))
	}
	if r.Model == ModelClosed {
		d.Hint += "; for latencies, set a rate that it can send (-r)"
	}
	return d
}

func rateMissed(r *Result, requests int64) *Warning {
	if r.Open == nil {
		return nil
	}
	// The run continues until everything due in time has been answered, so it exceeds the schedule
	// by at most the longest latency, which counts from when a request was due. The share of
	// timeouts in that is unknown.
	scheduled := max(r.Elapsed-r.Latency.Max, 0)
	if r.Errors.Timeout > 0 {
		scheduled = 0
	}
	due := r.Open.due(scheduled)
	if requests > 0 {
		due = min(due, float64(requests))
	}
	// What was cut off while waiting for a connection was not sent.
	sent := r.Requests + min(r.Unfinished, int64(r.Connections)*int64(max(r.Streams, 1)))
	least := sentShare * due
	if r.Open.Arrivals == Poisson {
		least = min(least, due-3*math.Sqrt(due)) // three standard deviations of the number of arrivals
	}
	const hint = "the server, or the connections to it, do not keep up: raise the number of connections " +
		"(-c), or lower the rate"
	if float64(sent+1) < least { // one may be due just before the end
		return &Warning{
			Kind: RateMissed,
			Text: fmt.Sprintf("%d of %.0f requests were sent in time: %s of the requested number", sent, due,
				unit.FormatPercent(100*float64(sent)/due)),
			Hint: hint,
		}
	}
	if r.SendDelay != nil && float64(r.SendDelay.Waited) > waitedShare*float64(sent) {
		return &Warning{
			Kind: RateMissed,
			Text: fmt.Sprintf("%s of the requests had to wait for a free connection; their latencies include the wait, as a "+
				"caller would see it with so few connections",
				unit.Percent(r.SendDelay.Waited, sent)),
			Hint: hint,
		}
	}
	return nil
}

// due returns how many requests are due within the first d of the measured part: the integral of
// the rate after the warm-up.
func (o *Open) due(d time.Duration) float64 {
	switch {
	case o.RampTo == 0:
		return o.Rate * d.Seconds()
	case o.Ramp <= 0:
		return o.RampTo * d.Seconds()
	}
	t, ramp := d.Seconds(), o.Ramp.Seconds()
	in := min(t, ramp)
	return o.Rate*in + (o.RampTo-o.Rate)*in*in/(2*ramp) + o.RampTo*(t-in)
}

// tooShort finds the percentiles for which there are too few answers.
func tooShort(r *Result) *Warning {
	if r.Responses == 0 {
		return &Warning{
			Kind: TooShort, Text: "no request was answered, so there are no latencies",
			Hint: "run longer (-d) than the server takes to answer",
		}
	}
	shown := Percentiles()
	sound := 0 // the first percentile without enough answers
	for sound < len(shown) && r.Responses >= AnswersFor(shown[sound]) {
		sound++
	}
	if sound == len(shown) {
		return nil
	}
	text := fmt.Sprintf("only %s: too few for any percentile", plural(int(r.Responses), "answer"))
	if sound > 0 {
		text = fmt.Sprintf("only %s: percentiles above p%g are unreliable",
			plural(int(r.Responses), "answer"), shown[sound-1])
	}
	d := &Warning{Kind: TooShort, Text: text}
	if r.Rate > 0 {
		d.Hint = fmt.Sprintf("at this rate p%g takes %s", shown[sound], r.timeFor(shown[sound]))
		if last := len(shown) - 1; last > sound {
			d.Hint += fmt.Sprintf(" and p%g %s", shown[last], r.timeFor(shown[last]))
		}
	}
	return d
}

// timeFor returns how long a run like r must be for percentile p.
func (r *Result) timeFor(p float64) string {
	seconds := math.Ceil(float64(AnswersFor(p)) / r.Rate)
	if seconds > 1e7 {
		return fmt.Sprintf("%d answers", AnswersFor(p))
	}
	return fmt.Sprintf("-d %s (%d answers)", shortDuration(time.Duration(seconds)*time.Second), AnswersFor(p))
}

// shortDuration formats whole seconds as flags accept them: 2m, not 2m0s.
func shortDuration(d time.Duration) string {
	h, m, s := d/time.Hour, d/time.Minute%60, d/time.Second%60
	text := ""
	for _, part := range []struct {
		n    time.Duration
		unit string
	}{{h, "h"}, {m, "m"}, {s, "s"}} {
		if part.n > 0 {
			text += fmt.Sprintf("%d%s", part.n, part.unit)
		}
	}
	return text
}

// Percentiles lists the percentiles that [Latency] has fields for, in order, in percent.
func Percentiles() []float64 { return record.Percentiles() }

// AnswersFor returns how many answers percentile p, above 0 and below 100, requires to be
// meaningful: ten of them must lie above it.
func AnswersFor(p float64) int64 {
	return int64(math.Round(tailAnswers * 100 / (100 - p)))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
