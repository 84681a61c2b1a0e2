package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/load"
)

const (
	pollInterval = 20 * time.Millisecond
	dialTimeout  = 5 * time.Second
	// exitTimeout is how long a command that resets its connections may take until its exit is seen.
	exitTimeout = 500 * time.Millisecond
	// statsTimeout is the timeout of a request to the pprof handlers.
	statsTimeout = 15 * time.Second
	// maxFailedReads is the number of these requests that may fail.
	maxFailedReads = 3
	// baseRuns is how often the cost of connecting is measured.
	baseRuns = 3
	// maxBaseTime is the maximum duration of such a measurement that is repeated.
	maxBaseTime = 200 * time.Millisecond
)

// Units of what a slice measures.
const (
	UnitCPU    = "cpu-sec/req" // CPU time of all processes of the service, user and system
	UnitAllocs = "allocs/req"  // objects allocated on the heap
	UnitBytes  = "B/req"       // bytes allocated on the heap
	UnitP50    = "p50-sec"     // latency
	UnitP90    = "p90-sec"
	UnitP99    = "p99-sec"
	UnitRate   = "req/s" // complete responses
)

// A side is one of the two services while it runs.
type side struct {
	name        string
	instance    instance
	load        load.Options     // of a slice, except its duration
	child       *process.Child   // nil if it does not run
	pprof       *handlers.Client // nil: allocations are unavailable
	pprofAt     string           // where pprof was found
	noHandlers  bool             // allocations are unavailable on the other side
	warmup      time.Duration
	base        cost  // of a load of one request per connection
	noCPU       error // why the CPU time is unavailable, once that is known
	noAlloc     error // why the allocations are unavailable, once that is known
	failedReads int   // number of failed requests for allocations
	seen        Tally
	warnings    []repeated
	answers     []float64 // of each slice
	last        *load.Result
}

// repeated is a warning about some slices of a side, in the words of the first of them.
type repeated struct {
	load.Warning
	slices int
}

// A cost is what some requests cost a service.
type cost struct {
	requests  int64
	cpu       time.Duration
	cpuKnown  bool
	allocated handlers.Allocated
	allocs    bool // allocated is valid
}

// minus returns the cost of the requests in addition to those of base.
func (c cost) minus(base cost) cost {
	c.requests -= base.requests
	c.cpu -= base.cpu
	c.allocated.Objects -= base.allocated.Objects
	c.allocated.Bytes -= base.allocated.Bytes
	c.cpuKnown, c.allocs = c.cpuKnown && base.cpuKnown, c.allocs && base.allocs
	return c
}

// named adds the side to an error.
func (s *side) named(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// start starts the command.
func (s *side) start(opt *Options) error {
	var err error
	s.child, err = process.Start(process.Command{
		Args: s.instance.command.Args, Env: s.instance.command.Env, Dir: s.instance.command.Dir, Output: opt.Log,
	})
	return err
}

// stop ends the command and all processes that it started.
func (s *side) stop(abort context.Context) {
	if s.pprof != nil {
		s.pprof.Close()
	}
	if s.child != nil {
		s.child.Stop(abort, procgroup.Terminate)
	}
	s.pprof, s.child = nil, nil
}

// free fails if something already listens on the service's address.
func (s *side) free(ctx context.Context) error {
	if !s.listens(ctx) {
		return nil
	}
	return &diag.Error{
		Op: "start", Subject: s.instance.command.String(),
		Err:  fmt.Errorf("another process already listens at %s", s.instance.url.Host),
		Hint: "stop it, or let whet choose a free address: " + ownAddress,
	}
}

// listens reports whether connections to the load address are accepted.
func (s *side) listens(ctx context.Context) bool {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", s.instance.url.Host)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

// await waits until the service listens.
func (s *side) await(ctx context.Context, within time.Duration) error {
	deadline := time.Now().Add(within)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if err := s.exited(); err != nil {
			return err
		}
		if s.listens(ctx) {
			return nil
		}
		if time.Now().After(deadline) {
			elsewhere := ""
			if at := s.child.Addresses(); len(at) > 0 {
				elsewhere = ", but at " + strings.Join(at, ", ")
			}
			return &diag.Error{
				Op: "start", Subject: s.instance.command.String(),
				Err: fmt.Errorf("it does not listen at %s within %v%s%s",
					s.instance.url.Host, within, elsewhere, s.child.LastOutput()),
				Hint: "make the command listen at the address of --load (" + ownAddress + "); --start-timeout waits longer",
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.child.Done():
		case <-tick.C:
		}
	}
}

// exited returns nil while the command runs.
func (s *side) exited() error {
	err := s.child.Exited()
	if err == nil {
		return nil
	}
	e := &diag.Error{Op: "run", Subject: s.instance.command.String(), Err: fmt.Errorf("%w%s", err, s.child.LastOutput())}
	if strings.Contains(string(s.child.Output()), "address already in use") {
		e.Hint = "let whet choose free addresses, so that both can run at once: {addr} is one, " +
			"{addr2} is another, and many services accept port 0 for any: -pprof 127.0.0.1:0; or name the service's " +
			"own address in --load, without {addr}: then only one of them runs at a time"
	}
	return e
}

// gone is like exited, for a command that has just failed to respond.
func (s *side) gone(ctx context.Context) error {
	timer := time.NewTimer(exitTimeout)
	defer timer.Stop()
	select {
	case <-s.child.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
	return s.exited()
}

// findHandlers looks for pprof handlers at the load address and wherever else the service listens.
// It is not an error if there are none.
func (s *side) findHandlers(ctx context.Context) {
	if s.noHandlers {
		return
	}
	var at []string
	var err error
	// A service that was started again may listen for them a moment later.
	for deadline := time.Now().Add(dialTimeout); ; time.Sleep(pollInterval) {
		at = slices.DeleteFunc(s.child.Addresses(), func(at string) bool { return at == s.instance.url.Host })
		at = slices.Insert(at, 0, s.instance.url.Scheme+"://"+s.instance.url.Host)
		s.pprof, err = handlers.Find(ctx, at)
		if err == nil || s.pprofAt == "" || ctx.Err() != nil || time.Now().After(deadline) {
			break
		}
	}
	if err != nil {
		s.noAlloc = &diag.Error{
			Err: fmt.Errorf("no pprof handlers at %s", strings.Join(at, ", ")),
			Hint: `import _ "net/http/pprof" in the service, and serve http.DefaultServeMux on a loopback address, ` +
				`as in go http.ListenAndServe("127.0.0.1:0", nil)`,
		}
		return
	}
	s.pprofAt = s.pprof.Address()
}

// dropHandlers forgets the pprof handlers: what only one side provides cannot be compared.
func (s *side) dropHandlers() {
	if s.pprof != nil {
		s.pprof.Close()
	}
	s.pprof, s.pprofAt, s.noHandlers = nil, "", true
}

// measure loads the service for a slice.
func (s *side) measure(ctx context.Context, length time.Duration) (ab.Measurement, error) {
	if err := s.exited(); err != nil {
		return ab.Measurement{}, err
	}
	o := s.load
	o.Duration = length
	r, used, err := s.run(ctx, o)
	if r != nil {
		s.record(r)
	}
	if err != nil {
		return ab.Measurement{}, err
	}
	return ab.Measurement{Values: s.values(r, used), Inside: r.Elapsed, CPU: used.cpu}, nil
}

// values returns the measurements of a slice.
func (s *side) values(r *load.Result, used cost) ab.Values {
	v := ab.Values{
		UnitP50: r.Latency.P50.Seconds(), UnitP90: r.Latency.P90.Seconds(), UnitP99: r.Latency.P99.Seconds(),
		UnitRate: r.Rate,
	}
	// The cost of connecting does not depend on the duration of the slice, and would make the sides
	// look more alike, so the cost of a few requests with new connections is subtracted.
	used = used.minus(s.base)
	if used.requests <= 0 {
		return v
	}
	n := float64(used.requests)
	if used.cpuKnown && used.cpu > 0 {
		v[UnitCPU] = used.cpu.Seconds() / n
	}
	if used.allocs {
		v[UnitAllocs] = max(float64(used.allocated.Objects), 0) / n
		v[UnitBytes] = max(float64(used.allocated.Bytes), 0) / n
	}
	return v
}

// run sends one load and returns the cost of all its requests.
func (s *side) run(ctx context.Context, o load.Options) (*load.Result, cost, error) {
	// The allocations for reading statistics depend on the size of the response, and are measured
	// by reading twice.
	asked, known := s.allocated(ctx)
	before, again := s.allocated(ctx)
	// Reading the clocks of many processes takes milliseconds, during which the load must not run,
	// so package load must not read them.
	o.TargetCPU = func(context.Context) (time.Duration, error) { return 0, nil }
	o.OneByOne = true // otherwise slices would differ by what their loads detect
	began, noCPU := s.cpu(ctx)
	r, err := load.Run(ctx, o)
	ended, lost := s.cpu(ctx)
	if ctx.Err() != nil {
		return nil, cost{}, ctx.Err() // half a slice is useless
	}
	if err != nil || r.Errors.Connect+r.Errors.Reset+r.Errors.ShortBody > 0 {
		if gone := s.gone(ctx); gone != nil {
			return r, cost{}, gone
		}
	}
	if err != nil {
		return r, cost{}, err
	}
	after, last := s.allocated(ctx)
	used := cost{
		requests: r.Requests, cpu: ended - began, cpuKnown: noCPU == nil && lost == nil, allocs: known && again && last,
	}
	if used.allocs {
		used.allocated.Objects = after.Objects - before.Objects - (before.Objects - asked.Objects)
		used.allocated.Bytes = after.Bytes - before.Bytes - (before.Bytes - asked.Bytes)
	}
	r.TargetCPU = nil
	if used.cpuKnown {
		r.TargetCPU = targetCPU(used, r)
	}
	return r, used, nil
}

// targetCPU converts the CPU time of a slice to the form of package load.
func targetCPU(used cost, r *load.Result) *load.TargetCPU {
	c := load.CPU{Total: used.cpu}
	if r.Requests > 0 {
		c.PerRequest = used.cpu / time.Duration(r.Requests)
	}
	if r.Elapsed > 0 {
		c.Cores = used.cpu.Seconds() / r.Elapsed.Seconds()
	}
	return &load.TargetCPU{CPU: c}
}

// warmUp sends requests that are not measured, and then measures the cost of connecting.
func (s *side) warmUp(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	o := s.load
	o.Rate, o.Arrivals, o.Requests = 0, "", int64(cmp.Or(o.Connections, load.DefaultConnections))
	var bases []cost
	for range baseRuns {
		began := time.Now()
		_, used, err := s.run(ctx, o)
		if err != nil {
			return err
		}
		bases = append(bases, used)
		if time.Since(began) > maxBaseTime {
			break
		}
	}
	s.base = medianCost(bases)
	return nil
}

// settle sends requests that are not measured.
func (s *side) settle(ctx context.Context) error {
	if s.warmup <= 0 {
		return nil
	}
	o := s.load
	o.Duration = s.warmup
	_, _, err := s.run(ctx, o)
	return err
}

// medianCost returns the median CPU time and the median allocations of loads with the same number
// of requests, each of those where they are known.
func medianCost(all []cost) cost {
	out := all[0]
	slices.SortFunc(all, func(a, b cost) int { return cmp.Compare(a.cpu, b.cpu) })
	out.cpu = all[len(all)/2].cpu
	known := slices.DeleteFunc(slices.Clone(all), func(c cost) bool { return !c.allocs })
	if out.allocs = len(known) > 0; out.allocs {
		slices.SortFunc(known, func(a, b cost) int { return cmp.Compare(a.allocated.Objects, b.allocated.Objects) })
		out.allocated = known[len(known)/2].allocated
	}
	return out
}

// allocated returns the allocations so far. If that fails occasionally, only the pair's allocations
// are lost; if it fails repeatedly, they are unavailable.
func (s *side) allocated(ctx context.Context) (handlers.Allocated, bool) {
	if s.pprof == nil {
		return handlers.Allocated{}, false
	}
	within, cancel := context.WithTimeout(ctx, statsTimeout)
	defer cancel()
	a, err := s.pprof.Allocated(within)
	if err == nil || ctx.Err() != nil {
		return a, err == nil
	}
	if s.failedReads++; s.failedReads >= maxFailedReads {
		s.pprof.Close()
		s.pprof, s.noAlloc, s.noHandlers = nil, err, true
	}
	return a, false
}

// cpu returns the CPU time of the service so far: from the operating system or, if that is not
// available, from the whet agent in it.
func (s *side) cpu(ctx context.Context) (time.Duration, error) {
	used, err := process.CPU(s.child.PID())
	if err != nil && errors.Is(err, errors.ErrUnsupported) && s.pprof != nil {
		used, err = s.pprof.CPU(ctx)
	}
	return used, err
}

// record adds a slice to the totals of the side.
func (s *side) record(r *load.Result) {
	s.seen.add(r)
	s.last = r
	s.answers = append(s.answers, float64(r.Responses))
	for _, w := range r.Verdict() {
		if w.Kind == load.TooShort || w.Kind == load.ErrorsHide {
			continue // judged over all slices
		}
		i := slices.IndexFunc(s.warnings, func(known repeated) bool { return known.Kind == w.Kind })
		if i < 0 {
			i = len(s.warnings)
			s.warnings = append(s.warnings, repeated{Warning: w})
		}
		s.warnings[i].slices++
	}
}

// Tally is the responses of one side over all measured slices.
type Tally struct {
	Slices    int           `json:"slices"`
	Requests  int64         `json:"requests"`  // completed or failed
	Responses int64         `json:"responses"` // complete, with any status
	Status    map[int]int64 `json:"status"`    // complete responses by status code
	Errors    load.Errors   `json:"errors"`    // requests without a complete response, by kind
	// Failing is the number of slices with failures.
	Failing int `json:"failing_slices,omitempty"`
}

// add adds the requests of a slice.
func (s *Tally) add(r *load.Result) {
	s.Slices++
	s.Requests += r.Requests
	s.Responses += r.Responses
	if s.Status == nil {
		s.Status = map[int]int64{}
	}
	for code, n := range r.Status {
		s.Status[code] += n
	}
	e := &s.Errors
	e.Connect += r.Errors.Connect
	e.Timeout += r.Errors.Timeout
	e.Reset += r.Errors.Reset
	e.ShortBody += r.Errors.ShortBody
	e.Malformed += r.Errors.Malformed
	e.Flood += r.Errors.Flood
	e.Other += r.Errors.Other
	for kind, text := range r.Errors.First {
		if e.First == nil {
			e.First = map[string]string{}
		}
		if e.First[kind] == "" {
			e.First[kind] = text
		}
	}
	if r.Errors.Total()+r.Failed() > 0 {
		s.Failing++
	}
}

// Failed returns the number of requests without a complete response or with a status of 400 or
// above.
func (s *Tally) Failed() int64 {
	r := load.Result{Status: s.Status, Errors: s.Errors}
	return r.Failed() + r.Errors.Total()
}

// Failures describes what Failed counts, such as "503: 12, connect: 3", or "".
func (s *Tally) Failures() string {
	r := load.Result{Status: s.Status, Errors: s.Errors}
	return r.Failures()
}

// loadOptions returns the load of one side: the same requests for both, sent to the side's own
// address.
func loadOptions(o load.Options, p instance) (load.Options, error) {
	if len(o.Targets) == 0 {
		o.URL = p.url.String()
		return o, nil
	}
	// The requests stay the same, including the host name: only the connections go elsewhere.
	o.URL, o.Resolve = "", map[string]string{}
	for _, t := range o.Targets {
		u, err := parseTarget(t.URL)
		if err != nil {
			return o, err
		}
		if u.Scheme != p.url.Scheme {
			return o, diag.Usagef("--targets",
				fmt.Sprintf("a request is %s, and --load %s", u.Scheme, p.url.Scheme), "use the same scheme in both")
		}
		o.Resolve[u.Host] = p.url.Host
	}
	if len(o.Resolve) > 1 {
		return o, diag.Usagef("--targets", fmt.Sprintf("requests for %d hosts", len(o.Resolve)),
			"load one host at a time")
	}
	return o, nil
}

// methodOf returns the method of a target.
func methodOf(o *load.Options, t *load.Target) string {
	switch {
	case t.Method != "":
		return t.Method
	case o.Method != "":
		return o.Method
	}
	return http.MethodGet
}
