package watch

import (
	"cmp"
	"fmt"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/unit"
)

// Found is how a request was found in a trace.
type Found string

// Ways of finding a request.
const (
	// ByMark: the agent's mark is in the trace, on the request's goroutine, at its end.
	ByMark Found = "mark"
	// ByGoroutine: the request was first seen in another trace, and its goroutine is in this one at
	// that time.
	ByGoroutine Found = "goroutine"
	// ByTime: it is the only request that began and ended when the agent reported. It is probably,
	// but not certainly, the right one.
	ByTime Found = "time"
)

// unnamed is the prefix of classes of requests whose handler no stack shows.
const unnamed = "("

// timeMargin is how much the times of one request may differ between the agent's wall clock and the
// trace: agents that do not mark requests read the clock a little after the request ends.
const timeMargin = 20 * time.Millisecond

// locate finds a request in a trace and what it spent its time on. It sets r.Found or r.Missing.
func locate(x *index.Index, r *Request) error {
	switch {
	case r.mark != "":
		return byMark(x, r)
	case r.Goroutine > 0:
		return byGoroutine(x, r)
	}
	return byTime(x, r)
}

// byMark finds the only log with the request's mark.
func byMark(x *index.Index, r *Request) error {
	var logs []index.Record
	if err := x.Records(index.Logs, 0, x.Info.Duration, func(l *index.Record) bool {
		if l.Text == r.mark && x.Name(l.Name) == requests.MarkCategory {
			logs = append(logs, *l)
		}
		return len(logs) < 2
	}); err != nil {
		return err
	}
	switch {
	case len(logs) == 0:
		r.Missing = "the flight recorder no longer had it: " + holds(x)
		return nil
	case len(logs) > 1 || logs[0].Goroutine == 0:
		r.Missing = "the agent's mark is not from a single goroutine"
		return nil
	}
	to := logs[0].To
	return r.take(x, logs[0].Goroutine-1, to-int64(r.Latency), to, ByMark)
}

// byGoroutine finds a request by the goroutine that it was on in another trace of the process.
func byGoroutine(x *index.Index, r *Request) error {
	if x.Info.Began.IsZero() {
		r.Missing = "the trace does not have its start time"
		return nil
	}
	var g *index.Goroutine
	if err := x.Goroutines(func(one *index.Goroutine) bool {
		if one.ID == r.Goroutine {
			kept := *one
			g = &kept
		}
		return g == nil
	}); err != nil {
		return err
	}
	from, to := int64(r.Begin.Sub(x.Info.Began)), int64(r.End.Sub(x.Info.Began))
	if g == nil || to <= 0 || from >= x.Info.Duration {
		r.Missing = "the flight recorder no longer had it: " + holds(x)
		return nil
	}
	return r.take(x, g.Index, from, to, ByGoroutine)
}

// byTime finds the only request that began and ended when the agent reported.
func byTime(x *index.Index, r *Request) error {
	if x.Info.Began.IsZero() || r.End.IsZero() {
		r.Missing = "neither the agent nor the trace identifies it"
		return nil
	}
	from, to := int64(r.Begin.Sub(x.Info.Began)), int64(r.End.Sub(x.Info.Began))
	if from < 0 || from > x.Info.Duration {
		r.Missing = "the flight recorder no longer had its begin: " + holds(x)
		return nil
	}
	found, err := requests.FindByTime(x, from, to, int64(min(timeMargin, r.Latency/4)))
	if err != nil {
		return err
	}
	switch len(found) {
	case 1:
		return r.take(x, found[0], from, to, ByTime)
	case 0:
		r.Missing = "no request in the trace began and ended with it"
	default:
		r.Missing = fmt.Sprintf("%d requests in the trace began and ended with it", len(found))
	}
	return nil
}

func holds(x *index.Index) string {
	return "it holds " + unit.Duration(time.Duration(x.Info.Duration))
}

// clocks returns by how much the clock that timed a request may differ from that of the trace, at
// both ends.
func clocks(found Found, latency time.Duration) int64 {
	slack := time.Millisecond + latency/1000
	if found != ByMark {
		slack = min(timeMargin, latency/4)
	}
	return int64(slack)
}

// take sets the request to what a goroutine did between two times, unless the trace contradicts
// that.
func (r *Request) take(x *index.Index, goroutine uint32, from, to int64, found Found) error {
	g, err := x.Goroutine(goroutine)
	if err != nil {
		return err
	}
	slack := clocks(found, r.Latency)
	if !g.Old && g.From > from+slack {
		r.Missing = fmt.Sprintf("the agent says it was on goroutine %d, which began later", g.ID)
		return nil
	}
	from, to = max(from, 0), min(to, x.Info.Duration)
	s, err := requests.Analyze(x, goroutine, from, to)
	if err == nil && s.Between {
		// The ends may belong to the requests before and after.
		var inner *requests.Stretch
		inner, err = requests.Analyze(x, goroutine, min(from+slack, to), max(to-slack, from))
		if err == nil && inner.Between {
			r.Missing = fmt.Sprintf("the agent says it was on goroutine %d, which waited for another request in that time",
				g.ID)
			return nil
		}
	}
	if err != nil {
		return err
	}
	handler := s.Handler
	if handler == "" {
		if handler, err = classOf(x, goroutine, from+slack, to-slack); err != nil {
			return err
		}
	}
	cause := s.Times.Largest()
	r.Found, r.Goroutine, r.Handler, r.From, r.To = found, g.ID, cmp.Or(handler, r.Handler),
		time.Duration(from), time.Duration(to)
	r.Cause, r.Part = cause.String(), min(s.Times[cause], r.Latency)
	return nil
}

// classOf returns the class of the request that a goroutine handled throughout a window of time; ""
// if there is none with a name.
func classOf(x *index.Index, goroutine uint32, from, to int64) (class string, err error) {
	_, err = requests.Find(x, requests.Options{Slowest: 1, Each: func(name string, one *requests.Request) {
		if one.Goroutine == goroutine && one.From <= from && one.To >= to && name[:1] != unnamed {
			class = name
		}
	}})
	return class, err
}
