package profile

import "bytes"

// ForeignCost returns an upper estimate of the memory that github.com/google/pprof takes for an
// uncompressed profile in any of its formats: its readers have no limits, so this check runs before
// them. For profiles of Go programs it is up to twice the actual memory.
func ForeignCost(data []byte) int64 {
	if looksLegacy(data) {
		return legacyCost(data)
	}
	cost := int64(2 * len(data))
	for len(data) > 0 {
		f, err := nextField(&data, false)
		if err != nil {
			break // it is not read beyond this point
		}
		if f.wire != wireBytes || f.key == profileComment {
			// A packed number may occur alone, and a comment is a number.
			cost += foreignNumber * int64(1+len(f.data))
			continue
		}
		cost += foreignMessage
		switch f.key {
		case profileStringTable:
			cost += int64(len(f.data))
		case profileSample:
			cost += foreignSample(f.data)
		default:
			cost += foreignNumber * int64(numbers(f.data))
		}
	}
	return cost
}

// The memory that google/pprof takes for what it reads, measured.
const (
	foreignMessage = 224 // a struct, the pointers to it, and an entry in a map
	foreignNumber  = 24  // in a list, and what is derived from it
	foreignLabel   = 640 // the maps of a sample
	foreignLine    = 400 // of a text
	foreignText    = 20  // a byte of a text
)

// numbers counts the varints of a message, including lengths and keys.
func numbers(b []byte) (n int) {
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return n
}

func foreignSample(b []byte) (cost int64) {
	for len(b) > 0 {
		f, err := nextField(&b, false)
		switch {
		case err != nil:
			return cost
		case f.key == 3:
			cost += foreignLabel
		case f.wire == wireBytes:
			cost += foreignNumber * int64(numbers(f.data))
		default:
			cost += foreignNumber
		}
	}
	return cost
}

// legacyCost is ForeignCost of a part of the formats before protobuf.
func legacyCost(data []byte) int64 {
	return foreignText*int64(len(data)) + foreignLine*int64(bytes.Count(data, []byte("\n")))
}
