package requests

import (
	"iter"

	"github.com/whet-go/whet/trace/index"
)

// Marks are the actions of goroutines, other than state changes, whose stacks are in the trace:
// tasks, regions and logs of runtime/trace, and ranges of the garbage collector that an allocation
// begins.
type marks struct {
	streams []peeked
	err     error
}

// A peeked is a stream with its next record.
type peeked struct {
	stream index.Stream
	record *index.Record // nil at the end
	next   func() (*index.Record, bool)
	stop   func()
}

// markStreams returns the streams that have marks.
func markStreams() []index.Stream {
	return []index.Stream{index.Tasks, index.Regions, index.Logs, index.Ranges}
}

// newMarks reads the marks of a trace, until stop is called.
func newMarks(x *index.Index) *marks {
	m := &marks{}
	for _, stream := range markStreams() {
		next, stop := iter.Pull(func(yield func(*index.Record) bool) {
			if err := x.Records(stream, 0, x.Info.Duration, func(r *index.Record) bool {
				return !isMark(r) || yield(r)
			}); err != nil {
				m.err = err
			}
		})
		p := peeked{stream: stream, next: next, stop: stop}
		p.record, _ = next()
		m.streams = append(m.streams, p)
	}
	return m
}

func (m *marks) stop() {
	for _, p := range m.streams {
		p.stop()
	}
}

// before calls yield with the unread marks that end up to a time.
func (m *marks) before(to int64, yield func(index.Stream, *index.Record)) {
	for i := range m.streams {
		p := &m.streams[i]
		for p.record != nil && p.record.To <= to {
			yield(p.stream, p.record)
			p.record, _ = p.next()
		}
	}
}

// eachMark calls yield with the marks that overlap a window.
func eachMark(x *index.Index, from, to int64, yield func(*index.Record)) error {
	for _, stream := range markStreams() {
		if err := x.Records(stream, from, to, func(r *index.Record) bool {
			if isMark(r) {
				yield(r)
			}
			return true
		}); err != nil {
			return err
		}
	}
	return nil
}

// isMark reports whether a record has the stack of a goroutine.
func isMark(r *index.Record) bool { return r.Goroutine > 0 && r.Stack > 0 }

// hintOf returns what a mark of a stream shows. Ranges and regions end on the goroutine that began
// them, in the same request. A task may end on another goroutine, and later than the request.
func hintOf(stream index.Stream, r *index.Record) hint {
	if stream == index.Tasks {
		return hint{at: r.From, since: r.From, stack: r.Stack}
	}
	return hint{at: r.To, since: r.From, stack: r.Stack}
}
