package gotest

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// A Subject is a benchmark that exists in two builds. Each round is a process that runs it for a
// number of iterations, which is the same on both sides unless one is much faster.
type Subject struct {
	label, benchmark string
	concurrent       bool
	sides            [2]program
	options          RunOptions
	relinker         *Relinker // links the sides for each pair; nil: they stay as they are

	mu    sync.Mutex
	perOp [2]float64 // in seconds; equal unless the sides differ much; 0 until calibrated
	bytes float64    // that an iteration allocates, on the side that allocates more
	// untimed is the time in seconds that an iteration takes while the timer is stopped, if that is long.
	untimed float64
	// reports is set if the benchmark reports much less time than it takes: CPU time includes what it leaves out.
	reports bool
	ownCPU  bool          // it reports its CPU time, too
	fit     shape         // of rounds that may fit; zero until calibrated
	start   time.Duration // CPU time of a process with hardly an iteration
}

// A program runs the benchmark of one build. It is a *Binary; tests simulate it.
type program interface {
	Run(ctx context.Context, name string, o RunOptions) (*Result, error)
	garbage(ctx context.Context, name string, o RunOptions) (rate float64, err error)
}

// CPUTime is the unit of the CPU time of an iteration, user and system, which a Subject measures in
// addition to the benchmark's own units. It excludes the start and end of the process: each round
// measures those again with a process that runs hardly an iteration, since even two identical files
// take different times to start. For a benchmark that neither waits nor uses several CPUs it is sec/op
// without the time in which other programs had the CPU. Rounds in slices do not measure it, nor do
// rounds that are short compared with the start of their process, or benchmarks that stop the timer for long or report
// a time that is not theirs.
const CPUTime = "cpu-sec/op"

// MeanTime is the unit of the mean of a round's slices, of which sec/op is the fastest. It shows
// occasional slowness, and disturbances.
const MeanTime = "mean-sec/op"

// Limits of calibration.
const (
	calibrations = 3 // of the time of an iteration; the shortest is the least disturbed
	calibration  = 3 * time.Millisecond
	// fewIterations is the least number for which testing behaves as it does for many: it runs the
	// benchmark once before it measures, and with one iteration that run is the measurement.
	fewIterations = 2
	// leastForCPU is how many iterations it takes for CPU time to be dominated by iterations.
	leastForCPU = 20
	// unlike is the ratio of the sides' times above which each has its own number of iterations.
	// Below it, and so whatever disturbs the calibration of equal builds, they do exactly the same
	// work. Above it the faster one would measure for too short a time, and leave its CPU idle
	// while the other continues.
	unlike = 2
	// perTimed is how much longer than the length of a round it may take while the timer is stopped. Benchmarks
	// that prepare each iteration would take many times that length.
	perTimed = 2
	// A calibration that takes longer than littleUntimed and littleTimes of what it measures may stop the timer
	// for long: testing also starts a process, and runs fewer iterations before it measures.
	littleUntimed = 50 * time.Millisecond
	littleTimes   = 3
)

// NewSubject returns the subject of that name for a benchmark that both binaries have. Of the
// options, Procs, Timeout and Env are used.
func NewSubject(label, benchmark string, a, b *Binary, o RunOptions) *Subject {
	top, _, _ := strings.Cut(benchmark, "/")
	return &Subject{
		label: label, benchmark: benchmark, sides: [2]program{a, b},
		concurrent: slices.Contains(a.Package.Concurrent, top) || slices.Contains(b.Package.Concurrent, top),
		options:    RunOptions{Procs: o.Procs, Timeout: o.Timeout, Env: o.Env},
	}
}

// Relink has both sides linked by l for each pair, with their functions in another order.
func (s *Subject) Relink(l *Relinker) { s.relinker = l }

// Prepare links both sides for a pair, if Relink was called. Its order depends only on the pair's number.
func (s *Subject) Prepare(ctx context.Context, pair int) error {
	if s.relinker == nil {
		return nil
	}
	binaries, err := s.relinker.binaries(ctx, 1+pair)
	if err != nil {
		return err
	}
	for side, b := range binaries {
		s.sides[side] = b
	}
	return nil
}

// Name returns the label.
func (s *Subject) Name() string { return s.label }

// Concurrent reports whether the benchmark's source starts goroutines, on either side.
func (s *Subject) Concurrent() bool { return s.concurrent }

// CanShare reports whether a round of [ab.SharedPlan] measures CPU time: the benchmark starts no goroutines, its
// iterations are short, and it reports its CPU time if it stops the timer for long or reports another time than it
// takes. It is false before the first round.
func (s *Subject) CanShare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	perOp := max(s.perOp[ab.A], s.perOp[ab.B])
	if perOp == 0 || s.concurrent || !s.ownCPU && (s.untimed > 0 || s.reports) {
		return false
	}
	return iterationsFor(ab.SharedPlan().Length, perOp) >= leastForCPU
}

// Measure runs a round. The first one calibrates: it runs each side as go test -bench does, on all
// CPUs, and records how long an iteration takes, which determines the number of iterations for each
// length of a round, for the whole comparison. A round that fits may be several slices in one
// process, of which the fastest is the result. Inside is iterations times the time of one: the
// process itself, testing's first iteration, and what a benchmark does otherwise, are outside.
func (s *Subject) Measure(ctx context.Context, r ab.Round) (ab.Measurement, error) {
	o := s.options
	if r.CPU != ab.Anywhere {
		o.CPUs = []int{r.CPU}
	}
	known, err := s.calibrated(ctx, r, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	o.Iterations, o.Count = iterationsFor(known.slice, known.perOp[r.Side]), known.count
	if known.untimed > 0 {
		o.Iterations = min(o.Iterations, iterationsFor(perTimed*r.Length/time.Duration(o.Count), known.untimed))
	}
	res, err := s.sides[r.Side].Run(ctx, s.benchmark, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	inside := res.Inside()
	m := ab.Measurement{Values: fastest(res.Measurements), Inside: inside + known.inside, CPU: res.CPU, Wall: res.Wall}
	if known.count > 1 {
		// The start, and the collections between slices, use other CPUs too.
		m.CPU, m.Wall = max(0, res.CPU-known.outside), inside
		return m, nil
	}
	if n := o.Iterations; n >= leastForCPU && known.slice >= perStart*known.start && known.untimed == 0 && !known.reports {
		o.Iterations = fewIterations
		few, err := s.sides[r.Side].Run(ctx, s.benchmark, o)
		if err != nil {
			return ab.Measurement{}, err
		}
		if cpu := res.CPU - few.CPU; cpu > 0 {
			m.Values[CPUTime] = cpu.Seconds() / float64(n-fewIterations)
		}
	}
	if r.Shared {
		maps.DeleteFunc(m.Values, func(unit string, _ float64) bool { return !despiteSharing(unit) })
	}
	return m, nil
}

// despiteSharing reports whether a unit does not depend on what else runs on the CPU.
func despiteSharing(unit string) bool {
	return unit == CPUTime || unit == "B/op" || unit == "allocs/op"
}

// known is what a round must know about its benchmark.
type known struct {
	shape
	perOp [2]float64 // as those of a Subject
	start time.Duration
	// untimed and reports are those of a Subject.
	untimed float64
	reports bool
	inside  time.Duration // how long the benchmark ran for this calibration
}

// calibrated returns what a round must know about its benchmark. If both sides call it at once, one
// waits for the other.
func (s *Subject) calibrated(ctx context.Context, r ab.Round, o RunOptions) (k known, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perOp[ab.A] == 0 {
		if k.inside, err = s.calibrate(ctx, min(r.Length, calibration)); err != nil {
			return k, err
		}
	}
	k.perOp, k.untimed, k.reports, k.shape = s.perOp, s.untimed, s.reports, shape{slice: r.Length, count: 1}
	if iterationsFor(r.Length, max(s.perOp[ab.A], s.perOp[ab.B])) < leastForCPU {
		return k, nil
	}
	if s.start == 0 {
		o.Iterations = fewIterations
		few, err := s.sides[ab.A].Run(ctx, s.benchmark, o)
		if err != nil {
			return k, err
		}
		s.start = max(1, few.CPU)
	}
	k.start = s.start
	if r.Fit {
		if s.fit.count == 0 {
			if s.fit, err = s.fitting(ctx, r.Length, o); err != nil {
				return k, err
			}
		}
		if s.fit.length() <= r.Length {
			k.shape = s.fit
		}
	}
	return k, nil
}

// calibrate finds how long an iteration takes, and returns how long the benchmark has run.
func (s *Subject) calibrate(ctx context.Context, length time.Duration) (inside time.Duration, err error) {
	o := s.options
	o.Time, o.Count = length, calibrations
	var perOp, cpu [2][]float64
	// What testing and the runtime allocate is shared by the iterations, of which a disturbed run has few.
	var most [2]int
	var bytes [2]float64
	defer func() { s.bytes = max(bytes[ab.A], bytes[ab.B]) }()
	// Disturbances make equal builds differ too, but hardly by a factor of two, and in both attempts.
	for range 2 {
		for side, b := range s.sides {
			res, err := b.Run(ctx, s.benchmark, o)
			if err != nil && ctx.Err() == nil && o.Count > 1 {
				o.Count = 1 // it may not support a second run
				res, err = b.Run(ctx, s.benchmark, o)
			}
			if err != nil {
				return inside, err
			}
			inside += res.Inside()
			iterations := 0
			for _, m := range res.Measurements {
				perOp[side] = append(perOp[side], perOperation(m, res.Wall/time.Duration(o.Count), length))
				iterations += m.Iterations
				s.reports = s.reports || reportsLess(m, length)
				if _, ok := m.Value(CPUTime); ok {
					s.ownCPU = true
				}
				if m.Iterations > most[side] {
					most[side] = m.Iterations
					bytes[side], _ = m.Value("B/op")
				}
			}
			cpu[side] = append(cpu[side], res.CPU.Seconds()/float64(iterations))
			if res.Wall > littleTimes*res.Inside()+littleUntimed {
				if err := s.findUntimed(ctx, b, most[side]); err != nil {
					return inside, err
				}
			}
		}
		if slower := farApart(perOp); slower == 0 || slower != farApart(cpu) {
			mean := (slices.Min(perOp[ab.A]) + slices.Min(perOp[ab.B])) / 2
			s.perOp = [2]float64{mean, mean}
			return inside, nil
		}
	}
	s.perOp = [2]float64{slices.Min(perOp[ab.A]), slices.Min(perOp[ab.B])}
	return inside, nil
}

// reportsLess reports whether a measurement that was made in at least length reports much less time.
func reportsLess(m Measurement, length time.Duration) bool {
	sec, _ := m.Value("sec/op")
	return m.Iterations < maxIterations && sec*float64(m.Iterations) < length.Seconds()/2
}

// findUntimed finds how long the timer is stopped in each of a number of iterations, without what a benchmark does
// before them.
func (s *Subject) findUntimed(ctx context.Context, b program, iterations int) error {
	if iterations <= fewIterations {
		return nil
	}
	o := s.options
	var wall, inside [2]time.Duration
	for i, n := range []int{fewIterations, iterations} {
		o.Iterations = n
		res, err := b.Run(ctx, s.benchmark, o)
		if err != nil {
			return err
		}
		wall[i], inside[i] = res.Wall, res.Inside()
	}
	before := wall[0] - inside[0]
	more := wall[1] - inside[1] - before
	if more < inside[1] || more < before/10 {
		return nil // the setup may vary
	}
	s.untimed = max(s.untimed, more.Seconds()/float64(iterations-fewIterations))
	return nil
}

// farApart returns -1 if every time of A is longer than every time of B by the factor unlike, so
// that each side gets its own number of iterations; 1 if it is the other way round; and 0
// otherwise.
func farApart(perOp [2][]float64) int {
	switch {
	case slices.Min(perOp[ab.A]) >= unlike*slices.Max(perOp[ab.B]):
		return -1
	case slices.Min(perOp[ab.B]) >= unlike*slices.Max(perOp[ab.A]):
		return 1
	}
	return 0
}

// perOperation returns the time in seconds that an iteration of a measurement, made in at least
// length, has taken. A benchmark may report another time than it takes, or none: testing continues
// until length is over, and no longer than the process has run, which bounds it.
func perOperation(m Measurement, wall, length time.Duration) float64 {
	n := float64(m.Iterations)
	sec, _ := m.Value("sec/op")
	if n < maxIterations {
		sec = max(sec, length.Seconds()/n)
	}
	return min(sec, wall.Seconds()/n)
}

// maxIterations is package testing's own limit.
const maxIterations = 1e9

// iterationsFor returns how many iterations take about length, at least one.
func iterationsFor(length time.Duration, perOp float64) int {
	n := math.Round(length.Seconds() / perOp)
	if !(n >= 1) {
		return 1
	}
	return int(min(n, maxIterations))
}
