package requests

import (
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Stretch is a period of one goroutine, analyzed as if it were one request.
type Stretch struct {
	Request
	// Handler is the function that answers, according to the stacks within the stretch; "" if none
	// shows it.
	Handler string
	// Between is set if the goroutine waited for or read the next request during the stretch, which
	// is then not one request.
	Between bool
}

// Analyze analyzes what a goroutine did between two times, in nanoseconds since the start of the
// trace. Time that the trace does not cover is [Other].
func Analyze(x *index.Index, goroutine uint32, from, to int64) (*Stretch, error) {
	g, err := x.Goroutine(goroutine)
	if err != nil {
		return nil, err
	}
	s := &Stretch{Request: Request{Goroutine: goroutine, From: from, To: to}}
	ps, sv := newPlaces(x), &server{}
	if err := x.SpansOf(g, from, to, func(span index.Span) bool {
		p := siteOfSpan(&ps, &span)
		inside := time.Duration(min(span.To, to) - max(span.From, from))
		if inside <= 0 {
			return true
		}
		s.Between = s.Between || isBetween(x, &span, p)
		sv.in(p)
		s.Times[causeOf(span.Code, x.Code(span.Code), p)] += inside
		return true
	}); err != nil {
		return nil, err
	}
	if err := x.Records(index.Samples, from, to, func(r *index.Record) bool {
		if r.Goroutine == goroutine+1 {
			sv.in(ps.of(r.Stack))
		}
		return true
	}); err != nil {
		return nil, err
	}
	if err := eachMark(x, from, to, func(r *index.Record) {
		if r.Goroutine == goroutine+1 && r.From >= from {
			sv.in(ps.of(r.Stack))
		}
	}); err != nil {
		return nil, err
	}
	s.Handler = ps.class(sv.handler)
	s.Times[Other] += s.Latency() - s.Times.Sum()
	return s, nil
}

// siteOfSpan returns where a goroutine stopped; the zero site for a span whose stack is not its
// own.
func siteOfSpan(ps *sites, s *index.Span) site {
	if s.Code != index.Running && (s.Code != index.Runnable || s.With == 0) {
		return ps.of(s.Stack)
	}
	return site{}
}

// isBetween reports whether a connection's goroutine is between two requests in a span.
func isBetween(x *index.Index, s *index.Span, p site) bool {
	switch {
	case s.Code >= index.Waiting:
		return p.stops || p.idle || p.between && x.Code(s.Code) == "network"
	case s.Code == index.Syscall, s.Code == index.SyscallBlocked:
		return p.between
	}
	return false
}

// FindByTime finds the goroutines of servers with a request that began at from and ended at to,
// each within margin, in nanoseconds since the start of the trace. It looks at where they waited
// for the requests before and after. If margin covers the error of the clock, the result includes
// the goroutine of that request, and those of others that began and ended at the same time by
// chance.
func FindByTime(x *index.Index, from, to, margin int64) ([]uint32, error) {
	f := &requestFinder{x: x, servers: map[uint32]*server{}, children: map[uint32]uint32{}}
	if err := f.goroutines(); err != nil {
		return nil, err
	}
	type fit struct{ begin, end, broken bool }
	fits := map[uint32]*fit{}
	near := func(a, b int64) bool { return max(a-b, b-a) <= margin }
	for i, sv := range f.servers {
		// A goroutine's first request begins with it, except for a handshake. Its last may end with
		// the trace.
		fits[i] = &fit{
			begin: !sv.g.Old && near(sv.g.From, from),
			end:   near(sv.g.To, to) && (sv.g.Ended || sv.g.To >= x.Info.Duration-margin),
		}
	}
	ps := newPlaces(x)
	if err := x.Spans(from-margin, to+margin, func(s index.Span) bool {
		one := fits[s.Goroutine]
		if one == nil || f.servers[s.Goroutine].whole || !isBetween(x, &s, siteOfSpan(&ps, &s)) {
			return true
		}
		one.begin = one.begin || near(s.To, from)
		one.end = one.end || near(s.From, to)
		one.broken = one.broken || s.From < to-margin && s.To > from+margin
		return true
	}); err != nil {
		return nil, err
	}
	var found []uint32
	for i, one := range fits {
		if one.begin && one.end && !one.broken {
			found = append(found, i)
		}
	}
	return found, nil
}
