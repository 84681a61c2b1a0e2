package export

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
)

// TestSorter sorts by time, stably, in memory and through runs of a file, and leaves no file.
func TestSorter(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, most := range []int{0, 1, 100, 4096} {
		s := &sorter{most: most}
		random := rand.New(rand.NewPCG(1, 2))
		const number = 2000
		for i := range number {
			at := random.Uint64N(50)
			packet := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, at), uint64(i))
			if err := s.add(at, append(packet, make([]byte, random.IntN(40))...)); err != nil {
				t.Fatal(err)
			}
		}
		var last []byte
		n := 0
		if err := s.each(func(packet []byte) error {
			if n++; bytes.Compare(packet[:16], last) <= 0 {
				t.Fatalf("with %d bytes in memory, %x comes after %x", most, packet[:16], last)
			}
			last = append(last[:0], packet[:16]...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.close(); err != nil || n != number {
			t.Errorf("%d packets of %d, %v", n, number, err)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
