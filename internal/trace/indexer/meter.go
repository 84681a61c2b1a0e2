package indexer

import "github.com/whet-go/whet/internal/trace/indexfile"

// A meter sums the uses of processors, or of threads. A lane is one of them.
type meter struct {
	lanes []lane
	from  int64 // of this slice
}

// A lane has one use at a time, or is idle.
type lane struct {
	use   indexfile.Use
	begin int64 // of the stay in this use
	since int64 // start of the part of it not yet counted; -1 if idle
	times [indexfile.Uses]int64
}

func (m *meter) at(n int64) *lane {
	if n < 0 || n >= indexfile.MaxLanes {
		return nil
	}
	for int64(len(m.lanes)) <= n {
		m.lanes = append(m.lanes, lane{since: -1})
	}
	return &m.lanes[n]
}

// run starts or continues a use of a lane.
func (m *meter) run(n int64, u indexfile.Use, now int64) {
	if l := m.at(n); l != nil && l.since < 0 {
		l.use, l.begin, l.since = u, now, max(now, m.from)
	}
}

// stop makes a lane idle.
func (m *meter) stop(n, now int64) {
	if l := m.at(n); l != nil && l.since >= 0 {
		l.times[l.use] += now - l.since
		l.since = -1
	}
}

// take returns the usage of a slice that ends now, encoded.
func (m *meter) take(now int64) []byte {
	var all []indexfile.Usage
	for n := range m.lanes {
		l := &m.lanes[n]
		one := indexfile.Usage{Lane: uint32(n), Open: -1}
		if l.since >= 0 {
			l.times[l.use] += now - l.since
			l.since, one.Open = now, now-l.begin
		}
		one.Times, l.times = l.times, [indexfile.Uses]int64{}
		if one != (indexfile.Usage{Lane: one.Lane, Open: -1}) {
			all = append(all, one)
		}
	}
	m.from = now
	return indexfile.AppendUsage(nil, all)
}
