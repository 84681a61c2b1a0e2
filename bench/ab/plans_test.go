package ab

import (
	"testing"
	"time"
)

// TestPlansFor checks that a pairing selects the plans that place rounds in that way, and that a
// length replaces theirs.
func TestPlansFor(t *testing.T) {
	for _, test := range []struct {
		pairing          Pairing
		n                int
		pinned, together bool
	}{
		{PairsAuto, 3, false, false},
		{PairsFree, 1, false, false},
		{PairsPinned, 1, true, false},
		{PairsTogether, 1, true, true},
		{PairsShared, 1, true, false},
	} {
		for _, length := range []time.Duration{0, 20 * time.Millisecond} {
			plans := PlansFor(4, test.pairing, length)
			if len(plans) != test.n {
				t.Fatalf("%s: %d plans, want %d", test.pairing, len(plans), test.n)
			}
			for _, p := range plans {
				shared := test.pairing == PairsShared
				if test.n == 1 && (p.Pinned != test.pinned || p.Together != test.together || p.Shared != shared) {
					t.Errorf("%s: %v", test.pairing, p)
				}
				if length > 0 && (p.Length != length || p.Fit) || length == 0 && p.Fit == p.Shared {
					t.Errorf("%s, %v: %v", test.pairing, length, p)
				}
			}
		}
	}
	if plans := PlansFor(1, PairsTogether, 0); len(plans) != 0 {
		t.Errorf("two at once on one processor: %v", plans)
	}
}
