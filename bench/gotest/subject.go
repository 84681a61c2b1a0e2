package gotest

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// A Subject is a benchmark that two binaries have: an [ab.Subject]. Each round is a
// process of its own, so that what differs between processes, such as where memory lies,
// differs between rounds. The number of iterations is found once, and is the same for
// both sides.
type Subject struct {
	name      string
	benchmark string
	binaries  [2]*Binary
	options   RunOptions

	mu sync.Mutex
	// op is about how long an iteration takes, on average of both sides; 0 is not known yet.
	op time.Duration
}

// NewSubject makes a subject of the given name of a benchmark, whose name is as
// Benchmarks returns it. Iterations, Time, Count and CPUs of the options have no meaning.
func NewSubject(name, benchmark string, binaries [2]*Binary, o RunOptions) *Subject {
	o.Count = 0
	return &Subject{name: name, benchmark: benchmark, binaries: binaries, options: o}
}

// Name returns the subject's name.
func (s *Subject) Name() string { return s.name }

// Measure runs the benchmark once on a side.
func (s *Subject) Measure(ctx context.Context, r ab.Round) (ab.Measurement, error) {
	o := s.options
	o.CPUs = nil
	if r.CPU != ab.Anywhere {
		o.CPUs = []int{r.CPU}
	}
	op, err := s.calibrate(ctx, o, r.Length)
	if err != nil {
		return ab.Measurement{}, err
	}
	o.Iterations, o.Time = max(1, int(math.Round(float64(r.Length)/float64(op)))), 0
	res, err := s.binaries[r.Side].Run(ctx, s.benchmark, o)
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

// calibrate finds how long an iteration takes, by running each side for about length.
func (s *Subject) calibrate(ctx context.Context, o RunOptions, length time.Duration) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.op > 0 {
		return s.op, nil
	}
	o.Iterations, o.Time = 0, length
	var sum time.Duration
	for _, b := range s.binaries {
		res, err := b.Run(ctx, s.benchmark, o)
		if err != nil {
			return 0, err
		}
		m := res.Measurements[0]
		inside := res.Inside()
		if inside == 0 {
			inside = length // a benchmark that hides its time ran for about that
		}
		sum += inside / time.Duration(max(1, m.Iterations))
	}
	s.op = max(1, sum/2)
	return s.op, nil
}
