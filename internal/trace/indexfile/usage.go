package indexfile

import (
	"encoding/binary"

	"github.com/whet-go/whet/trace/model"
)

// A Use of a lane, which is a processor or a thread. Threads have a processor or not: having one is
// the first use.
type Use uint8

// Uses.
const (
	UseRunning Use = iota
	UseAssist
	UseSyscall

	Uses = iota // the number of uses
)

// Code returns the state of the goroutine on a processor in this use.
func (u Use) Code() model.Code {
	return [Uses]model.Code{model.Running, model.Assist, model.Syscall}[u]
}

// UseOf returns the use that a goroutine in this state makes of its processor.
func UseOf(c model.Code) Use {
	switch c {
	case model.Assist:
		return UseAssist
	case model.Syscall:
		return UseSyscall
	case model.Unknown, model.Running, model.Runnable, model.SyscallBlocked, model.Waiting:
	}
	return UseRunning
}

// MaxLanes bounds processors and threads: Go allows 10 000 threads at a time, and no machine has as
// many processors.
const MaxLanes = 1 << 16

// Usage is the usage of a lane in a slice or tile.
type Usage struct {
	Lane  uint32
	Times [Uses]int64
	Open  int64 // how long before the end the stay began that extends beyond it; -1: idle at the end
}

// openBit in a usage's mask means that its lane is not idle at the end.
const openBit = 1 << Uses

// AppendUsage encodes usage, in ascending order of lanes: the difference from the previous lane
// (the first from -1), a mask of what follows, times, and how long before the end the open stay
// began.
func AppendUsage(b []byte, all []Usage) []byte {
	last := int64(-1)
	for _, one := range all {
		mask := byte(0)
		for u, t := range one.Times {
			if t > 0 {
				mask |= 1 << u
			}
		}
		if one.Open >= 0 {
			mask |= openBit
		}
		b = append(binary.AppendUvarint(b, uint64(int64(one.Lane)-last)), mask)
		last = int64(one.Lane)
		for _, t := range one.Times {
			if t > 0 {
				b = binary.AppendUvarint(b, uint64(t))
			}
		}
		if one.Open >= 0 {
			b = binary.AppendUvarint(b, uint64(one.Open))
		}
	}
	return b
}

// EachUsage calls yield with what AppendUsage has written, and reports whether it is intact.
func EachUsage(b []byte, yield func(Usage)) bool {
	d := decoder{b: b}
	last := int64(-1)
	for len(d.b) > 0 {
		last += int64(d.uint())
		one := Usage{Lane: uint32(last), Open: -1}
		mask := d.byte()
		for u := range one.Times {
			if mask&(1<<u) != 0 {
				one.Times[u] = int64(d.uint())
			}
		}
		if mask&openBit != 0 {
			one.Open = int64(d.uint())
		}
		if d.bad || last >= MaxLanes {
			return false
		}
		yield(one)
	}
	return true
}

// MergeUsage sums the usage of consecutive tiles.
func MergeUsage(parts [][]byte) []byte {
	var all []Usage
	for _, part := range parts {
		for i := range all {
			all[i].Open = -1 // unless the last one has one
		}
		next := make([]Usage, 0, len(all))
		rest := all
		EachUsage(part, func(one Usage) {
			for len(rest) > 0 && rest[0].Lane < one.Lane {
				next, rest = append(next, rest[0]), rest[1:]
			}
			if len(rest) > 0 && rest[0].Lane == one.Lane {
				for u, t := range rest[0].Times {
					one.Times[u] += t
				}
				rest = rest[1:]
			}
			next = append(next, one)
		})
		all = append(next, rest...)
	}
	return AppendUsage(nil, all)
}
