package record

import (
	"net/http"
	"time"
)

// A targetTally sums the requests of a row of the table of targets.
type targetTally struct {
	spread
	ok, bytes int64
	status    map[int]int64 // 200 excluded; nil until needed
	errors    *[Kinds]int64 // nil until needed
}

func (t *targetTally) response(status int, bytes int64, latency time.Duration) {
	t.spread.record(latency)
	t.bytes += bytes
	if status == http.StatusOK {
		t.ok++
		return
	}
	if t.status == nil {
		t.status = map[int]int64{}
	}
	t.status[status]++
}

func (t *targetTally) failure(k Kind) {
	if t.errors == nil {
		t.errors = new([Kinds]int64)
	}
	t.errors[k]++
}

// add folds o into t.
func (t *targetTally) add(o *targetTally) {
	t.fold(&o.spread)
	t.ok += o.ok
	t.bytes += o.bytes
	for code, n := range o.status {
		if t.status == nil {
			t.status = map[int]int64{}
		}
		t.status[code] += n
	}
	if o.errors != nil {
		for k, n := range o.errors {
			if n > 0 && t.errors == nil {
				t.errors = new([Kinds]int64)
			}
			if n > 0 {
				t.errors[k] += n
			}
		}
	}
}

// A Target describes the requests of one row of the table of targets.
type Target struct {
	Responses int64
	Bytes     int64
	Failures  Failures // without messages
	Status    map[int]int64
	Latency   Latency
}

// Targets describes the requests by row of the table of targets; nil when it has one row.
func (r *Recorder) Targets() []Target {
	var out []Target
	for i := range r.shards[0].targets {
		var sum targetTally
		for _, s := range r.shards {
			s.mu.Lock()
			sum.add(&s.targets[i])
			s.mu.Unlock()
		}
		t := Target{Responses: sum.count, Bytes: sum.bytes, Status: map[int]int64{}, Latency: sum.latency()}
		if sum.status != nil {
			t.Status = sum.status
		}
		if sum.ok > 0 {
			t.Status[http.StatusOK] = sum.ok
		}
		if sum.errors != nil {
			t.Failures.Count = *sum.errors
		}
		out = append(out, t)
	}
	return out
}
