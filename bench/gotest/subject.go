package gotest

import (
	"context"
	"math"
	"slices"
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
}

// CPUTime is the unit of the processor time of an iteration, user and system, which a
// Subject measures besides what the benchmark does. It leaves out what a process takes to
// start and end. That of a benchmark which neither waits nor uses several processors is its
// sec/op without what others took of the processor.
const CPUTime = "cpu-sec/op"

// What calibrating takes.
const (
	calibrations = 3 // of the time of an iteration; the shortest is the least disturbed
	starts       = 6 // of processes for one iteration
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

// Measure runs a round. The first one calibrates before: it runs each side as go test
// -bench does and keeps how long an iteration takes, from which the number of
// iterations follows for each length of a round, for the whole comparison. Inside is
// iterations times the time of one: what a process, testing's first iteration, and what
// a benchmark does besides take, is outside.
func (s *Subject) Measure(ctx context.Context, r ab.Round) (ab.Measurement, error) {
	o := s.options
	if r.CPU != ab.Anywhere {
		o.CPUs = []int{r.CPU}
	}
	perOp, start, calibrating, err := s.calibrated(ctx, r.Length, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	o.Iterations = iterationsFor(r.Length, perOp[r.Side])
	res, err := s.sides[r.Side].Run(ctx, s.benchmark, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	m := ab.Measurement{Values: ab.Values{}, Inside: res.Inside() + calibrating, CPU: res.CPU}
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

// calibrated returns how long an iteration takes, what the sides' processes take
// beside, and how long it has run the benchmark now to find out. When both sides ask at once, one waits for the other.
func (s *Subject) calibrated(ctx context.Context, length time.Duration, o RunOptions) (perOp, start [2]float64, inside time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perOp[ab.A] == 0 {
		timed := o
		timed.Time = length
		perOp = [2]float64{math.Inf(1), math.Inf(1)}
		cpu := perOp // what others take of the processor makes equal builds unlike, but not by this
		for range calibrations {
			for side, b := range s.sides { // in turn: what disturbs one disturbs the other
				res, err := b.Run(ctx, s.benchmark, timed)
				if err != nil {
					return perOp, start, 0, err
				}
				inside += res.Inside()
				perOp[side] = min(perOp[side], perOperation(res, length))
				cpu[side] = min(cpu[side], res.CPU.Seconds()/float64(res.Measurements[0].Iterations))
			}
		}
		if !farApart(perOp) || !farApart(cpu) || (perOp[ab.A] < perOp[ab.B]) != (cpu[ab.A] < cpu[ab.B]) {
			mean := (perOp[ab.A] + perOp[ab.B]) / 2
			perOp = [2]float64{mean, mean}
		}
		s.perOp = perOp
	}
	pinned := len(o.CPUs) > 0
	start, ok := s.start[pinned]
	if !ok && iterationsFor(length, max(s.perOp[ab.A], s.perOp[ab.B])) >= leastForCPU {
		if start, err = s.starting(ctx, o); err != nil {
			return perOp, start, 0, err
		}
		s.start[pinned] = start
	}
	return s.perOp, start, inside, nil
}

// farApart tells whether the sides differ by so much that each gets its own number of iterations.
func farApart(perOp [2]float64) bool {
	return max(perOp[ab.A], perOp[ab.B]) >= unlike*min(perOp[ab.A], perOp[ab.B])
}

// starting measures what the sides' processes take beside their iterations. Unless it
// clearly differs, it is the same for both: an error in it must not look like a
// difference.
func (s *Subject) starting(ctx context.Context, o RunOptions) (start [2]float64, err error) {
	o.Iterations, o.Time = 1, 0
	// A difference must show twice: among many subjects, once happens by chance.
	for range 2 {
		var took [2][]float64
		for range starts {
			for side, b := range s.sides {
				res, err := b.Run(ctx, s.benchmark, o)
				if err != nil {
					return start, err
				}
				took[side] = append(took[side], res.CPU.Seconds())
			}
		}
		for side := range took {
			slices.Sort(took[side])
			start[side] = took[side][starts/2]
		}
		if a, b := took[ab.A], took[ab.B]; a[0] <= b[starts-1] && b[0] <= a[starts-1] {
			mean := (start[ab.A] + start[ab.B]) / 2
			return [2]float64{mean, mean}, nil
		}
	}
	return start, nil
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
