package http2

import (
	"math/rand/v2"
	"testing"
)

// TestStreams compares the table with a map, and checks that its memory depends only on the highest
// number of open streams, even if some streams live very long.
func TestStreams(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var table streams
		want := make(map[uint32]int)
		next, most := uint32(1), 1+rng.IntN(50)
		for range 20_000 {
			if len(want) < most && rng.IntN(2) == 0 {
				table.add(next).tag = int(next) * 3
				want[next] = int(next) * 3
				next += 2
			} else if len(want) > 0 {
				n := rng.IntN(len(want))
				for id := range want {
					if n--; n < 0 && (id%101 != 0 || next > 30_000) {
						table.remove(id)
						delete(want, id)
						break
					}
				}
			}
			probe := 1 + 2*uint32(rng.IntN(int(next)))
			if s, tag := table.find(probe), want[probe]; (s == nil) != (tag == 0) ||
				s != nil && (s.tag != tag || s.id != probe) {
				t.Fatalf("seed %d: stream %d found %v, want tag %d", seed, probe, s != nil, tag)
			}
		}
		for id, tag := range want {
			if s := table.find(id); s == nil || s.tag != tag {
				t.Fatalf("seed %d: stream %d is lost", seed, id)
			}
		}
		if table.n != len(want) || len(table.slots) > 4*most {
			t.Errorf("seed %d: %d streams of %d in %d slots", seed, table.n, len(want), len(table.slots))
		}
	}
}
