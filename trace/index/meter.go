package index

import "encoding/binary"

// A meter sums the uses of processors, or of threads. A lane is one of them.
type meter struct {
	lanes []lane
	from  int64 // of this slice
}

// A lane has one use at a time, or is idle.
type lane struct {
	use   use
	begin int64 // of the stay in this use
	since int64 // start of the part of it not yet counted; -1 if idle
	times [uses]int64
}

// A use of a lane. Threads have a processor or not: having one is the first use.
type use uint8

const (
	useRunning use = iota
	useAssist
	useSyscall
	uses
)

// code returns the state of the goroutine on a processor in this use.
func (u use) code() Code { return [uses]Code{Running, Assist, Syscall}[u] }

// useOf returns the use that a goroutine in this state makes of its processor.
func useOf(c Code) use {
	switch c {
	case Assist:
		return useAssist
	case Syscall:
		return useSyscall
	case Unknown, Running, Runnable, SyscallBlocked, Waiting:
	}
	return useRunning
}

// maxLanes bounds processors and threads: Go allows 10 000 threads at a time, and no machine has as
// many processors.
const maxLanes = 1 << 16

func (m *meter) at(n int64) *lane {
	if n < 0 || n >= maxLanes {
		return nil
	}
	for int64(len(m.lanes)) <= n {
		m.lanes = append(m.lanes, lane{since: -1})
	}
	return &m.lanes[n]
}

// run starts or continues a use of a lane.
func (m *meter) run(n int64, u use, now int64) {
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
	var all []usage
	for n := range m.lanes {
		l := &m.lanes[n]
		one := usage{lane: uint32(n), open: -1}
		if l.since >= 0 {
			l.times[l.use] += now - l.since
			l.since, one.open = now, now-l.begin
		}
		one.times, l.times = l.times, [uses]int64{}
		if one != (usage{lane: one.lane, open: -1}) {
			all = append(all, one)
		}
	}
	m.from = now
	return appendUsage(nil, all)
}

// usage is the usage of a lane in a slice or tile.
type usage struct {
	lane  uint32
	times [uses]int64
	open  int64 // how long before the end the stay began that extends beyond it; -1: idle at the end
}

// openBit in a usage's mask means that its lane is not idle at the end.
const openBit = 1 << uses

// appendUsage encodes usage, in ascending order of lanes: the difference from the previous lane
// (the first from -1), a mask of what follows, times, and how long before the end the open stay
// began.
func appendUsage(b []byte, all []usage) []byte {
	last := int64(-1)
	for _, one := range all {
		mask := byte(0)
		for u, t := range one.times {
			if t > 0 {
				mask |= 1 << u
			}
		}
		if one.open >= 0 {
			mask |= openBit
		}
		b = append(binary.AppendUvarint(b, uint64(int64(one.lane)-last)), mask)
		last = int64(one.lane)
		for _, t := range one.times {
			if t > 0 {
				b = binary.AppendUvarint(b, uint64(t))
			}
		}
		if one.open >= 0 {
			b = binary.AppendUvarint(b, uint64(one.open))
		}
	}
	return b
}

// eachUsage calls yield with what appendUsage has written, and reports whether it is intact.
func eachUsage(b []byte, yield func(usage)) bool {
	d := decoder{b: b}
	last := int64(-1)
	for len(d.b) > 0 {
		last += int64(d.uint())
		one := usage{lane: uint32(last), open: -1}
		mask := d.byte()
		for u := range one.times {
			if mask&(1<<u) != 0 {
				one.times[u] = int64(d.uint())
			}
		}
		if mask&openBit != 0 {
			one.open = int64(d.uint())
		}
		if d.bad || last >= maxLanes {
			return false
		}
		yield(one)
	}
	return true
}

// mergeUsage sums the usage of consecutive tiles.
func mergeUsage(parts [][]byte) []byte {
	var all []usage
	for _, part := range parts {
		for i := range all {
			all[i].open = -1 // unless the last one has one
		}
		next := make([]usage, 0, len(all))
		rest := all
		eachUsage(part, func(one usage) {
			for len(rest) > 0 && rest[0].lane < one.lane {
				next, rest = append(next, rest[0]), rest[1:]
			}
			if len(rest) > 0 && rest[0].lane == one.lane {
				for u, t := range rest[0].times {
					one.times[u] += t
				}
				rest = rest[1:]
			}
			next = append(next, one)
		})
		all = append(next, rest...)
	}
	return appendUsage(nil, all)
}
