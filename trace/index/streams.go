package index

import (
	"math"
	"slices"

	"github.com/whet-go/whet/internal/trace/indexfile"
)

// A cursor iterates over the records of one class that overlap a window.
type cursor struct {
	x        *Index
	from, to int64
	blocks   []indexfile.RecordsRef // remaining blocks
	block    indexfile.Records
	buf      []byte
	record   Record
}

// next reads the next record, and reports whether there is one.
func (c *cursor) next() (bool, error) {
	for {
		for c.block.More() {
			if !c.block.Next(&c.record) {
				return false, ErrDamaged
			}
			if c.record.To >= c.from && c.record.From <= c.to {
				return true, nil
			}
		}
		if len(c.blocks) == 0 {
			return false, nil
		}
		b := &c.blocks[0]
		c.blocks = c.blocks[1:]
		if !b.Overlaps(c.from, c.to) {
			continue
		}
		var err error
		if c.buf, err = c.x.read(b.Ref, c.buf); err != nil {
			return false, err
		}
		c.block = indexfile.ReadRecords(c.buf, b)
	}
}

// byClass are blocks of a stream.
type byClass = [indexfile.Classes][]indexfile.RecordsRef

// blocks returns the blocks of a stream that overlap a window, by class.
func (x *Index) blocks(stream Stream, from, to int64) (all byClass, n int) {
	for class, list := range x.records[stream] {
		for _, b := range list {
			if b.Overlaps(from, to) {
				all[class] = append(all[class], b)
				n++
			}
		}
	}
	return all, n
}

// Records calls yield with the records of a stream that overlap a window, in nanoseconds since the
// start of the trace, in the order in which they end, until it returns false.
func (x *Index) Records(stream Stream, from, to int64, yield func(*Record) bool) error {
	all, _ := x.blocks(stream, from, to)
	return x.each(all, from, to, yield)
}

// each calls yield with the records of some blocks that overlap a window, in the order of their
// ends, until it returns false.
func (x *Index) each(blocks byClass, from, to int64, yield func(*Record) bool) error {
	var cursors []*cursor
	for _, list := range blocks {
		c := &cursor{x: x, from: from, to: to, blocks: list}
		switch more, err := c.next(); {
		case err != nil:
			return err
		case more:
			cursors = append(cursors, c)
		}
	}
	for len(cursors) > 0 {
		first := 0
		for i, c := range cursors {
			if c.record.To < cursors[first].record.To {
				first = i
			}
		}
		c := cursors[first]
		r := c.record
		if !yield(&r) {
			return nil
		}
		switch more, err := c.next(); {
		case err != nil:
			return err
		case !more:
			cursors = slices.Delete(cursors, first, first+1)
		}
	}
	return nil
}

// Task returns the task with the given ID, or nil if there is none.
func (x *Index) Task(id uint64) (*Record, error) {
	var task *Record
	var some byClass
	for class, list := range x.records[Tasks] {
		for _, b := range list {
			if b.Tasks[0] <= id && id <= b.Tasks[1] {
				some[class] = append(some[class], b)
			}
		}
	}
	err := x.each(some, 0, math.MaxInt64, func(r *Record) bool {
		if r.Task == id {
			task = r
		}
		return task == nil
	})
	return task, err
}

// Count returns the number of records in a stream.
func (x *Index) Count(stream Stream) int64 {
	n := int64(0)
	for _, list := range x.records[stream] {
		for _, b := range list {
			n += int64(b.Records)
		}
	}
	return n
}

// Names returns the sums of Metrics, Ranges or Regions by name, in the order in which the first
// record of each name ended: at most 10 000. Other streams have none. The caller must not modify
// the result.
func (x *Index) Names(stream Stream) []Named { return x.tables.Totals[stream] }

// A Point is the value of a metric at one time.
type Point struct {
	At          int64 // nanoseconds since the start of the trace
	Least, Most uint64
	Last        uint64
}

// Metric returns the values of a metric in a window: at most as many points as its width, each for
// the time since the previous one. The first is the value at the start of the window, if known.
func (x *Index) Metric(name uint32, w Window) ([]Point, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	blocks, n := x.blocks(Metrics, w.From, w.To)
	points := pointMerger{w: w}
	before, err := x.metricBefore(name, w.From)
	if err != nil {
		return nil, err
	}
	if before != nil {
		points.add(Point{w.From, *before, *before, *before})
	}
	if n <= x.limits.blocks {
		err := x.each(blocks, w.From, w.To, func(r *Record) bool {
			if r.Name == name {
				points.add(Point{r.To, r.Value, r.Value, r.Value})
			}
			return true
		})
		return points.all, err
	}
	for _, b := range blocks[0] { // metrics have no duration
		for _, s := range b.Sums {
			if s.Name == name && s.To >= w.From {
				points.add(Point{min(s.To, w.To), s.Least, s.Most, s.Last})
			}
		}
	}
	return points.all, nil
}

// metricBefore returns the last value of a metric before a time; nil if there is none.
func (x *Index) metricBefore(name uint32, at int64) (*uint64, error) {
	list := x.records[Metrics][0]
	for i := len(list) - 1; i >= 0; i-- {
		b := list[i]
		k := slices.IndexFunc(b.Sums, func(n indexfile.NameSum) bool { return n.Name == name })
		switch {
		case k < 0 || b.Sums[k].From >= at:
			continue
		case b.Sums[k].To < at:
			return &b.Sums[k].Last, nil
		}
		var value *uint64
		err := x.each(byClass{{b}}, 0, at-1, func(r *Record) bool {
			if r.Name == name {
				value = &r.Value
			}
			return true
		})
		return value, err
	}
	return nil, nil
}

// A pointMerger merges points that are too close to distinguish.
type pointMerger struct {
	w      Window
	all    []Point
	bucket int64
}

func (p *pointMerger) add(one Point) {
	bucket := (one.At - p.w.From) / p.w.step()
	if n := len(p.all); n > 0 && (bucket == p.bucket || n >= p.w.Width) {
		last := &p.all[n-1]
		last.At, last.Last = one.At, one.Last
		last.Least, last.Most = min(last.Least, one.Least), max(last.Most, one.Most)
		return
	}
	p.all, p.bucket = append(p.all, one), bucket
}
