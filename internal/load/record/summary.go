package record

import (
	"math"
	"slices"
	"time"
)

// Percentiles lists the percentiles that a [Latency] has, in order, in percent.
func Percentiles() []float64 { return []float64{50, 75, 90, 95, 99, 99.9, 99.99} }

// A Latency summarizes a distribution of durations; the zero value is for none.
type Latency struct {
	Count             int64
	Min, Mean, StdDev time.Duration
	Percentiles       [7]time.Duration // those that Percentiles lists
	Max               time.Duration
}

// A Second is one slice of the measured part, normally one second long.
type Second struct {
	Start     time.Duration // since the start of the measured part
	Elapsed   time.Duration
	Partial   bool // shorter than a second, as the last one may be
	Responses int64
	Rate      float64 // Responses per second of Elapsed
	Errors    int64
	Bytes     int64
	P50       time.Duration
	P99       time.Duration
	Max       time.Duration
	TargetCPU time.Duration
	Status    map[int]int64    // by code; nil if all answers had 200
	Failures  map[string]int64 // by Kind.Key; nil without any
}

// SendDelay is how late the requests of the open model were sent.
type SendDelay struct {
	P50, P90, P99, P999, Max time.Duration
	// Own is the 99th percentile over the requests that did not wait for a connection.
	Own    time.Duration
	Waited int64 // requests that were due while no connection was free
}

// A Bar counts the answers with a latency of at most Upper and above the Upper of the previous bar.
type Bar struct {
	Upper time.Duration
	Count int64
}

// Failures counts failed requests by kind, with the first message of each.
type Failures struct {
	Count [Kinds]int64
	First [Kinds]string
}

// Total returns the number of failed requests.
func (f *Failures) Total() int64 {
	var n int64
	for _, c := range f.Count {
		n += c
	}
	return n
}

// byKey returns the counts of the kinds that there were; nil without any.
func (f *Failures) byKey() map[string]int64 {
	var m map[string]int64
	for k := range Kinds {
		if n := f.Count[k]; n > 0 {
			if m == nil {
				m = map[string]int64{}
			}
			m[k.Key()] = n
		}
	}
	return m
}

// A Summary describes what was recorded until the last second ended.
type Summary struct {
	Responses  int64 // complete answers
	Unfinished int64 // requests that the end of the run cut off
	Retries    int64
	Bytes      int64 // of the bodies of complete answers
	Failures   Failures
	Status     map[int]int64
	Latency    Latency
	SendDelay  *SendDelay // nil in the closed model
}

// Summary returns a summary of the whole run so far.
func (r *Recorder) Summary() Summary {
	t := r.total
	return Summary{
		Responses: t.responses, Unfinished: t.unfinished, Retries: t.retries, Bytes: t.bytes,
		Failures: t.failures, Status: t.statuses(), Latency: t.latency(), SendDelay: t.send(),
	}
}

// Seconds returns the seconds that have ended.
func (r *Recorder) Seconds() []Second { return slices.Clone(r.seconds) }

// Bars returns the distribution of latencies so far in steps of a factor 2^(1/2); nil without
// answers.
func (r *Recorder) Bars() []Bar {
	t := r.total
	if t.responses == 0 {
		return nil
	}
	var bars []Bar
	edge := func(i int) time.Duration { return time.Duration(math.Exp2(float64(i) / 2)) }
	i := int(math.Floor(2 * math.Log2(float64(max(t.min, 1)))))
	bar := Bar{Upper: edge(i + 1)}
	for _, b := range t.hist.Distribution() {
		if b.Count == 0 {
			continue
		}
		for time.Duration(b.From) > bar.Upper {
			bars = append(bars, bar)
			i++
			bar = Bar{Upper: edge(i + 1)}
		}
		bar.Count += b.Count
	}
	return append(bars, bar)
}
