package gotest

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// A Subject is a benchmark that exists in two builds. Each round is a process that runs
// it for a number of iterations, which is the same on both sides.
type Subject struct {
	label, benchmark string
	sides            [2]*Binary
	options          RunOptions

	mu    sync.Mutex
	perOp float64 // seconds, the mean of both sides; 0 until calibrated
}

// NewSubject returns the subject of that name for a benchmark that both binaries have.
// Of the options, Procs, Timeout and Env have a meaning.
func NewSubject(label, benchmark string, a, b *Binary, o RunOptions) *Subject {
	return &Subject{
		label: label, benchmark: benchmark, sides: [2]*Binary{a, b},
		options: RunOptions{Procs: o.Procs, Timeout: o.Timeout, Env: o.Env},
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
	perOp, err := s.calibrated(ctx, r.Length, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	o.Iterations = iterationsFor(r.Length, perOp)
	res, err := s.sides[r.Side].Run(ctx, s.benchmark, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	m := ab.Measurement{Values: ab.Values{}, Inside: res.Inside(), CPU: res.CPU}
	for _, v := range res.Measurements[0].Values {
		if !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
			m.Values[v.Unit] = v.Value
		}
	}
	return m, nil
}

// calibrated returns how long an iteration takes. When both sides ask at once, one
// waits for the other.
func (s *Subject) calibrated(ctx context.Context, length time.Duration, o RunOptions) (float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perOp > 0 {
		return s.perOp, nil
	}
	o.Time = length
	sum := 0.0
	for _, b := range s.sides {
		res, err := b.Run(ctx, s.benchmark, o)
		if err != nil {
			return 0, err
		}
		sum += perOperation(res, length)
	}
	s.perOp = sum / float64(len(s.sides))
	return s.perOp, nil
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
