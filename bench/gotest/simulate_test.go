package gotest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/bench/ab"
)

// simulated is a benchmark on an undisturbed machine.
type simulated struct {
	start   time.Duration // CPU time of the process without an iteration
	perOp   time.Duration // one CPU is busy all the time
	between time.Duration // CPU time between two measurements of a process
	bytes   float64       // that an iteration allocates
	rate    float64       // of collections
	once    bool          // it cannot be run twice in a process
	stopped int           // first runs that stall after one iteration until their time is over
	untimed time.Duration // of each iteration, while the timer is stopped
	setup   time.Duration // before the iterations, while the timer is stopped
	reports time.Duration // what it says that an iteration takes; 0 for what it takes
	ownCPU  time.Duration // what it says that an iteration takes of CPU time; 0 for nothing

	most int // iterations of a run
}

func (s *simulated) Run(_ context.Context, _ string, o RunOptions) (*Result, error) {
	count := max(1, o.Count)
	if s.once && count > 1 {
		return nil, errors.New("again")
	}
	n, perOp, bytes := o.Iterations, s.perOp, s.bytes
	switch {
	case n == 0 && s.stopped > 0:
		s.stopped--
		n, perOp, bytes = 1, o.Time, s.bytes+5000 // testing allocates the rest
	case n == 0:
		n = max(1, int(o.Time/s.perOp))
	}
	r := &Result{Name: "BenchmarkX", Procs: 1}
	for range count {
		values := []benchfmt.Value{
			{Value: cmp.Or(s.reports, perOp).Seconds(), Unit: "sec/op"}, {Value: bytes, Unit: "B/op"},
		}
		if s.ownCPU > 0 {
			values = append(values, benchfmt.Value{Value: s.ownCPU.Seconds(), Unit: CPUTime})
		}
		r.Measurements = append(r.Measurements, Measurement{Iterations: n, Values: values})
	}
	inside := time.Duration(count*n) * perOp
	r.Wall = s.start + time.Duration(count)*s.setup + inside + time.Duration(count*n)*s.untimed
	s.most = max(s.most, o.Iterations)
	r.CPU = s.start + inside + time.Duration(count-1)*s.between
	return r, nil
}

func (s *simulated) garbage(context.Context, string, RunOptions) (float64, error) { return s.rate, nil }

// TestShape checks that rounds that may fit are as short as the start of a process allows, and not
// shorter than the garbage collector needs. They consist of slices unless that would measure
// something else.
func TestShape(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	plain := simulated{start: 2 * ms, perOp: 100, between: 100 * us}
	for _, test := range []struct {
		name       string
		change     func(*simulated)
		concurrent bool
		most       time.Duration
		length     time.Duration
		slices     int
	}{
		{name: "plain", length: 5 * ms, slices: 10},
		{name: "much between slices", change: func(s *simulated) { s.between = 2 * ms }, length: 20 * ms, slices: 10},
		{name: "slow", change: func(s *simulated) { s.perOp = 20 * us }, length: 20 * ms, slices: 10},
		{
			name: "few slices", change: func(s *simulated) { s.perOp = 150 * us }, most: 100 * ms, length: 90 * ms,
			slices: 6,
		},
		{
			name: "too few slices", change: func(s *simulated) { s.perOp = 300 * us }, most: 100 * ms,
			length: 10 * ms, slices: 1,
		},
		{name: "concurrent", concurrent: true, length: 10 * ms, slices: 1},
		{name: "once", change: func(s *simulated) { s.once = true }, length: 10 * ms, slices: 1},
		{
			name:   "slow to start",
			change: func(s *simulated) { s.once, s.start = true, 20*ms }, length: 60 * ms, slices: 1,
		},
		{
			name: "slow and concurrent", change: func(s *simulated) { s.perOp = ms }, concurrent: true, length: 20 * ms,
			slices: 1,
		},
		{name: "little garbage", change: func(s *simulated) { s.bytes = 10 }, length: 5 * ms, slices: 10},
		{
			name: "much garbage", change: func(s *simulated) { s.bytes, s.rate = 1000, 100 }, length: 50 * ms,
			slices: 1,
		},
		{
			name: "very much garbage", change: func(s *simulated) { s.bytes, s.rate = 1e6, 5000 }, length: 10 * ms,
			slices: 1,
		},
		{name: "rare garbage", change: func(s *simulated) { s.bytes = 1000 }, length: time.Second, slices: 1},
		{name: "stopped once", change: func(s *simulated) { s.stopped = 1 }, length: 5 * ms, slices: 10},
	} {
		if test.most == 0 {
			test.most = time.Second
		}
		a := plain
		if test.change != nil {
			test.change(&a)
		}
		b := a
		b.stopped = 0
		subject := &Subject{concurrent: test.concurrent, sides: [2]program{&a, &b}}
		length, slices, err := subject.Fitting(t.Context(), test.most)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if (length-test.length).Abs() > 50*us || slices != test.slices {
			t.Errorf("%s: rounds of %v in %d slices, want %v in %d", test.name, length, slices, test.length, test.slices)
		}
	}
}

// TestCPUTime checks that the CPU time of an iteration excludes the start of the process, even if
// that changes between rounds.
func TestCPUTime(t *testing.T) {
	const perOp = 50 * time.Nanosecond
	a := &simulated{start: 5 * time.Millisecond, perOp: perOp}
	s := &Subject{sides: [2]program{a, a}}
	measure := func(fit bool, length time.Duration) ab.Measurement {
		t.Helper()
		m, err := s.Measure(t.Context(), ab.Round{Length: length, Fit: fit, CPU: ab.Anywhere})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, start := range []time.Duration{5, 65, 500} {
		a.start = start * time.Millisecond
		if got := measure(false, 100*time.Millisecond).Values[CPUTime]; math.Abs(got/perOp.Seconds()-1) > 1e-9 {
			t.Errorf("an iteration takes %v after a start of %v, want %v", got, a.start, perOp)
		}
	}
	if v, ok := measure(false, 14*time.Millisecond).Values[CPUTime]; ok {
		t.Errorf("a round that is short compared with the start of its process measures %v", v)
	}
	// Slices share the start of a process, which does not count for them.
	a.start = 5 * time.Millisecond
	m := measure(true, 100*time.Millisecond)
	if v, ok := m.Values[CPUTime]; ok || m.Values[MeanTime] != perOp.Seconds() {
		t.Errorf("CPU time %v in slices of %v", v, m.Values)
	}
	if (m.CPU - 5*time.Millisecond).Abs() > 50*time.Microsecond {
		t.Errorf("ten slices of 500µs take %v of CPU time", m.CPU)
	}
}

// TestUntimed checks that rounds are shorter if iterations take long while the timer is stopped, and not if only
// the setup does.
func TestUntimed(t *testing.T) {
	for _, test := range []struct {
		untimed, setup time.Duration
		iterations     int
	}{
		{0, 0, 10_000},
		{0, time.Second, 10_000},
		{200 * time.Microsecond, 0, 1000},
		{20 * time.Microsecond, time.Second, 10_000},
	} {
		a := &simulated{start: 5 * time.Millisecond, perOp: 10 * time.Microsecond, untimed: test.untimed, setup: test.setup}
		s := &Subject{sides: [2]program{a, a}}
		round := ab.Round{Length: 100 * time.Millisecond, CPU: ab.Anywhere}
		if _, err := s.Measure(t.Context(), round); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(a.most)/float64(test.iterations)-1) > 0.01 {
			t.Errorf("%v untimed, and %v before: %d iterations, want %d", test.untimed, test.setup, a.most, test.iterations)
		}
	}
}

// TestShares checks which benchmarks can share a CPU, and that only what does not depend on that is measured then.
func TestShares(t *testing.T) {
	for name, test := range map[string]struct {
		of         simulated
		concurrent bool
		want       bool
	}{
		"short":                   {of: simulated{perOp: 50 * time.Nanosecond}, want: true},
		"long":                    {of: simulated{perOp: 20 * time.Millisecond}},
		"concurrent":              {of: simulated{perOp: 50 * time.Nanosecond}, concurrent: true},
		"stops the timer":         {of: simulated{perOp: 10 * time.Microsecond, untimed: 200 * time.Microsecond}},
		"reports figures instead": {of: simulated{perOp: time.Millisecond, reports: 10 * time.Nanosecond}},
		"reports CPU time, too": {of: simulated{
			perOp: time.Millisecond, reports: 10 * time.Nanosecond, ownCPU: 11 * time.Nanosecond,
		}, want: true},
	} {
		test.of.start = 5 * time.Millisecond
		s := &Subject{sides: [2]program{&test.of, &test.of}, concurrent: test.concurrent}
		if s.CanShare() {
			t.Errorf("%s: before the first round", name)
		}
		round := ab.Round{Length: ab.SharedPlan().Length, CPU: ab.Anywhere, Shared: true}
		m, err := s.Measure(t.Context(), round)
		if err != nil {
			t.Fatal(err)
		}
		if s.CanShare() != test.want {
			t.Errorf("%s: %v, want %v", name, s.CanShare(), test.want)
		}
		cpu, ok := m.Values[CPUTime]
		_, timed := m.Values["sec/op"]
		want := cmp.Or(test.of.ownCPU, test.of.perOp).Seconds()
		if timed || test.want && cpu != want || ok && test.of.reports > 0 && test.of.ownCPU == 0 {
			t.Errorf("%s: %v", name, m.Values)
		}
	}
}
