package export

import (
	"fmt"
	"strings"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// A group is a set of tracks drawn together.
type group uint8

// Groups, in the order in which they are drawn.
const (
	processors group = iota + 1
	collector
	served // requests
	tasks
	goroutineTracks
	groups
)

func (g group) String() string {
	return [groups]string{"", "processors", "collector", "requests", "tasks", "goroutines"}[g]
}

// A track is a line of consecutive or nested slices. Its number is unique in its group.
type track struct {
	group  group
	number uint64
}

// regionsOf returns the track of a goroutine's regions, by its index.
func regionsOf(g uint32) track { return track{goroutineTracks, 1<<32 + uint64(g)} }

// atPlace is the name of the arg with the site where a goroutine stopped.
const atPlace = "at"

// isBytes reports whether a metric is measured in bytes.
func isBytes(name string) bool { return strings.HasSuffix(name, ":bytes") }

// An arg is an attribute of a slice.
type arg struct{ name, text string }

// A drawing is a format with tracks. The slices of a track come in the order in which they begin,
// outer ones first.
type drawing interface {
	// track names a track; it comes before the track's slices, possibly more than once.
	track(t track, name string) error
	slice(t track, name string, from, to int64, args ...arg) error
	// flow connects what a track does at a time with the slice of another track that begins then.
	flow(from, to track, name string, at int64) error
	counter(name string, at int64, value uint64) error
}

// draw draws everything.
func (s *source) draw(d drawing) error {
	for _, part := range []func(drawing) error{s.counters, s.collector, s.intervals, s.regions, s.spans} {
		if err := part(d); err != nil {
			return err
		}
	}
	return nil
}

// records calls yield with a stream's records until it fails.
func (s *source) records(stream index.Stream, yield func(*index.Record) error) (err error) {
	if rerr := s.x.Records(stream, s.o.From, s.o.To, func(r *index.Record) bool {
		err = yield(r)
		return err == nil
	}); rerr != nil {
		return rerr
	}
	return err
}

func (s *source) counters(d drawing) error {
	return s.records(index.Metrics, func(r *index.Record) error {
		s.result.Counters++
		return d.counter(s.x.Name(r.Name), r.To, r.Value)
	})
}

// collector draws the work of the garbage collector, stop-the-world phases, and sweeping by
// processor. Assists are among the states of goroutines.
func (s *source) collector(d drawing) error {
	numbers := map[string]uint64{}
	return s.records(index.Ranges, func(r *index.Record) error {
		name := s.x.Name(r.Name)
		line := name
		switch {
		case strings.HasPrefix(name, "stop-the-world"): // one at a time
			line = "stop-the-world"
		case r.Proc > 0:
			line = fmt.Sprintf("%s P%d", name, r.Proc-1)
		case r.Goroutine > 0:
			return nil
		}
		if !s.chosen(r.Goroutine) && r.Goroutine > 0 {
			return nil
		}
		number, ok := numbers[line]
		if !ok {
			number = uint64(len(numbers) + 1)
			numbers[line] = number
			if err := d.track(track{collector, number}, line); err != nil {
				return err
			}
		}
		return s.slice(d, track{collector, number}, name, max(r.From, s.o.From), min(r.To, s.o.To))
	})
}

func (s *source) slice(d drawing, t track, name string, from, to int64, args ...arg) error {
	s.result.Slices++
	return d.slice(t, name, from, to, args...)
}

// intervals draws requests and tasks, side by side where they overlap.
func (s *source) intervals(d drawing) error {
	asked, err := s.requests()
	if err != nil {
		return err
	}
	worked, err := s.recorded(index.Tasks)
	if err != nil {
		return err
	}
	for _, some := range []struct {
		group group
		list  []interval
	}{{served, asked}, {tasks, worked}} {
		free := lanes{}
		for i := range some.list {
			one := &some.list[i]
			n := free.count
			lane := free.of(one.from, one.to)
			t := track{some.group, uint64(lane + 1)}
			if lane == n {
				if err := d.track(t, fmt.Sprintf("%s %d", some.group, lane+1)); err != nil {
					return err
				}
			}
			if err := s.slice(d, t, one.name, one.from, one.to, s.describe(one)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe returns the attributes of a request or task.
func (s *source) describe(one *interval) []arg {
	var args []arg
	if one.goroutine > 0 {
		args = append(args, arg{"goroutine", fmt.Sprint(s.goroutines[one.goroutine-1].id)})
	}
	if one.task > 0 {
		args = append(args, arg{"task", fmt.Sprint(one.task)})
	}
	if r := one.request; r != nil {
		for cause := range requests.Causes {
			if took := r.Times[cause]; took > 0 {
				args = append(args, arg{requests.Cause(cause).String(), took.String()})
			}
		}
	}
	if one.open {
		args = append(args, arg{"unfinished", "it began before the trace or ended after it"})
	}
	return args
}

// name returns the name of a goroutine's track.
func (s *source) name(g uint32) string {
	return fmt.Sprintf("G%d %s", s.goroutines[g].id, s.function(g))
}

func (s *source) regions(d drawing) error {
	list, err := s.recorded(index.Regions)
	if err != nil {
		return err
	}
	named := map[uint32]bool{}
	for i := range list {
		one := &list[i]
		if one.goroutine == 0 {
			continue
		}
		g := one.goroutine - 1
		if !named[g] {
			named[g] = true
			if err := d.track(regionsOf(g), s.name(g)+" regions"); err != nil {
				return err
			}
		}
		if err := s.slice(d, regionsOf(g), one.name, one.from, one.to, s.describe(one)...); err != nil {
			return err
		}
	}
	return nil
}

// spans draws goroutines and processors.
func (s *source) spans(d drawing) (err error) {
	named := make([]bool, len(s.goroutines))
	procs := map[uint32]bool{}
	if serr := s.x.Spans(s.o.From, s.o.To, func(span index.Span) bool {
		g := span.Goroutine
		from, to := max(span.From, s.o.From), min(span.To, s.o.To)
		if !s.goroutines[g].chosen || from > to || from == to && span.From != span.To {
			return true
		}
		t := track{goroutineTracks, uint64(g) + 1}
		if !named[g] {
			named[g] = true
			if err = d.track(t, s.name(g)); err != nil {
				return false
			}
		}
		if waker := span.With - 1; span.Code == index.Runnable && span.With > 0 && int(waker) < len(s.goroutines) &&
			waker != g && s.goroutines[waker].chosen && from == span.From {
			if !named[waker] {
				named[waker] = true
				if err = d.track(track{goroutineTracks, uint64(waker) + 1}, s.name(waker)); err != nil {
					return false
				}
			}
			if err = d.flow(track{goroutineTracks, uint64(waker) + 1}, t, "wakes", from); err != nil {
				return false
			}
		}
		if err = s.slice(d, t, s.state(span.Code), from, to, s.why(&span)...); err != nil || span.With == 0 ||
			span.Code != index.Running && span.Code != index.Assist {
			return err == nil
		}
		t = track{processors, uint64(span.With)}
		if !procs[span.With] {
			procs[span.With] = true
			if err = d.track(t, fmt.Sprintf("P%d", span.With-1)); err != nil {
				return false
			}
		}
		err = s.slice(d, t, s.function(g), from, to, arg{"goroutine", fmt.Sprint(s.goroutines[g].id)})
		return err == nil
	}); serr != nil {
		return serr
	}
	return err
}

// why returns the attributes of a span.
func (s *source) why(span *index.Span) []arg {
	var args []arg
	if at := s.place(span.Stack); at != "" {
		args = append(args, arg{atPlace, at})
	}
	if span.Code == index.Runnable && span.With > 0 && int(span.With) <= len(s.goroutines) {
		args = append(args, arg{"woken by", s.name(span.With - 1)})
	}
	return args
}
