package record

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// highestLatency is the largest latency that histograms distinguish.
const highestLatency = int64(time.Hour)

// Kind is the kind of a failed request.
type Kind int

// The kinds, as the JSON form of a result describes them.
const (
	Connect Kind = iota
	Timeout
	Reset
	ShortBody
	Malformed
	Flood
	Other
	Kinds // the number of kinds
)

// Key is the key of the kind in JSON.
func (k Kind) Key() string {
	return [Kinds]string{"connect", "timeout", "reset", "short_body", "malformed", "flood", "other"}[k]
}

// A Timing is when an answer came.
type Timing struct {
	Latency  time.Duration // from when the request was sent, or was due
	First    time.Duration // from writing to the first byte
	Transfer time.Duration // from the first byte to the last
}

// tally sums requests.
type tally struct {
	hist       *hdrhistogram.Histogram // of latencies, in nanoseconds
	late, own  *hdrhistogram.Histogram // of sending; nil in the closed model
	waited     int64
	responses  int64
	unfinished int64
	retries    int64
	bytes      int64
	sum        float64 // of latencies, in nanoseconds
	min, max   time.Duration
	status     map[int]int64
	ok         int64 // answers with status 200, which status leaves out
	failures   Failures
}

func newTally(open bool) *tally {
	t := &tally{hist: newHistogram(), status: map[int]int64{}, min: math.MaxInt64}
	if open {
		t.late, t.own = newHistogram(), newHistogram()
	}
	return t
}

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, highestLatency, 3) }

// record adds a duration to a histogram.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	// There is no error: the value is within the bounds.
	_ = h.RecordValue(min(max(int64(d), 1), highestLatency))
}

// add folds o into t.
func (t *tally) add(o *tally) {
	t.hist.Merge(o.hist)
	if t.late != nil {
		t.late.Merge(o.late)
		t.own.Merge(o.own)
	}
	t.waited += o.waited
	t.responses += o.responses
	t.ok += o.ok
	t.unfinished += o.unfinished
	t.retries += o.retries
	t.bytes += o.bytes
	t.sum += o.sum
	t.min = min(t.min, o.min)
	t.max = max(t.max, o.max)
	for code, n := range o.status {
		t.status[code] += n
	}
	for k := range Kinds {
		t.failures.Count[k] += o.failures.Count[k]
		if t.failures.First[k] == "" {
			t.failures.First[k] = o.failures.First[k]
		}
	}
}

// reset empties t and keeps its memory.
func (t *tally) reset() {
	empty := tally{hist: t.hist, late: t.late, own: t.own, status: t.status, min: math.MaxInt64}
	empty.hist.Reset()
	clear(empty.status)
	if empty.late != nil {
		empty.late.Reset()
		empty.own.Reset()
	}
	*t = empty
}

// A Shard is a tally shared by a few connections. A shard per connection would take 260 kB each; a
// single one would be contended. There are two tallies, so that recording never waits while one is
// read.
type Shard struct {
	mu sync.Mutex
	*tally
	spare   *tally        // empty
	targets []targetTally // by row of the table of targets; nil with one row
	phases  phases        // of the whole run
}

// swap returns what was recorded and starts over.
func (s *Shard) swap() *tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally, s.spare = s.spare, s.tally
	return s.spare
}

// Response records one complete answer.
func (s *Shard) Response(row, status int, bytes int64, t Timing) {
	latency := t.Latency
	s.mu.Lock()
	defer s.mu.Unlock()
	s.responses++
	s.bytes += bytes
	if status == http.StatusOK {
		s.ok++
	} else {
		s.status[status]++
	}
	s.sum += float64(latency)
	s.min = min(s.min, latency)
	s.max = max(s.max, latency)
	record(s.hist, latency)
	s.phases.first.record(t.First)
	s.phases.transfer.record(t.Transfer)
	if s.targets != nil {
		s.targets[row].response(status, bytes, latency)
	}
}

// Sent records how late a request of the open model was sent. waited reports that no connection was
// free when it was due.
func (s *Shard) Sent(late time.Duration, waited bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record(s.late, late)
	if waited {
		s.waited++
	} else {
		record(s.own, late)
	}
}

// Failure records one request of a row without a complete answer; a negative row means none.
func (s *Shard) Failure(row int, k Kind, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.targets != nil && row >= 0 {
		s.targets[row].failure(k)
	}
	s.failures.Count[k]++
	if s.failures.First[k] == "" {
		s.failures.First[k] = err.Error()
	}
}

// CutOff records n requests cut off by the end of the run.
func (s *Shard) CutOff(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinished += n
}

// Retried records n resends of a request.
func (s *Shard) Retried(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retries += n
}

// A Recorder collects what the connections measure.
type Recorder struct {
	shards  []*Shard
	total   *tally
	slice   *tally // scratch for Cut
	seconds []Second
	last    time.Duration // end of the last second
}

// New returns a recorder for a table of targets with the given number of rows. open is whether the
// run has the open model, in which the workers also report how late requests were sent.
func New(shards, rows int, open bool) *Recorder {
	r := &Recorder{total: newTally(open), slice: newTally(open)}
	for range shards {
		s := &Shard{tally: newTally(open), spare: newTally(open)}
		if rows > 1 {
			s.targets = make([]targetTally, rows)
		}
		r.shards = append(r.shards, s)
	}
	return r
}

// wholeSecond is the shortest slice that counts as a second. Slices are never exact.
const wholeSecond = 900 * time.Millisecond

// Shard returns shard i.
func (r *Recorder) Shard(i int) *Shard { return r.shards[i] }

// Shards returns the number of shards.
func (r *Recorder) Shards() int { return len(r.shards) }

// Cut ends the current second at now, an offset from the start of the measured part, and returns
// it. targetCPU is what the target used in it.
func (r *Recorder) Cut(now, targetCPU time.Duration) Second {
	r.slice.reset()
	return r.extend(r.last, now, targetCPU)
}

// shortest is the length below which the remainder of a run joins its last second: a shorter time
// has no meaningful rate.
const shortest = 100 * time.Millisecond

// Finish ends the last second at now. ok is false when it belongs to a second that Cut has
// returned.
func (r *Recorder) Finish(now, targetCPU time.Duration) (last Second, ok bool) {
	n := len(r.seconds)
	switch {
	case now <= r.last:
		return Second{}, false
	case now-r.last >= shortest || n == 0:
		return r.Cut(now, targetCPU), true
	}
	last, r.seconds = r.seconds[n-1], r.seconds[:n-1]
	return r.extend(last.Start, now, last.TargetCPU+targetCPU), false
}

// extend adds what was recorded to the current slice, which began at start, and ends it.
func (r *Recorder) extend(start, now, targetCPU time.Duration) Second {
	for _, s := range r.shards {
		t := s.swap()
		r.slice.add(t)
		r.total.add(t)
		t.reset()
	}
	sec := Second{
		Start:     start,
		Elapsed:   now - start,
		Responses: r.slice.responses,
		Errors:    r.slice.failures.Total(),
		Bytes:     r.slice.bytes,
		Max:       r.slice.max,
		TargetCPU: targetCPU,
		Failures:  r.slice.failures.byKey(),
	}
	if r.slice.ok < r.slice.responses {
		sec.Status = r.slice.statuses()
	}
	sec.Partial = sec.Elapsed < wholeSecond
	if sec.Elapsed > 0 {
		sec.Rate = float64(sec.Responses) / sec.Elapsed.Seconds()
	}
	if sec.Responses > 0 {
		sec.P50 = min(time.Duration(r.slice.hist.ValueAtQuantile(50)), sec.Max)
		sec.P99 = min(time.Duration(r.slice.hist.ValueAtQuantile(99)), sec.Max)
	}
	r.last = now
	r.seconds = append(r.seconds, sec)
	return sec
}

// latency summarizes the answers of t.
func (t *tally) latency() Latency {
	if t.responses == 0 {
		return Latency{}
	}
	ranks := Percentiles()
	values := t.hist.ValueAtPercentiles(ranks)
	l := Latency{
		Count: t.responses, Min: t.min, Mean: time.Duration(t.sum / float64(t.responses)),
		StdDev: time.Duration(t.hist.StdDev()), Max: t.max,
	}
	for i, p := range ranks {
		// A bucket reports its upper edge, which may lie above the largest value.
		l.Percentiles[i] = min(time.Duration(values[p]), t.max)
	}
	return l
}

// Encode returns the histogram of latencies in the standard HDR encoding; "" without answers.
func (r *Recorder) Encode() (string, error) {
	if r.total.responses == 0 {
		return "", nil
	}
	encoded, err := r.total.hist.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode latency histogram: %w", err)
	}
	return string(encoded), nil
}

// send summarizes how late requests were sent; nil in the closed model.
func (t *tally) send() *SendDelay {
	if t.late == nil {
		return nil
	}
	q := t.late.ValueAtPercentiles([]float64{50, 90, 99, 99.9})
	return &SendDelay{
		P50: time.Duration(q[50]), P90: time.Duration(q[90]), P99: time.Duration(q[99]), P999: time.Duration(q[99.9]),
		Max: time.Duration(t.late.Max()), Own: time.Duration(t.own.ValueAtPercentile(99)), Waited: t.waited,
	}
}

// statuses counts the answers by status.
func (t *tally) statuses() map[int]int64 {
	m := maps.Clone(t.status)
	if t.ok > 0 {
		m[http.StatusOK] = t.ok
	}
	return m
}
