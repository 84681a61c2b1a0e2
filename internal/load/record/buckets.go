package record

import (
	"math"
	"math/bits"
	"time"
)

// buckets is a small histogram of durations, for data kept per target: an octave takes 256 bytes
// and is allocated on first use. Percentiles are within 1.6% of the values; an HDR histogram of
// three digits would take 260 kB.
type buckets struct {
	octaves [octaves]*[steps]uint64
	count   int64
}

const (
	stepBits = 5
	steps    = 1 << stepBits // per octave; the first octave has one step for each value below steps
	octaves  = 38            // up to highestLatency
)

// add counts n values of d.
func (b *buckets) add(d time.Duration, n uint64) {
	v := uint64(min(max(int64(d), 0), highestLatency))
	octave, step := 0, v
	if v >= steps {
		octave = bits.Len64(v) - stepBits
		step = v>>(octave-1) - steps
	}
	o := b.octaves[octave]
	if o == nil {
		o = new([steps]uint64)
		b.octaves[octave] = o
	}
	o[step] += n
	b.count += int64(n)
}

// merge adds the values of o.
func (b *buckets) merge(o *buckets) {
	for i, from := range o.octaves {
		if from == nil {
			continue
		}
		if b.octaves[i] == nil {
			b.octaves[i] = new([steps]uint64)
		}
		for k, n := range from {
			b.octaves[i][k] += n
		}
	}
	b.count += o.count
}

// percentiles returns the values at the given ranks, which must ascend from 0 to 100: the midpoints
// of their buckets. All are 0 when there are no values.
func (b *buckets) percentiles(ranks []float64) []time.Duration {
	out := make([]time.Duration, len(ranks))
	next, below := 0, int64(0)
	for octave, o := range b.octaves {
		if o == nil {
			continue
		}
		for step, n := range o {
			if n == 0 {
				continue
			}
			below += int64(n)
			for next < len(ranks) && below >= max(int64(math.Ceil(ranks[next]/100*float64(b.count))), 1) {
				value := time.Duration(step)
				if octave > 0 {
					width := time.Duration(1) << (octave - 1)
					value = (steps+value)*width + width/2
				}
				out[next] = value
				next++
			}
		}
	}
	return out
}

// A spread sums durations.
type spread struct {
	buckets
	sum, squares float64 // nanoseconds
	min, max     time.Duration
}

// record adds one duration.
func (s *spread) record(d time.Duration) {
	d = max(d, 0)
	if s.count == 0 || d < s.min {
		s.min = d
	}
	s.max = max(s.max, d)
	s.sum += float64(d)
	s.squares += float64(d) * float64(d)
	s.add(d, 1)
}

// fold adds the durations of o.
func (s *spread) fold(o *spread) {
	if o.count == 0 {
		return
	}
	if s.count == 0 || o.min < s.min {
		s.min = o.min
	}
	s.max = max(s.max, o.max)
	s.sum += o.sum
	s.squares += o.squares
	s.merge(&o.buckets)
}

// latency summarizes the durations.
func (s *spread) latency() Latency {
	if s.count == 0 {
		return Latency{}
	}
	n := float64(s.count)
	mean := s.sum / n
	l := Latency{
		Count: s.count, Min: s.min, Mean: time.Duration(mean),
		StdDev: time.Duration(math.Sqrt(max(s.squares/n-mean*mean, 0))), Max: s.max,
	}
	for i, q := range s.percentiles(Percentiles()) {
		l.Percentiles[i] = min(max(q, s.min), s.max)
	}
	return l
}
