package packed

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

// Indices reads what Index reads one by one, at every length of a number, and fails where Index fails.
func TestIndices(t *testing.T) {
	want := []uint32{
		0, 1, 127, 128, 129, 1<<14 - 1, 1 << 14, 1<<21 - 1, 1 << 21, 1 << 28, math.MaxUint32 - 1, 7, 200, 70_000,
	}
	var b []byte
	for _, x := range want {
		b = binary.AppendUvarint(b, uint64(x))
	}
	for cut := range len(b) + 1 {
		one, many := &Decoder{B: b[:cut]}, &Decoder{B: b[:cut]}
		got, by := make([]uint32, len(want)), make([]uint32, len(want))
		many.Indices(got)
		for i := range by {
			by[i] = one.Index()
		}
		if !slices.Equal(got, by) || !errors.Is(many.Err, one.Err) || len(many.B) != len(one.B) {
			t.Errorf("cut at %d: %v, %v and %d bytes left, want %v, %v and %d", cut, got, many.Err, len(many.B), by,
				one.Err, len(one.B))
		}
		if cut == len(b) && !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	d := &Decoder{B: binary.AppendUvarint(nil, math.MaxUint32)}
	if d.Indices(make([]uint32, 1)); !errors.Is(d.Err, ErrDamaged) {
		t.Errorf("a number that is too large: %v", d.Err)
	}
}
