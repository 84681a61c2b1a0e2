package workload

import (
	"math"
	"math/rand/v2"
	"time"
)

// Never is later than any time of a run.
const Never = time.Duration(math.MaxInt64)

// Arrivals are the requested sending times of the open model.
type Arrivals struct {
	Rate    float64       // requests per second, at the start
	RampTo  float64       // at the end of Ramp and after it; 0 means Rate throughout
	Ramp    time.Duration // in which the rate changes linearly
	Poisson bool          // exponentially distributed gaps instead of equal ones
}

// A Schedule holds the sending times of the open model, as offsets from the start of the run,
// warm-up included. The times do not depend on anything that happens in the run.
type Schedule struct {
	rate, to float64       // per second
	hold     time.Duration // rate is held this long before the ramp: the warm-up
	ramp     time.Duration // from rate to to; 0 means rate throughout
	random   *rand.Rand    // nil means constant arrivals
	end      time.Duration // nothing is due from then on

	step  float64 // arrivals of the whole schedule per arrival of this part
	count float64 // arrivals of the whole schedule up to the next
	due   time.Duration
}

// NewSchedule returns part k of n of the open model's schedule, which begins with the warm-up. The
// parts together are the whole schedule. share is the share of the rate that these n parts have in
// total.
func NewSchedule(o *Arrivals, warmup, end time.Duration, seed uint64, share float64, k, n int) *Schedule {
	s := &Schedule{
		rate: o.Rate * share, to: o.RampTo * share, hold: warmup, ramp: o.Ramp, end: end,
		step: float64(n), count: float64(k),
	}
	if s.to == 0 {
		s.to, s.ramp = s.rate, 0
	}
	if o.Poisson {
		s.random = rand.New(rand.NewPCG(seed, uint64(k)))
		s.count = s.random.ExpFloat64() * s.step
	}
	s.due = s.at(s.count)
	return s
}

// Next returns when the next request is due; Never when there is none.
func (s *Schedule) Next() time.Duration { return s.due }

// Advance moves on to the next request.
func (s *Schedule) Advance() {
	gap := s.step
	if s.random != nil {
		gap *= s.random.ExpFloat64()
	}
	s.count += gap
	s.due = s.at(s.count)
}

// Stop ends the schedule: nothing more is due.
func (s *Schedule) Stop() { s.due, s.end = Never, 0 }

// at returns when the integral of the rate reaches count: for the ramp, whose rate at time t is
// a+(b-a)t/T, the root of a t + (b-a) t²/(2T) = count.
func (s *Schedule) at(count float64) time.Duration {
	a, b, T := s.rate, s.to, s.ramp.Seconds()
	held := a * s.hold.Seconds()
	ramped := (a + b) / 2 * T
	t := s.hold.Seconds()
	switch count -= held; {
	case count < 0:
		t += count / a
	case count >= ramped:
		if b <= 0 {
			return Never
		}
		t += T + (count-ramped)/b
	case count > 0:
		// The form of the quadratic formula that does not cancel; a may be 0.
		slope := (b - a) / T
		t += 2 * count / (a + math.Sqrt(max(a*a+2*slope*count, 0)))
	}
	if t >= s.end.Seconds() {
		return Never
	}
	return time.Duration(t * float64(time.Second))
}
