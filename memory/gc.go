package memory

import (
	"math"
	"slices"
	"time"
)

// A Share is a fraction of CPU time.
type Share struct {
	Share float64 `json:"share"` // from 0 to 1
	Of    string  `json:"of"`    // the whole: "CPU time used in the window, assists included", …
	From  string  `json:"from"`  // its source: "runtime.MemStats", "runtime/metrics", "CPU profile"
}

// A Bucket is one bar of a histogram: N pauses in [Low, High).
type Bucket struct {
	Low  time.Duration `json:"low_ns"`
	High time.Duration `json:"high_ns"`
	N    int           `json:"n"`
}

// Pauses is the distribution of stop-the-world times, with one value per collection: the runtime
// sums the pauses of a collection.
type Pauses struct {
	N     int           `json:"n"`  // collections with a known pause
	Of    int           `json:"of"` // collections in the window; more than N if the ring of 256 was too short
	Total time.Duration `json:"total_ns"`
	// Percentiles by the nearest-rank method, so each is the pause of a real collection.
	P50 time.Duration `json:"p50_ns,omitempty"`
	P90 time.Duration `json:"p90_ns,omitempty"`
	P99 time.Duration `json:"p99_ns,omitempty"`
	Max time.Duration `json:"max_ns"`
	// Histogram has buckets of doubling upper bounds, and no empty bucket at either end.
	Histogram []Bucket `json:"histogram"`
}

// GC is what is known about garbage collection.
type GC struct {
	// Window is the time between the two samples; 0 if there was only one, and then Count is since
	// the program started.
	Window time.Duration `json:"window_ns,omitempty"`
	Count  int64         `json:"count"`
	Forced int64         `json:"forced,omitempty"` // those of Count that the program requested
	Rate   float64       `json:"rate,omitempty"`   // collections per second of the window, or 0
	// Interval is the mean time between collections, over those with known pauses; 0 if there are
	// fewer than two.
	Interval time.Duration `json:"interval_ns,omitempty"`
	CPU      []Share       `json:"cpu"` // the most accurate for the window first
	Pauses   Pauses        `json:"pauses"`

	NextGC int64     `json:"next_gc"`          // target heap size of the next collection
	LastGC time.Time `json:"last_gc,omitzero"` // zero if never

	GOGC        *int64 `json:"gogc,omitempty"`         // percent; -1 off, nil unknown
	MemoryLimit *int64 `json:"memory_limit,omitempty"` // bytes; nil unknown, MaxInt64 none

	// AllocBytes and AllocObjects were allocated in the window, or since the program started; the
	// rates are per second of the window, or 0.
	AllocBytes   int64   `json:"alloc_bytes"`
	AllocObjects int64   `json:"alloc_objects"`
	AllocRate    float64 `json:"alloc_rate,omitempty"`
	ObjectRate   float64 `json:"object_rate,omitempty"`

	Earlier *GC `json:"earlier,omitempty"` // of the report that CompareWith compared with
}

// newGC describes the collections from start, which may be nil, to end.
func newGC(start, end *Stats, window time.Duration) GC {
	g := GC{
		Count: int64(end.NumGC), Forced: int64(end.NumForcedGC), NextGC: clamp(end.NextGC),
		AllocBytes: clamp(end.TotalAlloc), AllocObjects: clamp(end.Mallocs),
	}
	if end.LastGC > 0 && end.LastGC < math.MaxInt64 {
		g.LastGC = time.Unix(0, int64(end.LastGC))
	}
	since := uint32(0)
	if start != nil {
		since = start.NumGC
		g.Window = window
		g.Count -= int64(start.NumGC)
		g.Forced -= int64(start.NumForcedGC)
		g.AllocBytes -= clamp(start.TotalAlloc)
		g.AllocObjects -= clamp(start.Mallocs)
		if window > 0 {
			g.Rate = float64(g.Count) / window.Seconds()
			g.AllocRate = float64(g.AllocBytes) / window.Seconds()
			g.ObjectRate = float64(g.AllocObjects) / window.Seconds()
		}
	}
	ps := end.pauses(since)
	g.Pauses = newPauses(ps, int(g.Count))
	if n := len(ps); n > 1 {
		if span := ps[n-1].end.Sub(ps[0].end); span > 0 {
			g.Interval = span / time.Duration(n-1)
		}
	}
	return g
}

// newPauses describes the pauses ps of of collections.
func newPauses(ps []pause, of int) Pauses {
	p := Pauses{N: len(ps), Of: of, Histogram: []Bucket{}}
	if len(ps) == 0 {
		return p
	}
	ns := make([]time.Duration, len(ps))
	for i := range ps {
		ns[i] = ps[i].length
		if p.Total += ns[i]; p.Total < 0 {
			p.Total = math.MaxInt64
		}
	}
	slices.Sort(ns)
	rank := func(q float64) time.Duration {
		return ns[max(int(math.Ceil(q*float64(len(ns))))-1, 0)]
	}
	p.P50, p.P90, p.P99, p.Max = rank(0.50), rank(0.90), rank(0.99), ns[len(ns)-1]
	p.Histogram = histogram(ns)
	return p
}

// finest is the lower bound of the second-smallest bucket of a histogram; the smallest one begins
// at 0.
const finest = time.Microsecond

// histogram divides ns, which is sorted, into buckets of doubling size: 0 to 1us, to 2us, to 4us, …
func histogram(ns []time.Duration) []Bucket {
	var out []Bucket
	low, high := time.Duration(0), finest
	for i := 0; i < len(ns); {
		n := 0
		for i < len(ns) && ns[i] < high {
			i++
			n++
		}
		if n > 0 || len(out) > 0 {
			out = append(out, Bucket{low, high, n})
		}
		low = high
		if high > math.MaxInt64/2 {
			high = math.MaxInt64
			if ns[len(ns)-1] == high { // high overflows
				return append(out, Bucket{low, high, len(ns) - i})
			}
			continue
		}
		high *= 2
	}
	return out
}
