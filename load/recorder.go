package load

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// highestLatency is the largest latency a histogram tells from larger ones.
const highestLatency = int64(time.Hour)

// kind is the kind of a failed request.
type kind int

const (
	kindConnect kind = iota
	kindTimeout
	kindReset
	kindShortBody
	kindOther
	kinds
)

// key is the kind's key in the JSON of [Errors].
func (k kind) key() string {
	return [kinds]string{"connect", "timeout", "reset", "short_body", "other"}[k]
}

// tally is the sum of some requests.
type tally struct {
	hist       *hdrhistogram.Histogram // nanoseconds
	responses  int64
	unfinished int64
	retries    int64
	bytes      int64
	sum        float64 // of latencies, nanoseconds
	min, max   time.Duration
	status     map[int]int64
	errors     [kinds]int64
	first      [kinds]string
}

func newTally() tally {
	return tally{
		hist:   hdrhistogram.New(1, highestLatency, 3),
		status: map[int]int64{},
		min:    math.MaxInt64,
	}
}

// add folds o into t.
func (t *tally) add(o *tally) {
	t.hist.Merge(o.hist)
	t.responses += o.responses
	t.unfinished += o.unfinished
	t.retries += o.retries
	t.bytes += o.bytes
	t.sum += o.sum
	t.min = min(t.min, o.min)
	t.max = max(t.max, o.max)
	for code, n := range o.status {
		t.status[code] += n
	}
	for k := range o.errors {
		t.errors[k] += o.errors[k]
		if t.first[k] == "" {
			t.first[k] = o.first[k]
		}
	}
}

// reset makes t empty and keeps its memory.
func (t *tally) reset() {
	hist, status := t.hist, t.status
	hist.Reset()
	clear(status)
	*t = tally{hist: hist, status: status, min: math.MaxInt64}
}

func (t *tally) failed() int64 {
	var n int64
	for _, e := range t.errors {
		n += e
	}
	return n
}

// shard is a tally that a few connections share. A shard per connection would
// need 260 kB each; one for all would be contended.
type shard struct {
	mu sync.Mutex
	tally
}

// response records one complete answer.
func (s *shard) response(status int, bytes int64, latency time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.responses++
	s.bytes += bytes
	s.status[status]++
	s.sum += float64(latency)
	s.min = min(s.min, latency)
	s.max = max(s.max, latency)
	// Never fails: the value lies within the bounds.
	_ = s.hist.RecordValue(min(max(int64(latency), 1), highestLatency))
}

// failure records one request without a complete answer.
func (s *shard) failure(k kind, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors[k]++
	if s.first[k] == "" {
		s.first[k] = err.Error()
	}
}

// cutOff records one request that the end of the run cut off.
func (s *shard) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinished++
}

// retried records that a request was sent n times more than once.
func (s *shard) retried(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retries += n
}

// recorder collects what the connections measure.
type recorder struct {
	shards  []*shard
	total   tally
	slice   tally // scratch of cut
	seconds []Second
	last    time.Duration // end of the last second
}

func newRecorder(shards int) *recorder {
	r := &recorder{total: newTally(), slice: newTally()}
	for range shards {
		r.shards = append(r.shards, &shard{tally: newTally()})
	}
	return r
}

// cut ends the current second at now, an offset from the start of the measured
// part, and returns it.
func (r *recorder) cut(now time.Duration) Second {
	r.slice.reset()
	for _, s := range r.shards {
		s.mu.Lock()
		r.slice.add(&s.tally)
		s.reset()
		s.mu.Unlock()
	}
	r.total.add(&r.slice)
	sec := Second{
		Start:     r.last,
		Elapsed:   now - r.last,
		Responses: r.slice.responses,
		Errors:    r.slice.failed(),
		Bytes:     r.slice.bytes,
		Max:       r.slice.max,
	}
	if sec.Responses > 0 {
		sec.P50 = min(time.Duration(r.slice.hist.ValueAtQuantile(50)), sec.Max)
		sec.P99 = min(time.Duration(r.slice.hist.ValueAtQuantile(99)), sec.Max)
	}
	r.last = now
	r.seconds = append(r.seconds, sec)
	return sec
}

// latency summarises the answers of t.
func (t *tally) latency() (Latency, error) {
	if t.responses == 0 {
		return Latency{}, nil
	}
	// A bucket reports its upper edge, which may lie above the largest value.
	q := t.hist.ValueAtPercentiles([]float64{50, 75, 90, 95, 99, 99.9})
	at := func(p float64) time.Duration { return min(time.Duration(q[p]), t.max) }
	l := Latency{
		Min:    t.min,
		Mean:   time.Duration(t.sum / float64(t.responses)),
		StdDev: time.Duration(t.hist.StdDev()),
		P50:    at(50),
		P75:    at(75),
		P90:    at(90),
		P95:    at(95),
		P99:    at(99),
		P999:   at(99.9),
		Max:    t.max,
	}
	encoded, err := t.hist.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return l, fmt.Errorf("encode latency histogram: %w", err)
	}
	l.HDR = string(encoded)
	return l, nil
}

func (t *tally) failures() Errors {
	e := Errors{
		Connect:   t.errors[kindConnect],
		Timeout:   t.errors[kindTimeout],
		Reset:     t.errors[kindReset],
		ShortBody: t.errors[kindShortBody],
		Other:     t.errors[kindOther],
	}
	for k, message := range t.first {
		if message != "" {
			if e.First == nil {
				e.First = map[string]string{}
			}
			e.First[kind(k).key()] = message
		}
	}
	return e
}
