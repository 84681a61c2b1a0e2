package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
)

// Defaults of [Options].
const (
	DefaultWarmup = 500 * time.Millisecond
	DefaultStart  = 15 * time.Second
)

// Options configure Run. Commands and URLs are required.
type Options struct {
	// Commands start the services, A and B.
	Commands [2]Command
	// URLs are where the load is sent: one with placeholders (see [Command]), or one for each side.
	// They must be on this machine. If both have one host and port, only one side runs at a time.
	URLs []string
	// Load configures what is sent, and how: everything except URL, Duration, Requests, Warmup,
	// Resolve and TargetCPU, which are set here. With Targets, requests keep the addresses in them,
	// and URLs only determine where they are sent.
	Load load.Options
	// Warmup is how long each side is loaded after it was started, before it is measured; 0 means
	// DefaultWarmup, negative means no warm-up.
	Warmup time.Duration
	// Start is the maximum time until each service listens; 0 means DefaultStart.
	Start time.Duration
	// SameAnswers makes different responses to the same request an error; otherwise they are only
	// listed in the result.
	SameAnswers bool
	// AB configures the comparison. Without Plans, slices of half a second to two seconds are
	// tried, alternating between the sides. Without Unit, the precision applies to the CPU time or,
	// if that is unavailable, to the rate or latency.
	AB ab.Options
	// Log, if set, receives the output of the services, which write to it concurrently.
	Log io.Writer
	// Note, if set, is called with one-line messages: what is being waited for, what cannot be
	// measured.
	Note func(string)
	// Abort, once closed, kills the services immediately.
	Abort <-chan struct{}
}

// Schema is the schema of [Result] as JSON.
const Schema = "whet.bench-service/3"

// A Result is the comparison of two services.
type Result struct {
	Schema string  `json:"schema"` // always [Schema]
	Sides  [2]Side `json:"sides"`  // A and B
	// AB has one subject: the comparison of the units that slices measure. Q is P for the unit that
	// the precision applies to; for the others it is P adjusted for their number.
	AB *ab.Result `json:"ab"`
	// FailuresDiffer is set if the share of failed requests differs between the sides by more than
	// chance (three standard deviations), so that the rest compares services that do different
	// work.
	FailuresDiffer bool `json:"failures_differ"`
	// Load is B's last slice, which shows how the load was sent, without its histogram and seconds;
	// nil if there was none.
	Load *load.Result `json:"load,omitempty"`
	// Answers is the comparison of responses to the same requests.
	Answers *Answers `json:"answers,omitempty"`
	// OneAtATime is set if both services listen at the same address, so that each slice restarted
	// its service while the other one was stopped.
	OneAtATime bool `json:"one_at_a_time,omitempty"`
	// Warnings are the reasons to distrust the figures, the most serious first, except those of AB.
	Warnings load.Warnings `json:"warnings,omitempty"`
	// Failure is why measuring ended early, with its remedy, or nil. In JSON it is the error of
	// AB's subject.
	Failure error `json:"-"`
}

// A Side is one service of a comparison.
type Side struct {
	Command string `json:"command"` // with its placeholders
	Dir     string `json:"dir,omitempty"`
	URL     string `json:"url"` // address of the load, without a password
	Pprof   string `json:"pprof,omitempty"`
	Seen    Tally  `json:"seen"`
}

// A pair is both services; package ab sees it as what it compares.
type pair struct {
	sides [2]*side
	o     *Options
	abort context.Context // its end makes stopping a service immediate
	// oneAtATime is set if both listen at the same address. Then a service is started when it is
	// needed, and the other one is stopped before.
	oneAtATime bool
	err        error // that ended the measurement
}

// Name returns what is compared.
func (p *pair) Name() string { return "service" }

// Measure loads one side for a slice.
func (p *pair) Measure(ctx context.Context, r ab.Round) (ab.Measurement, error) {
	m, err := p.measure(ctx, p.sides[r.Side], r.Length)
	if err != nil && ctx.Err() == nil {
		p.err = err
	}
	return m, err
}

func (p *pair) measure(ctx context.Context, s *side, length time.Duration) (ab.Measurement, error) {
	if p.oneAtATime {
		// A side that just goes on running would be warmer than one that was started.
		s.stop(p.abort)
		if err := p.run(ctx, s); err != nil {
			return ab.Measurement{}, err
		}
		if err := s.settle(ctx); err != nil {
			return ab.Measurement{}, err
		}
	}
	return s.measure(ctx, length)
}

// run starts a service that does not run, which is so if only one runs at a time.
func (p *pair) run(ctx context.Context, s *side) error {
	if s.child != nil {
		return nil
	}
	for _, other := range p.sides {
		other.stop(p.abort)
	}
	return p.start(ctx, s)
}

// Run starts both services, compares them, and stops them. If ctx is canceled, it returns what was
// measured until then. A service that fails during the measurement is in the result, as the error
// of its subject.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	abort, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if o.Abort != nil {
		go func() {
			select {
			case <-o.Abort:
				cancel()
			case <-abort.Done():
			}
		}()
	}
	where, err := instances(o.Commands, o.URLs)
	if err != nil {
		return nil, err
	}
	sides, err := newSides(&o, where)
	if err != nil {
		release(where)
		return nil, err
	}
	p := &pair{sides: sides, o: &o, abort: abort, oneAtATime: sameAddress(where)}
	// Deferred, so that a panic does not leave the services running either.
	defer p.stopAll()
	if err := p.startAll(ctx); err != nil {
		return nil, err
	}
	r := &Result{Schema: Schema, OneAtATime: p.oneAtATime}
	if r.Answers, err = p.compareAnswers(ctx); err != nil {
		return nil, err
	}
	if d := r.Answers.Differences; o.SameAnswers && len(d) > 0 {
		return nil, &diag.Error{
			Op: "compare answers", Subject: d[0].Request, Err: errors.New(d[0].What),
			Hint: "a comparison is only fair if both services do the same work; without --same-answers they are measured anyway",
		}
	}
	for _, s := range sides {
		o.Note("warming up " + s.name)
		if err := p.run(ctx, s); err != nil {
			return nil, err
		}
		_, s.noCPU = s.cpu(ctx)
		if err := s.warmUp(ctx); err != nil {
			return nil, s.named(err)
		}
	}
	if r.AB, err = ab.Run(ctx, []ab.Subject{p}, o.comparison(sides)); err != nil {
		return nil, err
	}
	r.Failure = p.err
	r.conclude(&o, sides)
	return r, nil
}

// Check returns an error for options that Run would reject before it starts anything, for callers
// that build the programs first. It runs nothing and reads no files.
func (o *Options) Check() error {
	where, err := instances(o.Commands, o.URLs)
	if err != nil {
		return err
	}
	defer release(where)
	_, err = newSides(o, where)
	return err
}

// newSides prepares both sides.
func newSides(o *Options, instances [2]instance) (sides [2]*side, err error) {
	warmup := o.Warmup
	if warmup == 0 {
		warmup = DefaultWarmup
	}
	for i := range sides {
		s := &side{name: sideName(i), instance: instances[i], warmup: max(warmup, 0)}
		if s.load, err = loadOptions(o.Load, instances[i]); err != nil {
			return sides, err
		}
		sides[i] = s
	}
	return sides, nil
}

// startAll starts the services, one after the other if only one runs at a time, and waits until
// they listen.
func (p *pair) startAll(ctx context.Context) error {
	release([2]instance{p.sides[0].instance, p.sides[1].instance})
	if p.oneAtATime {
		for _, s := range p.sides {
			p.o.Note(fmt.Sprintf("waiting for %s at %s", s.name, s.instance.url.Host))
			if err := p.run(ctx, s); err != nil {
				return err
			}
		}
	} else if err := p.start(ctx, p.sides[:]...); err != nil {
		return err
	}
	if a, b := p.sides[0], p.sides[1]; (a.pprofAt == "") != (b.pprofAt == "") {
		a.dropHandlers()
		b.dropHandlers()
	}
	return ctx.Err()
}

// start starts services and waits until they listen.
func (p *pair) start(ctx context.Context, sides ...*side) error {
	for _, s := range sides {
		if err := s.free(ctx); err != nil {
			return s.named(err)
		}
	}
	for _, s := range sides {
		if err := s.start(p.o); err != nil {
			return s.named(err)
		}
	}
	for _, s := range sides {
		if !p.oneAtATime {
			p.o.Note(fmt.Sprintf("waiting for %s at %s", s.name, s.instance.url.Host))
		}
		if err := s.await(ctx, cmp.Or(p.o.Start, DefaultStart)); err != nil {
			return s.named(err)
		}
	}
	for _, s := range sides {
		s.findHandlers(ctx)
	}
	return nil
}

// stopAll stops both services concurrently.
func (p *pair) stopAll() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.sides[1].stop(p.abort)
	}()
	p.sides[0].stop(p.abort)
	<-done
}

// comparison completes the options of the comparison.
func (o *Options) comparison(sides [2]*side) ab.Options {
	out := o.AB
	if out.Plans == nil {
		// The services keep all CPUs: a service restricted to one has another GOMAXPROCS. Running
		// both at once would make them compete with the load.
		for _, length := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
			out.Plans = append(out.Plans, ab.Plan{Length: length})
		}
	}
	known := true
	for i, s := range sides {
		out.Sides[i] = cmp.Or(out.Sides[i], o.Commands[i].String())
		known = known && s.noCPU == nil
	}
	switch {
	case out.Unit != "":
	case known:
		out.Unit = UnitCPU
	case o.Load.Rate == 0:
		out.Unit = UnitRate
	default:
		out.Unit = UnitP50
	}
	return out
}

// conclude fills in what is known at the end.
func (r *Result) conclude(o *Options, sides [2]*side) {
	for i, s := range sides {
		r.Sides[i] = Side{
			Command: o.Commands[i].String(), Dir: o.Commands[i].Dir, URL: s.instance.url.Redacted(), Seen: s.seen,
		}
		r.Sides[i].Pprof = s.pprofAt
	}
	if last := sides[1].last; last != nil {
		r.Load = last
		r.Load.Latency.HDR, r.Load.Seconds = "", nil
	}
	r.adjust()
	r.FailuresDiffer = differ(&r.Sides[0].Seen, &r.Sides[1].Seen)
	r.Warnings = r.warnings(sides)
}

// adjust adjusts Q for the units other than the one that the precision applies to: that one was
// chosen in advance, and is judged alone. Package ab adjusts it for the number of subjects.
func (r *Result) adjust() {
	for i := range r.AB.Subjects {
		var others []*ab.Unit
		var p []float64
		for k := range r.AB.Subjects[i].Units {
			if u := &r.AB.Subjects[i].Units[k]; u.Unit != r.AB.Unit {
				others, p = append(others, u), append(p, u.P)
			}
		}
		for k, q := range bench.Adjust(p) {
			u := others[k]
			u.Q = q
			if q > r.AB.Alpha && (u.Verdict == ab.Better || u.Verdict == ab.Worse) {
				u.Verdict = ab.Undecided
			}
		}
	}
}

// reason returns err without the operation, which is implied.
func reason(err error) string {
	if e := (*diag.Error)(nil); errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// differSigmas is the number of standard deviations by which two shares of failures must differ.
const differSigmas = 3

// differ reports whether the shares of failed requests differ by more than chance: the
// two-proportion z-test with the pooled share.
func differ(a, b *Tally) bool {
	na, nb := float64(a.Requests), float64(b.Requests)
	if na == 0 || nb == 0 {
		return false
	}
	fa, fb := float64(a.Failed()), float64(b.Failed())
	pooled := (fa + fb) / (na + nb)
	if pooled == 0 || pooled == 1 {
		return false
	}
	return math.Abs(fa/na-fb/nb) > differSigmas*math.Sqrt(pooled*(1-pooled)*(1/na+1/nb))
}

// tooFew returns the warning about percentiles for which the slices have too few responses.
func tooFew(answers []float64) *load.Warning {
	if len(answers) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(answers))
	median := int64(sorted[len(sorted)/2])
	for _, p := range []float64{50, 90, 99} {
		if median < load.AnswersFor(p) {
			return &load.Warning{
				Kind: load.TooShort,
				Text: fmt.Sprintf("a slice has about %d answers, and p%g needs %d: it is close to the slowest answer",
					median, p, load.AnswersFor(p)),
				Hint: "use longer slices (--slice)",
			}
		}
	}
	return nil
}
