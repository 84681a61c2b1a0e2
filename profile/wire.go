package profile

import (
	"errors"
	"fmt"
)

// Wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// A field is one field of a message.
type field struct {
	key  uint64 // field number
	wire uint64
	num  uint64 // the value, for varints and fixed; the length, for bytes
	data []byte
	size int // bytes of the key, and of num when it is a varint
}

var (
	errVarint = errors.New("varint is cut off or longer than 10 bytes")
	errCutOff = errors.New("message is cut off")
)

// uvarint reads a varint; n is 0 when there is none.
func uvarint(b []byte) (x uint64, n int) {
	var shift uint
	for i, c := range b {
		if i == 10 {
			return 0, 0
		}
		x |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return x, i + 1
		}
		shift += 7
	}
	return 0, 0
}

// nextField takes the next field off *b. With top, the content of a bytes field
// is left in *b, for it may not be in memory yet.
func nextField(b *[]byte, top bool) (field, error) {
	key, n := uvarint(*b)
	if n == 0 {
		return field{}, errVarint
	}
	f := field{key: key >> 3, wire: key & 7, size: n}
	rest := (*b)[n:]
	switch f.wire {
	case wireVarint, wireBytes:
		if f.num, n = uvarint(rest); n == 0 {
			return field{}, errVarint
		}
	case wireFixed64:
		n = 8
	case wireFixed32:
		n = 4
	default:
		return field{}, fmt.Errorf("unknown wire type %d", f.wire)
	}
	if n > len(rest) {
		return field{}, errCutOff
	}
	if f.wire == wireFixed64 || f.wire == wireFixed32 {
		for i := range n {
			f.num |= uint64(rest[i]) << (8 * i)
		}
	}
	f.size += n
	rest = rest[n:]
	if f.wire == wireBytes && !top {
		if f.num > uint64(len(rest)) {
			return field{}, errCutOff
		}
		f.data, rest = rest[:f.num:f.num], rest[f.num:]
	}
	*b = rest
	return f, nil
}

// repeated calls fn for each number of a repeated field, packed or not.
func repeated(f field, fn func(uint64) error) error {
	if f.wire != wireBytes {
		return fn(f.num)
	}
	for b := f.data; len(b) > 0; {
		x, n := uvarint(b)
		if n == 0 {
			return errVarint
		}
		b = b[n:]
		if err := fn(x); err != nil {
			return err
		}
	}
	return nil
}

// fields calls fn for each field of a message.
func fields(b []byte, fn func(field) error) error {
	for len(b) > 0 {
		f, err := nextField(&b, false)
		if err != nil {
			return err
		}
		if err := fn(f); err != nil {
			return err
		}
	}
	return nil
}
