package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Pauses after a failed attempt to connect, in the closed model.
const (
	firstPause = time.Millisecond
	lastPause  = 50 * time.Millisecond
)

// targetPatience bounds the time for the target to report its CPU time.
const targetPatience = 10 * time.Second

// lateTimeouts is how long a run may continue after the last request's timeout: as long as a busy machine may need to
// notice it.
const lateTimeouts = 10 * time.Second

// Run sends requests as configured by o and returns what it measured.
//
// It returns when the duration is over, the requests are used up or ctx is cancelled. Cancellation
// is not an error: the Result holds what was measured until then and has Interrupted set. When no
// request was answered, the Result comes with an [*Error]. When nothing could be sent, the Result
// is nil.
func Run(ctx context.Context, o Options) (*Result, error) {
	p, err := o.plan(ctx)
	if err != nil {
		return nil, err
	}
	g := &generator{plan: p, random: cmp.Or(p.Seed, rand.Uint64())}
	if err := g.newWorkers(); err != nil {
		return nil, err
	}
	return g.run(ctx)
}

// generator is one run.
type generator struct {
	*plan
	engine   Engine
	workers  []worker
	rec      *recorder
	start    time.Time // start of the run; zero of all times in workers
	from     time.Time // start of the measured part
	sent     atomic.Int64
	connects atomic.Int64
	random   uint64 // seed of arrivals

	choosing bool         // io_uring and epoll are compared in the run
	chosen   EngineChoice // written by the first worker, and read after it has ended
	decided  atomic.Pointer[Engine]
	onEpoll  atomic.Int32 // workers that ended the comparison on epoll

	refused atomic.Pointer[error] // why the first failed attempt to connect failed
}

// seed returns the seed of the arrivals of host i.
func (g *generator) seed(i int) uint64 { return g.random + uint64(i) }

// A worker sends its share of the requests.
type worker interface {
	// prepare opens connections, as far as possible.
	prepare(ctx context.Context)
	// run sends requests until there are none left, or ctx is cancelled.
	run(ctx context.Context)
}

// newWorkers creates the workers of the requested engine, or else of the first that works here.
func (g *generator) newWorkers() error {
	var failed error
	engines := []Engine{IOUring, Epoll, NetHTTP}
	unmeasured := g.unmeasured()
	g.choosing = unmeasured == ""
	if g.Engine != "" {
		engines = []Engine{g.Engine}
		g.choosing = false
	}
	for _, e := range engines {
		var err error
		switch e {
		case IOUring, Epoll:
			g.rec = newRecorder(g.loops(), len(g.table), g.open != nil)
			g.workers, err = newLoops(g, e)
		case NetHTTP:
			g.rec = newRecorder(g.clientShards(), len(g.table), g.open != nil)
			g.workers = newClients(g)
		default:
			err = fmt.Errorf("unknown engine (want %s, %s or %s)", IOUring, Epoll, NetHTTP)
		}
		if err == nil {
			g.engine = e
			switch {
			case g.Engine != "":
				g.chosen = EngineChoice{Why: EngineAsked, Text: "asked for"}
			case failed != nil:
				g.chosen = EngineChoice{Why: EngineOnly, Text: failed.Error()}
			case !g.choosing:
				g.chosen = EngineChoice{Why: EngineDefault, Text: "not compared with epoll: " + unmeasured}
			}
			return nil
		}
		failed = cmp.Or(failed, err)
		g.choosing = false
	}
	return &Error{
		Op: "use engine", Subject: fmt.Sprintf("%q", g.Engine), Err: failed,
		Hint: "omit it to use the cheapest engine available",
	}
}

// loops returns the number of event loops: each has at least one connection.
func (g *generator) loops() int {
	n := min(g.Workers, g.Connections)
	for _, h := range g.hosts {
		n = min(n, h.connections)
	}
	return n
}

func (g *generator) run(caller context.Context) (*Result, error) {
	ctx, cancel := context.WithCancel(caller)
	defer cancel()

	var prepared, finished sync.WaitGroup
	begin := make(chan struct{})
	for _, w := range g.workers {
		prepared.Add(1)
		finished.Go(func() {
			w.prepare(ctx)
			prepared.Done()
			<-begin
			w.run(ctx)
		})
	}
	prepared.Wait()
	if err := g.refused.Load(); err != nil && g.connects.Load() == 0 && caller.Err() == nil {
		cancel()
		close(begin)
		finished.Wait()
		return nil, &Error{
			Op: "load", Subject: g.addresses(), Err: *err,
			Hint: "is the server running, and is this its address?",
		}
	}
	var process target
	if g.TargetCPU == nil {
		process = g.findTarget()
	}
	g.start = time.Now()
	g.from = g.start.Add(g.Warmup)
	close(begin)
	done := make(chan struct{})
	go func() {
		finished.Wait()
		close(done)
	}()

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
	if last, ok := g.rec.finish(elapsed, used()); ok {
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
		r.Warnings = append(r.Warnings, "cannot read the target's CPU time: "+targetErr.Error())
	}
	if busyKnown && cpuKnown && targetErr == nil && process.pid != 0 {
		r.Others = others(busyAfter-busyBefore-r.CPU.Total-r.TargetCPU.Total, elapsed, processors)
	}
	r.Warnings = append(r.Warnings, g.warnings(r)...)
	if r.Responses == 0 && r.Errors.Total() > 0 {
		return r, g.noAnswer(r)
	}
	r.Doubts = judge(r, runtime.GOMAXPROCS(0), g.Requests)
	return r, nil
}

// others computes the CPU time of other programs. It cannot be negative, although the machine's
// ticks may sum to less than the processes' nanoseconds.
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
		names = append(names, h.scheme+"://"+h.name)
	}
	if g.Socket != "" {
		return g.Socket
	}
	return strings.Join(names, ", ")
}

// now returns the time of the run.
func (g *generator) now() time.Duration { return time.Since(g.start) }

// admit reports whether a request may be sent now (closed model), or one that was due at now (open
// model), and whether it is measured.
func (g *generator) admit(now time.Duration) (measured, ok bool) {
	if now >= g.end() {
		return false, false
	}
	measured = now >= g.Warmup
	if measured && g.Requests > 0 && g.sent.Add(1) > g.Requests {
		return false, false
	}
	return measured, true
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
			g.progress(g.rec.cut(time.Since(g.from), used()))
		}
	}
}

// progress reports a second that has ended.
func (g *generator) progress(second Second) {
	if g.Progress == nil {
		return
	}
	t := g.rec.total
	g.Progress(Progress{
		Second: second, Elapsed: second.Start + second.Elapsed, Latency: t.latency(), Errors: t.failures(),
		Requests: t.responses + t.failed(), Bars: t.bars(),
	})
}

func (g *generator) result(elapsed time.Duration) *Result {
	t := g.rec.total
	r := &Result{
		Schema:      Schema,
		Sent:        g.describe(),
		Protocol:    g.Protocol,
		Connections: g.Connections,
		Model:       g.model(),
		Open:        g.open,
		Started:     g.from,
		Elapsed:     elapsed,
		Warmup:      g.Warmup,
		Responses:   t.responses,
		Requests:    t.responses + t.failed(),
		Unfinished:  t.unfinished,
		Errors:      t.failures(),
		Status:      t.statuses(),
		Bytes:       t.bytes,
		Connects:    g.connects.Load(),
		Retries:     t.retries,
		Latency:     t.latency(),
		Send:        t.send(),
		Seconds:     g.rec.seconds,
		PerTarget:   g.perTarget(elapsed),
		Phases:      g.phases(),
	}
	r.Engine, r.EngineChoice = g.choice()
	if g.Protocol == HTTP2 {
		r.Streams = g.Streams
	}
	if g.engine != NetHTTP {
		r.Workers = len(g.workers)
	}
	for _, h := range g.hosts {
		for _, e := range h.endpoints {
			r.Targets = append(r.Targets, e.template.URL())
			switch r.Method {
			case "", e.method:
				r.Method = e.method
			default:
				r.Method = "*"
			}
		}
	}
	if r.Method == "*" {
		r.Method = ""
	}
	if elapsed > 0 {
		r.Rate = float64(t.responses) / elapsed.Seconds()
	}
	var err error
	if r.Latency.HDR, err = t.encode(); err != nil {
		r.Warnings = append(r.Warnings, err.Error())
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

// warnings returns what was unusual in a run, except for what Result.Doubts lists.
func (g *generator) warnings(r *Result) []string {
	var w []string
	if failed := r.Failed(); failed > 0 {
		w = append(w, fmt.Sprintf("%d of %d answers have a status of 400 or above", failed, r.Responses))
	}
	if r.Retries > 0 || !g.NoKeepAlive && r.Connects > int64(r.Connections)+r.Errors.Total() {
		w = append(w, fmt.Sprintf("the server closes kept-alive connections: %d opened for %d in use, %d requests sent again",
			r.Connects, r.Connections, r.Retries))
	}
	return w
}

// noAnswer explains why a run got no answer at all.
func (g *generator) noAnswer(r *Result) error {
	e := &Error{Op: "load", Subject: strings.Join(r.Targets, ", ")}
	for k := range kinds {
		message, ok := r.Errors.First[k.key()]
		if !ok {
			continue
		}
		e.Err = fmt.Errorf("%d requests, no answer: %s", r.Requests, message)
		e.Hint = map[kind]string{
			kindConnect:   "is the server running, and is this its address?",
			kindTimeout:   "allow a longer timeout than " + g.Timeout.String(),
			kindMalformed: "does the address speak HTTP, and the same kind of it (http or https, HTTP/1.1 or HTTP/2)?",
		}[k]
		return e
	}
	e.Err = errors.New("no answer")
	return e
}
