package ab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Run compares the subjects' builds. When ctx ends, the result covers what was measured so far and
// has Interrupted set. Subjects that fail are in the result with their error; Run's own errors are
// those of options and of the journal, and ErrNoSubjects.
func Run(ctx context.Context, subjects []Subject, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(subjects) == 0 {
		return nil, ErrNoSubjects
	}
	r := newRunner(subjects, o)
	if o.Resume != nil {
		if err := r.resume(o.Resume); err != nil {
			return nil, err
		}
	}
	if !r.planned {
		r.choose(ctx)
	}
	if err := r.journal.start(journalHead{Identity: r.Identity, Unit: r.Unit, Plan: r.plan}); err != nil {
		return nil, err
	}
	if err := r.measure(ctx); err != nil {
		return nil, err
	}
	return r.result(ctx), nil
}

type runner struct {
	Options              // Unit becomes Instead if that is chosen
	requestedUnit string // Unit as requested
	subjects      []*subject
	leftOut       int // subjects that are not measured, for lack of time
	began         time.Time
	random        *rand.Rand
	journal       journalWriter

	plan    Plan
	planned bool
	tried   []Trial
	allowed []int // CPUs that may be pinned to
	turn    int   // counts the pairs that are pinned one after the other
	inside  time.Duration
	before  time.Duration // time elapsed in earlier runs
}

// A subject is a Subject with its state.
type subject struct {
	Subject
	pairs    []pair
	before   []measured // rounds before the comparison
	elapsed  time.Duration
	known    bool // whether it may be pinned is decided
	unpinned bool // it may not be pinned
	// Times of the rounds that decided free, of each side.
	unpinnedTimes, pinnedTimes [2][]float64
	looked                     int // pairs at the last look
	stopped                    Stop
	err                        error
	// results of the last look
	ratio, low, high float64
}

// A pair is both sides' values.
type pair [2]Values

func newRunner(subjects []Subject, o Options) *runner {
	r := &runner{
		Options: o, requestedUnit: o.Unit, began: time.Now(), random: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15)),
		journal: journalWriter{to: o.Journal}, allowed: Processors(),
	}
	if o.Total > 0 {
		r.leftOut = len(subjects)
		subjects = spreadOut(subjects, max(1, int(o.Total/leastShare)))
		r.leftOut -= len(subjects)
	}
	for _, s := range subjects {
		r.subjects = append(r.subjects, &subject{Subject: s, ratio: math.NaN(), low: math.Inf(-1), high: math.Inf(1)})
	}
	return r
}

// pair measures s once on each of the sides, in random order. A against A is sides {A, A}.
func (r *runner) pair(ctx context.Context, s *subject, p Plan, sides [2]Side) (pair, error) {
	began := time.Now()
	defer func() { s.elapsed += time.Since(began) }()
	if p.Pinned && len(r.allowed) == 0 || p.Together && len(r.allowed) < 2 {
		return pair{}, fmt.Errorf("%v: only %d CPUs to pin to", p, len(r.allowed))
	}
	if p.Together {
		return r.together(ctx, s, p, sides)
	}
	cpu := Anywhere
	if p.Pinned {
		cpu = r.allowed[r.turn%len(r.allowed)]
		r.turn++
	}
	if p.Shared {
		round := Round{Length: p.Length, CPU: cpu, Shared: true}
		return r.atOnce(ctx, s, sides, [2]Round{round, round})
	}
	first := r.random.IntN(2)
	var out pair
	for _, k := range []int{first, 1 - first} {
		m, err := s.Measure(ctx, Round{Side: sides[k], Length: p.Length, Fit: p.Fit, CPU: cpu})
		if err != nil {
			return out, sideError(sides[k], err)
		}
		r.inside += m.Inside
		out[k] = m.Values
	}
	return out, nil
}

// together measures both sides simultaneously, twice, so that both run on both CPUs. The values are
// the geometric means.
func (r *runner) together(ctx context.Context, s *subject, p Plan, sides [2]Side) (pair, error) {
	first := r.random.IntN(2)
	var halves [2]pair
	for i := range halves {
		var rounds [2]Round
		for k := range rounds {
			rounds[k] = Round{Length: p.Length, Fit: p.Fit, CPU: r.allowed[k^first^i]}
		}
		var err error
		if halves[i], err = r.atOnce(ctx, s, sides, rounds); err != nil {
			return pair{}, err
		}
	}
	var out pair
	for k := range out {
		out[k] = Values{}
		for unit, v := range halves[0][k] {
			w, ok := halves[1][k][unit]
			switch {
			case !ok:
			case v == w:
				out[k][unit] = v
			case v > 0 && w > 0:
				out[k][unit] = math.Sqrt(v) * math.Sqrt(w)
			default:
				out[k][unit] = v/2 + w/2
			}
		}
	}
	return out, nil
}

// atOnce measures both sides simultaneously, each in a round of its side. Which one starts first is random.
func (r *runner) atOnce(ctx context.Context, s *subject, sides [2]Side, rounds [2]Round) (out pair, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var measured [2]Measurement
	var failed [2]error
	first := r.random.IntN(2)
	for _, k := range []int{first, 1 - first} {
		rounds[k].Side = sides[k]
		wg.Go(func() {
			measured[k], failed[k] = s.Measure(ctx, rounds[k])
			if failed[k] != nil {
				cancel(sideError(sides[k], failed[k]))
			}
		})
	}
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return pair{}, cause
	}
	for k, m := range measured {
		out[k] = m.Values
		r.inside += m.Inside / 2
	}
	return out, nil
}

// sideError adds the side to an error.
func sideError(s Side, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%v: %w", s, err)
}

// measure gives the subjects turns until all are done.
func (r *runner) measure(ctx context.Context) error {
	for ctx.Err() == nil {
		left := 0
		for _, s := range r.subjects {
			if s.stopped != "" {
				continue
			}
			if ctx.Err() != nil {
				return nil
			}
			if err := r.take(ctx, s); err != nil {
				return err
			}
			if s.stopped == "" {
				left++
			}
		}
		if left == 0 {
			return nil
		}
	}
	return nil
}

// prepare prepares the next pair, if the subject does that.
func (s *subject) prepare(ctx context.Context) error {
	p, ok := s.Subject.(interface {
		Prepare(ctx context.Context, pair int) error
	})
	if !ok {
		return nil
	}
	began := time.Now()
	defer func() { s.elapsed += time.Since(began) }()
	return p.Prepare(ctx, len(s.pairs))
}

// take runs a subject's turn.
func (r *runner) take(ctx context.Context, s *subject) error {
	before := s.elapsed
	var err error
	if r.plan.Pinned {
		err = r.decidePinning(ctx, s, r.plan)
	}
	var p pair
	if err == nil {
		err = s.prepare(ctx)
	}
	if err == nil {
		p, err = r.pair(ctx, s, r.planOf(s), [2]Side{A, B})
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		s.err, s.stopped = err, Failed
	default:
		s.pairs = append(s.pairs, p)
		if err := r.journal.add(entry{
			Subject: s.Name(), A: p[A], B: p[B], Elapsed: s.elapsed - before,
			Unpinned: s.unpinned,
		}); err != nil {
			return err
		}
		r.look(s)
	}
	r.report(s)
	return nil
}

// look decides whether s is done.
func (r *runner) look(s *subject) {
	n, unit := len(s.pairs), r.unitOf(s)
	last := n >= maxPairs || (s.elapsed >= r.MaxTime || r.totalUsed()) && !r.inOvertime(s)
	least := LeastPairs
	if r.counts(s, unit) {
		least = leastCounts
	}
	if !last && (n < least || n < s.looked+max(1, s.looked/16)) {
		return
	}
	if n >= LeastPairs && len(s.column(unit).d) == 0 {
		s.err, s.stopped = fmt.Errorf("does not measure %s", unit), Failed
		return
	}
	s.looked = n
	var p float64
	s.ratio, s.low, s.high, p = r.estimate(s)
	switch {
	case (s.high-s.low)/2 <= r.logPrecision() && r.settled(p), r.clear(s, p):
		s.stopped = Precise
	case last && (n >= maxPairs || !r.inOvertime(s)): // it was decided by the last interval
		s.stopped = TimeUp
	}
}

// totalUsed reports whether the time for all subjects is used up.
func (r *runner) totalUsed() bool {
	return r.Total > 0 && r.used() >= r.Total
}

// inOvertime reports whether a subject whose time is up continues: its interval is expected to be narrow enough
// within Overtime.
func (r *runner) inOvertime(s *subject) bool {
	n := len(s.pairs)
	left := r.MaxTime + r.Overtime - s.elapsed
	if r.Total > 0 {
		left = min(left, r.Total+r.Overtime-r.used())
	}
	if r.Overtime == 0 || n < LeastPairs || left <= 0 || s.canShare() {
		return false
	}
	c, enough := s.column(r.unitOf(s)), math.Log1p(r.Enough)
	needed := pairsFor(spread(c.d), enough, 1-r.Confidence) - n
	// Outliers widen an interval, though not the spread. Its width falls with the root of the number of pairs.
	if half := (s.high - s.low) / 2; s.looked > 0 && half > enough && !math.IsInf(half, 0) {
		needed = max(needed, int(float64(s.looked)*(half*half/(enough*enough)))-n)
	}
	return c.positive && needed > 0 && time.Duration(needed)*s.elapsed/time.Duration(n) <= left
}

// used is the time that was spent on all subjects together.
func (r *runner) used() (sum time.Duration) {
	for _, s := range r.subjects {
		sum += s.elapsed
	}
	return sum
}

// clear reports whether a subject with this p value differs, whatever the others do, by several times
// the half width of its interval.
func (r *runner) clear(s *subject, p float64) bool {
	return p*float64(len(r.subjects)) <= r.Alpha && (s.low > 0 || s.high < 0) &&
		(s.high-s.low)/2 <= r.OfEffect*math.Abs(s.ratio)
}

// settled reports whether more pairs would hardly change the adjusted p value of a subject with
// this p value: there is no evidence of a difference, or enough of it even if no other subject
// differs.
func (r *runner) settled(p float64) bool {
	return p > r.Alpha || p*float64(len(r.subjects)) <= r.Alpha
}

// estimate returns the log ratio of the deciding unit, with its interval and p value.
func (r *runner) estimate(s *subject) (ratio, low, high, p float64) {
	u := r.unit(s, r.unitOf(s))
	if !s.column(u.Unit).positive {
		// There is no ratio to wait for: the values are equal, or one side is zero, to which
		// precision does not apply.
		if len(s.pairs) >= LeastPairs {
			return math.NaN(), 0, 0, u.P
		}
		return math.NaN(), math.Inf(-1), math.Inf(1), u.P
	}
	return math.Log(float64(u.Ratio)), math.Log(float64(u.Low)), math.Log(float64(u.High)), u.P
}

func (r *runner) report(s *subject) {
	if r.Progress == nil {
		return
	}
	p := Progress{
		Subject: s.Name(), Pairs: len(s.pairs), Of: len(r.subjects),
		Ratio: math.Exp(s.ratio), Low: math.Exp(s.low), High: math.Exp(s.high),
		Elapsed: r.elapsed(),
	}
	for _, s := range r.subjects {
		if s.stopped != "" {
			p.Done++
			continue
		}
		p.Left += r.left(s)
	}
	if r.Total > 0 {
		p.Left = min(p.Left, max(0, r.Total-r.used()))
	}
	r.Progress(p)
}

// left estimates how long s still takes.
func (r *runner) left(s *subject) time.Duration {
	most := max(0, r.MaxTime-s.elapsed)
	n := len(s.pairs)
	if n < LeastPairs {
		return most
	}
	c := s.column(r.unitOf(s))
	if !c.positive {
		return most
	}
	needed := pairsFor(spread(c.d), r.logPrecision(), 1-r.Confidence)
	return min(most, time.Duration(max(0, needed-n))*s.elapsed/time.Duration(n))
}

func (r *runner) elapsed() time.Duration { return r.before + time.Since(r.began) }
