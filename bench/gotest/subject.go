package gotest

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// A Subject is a benchmark that exists in two builds. Each round is a process that runs
// it for a number of iterations, which is the same on both sides unless one is much faster.
type Subject struct {
	label, benchmark string
	sides            [2]*Binary
	options          RunOptions

	mu    sync.Mutex
	perOp [2]float64          // seconds; alike unless the sides differ much; 0 until calibrated
	start map[bool][2]float64 // processor time of a process beside its iterations, in seconds; by whether it is pinned
	fit   time.Duration       // of a round, as it suits what it costs besides; 0 until calibrated
}

// CPUTime is the unit of the processor time of an iteration, user and system, which a
// Subject measures besides what the benchmark does. It leaves out what a process takes to
// start and end. That of a benchmark which neither waits nor uses several processors is its
// sec/op without what others took of the processor.
const CPUTime = "cpu-sec/op"

// What calibrating takes.
const (
	calibrations = 3 // of the time of an iteration; the shortest is the least disturbed
	calibration  = 25 * time.Millisecond
	starts       = 5                      // of processes for one iteration
	mostStarting = 500 * time.Millisecond // before three of them are enough
	// leastForCPU is how many iterations it takes for one not to matter: a process that
	// starts runs one.
	leastForCPU = 20
	// unlike is the ratio of the sides' times from which each has its own number of iterations.
	// Below it, and so whatever disturbs the calibration of equal builds, they do the same work,
	// to the last iteration. Above it the faster one would measure less time than it may, and
	// leave its processor idle while the other goes on.
	unlike = 2
)

// NewSubject returns the subject of that name for a benchmark that both binaries have.
// Of the options, Procs, Timeout and Env have a meaning.
func NewSubject(label, benchmark string, a, b *Binary, o RunOptions) *Subject {
	return &Subject{
		label: label, benchmark: benchmark, sides: [2]*Binary{a, b},
		options: RunOptions{Procs: o.Procs, Timeout: o.Timeout, Env: o.Env},
		start:   map[bool][2]float64{},
	}
}

// Name returns the label.
func (s *Subject) Name() string { return s.label }

// Concurrent tells whether the benchmark's source starts goroutines, on either side.
func (s *Subject) Concurrent() bool {
	top, _, _ := strings.Cut(s.benchmark, "/")
	return slices.ContainsFunc(s.sides[:], func(b *Binary) bool { return slices.Contains(b.Package.Concurrent, top) })
}

// Measure runs a round. The first one calibrates before: it runs each side as go test
// -bench does, on all processors, and keeps how long an iteration takes, from which the number
// of iterations follows for each length of a round, for the whole comparison. Inside is
// iterations times the time of one: what a process, testing's first iteration, and what
// a benchmark does besides take, is outside.
func (s *Subject) Measure(ctx context.Context, r ab.Round) (ab.Measurement, error) {
	o := s.options
	if r.CPU != ab.Anywhere {
		o.CPUs = []int{r.CPU}
	}
	known, err := s.calibrated(ctx, r, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	perOp, start, calibrating := known.perOp, known.start, known.inside
	o.Iterations = iterationsFor(known.length, perOp[r.Side])
	res, err := s.sides[r.Side].Run(ctx, s.benchmark, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	m := ab.Measurement{Values: ab.Values{}, Inside: res.Inside() + calibrating, CPU: res.CPU, Wall: res.Wall}
	for _, v := range res.Measurements[0].Values {
		if !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
			m.Values[v.Unit] = v.Value
		}
	}
	if cpu := res.CPU.Seconds() - start[r.Side]; o.Iterations >= leastForCPU && cpu > 0 {
		m.Values[CPUTime] = cpu / float64(o.Iterations)
	}
	return m, nil
}

// known is what a round needs to know.
type known struct {
	perOp, start [2]float64    // as those of a Subject
	length       time.Duration // of the round
	inside       time.Duration // how long the benchmark has run now to find out
}

// calibrated returns what a round needs to know. When both sides ask at once, one waits for
// the other.
func (s *Subject) calibrated(ctx context.Context, r ab.Round, o RunOptions) (k known, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perOp[ab.A] == 0 {
		if k.inside, err = s.calibrate(ctx, min(r.Length, calibration)); err != nil {
			return k, err
		}
	}
	k.perOp, k.length = s.perOp, r.Length
	slower := max(s.perOp[ab.A], s.perOp[ab.B])
	pinned := len(o.CPUs) > 0
	var took time.Duration
	start, ok := s.start[pinned]
	if !ok && iterationsFor(r.Length, slower) >= leastForCPU {
		if start, took, err = s.starting(ctx, o); err != nil {
			return k, err
		}
		s.start[pinned] = start
	}
	k.start = start
	if r.Fit {
		if s.fit == 0 {
			if s.fit, err = s.fitting(ctx, r.Length, took, slower); err != nil {
				return k, err
			}
		}
		k.length = min(s.fit, r.Length)
	}
	return k, nil
}

// calibrate finds how long an iteration takes, and returns how long the benchmark has run.
func (s *Subject) calibrate(ctx context.Context, length time.Duration) (inside time.Duration, err error) {
	timed := s.options
	timed.Time = length
	var perOp, cpu [2][]float64
	for range calibrations {
		for side, b := range s.sides { // in turn: what disturbs one disturbs the other
			res, err := b.Run(ctx, s.benchmark, timed)
			if err != nil {
				return inside, err
			}
			inside += res.Inside()
			perOp[side] = append(perOp[side], perOperation(res, length))
			cpu[side] = append(cpu[side], res.CPU.Seconds()/float64(res.Measurements[0].Iterations))
		}
	}
	for side := range perOp {
		s.perOp[side] = slices.Min(perOp[side])
	}
	// What others take of the processor makes equal builds unlike, too, but not each run of one
	// from each run of the other, in both times.
	if slower := farApart(perOp); slower == 0 || slower != farApart(cpu) {
		mean := (s.perOp[ab.A] + s.perOp[ab.B]) / 2
		s.perOp = [2]float64{mean, mean}
	}
	return inside, nil
}

// What the length of a round goes by when it may fit.
const (
	leastFit = 10 * time.Millisecond
	// perStart is how much longer a round is than the start of its process. More wins little
	// time, and where the noise is between processes it is lost.
	perStart = 3
	// collections of garbage make a round's share of them about the same from round to round.
	collections = 5
	// littleGarbage is how much a round may allocate without collections: a quarter of
	// the heap at which the first is due.
	littleGarbage = 1 << 20
)

// fitting is the length of rounds that suits the benchmark: short, but long enough for the
// start of a process not to matter, for processor time to be known, and for the garbage
// collector to cost what it costs in a long run.
func (s *Subject) fitting(ctx context.Context, most, start time.Duration, perOp float64) (time.Duration, error) {
	if start == 0 {
		return most, nil // few iterations
	}
	length := max(leastFit, perStart*start, time.Duration(leastForCPU*perOp*float64(time.Second)))
	for _, b := range s.sides {
		garbage, rate, err := b.garbage(ctx, s.benchmark, s.options)
		switch {
		case err != nil:
			return 0, err
		case garbage*float64(iterationsFor(length, perOp)) <= littleGarbage:
		case rate == 0:
			return most, nil
		default:
			length = max(length, time.Duration(collections/rate*float64(time.Second)))
		}
	}
	return min(length, most), nil
}

// farApart returns -1 if every time of A is so much longer than every one of B that each side
// gets its own number of iterations, 1 if it is the other way round, and 0 otherwise.
func farApart(perOp [2][]float64) int {
	switch {
	case slices.Min(perOp[ab.A]) >= unlike*slices.Max(perOp[ab.B]):
		return -1
	case slices.Min(perOp[ab.B]) >= unlike*slices.Max(perOp[ab.A]):
		return 1
	}
	return 0
}

// starting measures the processor time that the sides' processes take beside their
// iterations, and how long the slower one takes. Unless the former clearly differs, it is the
// same for both: an error in it must not look like a difference.
func (s *Subject) starting(ctx context.Context, o RunOptions) (start [2]float64, wall time.Duration, err error) {
	o.Iterations, o.Time = 1, 0
	// A difference must show twice: among many subjects, once happens by chance.
	for range 2 {
		var took [2][]float64
		var walls [2][]time.Duration
		began := time.Now()
		for len(took[ab.A]) < starts && (len(took[ab.A]) < 3 || time.Since(began) < mostStarting) {
			for side, b := range s.sides {
				res, err := b.Run(ctx, s.benchmark, o)
				if err != nil {
					return start, 0, err
				}
				took[side] = append(took[side], res.CPU.Seconds())
				walls[side] = append(walls[side], res.Wall)
			}
		}
		for side := range took {
			slices.Sort(took[side])
			start[side] = took[side][len(took[side])/2]
			wall = max(wall, slices.Min(walls[side]))
		}
		if a, b := took[ab.A], took[ab.B]; len(a) < starts || a[0] <= b[len(b)-1] && b[0] <= a[len(a)-1] {
			mean := (start[ab.A] + start[ab.B]) / 2
			return [2]float64{mean, mean}, wall, nil
		}
	}
	return start, wall, nil
}

// perOperation is the time in seconds that an iteration of a result with one
// measurement, made in at least length, has taken. A benchmark may report another time
// than it takes, or none: testing goes on until length is over, and no longer than the
// process has run, which bounds it.
func perOperation(r *Result, length time.Duration) float64 {
	m := r.Measurements[0]
	n := float64(m.Iterations)
	sec, _ := m.Value("sec/op")
	if n < maxIterations {
		sec = max(sec, length.Seconds()/n)
	}
	return min(sec, r.Wall.Seconds()/n)
}

// maxIterations is package testing's own bound.
const maxIterations = 1e9

// iterationsFor returns how many iterations take about length, at least one.
func iterationsFor(length time.Duration, perOp float64) int {
	n := math.Round(length.Seconds() / perOp)
	if !(n >= 1) {
		return 1
	}
	return int(min(n, maxIterations))
}
