package timeline

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Utilization is the least share of the processors that the program had, and not the garbage
// collector, in any window of a length.
type Utilization struct {
	Window time.Duration `json:"window"`
	Share  float64       `json:"share"` // from 0 to 1
	At     int64         `json:"at"`    // where the worst window begins
}

// A UtilizationAnswer is the minimum mutator utilization of a trace.
type UtilizationAnswer struct {
	Points []Utilization `json:"points"` // by length
	// Partial is 1 if the trace has more spans than are read.
	Partial int `json:"partial"`
}

// A usage is a change of the number of processors that the collector has.
type usage struct {
	at    int64
	procs float64
	stops int // stop-the-world phases
}

// Utilization returns the minimum mutator utilization (Cheng and Blelloch, "A parallel, real-time
// garbage collector", 2001) for windows of 10us and longer: the collector has the processors that
// run its workers and assists, and all of them while the world is stopped.
func (t *Timeline) Utilization(ctx context.Context) (UtilizationAnswer, error) {
	a := UtilizationAnswer{Points: []Utilization{}}
	kinds, err := t.kindsOf()
	if err != nil {
		return a, err
	}
	var all []usage
	put := func(from, to int64, procs float64, stops int) {
		all = append(all, usage{from, procs, stops}, usage{to, -procs, -stops})
	}
	w := index.Window{To: t.x.Info.Duration, Width: 1}
	if err := t.eachSpan(ctx, nil, w, &a.Partial, func(s *index.Span) {
		worker := s.Code == index.Running && strings.HasPrefix(t.kinds[kinds[s.Goroutine]], "runtime.gcBgMarkWorker")
		if (worker || s.Code == index.Assist) && s.To > s.From {
			put(s.From, s.To, 1, 0)
		}
	}); err != nil {
		return a, err
	}
	if err := t.x.Records(index.Ranges, 0, w.To, func(r *index.Record) bool {
		if strings.HasPrefix(t.x.Name(r.Name), "stop-the-world") && r.To > r.From {
			put(r.From, r.To, 0, 1)
		}
		return true
	}); err != nil {
		return a, err
	}
	a.Points = minimumUtilization(shares(all, float64(max(t.x.Procs(), 1)), w.To), w.To)
	return a, ctx.Err()
}

// A level is a share of the processors from a time on.
type level struct {
	at    int64
	share float64
	sum   float64 // of share times length before at
}

// shares returns the program's share of the processors over time.
func shares(all []usage, procs float64, end int64) []level {
	slices.SortFunc(all, func(a, b usage) int { return cmp.Compare(a.at, b.at) })
	levels := []level{{share: 1}}
	used, stops := 0.0, 0
	for i, u := range all {
		used += u.procs
		stops += u.stops
		if i+1 < len(all) && all[i+1].at == u.at {
			continue
		}
		share := max(0, 1-used/procs)
		if stops > 0 {
			share = 0
		}
		last := &levels[len(levels)-1]
		if u.at == last.at {
			last.share = share
			continue
		}
		levels = append(levels, level{u.at, share, last.sum + last.share*float64(u.at-last.at)})
	}
	last := levels[len(levels)-1]
	return append(levels, level{end, 1, last.sum + last.share*float64(max(end-last.at, 0))})
}

// minimumUtilization returns the least average of windows of 1, 2 and 5 times a power of ten. The
// worst window of a length begins or ends where the share changes.
func minimumUtilization(levels []level, end int64) []Utilization {
	points := []Utilization{}
	for ten := int64(10_000); ten <= end; ten *= 10 {
		for _, times := range []int64{1, 2, 5} {
			if ten*times <= end {
				points = append(points, leastOf(levels, ten*times, end))
			}
		}
	}
	return points
}

func leastOf(levels []level, length, end int64) Utilization {
	best := Utilization{Window: time.Duration(length), Share: 1}
	head, tail := 0, 0
	// at returns the sum until a time; times come in ascending order.
	at := func(cursor *int, when int64) float64 {
		for *cursor+1 < len(levels) && levels[*cursor+1].at <= when {
			*cursor++
		}
		l := &levels[*cursor]
		return l.sum + l.share*float64(when-l.at)
	}
	try := func(from int64) {
		from = min(max(from, 0), end-length)
		if share := (at(&head, from+length) - at(&tail, from)) / float64(length); share < best.Share {
			best.Share, best.At = max(share, 0), from
		}
	}
	for i := range levels {
		try(levels[i].at)
	}
	head, tail = 0, 0
	for i := range levels {
		try(levels[i].at - length)
	}
	return best
}
