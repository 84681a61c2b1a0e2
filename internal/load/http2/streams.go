package http2

import "math/bits"

// A stream is a request in flight.
type stream struct {
	id      uint32 // 0 means that the slot is free
	status  uint16 // of the final answer; 0 before it
	flags   streamFlags
	interim uint8  // 1xx answers so far
	send    int32  // what the peer allows us to send; may be negative
	recv    int32  // what we allow the peer to send
	tag     int    // the caller's
	length  int64  // content-length of the answer; -1 means unknown
	body    int64  // bytes of the answer's body so far
	rest    []byte // of the request's body, waiting for the peer's windows
}

type streamFlags uint8

const (
	flagHead streamFlags = 1 << iota // the request was HEAD
	flagSent                         // the request is sent completely
)

// bodyless reports whether the answer has no content, whatever its header says (RFC 9110, section
// 6.4.1).
func (s *stream) bodyless() bool {
	return s.flags&flagHead != 0 || s.status == 204 || s.status == 304
}

// streams holds the open streams by id: a hash table with linear probing. Unlike a ring, it does
// not grow because of one long-lived stream.
type streams struct {
	slots []stream // a power of two, at most half of them used; or none
	n     int      // slots used
	shift uint8    // 32 less the logarithm of the number of slots
}

// home returns where the search for an id begins. Multiples of the golden ratio are evenly spaced
// for consecutive numbers (Knuth, The Art of Computer Programming, section 6.4), so that there are
// no long runs of used slots, which remove would have to walk.
func (t *streams) home(id uint32) int { return int(id >> 1 * 0x9e3779b1 >> t.shift) }

// find returns the stream, or nil if it is not open. The pointer is valid until the next add or
// remove.
func (t *streams) find(id uint32) *stream {
	if t.n == 0 {
		return nil
	}
	mask := len(t.slots) - 1
	for i := t.home(id); t.slots[i].id != 0; i = (i + 1) & mask {
		if t.slots[i].id == id {
			return &t.slots[i]
		}
	}
	return nil
}

// add creates a stream with an id that is not in the table. Its other fields are zero.
func (t *streams) add(id uint32) *stream {
	if 2*(t.n+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]stream, max(2, 2*len(old)))
		t.shift = uint8(32 - bits.TrailingZeros(uint(len(t.slots))))
		for i := range old {
			if old[i].id != 0 {
				*t.place(old[i].id) = old[i]
			}
		}
	}
	t.n++
	s := t.place(id)
	s.id = id
	return s
}

// place returns the slot for an id that is not in the table.
func (t *streams) place(id uint32) *stream {
	mask := len(t.slots) - 1
	i := t.home(id)
	for t.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

// remove frees the slot of an open stream and closes the gap in its run of slots.
func (t *streams) remove(id uint32) {
	mask := len(t.slots) - 1
	gap := t.home(id)
	for t.slots[gap].id != id {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.slots[i].id != 0; i = (i + 1) & mask {
		// A stream may move to the gap unless that is before its home.
		if (i-t.home(t.slots[i].id))&mask >= (i-gap)&mask {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = stream{}
	t.n--
}
