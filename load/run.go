package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/load/record"
	"github.com/whet-go/whet/internal/load/worker"
	"github.com/whet-go/whet/internal/load/workload"
)

// targetPatience bounds the time for the target to report its CPU time.
const targetPatience = 10 * time.Second

// Run sends requests as configured by o and returns what it measured.
//
// It returns when the duration is over, the requests are used up or ctx is canceled. Cancellation
// is not an error: the Result has what was measured until then, and Interrupted set. If no request
// was answered, Run returns the Result and an [*Error]. If nothing could be sent, the Result is
// nil.
func Run(ctx context.Context, o Options) (*Result, error) {
	p, err := o.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// workers creates the workers of the run.
func (p *plan) workers() (*worker.Group, error) {
	o := worker.Options{
		Engine: worker.Engine(p.Engine), MaxLoops: p.Workers, Hosts: p.hosts,
		Connections: p.Connections, Streams: p.Streams, HTTP2: p.Protocol == HTTP2, TLS: p.tls,
		NoKeepAlive: p.NoKeepAlive, OneByOne: p.OneByOne,
		Warmup: p.Warmup, End: p.end(), Requests: p.Requests, Timeout: p.Timeout,
		Seed: cmp.Or(p.Seed, rand.Uint64()), Rows: len(p.table),
	}
	if a := p.open; a != nil {
		o.Arrivals = &workload.Arrivals{Rate: a.Rate, RampTo: a.RampTo, Ramp: a.Ramp, Poisson: a.Arrivals == Poisson}
	}
	g, err := worker.New(o)
	if err != nil {
		return nil, &Error{
			Op: "use engine", Subject: fmt.Sprintf("%q", p.Engine), Err: err,
			Hint: "omit it to use the cheapest engine available",
		}
	}
	return g, nil
}

// A generator is one run.
type generator struct {
	*plan
	workers *worker.Group
	rec     *record.Recorder
	from    time.Time // start of the measured part
}

func (p *plan) run(caller context.Context) (*Result, error) {
	ctx, cancel := context.WithCancel(caller)
	defer cancel()
	workers, err := p.workers()
	if err != nil {
		return nil, err
	}
	g := &generator{plan: p, workers: workers, rec: workers.Recorder()}
	if err := workers.Prepare(ctx); err != nil {
		return nil, &Error{
			Op: "load", Subject: g.addresses(), Err: err,
			Hint: "is the server running, and is this its address?",
		}
	}
	var process target
	if g.TargetCPU == nil {
		process = g.findTarget()
	}
	start, done := workers.Begin()
	g.from = start.Add(g.Warmup)

	g.waitWarmup(done)
	cpuBefore, cpuKnown := processCPU()
	targetBefore, targetErr := g.targetCPU(process)
	busyBefore, _, busyKnown := machineCPU()
	used := process.meter()
	g.tick(done, used)
	cpuAfter, _ := processCPU()
	targetAfter, err := g.targetCPU(process)
	targetErr = errors.Join(targetErr, err)
	busyAfter, processors, _ := machineCPU()

	elapsed := max(time.Since(g.from), 0)
	if last, ok := g.rec.Finish(elapsed, used()); ok {
		g.progress(last)
	}
	r := g.result(elapsed)
	r.Interrupted = caller.Err() != nil
	if cpuKnown {
		c := cpuOf(cpuAfter-cpuBefore, r)
		r.CPU = &c
	}
	switch {
	case targetErr == nil:
		r.TargetCPU = &TargetCPU{CPU: cpuOf(targetAfter-targetBefore, r), PID: process.pid, Command: process.command}
	case g.TargetCPU != nil:
		r.Warnings.Add(fmt.Errorf("cannot read the target's CPU time: %w", targetErr))
	}
	if busyKnown && cpuKnown && targetErr == nil && process.pid != 0 {
		r.Others = others(busyAfter-busyBefore-r.CPU.Total-r.TargetCPU.Total, elapsed, processors)
	}
	r.Warnings = append(r.Warnings, g.warnings(r)...)
	if r.Responses == 0 && r.Errors.Total() > 0 {
		return r, g.noAnswer(r)
	}
	r.Warnings = append(judge(r, runtime.GOMAXPROCS(0), g.Requests), r.Warnings...)
	return r, nil
}

// others returns the CPU time of other programs. It is at least 0, although the machine's ticks may
// sum to less than the processes' nanoseconds.
func others(total, elapsed time.Duration, processors int) *OtherCPU {
	o := &OtherCPU{Total: max(total, 0)}
	if all := elapsed.Seconds() * float64(processors); all > 0 {
		o.Share = min(o.Total.Seconds()/all, 1)
	}
	return o
}

// targetCPU returns the CPU time that the target has used so far.
func (g *generator) targetCPU(t target) (time.Duration, error) {
	if g.TargetCPU != nil {
		// An interrupted run must still get it.
		ctx, cancel := context.WithTimeout(context.Background(), targetPatience)
		defer cancel()
		return g.TargetCPU(ctx)
	}
	if d, ok := t.cpu(); ok {
		return d, nil
	}
	return 0, errors.ErrUnsupported
}

// addresses lists the hosts.
func (g *generator) addresses() string {
	var names []string
	for _, h := range g.hosts {
		names = append(names, h.Scheme+"://"+h.Name)
	}
	if g.Socket != "" {
		return g.Socket
	}
	return strings.Join(names, ", ")
}

// waitWarmup returns when the warm-up is over or the workers have ended.
func (g *generator) waitWarmup(done <-chan struct{}) {
	timer := time.NewTimer(time.Until(g.from))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	}
}

// meter returns a function that returns the CPU time that the process has used since the last call;
// 0 when the system does not report it.
func (t target) meter() func() time.Duration {
	last, known := t.cpu()
	return func() time.Duration {
		now, ok := t.cpu()
		used := now - last
		if !known || !ok {
			used = 0
		}
		last, known = now, ok
		return used
	}
}

// tick cuts the run into seconds until the workers have ended. used returns the target's CPU time
// since its last call.
func (g *generator) tick(done <-chan struct{}, used func() time.Duration) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			g.progress(g.rec.Cut(time.Since(g.from), used()))
		}
	}
}

// progress reports a second that has ended.
func (g *generator) progress(second record.Second) {
	if g.Progress == nil {
		return
	}
	s := g.rec.Summary()
	p := Progress{
		Second: Second(second), Elapsed: second.Start + second.Elapsed, Latency: latency(s.Latency),
		Errors: failures(&s.Failures), Requests: s.Responses + s.Failures.Total(),
	}
	for _, b := range g.rec.Bars() {
		p.Bars = append(p.Bars, Bar(b))
	}
	g.Progress(p)
}

func (g *generator) result(elapsed time.Duration) *Result {
	s, choice := g.rec.Summary(), g.workers.Choice()
	r := &Result{
		Schema:       Schema,
		Sent:         g.describe(),
		Protocol:     g.Protocol,
		Connections:  g.Connections,
		Engine:       Engine(choice.Engine),
		EngineChoice: engineChoice(choice),
		Workers:      g.workers.Loops(),
		Model:        g.model(),
		Open:         g.open,
		Started:      g.from,
		Elapsed:      elapsed,
		Warmup:       g.Warmup,
		Responses:    s.Responses,
		Requests:     s.Responses + s.Failures.Total(),
		Unfinished:   s.Unfinished,
		Errors:       failures(&s.Failures),
		Status:       s.Status,
		Bytes:        s.Bytes,
		Connects:     g.workers.Connects(),
		Retries:      s.Retries,
		Latency:      latency(s.Latency),
		SendDelay:    (*SendDelay)(s.SendDelay),
		PerTarget:    perTarget(g.table, g.rec.Targets(), elapsed),
		Phases:       phases(g.rec.Phases()),
	}
	for _, second := range g.rec.Seconds() {
		r.Seconds = append(r.Seconds, Second(second))
	}
	if g.Protocol == HTTP2 {
		r.Streams = g.Streams
	}
	for _, h := range g.hosts {
		for _, e := range h.Endpoints {
			r.Targets = append(r.Targets, e.Template.URL())
			switch r.Method {
			case "", e.Method:
				r.Method = e.Method
			default:
				r.Method = "*"
			}
		}
	}
	if r.Method == "*" {
		r.Method = ""
	}
	if elapsed > 0 {
		r.Rate = float64(s.Responses) / elapsed.Seconds()
	}
	var err error
	if r.Latency.HDR, err = g.rec.Encode(); err != nil {
		r.Warnings.Add(err)
	}
	return r
}

func cpuOf(total time.Duration, r *Result) CPU {
	c := CPU{Total: total}
	if r.Requests > 0 {
		c.PerRequest = total / time.Duration(r.Requests)
	}
	if r.Elapsed > 0 {
		c.Cores = total.Seconds() / r.Elapsed.Seconds()
	}
	return c
}

// warnings returns what was unusual in a run, except for the reasons to distrust its numbers.
func (g *generator) warnings(r *Result) Warnings {
	var w Warnings
	if failed := r.Failed(); failed > 0 {
		w.Addf("%d of %d answers have a status of 400 or above", failed, r.Responses)
	}
	if r.Retries > 0 || !g.NoKeepAlive && r.Connects > int64(r.Connections)+r.Errors.Total() {
		w.Addf("the server closes kept-alive connections: %d opened for %d in use, %d requests sent again",
			r.Connects, r.Connections, r.Retries)
	}
	return w
}

// noAnswer explains why a run got no answer at all.
func (g *generator) noAnswer(r *Result) error {
	e := &Error{Op: "load", Subject: strings.Join(r.Targets, ", ")}
	for k := range record.Kinds {
		message, ok := r.Errors.First[k.Key()]
		if !ok {
			continue
		}
		e.Err = fmt.Errorf("%d requests, no answer: %s", r.Requests, message)
		e.Hint = map[record.Kind]string{
			record.Connect:   "is the server running, and is this its address?",
			record.Timeout:   "allow a longer timeout than " + g.Timeout.String(),
			record.Malformed: "does the server speak HTTP, with this scheme (http or https) and version (HTTP/1.1 or HTTP/2)?",
		}[k]
		return e
	}
	e.Err = errors.New("no answer")
	return e
}

// latency converts a summary of latencies.
func latency(l record.Latency) Latency {
	p := l.Percentiles
	return Latency{
		Min: l.Min, Mean: l.Mean, StdDev: l.StdDev, P50: p[0], P75: p[1], P90: p[2], P95: p[3], P99: p[4], P999: p[5],
		P9999: p[6], Max: l.Max,
	}
}

// failures converts the counts of failed requests.
func failures(f *record.Failures) Errors {
	n := f.Count
	e := Errors{
		Connect: n[record.Connect], Timeout: n[record.Timeout], Reset: n[record.Reset],
		ShortBody: n[record.ShortBody], Malformed: n[record.Malformed], Flood: n[record.Flood], Other: n[record.Other],
	}
	for k := range record.Kinds {
		if message := f.First[k]; message != "" {
			if e.First == nil {
				e.First = map[string]string{}
			}
			e.First[k.Key()] = message
		}
	}
	return e
}
